package org.example.stock;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What lies on one shelf. Guarded by the warehouse. */
final class Item {
    static final String SHIPMENT = "shipment";

    private final String sku;
    private final List<Movement> movements = new ArrayList<>();
    private final Map<String, Movement> byReference = new HashMap<>();
    private String name;
    private int reorderLevel;
    private int onHand;
    private int reserved;

    Item(String sku) {
        this.sku = sku;
    }

    record Shown(
            String sku,
            String name,
            @JsonProperty("reorder_level") int reorderLevel,
            @JsonProperty("on_hand") int onHand,
            int reserved,
            int available) {}

    Shown shown() {
        return new Shown(sku, name, reorderLevel, onHand, reserved, available());
    }

    int available() {
        return onHand - reserved;
    }

    boolean isLow() {
        return available() < reorderLevel;
    }

    void describe(String name, int reorderLevel) {
        this.name = name;
        this.reorderLevel = reorderLevel;
    }

    void reserve(int quantity) {
        reserved += quantity;
    }

    void release(int quantity) {
        reserved -= quantity;
    }

    void ship(int quantity, String reservation) {
        reserved -= quantity;
        append(-quantity, SHIPMENT, reservation);
    }

    /** What somebody else recorded under that reference, or null. */
    Movement recorded(String reference) {
        return byReference.get(reference);
    }

    Movement record(int quantity, String reason, String reference) {
        if (available() + quantity < 0) {
            throw Refusal.insufficient(List.of(new Shortage(sku, -quantity, available())));
        }
        Movement movement = append(quantity, reason, reference);
        byReference.put(reference, movement);
        return movement;
    }

    List<Movement> movementsAfter(int number) {
        return List.copyOf(movements.subList(Math.min(number, movements.size()), movements.size()));
    }

    private Movement append(int quantity, String reason, String reference) {
        onHand += quantity;
        Movement movement = new Movement(movements.size() + 1, quantity, reason, reference, onHand);
        movements.add(movement);
        return movement;
    }
}
