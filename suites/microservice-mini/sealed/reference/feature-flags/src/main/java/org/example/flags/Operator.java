package org.example.flags;

import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/** How an attribute is compared with one value of a rule. */
enum Operator {
    EQUALS(1, JsonNode::isValueNode, Operator::areEqual),
    IN(50, JsonNode::isValueNode, Operator::areEqual),
    STARTS_WITH(50, JsonNode::isTextual, Operator::startsWith),
    AT_LEAST(1, JsonNode::isNumber, Operator::isAtLeast);

    final int mostValues;
    private final Predicate<JsonNode> takes;
    private final BiPredicate<JsonNode, JsonNode> holds;

    Operator(int mostValues, Predicate<JsonNode> takes, BiPredicate<JsonNode, JsonNode> holds) {
        this.mostValues = mostValues;
        this.takes = takes;
        this.holds = holds;
    }

    static Optional<Operator> of(String name) {
        return Arrays.stream(values()).filter(one -> one.shown().equals(name)).findFirst();
    }

    @JsonValue
    String shown() {
        return name().toLowerCase();
    }

    boolean takes(JsonNode value) {
        return !value.isNull() && takes.test(value);
    }

    boolean holds(JsonNode attribute, JsonNode value) {
        return holds.test(attribute, value);
    }

    private static boolean areEqual(JsonNode attribute, JsonNode value) {
        return attribute.isNumber() && value.isNumber()
                ? attribute.decimalValue().compareTo(value.decimalValue()) == 0
                : attribute.equals(value);
    }

    private static boolean startsWith(JsonNode attribute, JsonNode value) {
        return attribute.isTextual() && attribute.textValue().startsWith(value.textValue());
    }

    private static boolean isAtLeast(JsonNode attribute, JsonNode value) {
        return attribute.isNumber() && attribute.decimalValue().compareTo(value.decimalValue()) >= 0;
    }
}
