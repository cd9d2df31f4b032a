package org.example.stock;

import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;

public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        String port = System.getenv().getOrDefault("PORT", "8106");
        Javalin.create(Main::configure).start(System.getenv().getOrDefault("HOST", "0.0.0.0"), Integer.parseInt(port));
    }

    private static void configure(JavalinConfig config) {
        Warehouse warehouse = new Warehouse();
        config.startup.showJavalinBanner = false;
        config.router.contextPath = "/api/v1";
        config.routes.apiBuilder(new ItemRoutes(warehouse));
        config.routes.apiBuilder(new ReservationRoutes(warehouse));
        config.routes.exception(Refusal.class, (refusal, context) -> context.status(refusal.status).json(refusal.body()));
    }
}
