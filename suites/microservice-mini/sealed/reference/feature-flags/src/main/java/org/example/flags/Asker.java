package org.example.flags;

import com.fasterxml.jackson.databind.JsonNode;

/** For whom a flag is asked. */
record Asker(String user, JsonNode attributes) {
    static Asker of(Input body) {
        return new Asker(body.text("user", 1, 100), body.object("attributes"));
    }
}
