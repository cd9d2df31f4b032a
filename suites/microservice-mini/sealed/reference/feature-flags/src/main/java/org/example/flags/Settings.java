package org.example.flags;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What is said about a flag in one of its states. */
record Settings(String description, boolean enabled, List<Rule> rules, int rollout) {
    static final Settings DEFAULTS = new Settings("", false, List.of(), 0);

    Set<String> changedFrom(Settings before) {
        Set<String> changed = new TreeSet<>();
        if (!description.equals(before.description)) {
            changed.add("description");
        }
        if (enabled != before.enabled) {
            changed.add("enabled");
        }
        if (!rules.equals(before.rules)) {
            changed.add("rules");
        }
        if (rollout != before.rollout) {
            changed.add("rollout");
        }
        return changed;
    }
}
