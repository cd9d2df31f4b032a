package flags;

public class Main {
    public static void main(String[] arguments) {
        System.out.println("Listening on http://localhost:8109");
    }
}
