package org.example.stock;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.javalin.http.Context;
import java.util.TreeSet;
import java.util.function.Predicate;

/** What a request says, read by rules; all that break one are named together. */
final class Input {
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final Context context;
    private final JsonNode body;
    private final TreeSet<String> faulty = new TreeSet<>();

    private Input(Context context, JsonNode body) {
        this.context = context;
        this.body = body;
    }

    static Input query(Context context) {
        return new Input(context, JSON.createObjectNode());
    }

    static Input body(Context context) {
        try {
            JsonNode body = JSON.readTree(context.body());
            if (body.isObject()) {
                return new Input(context, body);
            }
        } catch (JsonProcessingException ignored) {
            // Answered as any other body that is no object.
        }
        throw Refusal.malformed();
    }

    String text(String name, Predicate<String> isRight) {
        JsonNode value = body.path(name);
        check(name, value.isTextual() && isRight.test(value.textValue()));
        return value.textValue();
    }

    int integer(String name, int least, int most) {
        JsonNode value = body.path(name);
        boolean isRight = isInteger(value, least, most);
        check(name, isRight);
        return isRight ? value.intValue() : 0;
    }

    boolean has(String name) {
        return body.has(name);
    }

    JsonNode member(String name) {
        return body.path(name);
    }

    int number(String name, int least, int most, int otherwise) {
        String value = context.queryParam(name);
        if (value == null) {
            return otherwise;
        }
        boolean isRight = value.matches("\\d{1,9}") && Integer.parseInt(value) >= least && Integer.parseInt(value) <= most;
        check(name, isRight);
        return isRight ? Integer.parseInt(value) : otherwise;
    }

    boolean flag(String name) {
        String value = context.queryParam(name);
        check(name, value == null || value.equals("true") || value.equals("false"));
        return "true".equals(value);
    }

    String words(String name) {
        String value = context.queryParam(name);
        return value == null ? "" : value;
    }

    void check(String name, boolean isRight) {
        if (!isRight) {
            faulty.add(name);
        }
    }

    /** Refuses the request if anything was wrong. */
    void done() {
        if (!faulty.isEmpty()) {
            throw Refusal.invalid(faulty);
        }
    }

    static boolean isInteger(JsonNode value, int least, int most) {
        return value.isIntegralNumber() && value.canConvertToInt() && value.intValue() >= least && value.intValue() <= most;
    }

    static Predicate<String> ofLength(int least, int most) {
        return text -> {
            int length = text.codePointCount(0, text.length());
            return length >= least && length <= most;
        };
    }
}
