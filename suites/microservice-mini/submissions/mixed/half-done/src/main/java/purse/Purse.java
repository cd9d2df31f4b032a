package purse;

import io.micronaut.runtime.Micronaut;

public class Purse {
    public static void main(String[] arguments) {
        Micronaut.run(Purse.class, arguments);
    }
}
