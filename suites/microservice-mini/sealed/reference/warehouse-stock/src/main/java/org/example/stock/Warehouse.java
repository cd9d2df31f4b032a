package org.example.stock;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.example.stock.Reservation.Line;
import org.example.stock.Reservation.State;

/** Items and reservations; one request at a time changes them. */
final class Warehouse {
    private final TreeMap<String, Item> items = new TreeMap<>();
    private final Map<String, Reservation> reservations = new HashMap<>();

    record Outcome<T>(T value, boolean isNew) {}

    record Page(List<Item.Shown> items, String next) {}

    synchronized Outcome<Item.Shown> describe(String sku, String name, int reorderLevel) {
        boolean isNew = !items.containsKey(sku);
        Item item = items.computeIfAbsent(sku, Item::new);
        item.describe(name, reorderLevel);
        return new Outcome<>(item.shown(), isNew);
    }

    synchronized Item.Shown item(String sku) {
        return find(sku).shown();
    }

    synchronized Page list(String prefix, boolean lowOnly, String after, int limit) {
        List<Item.Shown> found = items.tailMap(after, false).entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(prefix) && (!lowOnly || entry.getValue().isLow()))
                .limit(limit + 1L)
                .map(entry -> entry.getValue().shown())
                .toList();
        boolean isCut = found.size() > limit;
        return new Page(isCut ? found.subList(0, limit) : found, isCut ? found.get(limit - 1).sku() : null);
    }

    synchronized Outcome<Movement> move(String sku, int quantity, String reason, String reference) {
        Item item = find(sku);
        Movement earlier = item.recorded(reference);
        if (earlier == null) {
            return new Outcome<>(item.record(quantity, reason, reference), true);
        }
        if (earlier.quantity() != quantity || !earlier.reason().equals(reason)) {
            throw Refusal.reference();
        }
        return new Outcome<>(earlier, false);
    }

    synchronized List<Movement> movements(String sku, int since) {
        return find(sku).movementsAfter(since);
    }

    synchronized Reservation reserve(List<Line> lines) {
        lines.forEach(line -> find(line.sku()));
        List<Shortage> shortages = lines.stream()
                .filter(line -> line.quantity() > find(line.sku()).available())
                .map(line -> new Shortage(line.sku(), line.quantity(), find(line.sku()).available()))
                .toList();
        if (!shortages.isEmpty()) {
            throw Refusal.insufficient(shortages);
        }
        lines.forEach(line -> find(line.sku()).reserve(line.quantity()));
        Reservation made = new Reservation("R" + (reservations.size() + 1), State.held, lines);
        reservations.put(made.id(), made);
        return made;
    }

    synchronized Reservation reservation(String id) {
        Reservation found = reservations.get(id);
        if (found == null) {
            throw Refusal.notFound();
        }
        return found;
    }

    synchronized Reservation end(String id, State end) {
        Reservation reservation = reservation(id);
        if (reservation.state() == end) {
            return reservation;
        }
        if (reservation.state() != State.held) {
            throw Refusal.state();
        }
        for (Line line : reservation.lines()) {
            Item item = find(line.sku());
            if (end == State.shipped) {
                item.ship(line.quantity(), id);
            } else {
                item.release(line.quantity());
            }
        }
        Reservation ended = reservation.ended(end);
        reservations.put(id, ended);
        return ended;
    }

    private Item find(String sku) {
        Item item = items.get(sku);
        if (item == null) {
            throw Refusal.notFound();
        }
        return item;
    }
}
