package org.example.flags;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

record Rule(String attribute, Operator operator, List<JsonNode> values, boolean value) {
    boolean holds(JsonNode attributes) {
        JsonNode given = attributes.path(attribute);
        return values.stream().anyMatch(one -> operator.holds(given, one));
    }
}
