package shop;

import io.javalin.Javalin;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

public class Shop {
    private static final Map<String, Map<?, ?>> ITEMS = new ConcurrentHashMap<>();

    public static void main(String[] arguments) {
        Javalin.create(config -> {
            config.routes.get("/api/v1/items", context -> context.json(Map.of("items", List.copyOf(ITEMS.values()))));
            config.routes.put("/api/v1/items/{sku}", context -> {
                ITEMS.put(context.pathParam("sku"), context.bodyAsClass(Map.class));
                context.status(201);
            });
        }).start();
    }
}
