package org.example.flags;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32;

/** Whether a flag is on for somebody, and why. */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Evaluation(String key, boolean value, String reason, Integer rule) {
    static Evaluation of(String key, Settings settings, Asker asker) {
        if (!settings.enabled()) {
            return new Evaluation(key, false, "disabled", null);
        }
        List<Rule> rules = settings.rules();
        for (int place = 0; place < rules.size(); place++) {
            if (rules.get(place).holds(asker.attributes())) {
                return new Evaluation(key, rules.get(place).value(), "rule", place);
            }
        }
        boolean isWithin = bucket(key, asker.user()) < settings.rollout();
        return new Evaluation(key, isWithin, isWithin ? "rollout" : "default", null);
    }

    private static long bucket(String key, String user) {
        CRC32 hash = new CRC32();
        hash.update((key + ":" + user).getBytes(StandardCharsets.UTF_8));
        return hash.getValue() % 100;
    }
}
