package org.example.flags;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

@Path("/api/flags/{key}/evaluate")
public class EvaluationResource {
    private final Flags flags;

    EvaluationResource(Flags flags) {
        this.flags = flags;
    }

    @POST
    public Evaluation evaluate(@PathParam("key") String key, String body) {
        Settings settings = flags.settings(key).orElseThrow(Refusal::notFound);
        Input input = Input.body(body);
        Asker asker = Asker.of(input);
        input.done();
        return Evaluation.of(key, settings, asker);
    }
}
