package org.example.stock;

import java.util.List;

record Reservation(String id, State state, List<Line> lines) {
    record Line(String sku, int quantity) {}

    enum State { held, shipped, released }

    Reservation ended(State end) {
        return new Reservation(id, end, lines);
    }
}
