package repoproof;

import static repoproof.Records.text;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Turns what JUnit reports into one record for each test method, {@code org.example.NotesTest::reads}: one that runs several times, with
 * other arguments, has passed if each time did.
 */
final class Recorder implements TestExecutionListener {
    private static final int MOST_CHARACTERS = 2048;
    private static final List<String> FROM_BEST = List.of("passed", "skipped", "failed", "errored");

    private final Records records;
    private final TestPlan plan;
    private final Map<String, Long> begun = new HashMap<>();
    private final Set<String> ended = new HashSet<>();
    /** Methods of the test class that runs now which may run again. */
    private final Map<String, Result> open = new LinkedHashMap<>();

    private int tests;
    private boolean allPassed = true;

    Recorder(Records records, TestPlan plan) {
        this.records = records;
        this.plan = plan;
    }

    /** Says what will run. */
    synchronized void collected() {
        Set<String> found = plan.getRoots().stream()
                .flatMap(root -> plan.getDescendants(root).stream())
                .flatMap(test -> method(test).stream())
                .collect(Collectors.toSet());
        records.write("collected", found.stream().sorted().map(Records::text).collect(Collectors.joining(",", "[", "]")));
    }

    /** Says that all is over; returns the exit code that must agree with it. */
    synchronized int finished() {
        writeOpen();
        int code = allPassed && tests > 0 ? 0 : 1;
        records.write("finished", String.valueOf(code), "tests", String.valueOf(tests));
        return code;
    }

    @Override
    public synchronized void executionStarted(TestIdentifier test) {
        begun.put(test.getUniqueId(), System.nanoTime());
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String message = result.getThrowable().map(Recorder::trace).orElse("");
        if (test.isTest() || result.getStatus() != Status.SUCCESSFUL) {
            end(test, outcome(test, result), message);
        }
        if (!test.isTest() && isTestClass(test)) {
            writeOpen();
        }
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String reason) {
        end(test, "skipped", reason);
    }

    private static String outcome(TestIdentifier test, TestExecutionResult result) {
        return switch (result.getStatus()) {
            case SUCCESSFUL -> "passed";
            case ABORTED -> "skipped";
            case FAILED -> {
                boolean says = test.isTest() && result.getThrowable().filter(AssertionError.class::isInstance).isPresent();
                yield says ? "failed" : "errored";
            }
        };
    }

    /** Of a test, or of something that holds tests: those that it kept from beginning end with it. */
    private void end(TestIdentifier test, String outcome, String message) {
        Optional<String> method = method(test);
        if (method.isPresent()) {
            long start = begun.getOrDefault(test.getUniqueId(), System.nanoTime());
            Result result = new Result(outcome, (System.nanoTime() - start) / 1e9, message);
            ended.add(test.getUniqueId());
            open.merge(method.get(), result, Result::with);
        } else {
            allPassed &= outcome.equals("passed");
        }
        for (TestIdentifier child : plan.getChildren(test)) {
            if (!ended.contains(child.getUniqueId()) && !begun.containsKey(child.getUniqueId())) {
                end(child, outcome, message);
            }
        }
        if (method.isPresent() && runsOnce(test)) {
            write(method.get(), open.remove(method.get()));
        }
    }

    private void writeOpen() {
        open.forEach(this::write);
        open.clear();
    }

    private void write(String method, Result result) {
        tests++;
        allPassed &= result.outcome.equals("passed");
        records.write(
                "id", text(method),
                "outcome", text(result.outcome),
                "seconds", String.format(Locale.ROOT, "%.6f", result.seconds),
                "message", text(result.message));
    }

    private static Optional<String> method(TestIdentifier test) {
        return test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(MethodSource.class::cast)
                .map(source -> source.getClassName() + "::" + source.getMethodName());
    }

    /** Whether this is all that comes of its method: a plain test of Jupiter, or one right below its class in JUnit 4. */
    private static boolean runsOnce(TestIdentifier test) {
        UniqueId id = test.getUniqueIdObject();
        String type = id.getLastSegment().getType();
        return type.equals("method") || type.equals("test") && id.getSegments().size() == 3;
    }

    /** Whether it is a class that no other test class holds. */
    private static boolean isTestClass(TestIdentifier test) {
        return test.getUniqueIdObject().getSegments().size() == 2;
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

    /** How a method ended, however often it ran. */
    private record Result(String outcome, double seconds, String message) {
        Result with(Result other) {
            boolean worse = FROM_BEST.indexOf(other.outcome) > FROM_BEST.indexOf(outcome);
            Result worst = worse ? other : this;
            return new Result(worst.outcome, seconds + other.seconds, worst.message);
        }
    }
}
