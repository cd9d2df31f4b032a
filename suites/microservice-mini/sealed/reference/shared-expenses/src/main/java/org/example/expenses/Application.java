package org.example.expenses;

import io.micronaut.runtime.Micronaut;

public final class Application {
    private Application() {}

    public static void main(String[] arguments) {
        Micronaut.run(Application.class, arguments);
    }
}
