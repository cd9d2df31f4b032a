package org.example.stock;

import static io.javalin.apibuilder.ApiBuilder.get;
import static io.javalin.apibuilder.ApiBuilder.path;
import static io.javalin.apibuilder.ApiBuilder.post;
import static io.javalin.apibuilder.ApiBuilder.put;

import io.javalin.apibuilder.EndpointGroup;
import io.javalin.http.Context;
import java.util.Map;
import java.util.Set;

record ItemRoutes(Warehouse warehouse) implements EndpointGroup {
    private static final Set<String> REASONS = Set.of("receipt", "damage", "correction");

    @Override
    public void addEndpoints() {
        path("/items", () -> {
            get(this::list);
            path("/{sku}", () -> {
                put(this::describe);
                get(context -> context.json(warehouse.item(context.pathParam("sku"))));
                post("/movements", this::move);
                get("/movements", this::movements);
            });
        });
    }

    private void list(Context context) {
        Input query = Input.query(context);
        boolean lowOnly = query.flag("low");
        int limit = query.number("limit", 1, 100, 20);
        query.done();
        context.json(warehouse.list(query.words("prefix"), lowOnly, query.words("after"), limit));
    }

    private void describe(Context context) {
        String sku = context.pathParam("sku");
        Input body = Input.body(context);
        body.check("sku", sku.matches("[A-Z0-9-]{1,20}"));
        String name = body.text("name", Input.ofLength(1, 80));
        int reorderLevel = body.has("reorder_level") ? body.integer("reorder_level", 0, 1_000_000) : 0;
        body.done();
        answer(context, warehouse.describe(sku, name, reorderLevel));
    }

    private void move(Context context) {
        String sku = context.pathParam("sku");
        Input body = Input.body(context);
        warehouse.item(sku);
        int quantity = body.integer("quantity", -100_000, 100_000);
        String reason = body.text("reason", REASONS::contains);
        String reference = body.text("reference", Input.ofLength(1, 40));
        boolean isWrongWay = "receipt".equals(reason) && quantity < 0 || "damage".equals(reason) && quantity > 0;
        body.check("quantity", quantity != 0 && !isWrongWay);
        body.done();
        answer(context, warehouse.move(sku, quantity, reason, reference));
    }

    private void movements(Context context) {
        String sku = context.pathParam("sku");
        warehouse.item(sku);
        Input query = Input.query(context);
        int since = query.number("since", 0, Integer.MAX_VALUE, 0);
        query.done();
        context.json(Map.of("movements", warehouse.movements(sku, since)));
    }

    private static void answer(Context context, Warehouse.Outcome<?> outcome) {
        context.status(outcome.isNew() ? 201 : 200).json(outcome.value());
    }
}
