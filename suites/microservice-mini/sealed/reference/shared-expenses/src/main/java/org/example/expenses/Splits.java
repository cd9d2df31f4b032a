package org.example.expenses;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Who pays which part of an amount, in cents, by name. */
final class Splits {
    private static final Set<String> MODES = Set.of("equal", "weights", "exact");

    private Splits() {}

    /** As a body's `split` says. Where that breaks a rule, the body knows, and there are no shares. */
    static Map<String, Long> read(Input body, long amount, List<String> members) {
        if (!body.has("split")) {
            return proportional(amount, equal(members), members);
        }
        Input split = body.inner("split");
        String mode = split == null ? null : split.oneOf("mode", MODES);
        if (mode == null) {
            return Map.of();
        }
        return switch (mode) {
            case "weights" -> proportional(amount, weights(split, members), members);
            case "exact" -> exact(split, amount, members);
            default -> proportional(amount, equal(among(split, members)), members);
        };
    }

    private static Iterable<String> among(Input split, List<String> members) {
        return split.has("among") ? split.list("among", 1, Integer.MAX_VALUE, members::contains, "nobody") : members;
    }

    private static Map<String, Long> equal(Iterable<String> names) {
        Map<String, Long> weights = new LinkedHashMap<>();
        names.forEach(name -> weights.put(name, 1L));
        return weights;
    }

    private static Map<String, Long> weights(Input split, List<String> members) {
        return byName(split, "weights", members, (given, name) -> given.integer(name, 1, 1000));
    }

    private static Map<String, Long> exact(Input split, long amount, List<String> members) {
        Map<String, Long> shares = byName(split, "amounts", members, Input::amount);
        if (split.isRight()) {
            split.holds(shares.values().stream().mapToLong(Long::longValue).sum() == amount, "amounts", "sum");
        }
        return shares;
    }

    private interface Reading {
        long of(Input given, String name);
    }

    private static Map<String, Long> byName(Input split, String field, List<String> members, Reading reading) {
        Map<String, Long> found = new LinkedHashMap<>();
        Input given = split.inner(field);
        if (given == null || !split.holds(!given.names().isEmpty(), field, "range")) {
            return found;
        }
        for (String name : given.names()) {
            // What is said about somebody comes first: of one path, `nobody` is the later code.
            long value = reading.of(given, name);
            given.holds(members.contains(name), name, "nobody");
            found.put(name, value);
        }
        return found;
    }

    /** Rounded down, with what is left for those who lost the most by it. */
    private static Map<String, Long> proportional(long amount, Map<String, Long> weights, List<String> members) {
        long whole = weights.values().stream().mapToLong(Long::longValue).sum();
        Map<String, Long> shares = new LinkedHashMap<>();
        weights.forEach((name, weight) -> shares.put(name, amount * weight / whole));
        long left = amount - shares.values().stream().mapToLong(Long::longValue).sum();
        weights.keySet().stream()
                .sorted(Comparator.comparingLong((String name) -> -(amount * weights.get(name) % whole))
                        .thenComparingInt(members::indexOf))
                .limit(left)
                .forEach(name -> shares.merge(name, 1L, Long::sum));
        return shares;
    }
}
