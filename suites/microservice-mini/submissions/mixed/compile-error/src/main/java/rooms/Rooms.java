package rooms;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class Rooms {
    private final List<Room> rooms = new ArrayList<>();

    public static void main(String[] arguments) {
        SpringApplication.run(Rooms.class, arguments);
    }

    @PostMapping("/rooms")
    Room add(@RequestBody Room room) {
        rooms.add(room);
        return room;
    }

    @GetMapping("/rooms")
    Map<String, List<Room>> list() {
        return Map.of("rooms", rooms);
    }

    @GetMapping("/health")
    Map<String, String> health() {
        return Map.of("status", "ok");
    }
}
