package org.example.rooms;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.LocalDateTime;

public record Booking(
        String id,
        @JsonProperty("room_id") String roomId,
        String title,
        @JsonFormat(pattern = Input.TIME) LocalDateTime start,
        @JsonFormat(pattern = Input.TIME) LocalDateTime end) {
    Booking(String id, String roomId, String title, Span span) {
        this(id, roomId, title, span.start(), span.end());
    }

    @JsonIgnore
    public Span span() {
        return new Span(start, end);
    }
}
