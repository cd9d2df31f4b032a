package org.example.flags;

import java.util.LinkedHashMap;
import java.util.Map;

/** A request that is answered with an error. */
class Refusal extends RuntimeException {
    final int status;
    private final String code;
    private final String member;
    private final Object value;

    private Refusal(int status, String code, String message, String member, Object value) {
        super(message);
        this.status = status;
        this.code = code;
        this.member = member;
        this.value = value;
    }

    static Refusal actor() {
        return new Refusal(401, "actor", "the header X-Actor must say who does it", null, null);
    }

    static Refusal notFound() {
        return new Refusal(404, "not_found", "there is no such flag or revision", null, null);
    }

    static Refusal malformed() {
        return new Refusal(400, "malformed", "the body must be a JSON object", null, null);
    }

    static Refusal invalid(Map<String, String> faults) {
        return new Refusal(422, "invalid", "a rule is broken", "faults", faults);
    }

    static Refusal stale(Integer current) {
        return new Refusal(409, "stale", "the flag has changed since", "current", current);
    }

    Map<String, Object> body() {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("code", code);
        body.put("message", getMessage());
        if (member != null) {
            body.put(member, value);
        }
        return body;
    }
}
