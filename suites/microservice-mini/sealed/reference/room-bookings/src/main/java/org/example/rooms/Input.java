package org.example.rooms;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** The members of a body, or the parameters of a query, read by rules. The first rule that each breaks is kept until `done`. */
class Input {
    static final String TIME = "uuuu-MM-dd'T'HH:mm";

    private static final DateTimeFormatter TIMES = DateTimeFormatter.ofPattern(TIME).withResolverStyle(ResolverStyle.STRICT);
    private static final DateTimeFormatter DAYS = DateTimeFormatter.ISO_LOCAL_DATE;
    private static final String WORD = "[a-z-]+";
    private static final int LONGEST_HOURS = 8;
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final JsonNode members;
    private final Map<String, String> broken = new TreeMap<>();

    private Input(JsonNode members) {
        this.members = members;
    }

    static Input body(String body) {
        try {
            JsonNode read = JSON.readTree(body == null ? "" : body);
            if (read.isObject()) {
                return new Input(read);
            }
        } catch (JsonProcessingException ignored) {
            // Answered as any other body that is no object.
        }
        throw Problem.malformed();
    }

    static Input query(Map<String, String> parameters) {
        ObjectNode members = JsonNodeFactory.instance.objectNode();
        parameters.forEach(members::put);
        return new Input(members);
    }

    boolean has(String field) {
        return members.has(field);
    }

    String text(String field, int longest) {
        JsonNode value = present(field);
        if (value == null || !holds(value.isTextual(), field, "type")) {
            return null;
        }
        String text = value.textValue();
        holds(!text.isEmpty() && text.codePointCount(0, text.length()) <= longest, field, "range");
        return text;
    }

    int integer(String field, int least, int most) {
        JsonNode value = present(field);
        if (value == null || !holds(value.isIntegralNumber(), field, "type")) {
            return least;
        }
        boolean isWithin = value.canConvertToInt() && value.intValue() >= least && value.intValue() <= most;
        return holds(isWithin, field, "range") ? value.intValue() : least;
    }

    /** Different words in alphabetical order. */
    List<String> words(String field, int most) {
        JsonNode value = present(field);
        if (value == null || !holds(value.isArray(), field, "type")) {
            return List.of();
        }
        TreeSet<String> words = new TreeSet<>();
        for (JsonNode element : value) {
            if (!holds(element.isTextual() && element.textValue().matches(WORD), field, "format")) {
                return List.of();
            }
            words.add(element.textValue());
        }
        holds(words.size() == value.size() && words.size() <= most, field, "range");
        return List.copyOf(words);
    }

    LocalDateTime time(String field) {
        JsonNode value = present(field);
        if (value == null || !holds(value.isTextual(), field, "type")) {
            return null;
        }
        LocalDateTime time = parsed(value.textValue(), text -> LocalDateTime.parse(text, TIMES));
        return holds(time != null && time.getMinute() % 15 == 0, field, "format") ? time : null;
    }

    LocalDate day(String field) {
        LocalDate day = parsed(members.path(field).textValue(), text -> LocalDate.parse(text, DAYS));
        holds(day != null, field, "format");
        return day;
    }

    /** An integer in a query. */
    int number(String field, int least, int most) {
        Integer number = parsed(members.path(field).textValue(), Integer::valueOf);
        return holds(number != null, field, "format") && holds(number >= least && number <= most, field, "range")
                ? number
                : least;
    }

    /** Words with commas between, in a query. */
    Set<String> listed(String field) {
        return has(field) ? new HashSet<>(List.of(members.path(field).textValue().split(","))) : Set.of();
    }

    /** The span that a booking may have; null where something is wrong with it. */
    Span bookable(LocalDateTime start, LocalDateTime end) {
        Span span = span(start, end, "end");
        if (span == null) {
            return null;
        }
        boolean isShort = start.toLocalDate().equals(end.toLocalDate()) && !end.isAfter(start.plusHours(LONGEST_HOURS));
        return holds(isShort, "end", "range") ? span : null;
    }

    Span span(LocalDateTime start, LocalDateTime end, String field) {
        if (start == null || end == null) {
            return null;
        }
        return holds(start.isBefore(end), field, "order") ? new Span(start, end) : null;
    }

    /** Refuses the request if anything was wrong. */
    void done() {
        if (!broken.isEmpty()) {
            throw Problem.invalid(broken.entrySet().stream()
                    .map(one -> new Problem.Violation(one.getKey(), one.getValue()))
                    .toList());
        }
    }

    private JsonNode present(String field) {
        JsonNode value = members.path(field);
        return holds(!value.isMissingNode() && !value.isNull(), field, "required") ? value : null;
    }

    private boolean holds(boolean isRight, String field, String rule) {
        if (!isRight) {
            broken.putIfAbsent(field, rule);
        }
        return isRight;
    }

    private static <T> T parsed(String text, Function<String, T> parse) {
        try {
            return text == null ? null : parse.apply(text);
        } catch (DateTimeException | NumberFormatException ignored) {
            return null;
        }
    }
}
