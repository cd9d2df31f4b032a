package org.example.flags;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The members of a body, or parameters of a query, read by rules. The first rule that each breaks is kept until `done`. */
final class Input {
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
    private static final int MOST_RULES = 20;

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
        throw Refusal.malformed();
    }

    static Input query() {
        return new Input(JsonNodeFactory.instance.objectNode(), "", new TreeMap<>());
    }

    static String actor(String header) {
        if (header == null || !isOfLength(header, 1, 40)) {
            throw Refusal.actor();
        }
        return header;
    }

    boolean has(String name) {
        return members.has(name);
    }

    String text(String name, int least, int most) {
        JsonNode value = present(name);
        if (value == null || !holds(value.isTextual(), name, "type")) {
            return "";
        }
        holds(isOfLength(value.textValue(), least, most), name, "range");
        return value.textValue();
    }

    boolean truth(String name) {
        JsonNode value = present(name);
        return value != null && holds(value.isBoolean(), name, "type") && value.booleanValue();
    }

    int integer(String name, int least, int most) {
        JsonNode value = present(name);
        if (value == null || !holds(value.isIntegralNumber(), name, "type")) {
            return least;
        }
        boolean isWithin = value.canConvertToInt() && value.intValue() >= least && value.intValue() <= most;
        return holds(isWithin, name, "range") ? value.intValue() : least;
    }

    List<String> texts(String name, int most) {
        List<String> texts = new ArrayList<>();
        for (JsonNode element : array(name, 1, most)) {
            holds(element.isTextual(), "%s[%d]".formatted(name, texts.size()), "type");
            texts.add(element.textValue());
        }
        return texts;
    }

    /** An object, empty if it is left out. */
    JsonNode object(String name) {
        if (!has(name)) {
            return JsonNodeFactory.instance.objectNode();
        }
        JsonNode value = present(name);
        holds(value == null || value.isObject(), name, "type");
        return value;
    }

    Settings settings() {
        return new Settings(
                has("description") ? text("description", 0, 200) : Settings.DEFAULTS.description(),
                has("enabled") ? truth("enabled") : Settings.DEFAULTS.enabled(),
                has("rules") ? rules() : Settings.DEFAULTS.rules(),
                has("rollout") ? integer("rollout", 0, 100) : Settings.DEFAULTS.rollout());
    }

    /** An integer in a query. */
    int number(String name, String text, int least, int most) {
        if (!holds(text != null, name, "missing") || !holds(text.matches("-?\\d{1,9}"), name, "format")) {
            return least;
        }
        int number = Integer.parseInt(text);
        return holds(number >= least && number <= most, name, "range") ? number : least;
    }

    boolean holds(boolean isRight, String name, String fault) {
        if (!isRight) {
            faults.putIfAbsent(prefix + name, fault);
        }
        return isRight;
    }

    /** Refuses the request if anything was wrong. */
    void done() {
        if (!faults.isEmpty()) {
            throw Refusal.invalid(faults);
        }
    }

    private List<Rule> rules() {
        List<Rule> rules = new ArrayList<>();
        for (JsonNode rule : array("rules", 0, MOST_RULES)) {
            String place = "rules[%d]".formatted(rules.size());
            holds(rule.isObject(), place, "type");
            rules.add(rule.isObject() ? new Input(rule, place + ".", faults).rule() : null);
        }
        return rules;
    }

    private Rule rule() {
        String attribute = text("attribute", 1, 40);
        JsonNode named = present("operator");
        Operator operator = named != null && holds(named.isTextual(), "operator", "type")
                ? Operator.of(named.textValue()).orElse(null)
                : null;
        holds(named == null || operator != null, "operator", "range");
        return new Rule(attribute, operator, values(operator), truth("value"));
    }

    private List<JsonNode> values(Operator operator) {
        List<JsonNode> values = new ArrayList<>();
        boolean isKnown = operator != null;
        for (JsonNode value : array("values", isKnown ? 1 : 0, isKnown ? operator.mostValues : Integer.MAX_VALUE)) {
            holds(!isKnown || operator.takes(value), "values[%d]".formatted(values.size()), "type");
            values.add(value);
        }
        return values;
    }

    /** The elements of an array, none where it is wrong itself. */
    private Iterable<JsonNode> array(String name, int least, int most) {
        JsonNode value = present(name);
        boolean isRight = value != null
                && holds(value.isArray(), name, "type")
                && holds(value.size() >= least && value.size() <= most, name, "range");
        return isRight ? value : List.of();
    }

    private JsonNode present(String name) {
        JsonNode value = members.path(name);
        return holds(!value.isMissingNode() && !value.isNull(), name, "missing") ? value : null;
    }

    private static boolean isOfLength(String text, int least, int most) {
        int length = text.codePointCount(0, text.length());
        return length >= least && length <= most;
    }
}
