package org.example.rooms;

import java.time.LocalDateTime;

/** From a time up to, and not including, another one. */
public record Span(LocalDateTime start, LocalDateTime end) {
    boolean overlaps(Span other) {
        return start.isBefore(other.end) && other.start.isBefore(end);
    }

    Span weeksLater(int weeks) {
        return new Span(start.plusWeeks(weeks), end.plusWeeks(weeks));
    }
}
