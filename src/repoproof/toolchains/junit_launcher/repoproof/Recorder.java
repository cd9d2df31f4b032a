package repoproof;

import static repoproof.Records.text;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Turns what JUnit reports into one record for each test. */
final class Recorder implements TestExecutionListener {
    private static final int MOST_CHARACTERS = 2048;

    private final Records records;
    private final TestPlan plan;
    private final Map<String, Long> begun = new HashMap<>();
    private final Set<String> recorded = new HashSet<>();
    private boolean allPassed = true;

    Recorder(Records records, TestPlan plan) {
        this.records = records;
        this.plan = plan;
    }

    /** Says what will run, as far as it is known before it does. */
    synchronized void collected() {
        records.write("started", text("JUnit"));
        Set<String> found = plan.getRoots().stream()
                .flatMap(root -> plan.getDescendants(root).stream())
                .filter(TestIdentifier::isTest)
                .map(Recorder::id)
                .collect(Collectors.toSet());
        records.write("collected", found.stream().sorted().map(Records::text).collect(Collectors.joining(",", "[", "]")));
    }

    /** Says that all is over; returns the exit code that must agree with it. */
    synchronized int finished() {
        int code = allPassed && !recorded.isEmpty() ? 0 : 1;
        records.write("finished", String.valueOf(code), "tests", String.valueOf(recorded.size()));
        return code;
    }

    @Override
    public synchronized void executionStarted(TestIdentifier test) {
        begun.put(test.getUniqueId(), System.nanoTime());
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String message = result.getThrowable().map(Recorder::trace).orElse("");
        String outcome =
                switch (result.getStatus()) {
                    case SUCCESSFUL -> "passed";
                    case ABORTED -> "skipped";
                    case FAILED -> result.getThrowable().filter(AssertionError.class::isInstance).isPresent() ? "failed" : "errored";
                };
        if (test.isTest()) {
            record(test, outcome, message);
        } else if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                allPassed = false;
            }
            recordBelow(test, result.getStatus() == TestExecutionResult.Status.FAILED ? "errored" : "skipped", message);
        }
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String reason) {
        if (test.isTest()) {
            record(test, "skipped", reason);
        }
        recordBelow(test, "skipped", reason);
    }

    /** Tests that never began because what holds them did not get so far. */
    private void recordBelow(TestIdentifier container, String outcome, String message) {
        for (TestIdentifier test : plan.getDescendants(container)) {
            if (test.isTest() && !recorded.contains(test.getUniqueId())) {
                record(test, outcome, message);
            }
        }
    }

    private void record(TestIdentifier test, String outcome, String message) {
        recorded.add(test.getUniqueId());
        allPassed &= outcome.equals("passed");
        long start = begun.getOrDefault(test.getUniqueId(), System.nanoTime());
        double seconds = (System.nanoTime() - start) / 1e9;
        records.write(
                "id", text(id(test)),
                "outcome", text(outcome),
                "seconds", String.format(Locale.ROOT, "%.6f", seconds),
                "message", text(message));
    }

    /** {@code org.example.NotesTest::reads}, with the types of parameters if it has some and the number of the invocation if it is one of many. */
    static String id(TestIdentifier test) {
        UniqueId unique = UniqueId.parse(test.getUniqueId());
        String which = unique.getSegments().stream()
                .filter(segment -> segment.getType().endsWith("-invocation") || segment.getType().startsWith("dynamic-"))
                .map(segment -> "[" + segment.getValue().replace("#", "") + "]")
                .collect(Collectors.joining());
        return test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(source -> named((MethodSource) source, test) + which)
                .orElseGet(() -> test.getUniqueId());
    }

    private static String named(MethodSource source, TestIdentifier test) {
        String name = source.getClassName() + "::" + source.getMethodName();
        String types = source.getMethodParameterTypes();
        if (types != null && !types.isBlank()) {
            return name + "(" + types.replaceAll("[\\w$]+\\.", "") + ")";
        }
        // JUnit 4 tells one set of parameters from another by the name alone: reads[0].
        String shown = test.getDisplayName();
        return shown.startsWith(source.getMethodName() + "[") ? source.getClassName() + "::" + shown : name;
    }

    private static String trace(Throwable thrown) {
        StringWriter trace = new StringWriter();
        try {
            thrown.printStackTrace(new PrintWriter(trace));
        } catch (RuntimeException | StackOverflowError error) {
            return thrown.getClass().getName();
        }
        String whole = trace.toString();
        return whole.substring(0, Math.min(whole.length(), MOST_CHARACTERS));
    }
}
