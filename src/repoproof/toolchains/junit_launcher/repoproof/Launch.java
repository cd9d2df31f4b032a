package repoproof;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.engine.JupiterTestEngine;
import org.junit.platform.engine.discovery.ClassSelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.vintage.engine.VintageTestEngine;

/**
 * Runs the test classes of one directory and records each result as it comes.
 *
 * <p>Usage: Launch RECORDS TEST_CLASSES, with a nonce as the first line of standard input. Nothing on the class path decides how tests
 * run: no service, no properties file, no system property. The code under test shares this process all the same; none of it is loaded
 * before the first record is written.
 */
public final class Launch {
    private Launch() {}

    public static void main(String[] arguments) throws Exception {
        Records records = new Records(Path.of(arguments[0]), nonce());
        records.write("started", Records.text("JUnit"));
        Launcher launcher = LauncherFactory.openSession(configuration()).getLauncher();
        TestPlan plan = launcher.discover(allIn(Path.of(arguments[1])));
        Recorder recorder = new Recorder(records, plan);
        recorder.collected();
        launcher.execute(plan, recorder);
        int code = recorder.finished();
        System.out.flush();
        System.err.flush();
        // What the code under test left running, and its shutdown hooks, have no say in how this ends.
        Runtime.getRuntime().halt(code);
    }

    private static String nonce() throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String nonce = input.readLine();
        System.setIn(InputStream.nullInputStream());
        return nonce;
    }

    private static LauncherConfig configuration() {
        LauncherConfig.Builder configuration = LauncherConfig.builder()
                .enableTestEngineAutoRegistration(false)
                .enableTestExecutionListenerAutoRegistration(false)
                .enableLauncherSessionListenerAutoRegistration(false)
                .enableLauncherDiscoveryListenerAutoRegistration(false)
                .enablePostDiscoveryFilterAutoRegistration(false)
                .addTestEngines(new JupiterTestEngine(), new VintageTestEngine());
        Quarkus.listenTo(configuration);
        return configuration.build();
    }

    /** Each class by its name: to scan a directory, JUnit would ask whatever scanner the class path has registered. */
    private static LauncherDiscoveryRequest allIn(Path classes) throws IOException {
        try (Stream<Path> files = Files.walk(classes)) {
            List<ClassSelector> all = files.map(file -> classes.relativize(file).toString())
                    .filter(name -> name.endsWith(".class"))
                    .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                    .sorted()
                    .map(DiscoverySelectors::selectClass)
                    .toList();
            return LauncherDiscoveryRequestBuilder.request()
                    .selectors(all)
                    .enableImplicitConfigurationParameters(false)
                    .build();
        }
    }
}
