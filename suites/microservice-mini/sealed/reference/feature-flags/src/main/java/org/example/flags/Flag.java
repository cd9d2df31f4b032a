package org.example.flags;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** A flag in all the states that it has had. Guarded by `Flags`. */
final class Flag {
    private final String key;
    private final int first;
    private final List<Revision> revisions = new ArrayList<>();
    private final List<Settings> states = new ArrayList<>();

    Flag(String key, int first, Settings settings, String actor) {
        this.key = key;
        this.first = first;
        append(settings, Settings.DEFAULTS, actor);
    }

    record Shown(String key, String description, boolean enabled, List<Rule> rules, int rollout, int revision) {}

    record Revision(int revision, String actor, Set<String> changed) {}

    int revision() {
        return first + revisions.size() - 1;
    }

    Settings settings() {
        return states.get(states.size() - 1);
    }

    Settings settings(int revision) {
        if (revision < first || revision > revision()) {
            throw Refusal.notFound();
        }
        return states.get(revision - first);
    }

    Shown shown() {
        return shown(revision());
    }

    Shown shown(int revision) {
        Settings then = settings(revision);
        return new Shown(key, then.description(), then.enabled(), then.rules(), then.rollout(), revision);
    }

    List<Revision> newestFirst() {
        List<Revision> found = new ArrayList<>(revisions);
        Collections.reverse(found);
        return found;
    }

    void change(Settings settings, String actor) {
        if (!settings.changedFrom(settings()).isEmpty()) {
            append(settings, settings(), actor);
        }
    }

    private void append(Settings settings, Settings before, String actor) {
        states.add(settings);
        revisions.add(new Revision(first + revisions.size(), actor, settings.changedFrom(before)));
    }
}
