package repoproof;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.platform.launcher.LauncherDiscoveryListener;
import org.junit.platform.launcher.LauncherSessionListener;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.core.LauncherConfig;

/** Quarkus loads each test class anew, which it can do only from inside the launcher: the one framework whose listeners are let in. */
final class Quarkus {
    private static final String CONFIGURES = "io.quarkus.test.config.ConfigLauncherSession";
    private static final String LOADS = "io.quarkus.test.junit.launcher.CustomLauncherInterceptor";
    private static final String LISTENS = "io.quarkus.test.junit.launcher.ExecutionListener";

    private Quarkus() {}

    static void listenTo(LauncherConfig.Builder configuration) {
        each(LauncherSessionListener.class, List.of(CONFIGURES, LOADS), configuration::addLauncherSessionListeners);
        each(LauncherDiscoveryListener.class, List.of(LOADS), configuration::addLauncherDiscoveryListeners);
        each(TestExecutionListener.class, List.of(LISTENS, LOADS), configuration::addTestExecutionListeners);
    }

    private static <T> void each(Class<T> kind, List<String> names, Consumer<T> added) {
        names.stream().flatMap(name -> made(name)).filter(kind::isInstance).map(kind::cast).forEach(added);
    }

    /** An instance, where the class path has such a class. */
    private static Stream<Object> made(String name) {
        try {
            return Stream.of(Class.forName(name).getDeclaredConstructor().newInstance());
        } catch (ReflectiveOperationException absent) {
            return Stream.empty();
        }
    }
}
