package org.example.expenses;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The members of a body, read by rules. The first rule that each breaks is kept until `done`. */
final class Input {
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final JsonNode members;
    private final String prefix;
    private final Map<String, String> faults;

    private Input(JsonNode members, String prefix, Map<String, String> faults) {
        this.members = members;
        this.prefix = prefix;
        this.faults = faults;
    }

    static Input body(String body) {
        try {
            JsonNode read = JSON.readTree(body == null ? "" : body);
            if (read.isObject()) {
                return new Input(read, "", new TreeMap<>());
            }
        } catch (JsonProcessingException ignored) {
            // Answered as any other body that is no object.
        }
        throw Refusal.invalid(Map.of("", "json"));
    }

    /** The number in a query; `otherwise` if it is not there. */
    static int number(String name, String text, int most, int otherwise, Map<String, String> faults) {
        if (text == null) {
            return otherwise;
        }
        if (!text.matches("-?\\d+")) {
            faults.put(name, "format");
        } else if (!text.matches("0*[1-9]\\d{0,8}") || Integer.parseInt(text) > most) {
            faults.put(name, "range");
        } else {
            return Integer.parseInt(text);
        }
        return otherwise;
    }

    boolean has(String name) {
        return members.has(name);
    }

    /** The object of that name, whose faults are found together with these; null if it is none. */
    Input inner(String name) {
        JsonNode value = present(name);
        return value != null && holds(value.isObject(), name, "type")
                ? new Input(value, prefix + name + ".", faults)
                : null;
    }

    Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        members.fieldNames().forEachRemaining(names::add);
        return names;
    }

    String text(String name, int longest) {
        String text = words(name);
        holds(text == null || !text.isEmpty() && text.codePointCount(0, text.length()) <= longest, name, "range");
        return text;
    }

    String form(String name, String pattern) {
        String text = words(name);
        holds(text == null || text.matches(pattern), name, "format");
        return text;
    }

    String oneOf(String name, Set<String> allowed) {
        String text = words(name);
        return text != null && holds(allowed.contains(text), name, "range") ? text : null;
    }

    String member(String name, Predicate<String> isMember) {
        String text = words(name);
        holds(text == null || isMember.test(text), name, "nobody");
        return text;
    }

    long amount(String name) {
        String text = words(name);
        boolean isAmount = text != null
                && holds(Money.isWritten(text), name, "format")
                && holds(Money.isWithin(text), name, "range");
        return isAmount ? Money.cents(text) : 0;
    }

    long integer(String name, int least, int most) {
        JsonNode value = present(name);
        if (value == null || !holds(value.isIntegralNumber(), name, "type")) {
            return least;
        }
        boolean isWithin = value.canConvertToInt() && value.intValue() >= least && value.intValue() <= most;
        return holds(isWithin, name, "range") ? value.intValue() : least;
    }

    /** Different texts, of which each must be right, else it has the fault `code`. */
    Set<String> list(String name, int least, int most, Predicate<String> isRight, String code) {
        Set<String> found = new LinkedHashSet<>();
        JsonNode value = present(name);
        if (value == null || !holds(value.isArray(), name, "type") || !holds(value.size() >= least && value.size() <= most, name, "range")) {
            return found;
        }
        for (int place = 0; place < value.size(); place++) {
            JsonNode element = value.get(place);
            String path = name + "." + place;
            if (holds(!element.isNull(), path, "missing")
                    && holds(element.isTextual(), path, "type")
                    && holds(isRight.test(element.textValue()), path, code)) {
                holds(found.add(element.textValue()), path, "duplicate");
            }
        }
        return found;
    }

    boolean holds(boolean isRight, String name, String code) {
        if (!isRight) {
            faults.putIfAbsent(prefix + name, code);
        }
        return isRight;
    }

    boolean isRight() {
        return faults.isEmpty();
    }

    /** Refuses the request if anything was wrong. */
    void done() {
        if (!isRight()) {
            throw Refusal.invalid(faults);
        }
    }

    private String words(String name) {
        JsonNode value = present(name);
        return value != null && holds(value.isTextual(), name, "type") ? value.textValue() : null;
    }

    private JsonNode present(String name) {
        JsonNode value = members.path(name);
        return holds(!value.isMissingNode() && !value.isNull(), name, "missing") ? value : null;
    }
}
