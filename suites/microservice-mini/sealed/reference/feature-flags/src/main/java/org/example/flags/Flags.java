package org.example.flags;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** All flags; one request at a time changes them. */
@ApplicationScoped
public class Flags {
    private final Map<String, Flag> flags = new TreeMap<>();
    private final Map<String, Integer> lastRevisions = new HashMap<>();

    record Outcome(Flag.Shown flag, boolean isNew) {}

    /** `base` is the revision that the change is based on, null for a flag that is to be made. */
    synchronized Outcome put(String key, Settings settings, Integer base, String actor) {
        Flag flag = flags.get(key);
        demand(flag, base);
        if (flag == null) {
            Flag made = new Flag(key, lastRevisions.getOrDefault(key, 0) + 1, settings, actor);
            flags.put(key, made);
            return new Outcome(made.shown(), true);
        }
        flag.change(settings, actor);
        return new Outcome(flag.shown(), false);
    }

    synchronized void remove(String key, int base) {
        Flag flag = find(key);
        demand(flag, base);
        lastRevisions.put(key, flag.revision());
        flags.remove(key);
    }

    synchronized Flag.Shown rollBack(String key, int to, int base, String actor) {
        Flag flag = find(key);
        Settings then = flag.settings(to);
        demand(flag, base);
        flag.change(then, actor);
        return flag.shown();
    }

    synchronized List<Flag.Shown> all() {
        return flags.values().stream().map(Flag::shown).toList();
    }

    synchronized Flag.Shown shown(String key) {
        return find(key).shown();
    }

    synchronized Flag.Shown shown(String key, int revision) {
        return find(key).shown(revision);
    }

    synchronized List<Flag.Revision> revisions(String key) {
        return find(key).newestFirst();
    }

    synchronized Optional<Settings> settings(String key) {
        return Optional.ofNullable(flags.get(key)).map(Flag::settings);
    }

    private Flag find(String key) {
        Flag flag = flags.get(key);
        if (flag == null) {
            throw Refusal.notFound();
        }
        return flag;
    }

    private static void demand(Flag flag, Integer base) {
        Integer current = flag == null ? null : flag.revision();
        if (current == null ? base != null : !current.equals(base)) {
            throw Refusal.stale(current);
        }
    }
}
