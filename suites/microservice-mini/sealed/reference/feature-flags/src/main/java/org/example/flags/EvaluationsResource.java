package org.example.flags;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

@Path("/api/evaluate")
public class EvaluationsResource {
    private static final int MOST_KEYS = 50;

    private final Flags flags;

    EvaluationsResource(Flags flags) {
        this.flags = flags;
    }

    public record Evaluations(Map<String, Boolean> values, Set<String> unknown) {}

    @POST
    public Evaluations evaluate(String body) {
        Input input = Input.body(body);
        List<String> keys = input.texts("keys", MOST_KEYS);
        Asker asker = Asker.of(input);
        input.done();
        Evaluations found = new Evaluations(new TreeMap<>(), new TreeSet<>());
        for (String key : keys) {
            flags.settings(key).ifPresentOrElse(
                    settings -> found.values().put(key, Evaluation.of(key, settings, asker).value()),
                    () -> found.unknown().add(key));
        }
        return found;
    }
}
