package org.example.stock;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** A request that is answered with an error. */
final class Refusal extends RuntimeException {
    final int status;
    private final String error;
    private final Collection<?> details;

    private Refusal(int status, String error, Collection<?> details) {
        super(error);
        this.status = status;
        this.error = error;
        this.details = details;
    }

    static Refusal malformed() {
        return new Refusal(400, "malformed", null);
    }

    static Refusal notFound() {
        return new Refusal(404, "not_found", null);
    }

    static Refusal invalid(Collection<String> names) {
        return new Refusal(422, "invalid", new TreeSet<>(names));
    }

    static Refusal insufficient(List<Shortage> shortages) {
        return new Refusal(409, "insufficient", shortages);
    }

    static Refusal reference() {
        return new Refusal(409, "reference", null);
    }

    static Refusal state() {
        return new Refusal(409, "state", null);
    }

    Map<String, Object> body() {
        return details == null ? Map.of("error", error) : Map.of("error", error, "details", details);
    }
}
