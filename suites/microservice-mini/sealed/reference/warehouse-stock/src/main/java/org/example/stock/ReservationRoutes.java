package org.example.stock;

import static io.javalin.apibuilder.ApiBuilder.get;
import static io.javalin.apibuilder.ApiBuilder.path;
import static io.javalin.apibuilder.ApiBuilder.post;

import com.fasterxml.jackson.databind.JsonNode;
import io.javalin.apibuilder.EndpointGroup;
import io.javalin.http.Context;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.example.stock.Reservation.Line;
import org.example.stock.Reservation.State;

record ReservationRoutes(Warehouse warehouse) implements EndpointGroup {
    private static final int MOST_LINES = 20;

    @Override
    public void addEndpoints() {
        path("/reservations", () -> {
            post(this::reserve);
            get("/{id}", context -> context.json(warehouse.reservation(context.pathParam("id"))));
            post("/{id}/ship", context -> end(context, State.shipped));
            post("/{id}/release", context -> end(context, State.released));
        });
    }

    private void reserve(Context context) {
        Input body = Input.body(context);
        List<Line> lines = lines(body.member("lines"));
        body.check("lines", lines != null);
        body.done();
        context.status(201).json(warehouse.reserve(lines));
    }

    private void end(Context context, State end) {
        context.json(warehouse.end(context.pathParam("id"), end));
    }

    /** Null where a rule is broken. */
    private static List<Line> lines(JsonNode given) {
        if (!given.isArray() || given.isEmpty() || given.size() > MOST_LINES) {
            return null;
        }
        List<Line> lines = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (JsonNode line : given) {
            JsonNode sku = line.path("sku");
            JsonNode quantity = line.path("quantity");
            if (!sku.isTextual() || !Input.isInteger(quantity, 1, 100_000) || !seen.add(sku.textValue())) {
                return null;
            }
            lines.add(new Line(sku.textValue(), quantity.intValue()));
        }
        return lines;
    }
}
