package org.example.expenses;

import io.micronaut.http.HttpStatus;
import java.util.List;
import java.util.Map;

/** A request that is answered with errors. */
final class Refusal extends RuntimeException {
    final HttpStatus status;
    final List<Fault> faults;

    record Fault(String path, String code) {}

    private Refusal(HttpStatus status, List<Fault> faults) {
        super(faults.toString());
        this.status = status;
        this.faults = faults;
    }

    static Refusal unknown(String path) {
        return new Refusal(HttpStatus.NOT_FOUND, List.of(new Fault(path, "unknown")));
    }

    static Refusal conflict(String path, String code) {
        return new Refusal(HttpStatus.CONFLICT, List.of(new Fault(path, code)));
    }

    static Refusal invalid(Map<String, String> codes) {
        return new Refusal(
                HttpStatus.BAD_REQUEST,
                codes.entrySet().stream().map(one -> new Fault(one.getKey(), one.getValue())).toList());
    }
}
