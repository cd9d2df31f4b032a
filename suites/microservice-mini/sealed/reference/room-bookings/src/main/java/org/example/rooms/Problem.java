package org.example.rooms;

import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;

/** A request that is answered with an error. */
public class Problem extends RuntimeException {
    final HttpStatus status;
    final String code;
    final Map<String, ?> more;

    private Problem(HttpStatus status, String code, Map<String, ?> more) {
        super(status.getReasonPhrase());
        this.status = status;
        this.code = code;
        this.more = more;
    }

    public record Violation(String field, String rule) {}

    static Problem malformed() {
        return new Problem(HttpStatus.BAD_REQUEST, "malformed", Map.of());
    }

    static Problem notFound() {
        return new Problem(HttpStatus.NOT_FOUND, "not_found", Map.of());
    }

    static Problem nameTaken() {
        return new Problem(HttpStatus.CONFLICT, "conflict", Map.of());
    }

    static Problem roomTaken(List<String> bookings) {
        return new Problem(HttpStatus.CONFLICT, "conflict", Map.of("conflicts", bookings));
    }

    static Problem preconditionFailed() {
        return new Problem(HttpStatus.PRECONDITION_FAILED, "precondition_failed", Map.of());
    }

    static Problem preconditionRequired() {
        return new Problem(HttpStatus.PRECONDITION_REQUIRED, "precondition_required", Map.of());
    }

    static Problem invalid(List<Violation> violations) {
        return new Problem(HttpStatus.UNPROCESSABLE_ENTITY, "invalid", Map.of("violations", violations));
    }
}
