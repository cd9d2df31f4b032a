package org.example.rooms;

import java.net.URI;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.example.rooms.Building.Description;
import org.example.rooms.Tags.Tagged;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/rooms")
class RoomController {
    private static final int MOST_PEOPLE = 200;
    private static final Comparator<Room> SMALLEST_FIRST =
            Comparator.comparingInt(Room::capacity).thenComparing(Room::name);

    private final Building building;

    RoomController(Building building) {
        this.building = building;
    }

    @PostMapping
    ResponseEntity<Room> add(@RequestBody(required = false) String body) {
        Tagged<Room> room = building.addRoom(description(body));
        return Tags.answer(HttpStatus.CREATED, room).location(URI.create("/rooms/" + room.value().id())).body(room.value());
    }

    @GetMapping
    Map<String, List<Room>> list(@RequestParam Map<String, String> parameters) {
        Input query = Input.query(parameters);
        int least = query.has("min_capacity") ? query.number("min_capacity", 1, MOST_PEOPLE) : 1;
        Set<String> equipment = query.listed("equipment");
        Span span = null;
        if (query.has("free_from") || query.has("free_to")) {
            LocalDateTime from = query.time("free_from");
            span = query.span(from, query.time("free_to"), "free_to");
        }
        query.done();
        Span wanted = span;
        return Map.of("rooms", building.rooms().stream()
                .filter(room -> room.capacity() >= least && room.equipment().containsAll(equipment))
                .filter(room -> wanted == null || building.isFree(room, wanted))
                .sorted(SMALLEST_FIRST)
                .toList());
    }

    @GetMapping("/{id}")
    ResponseEntity<Room> read(
            @PathVariable("id") String id,
            @RequestHeader(name = HttpHeaders.IF_NONE_MATCH, required = false) String ifNoneMatch) {
        return Tags.read(building.room(id), ifNoneMatch);
    }

    @PutMapping("/{id}")
    ResponseEntity<Room> replace(
            @PathVariable("id") String id,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) String ifMatch,
            @RequestBody(required = false) String body) {
        Tagged<Room> room = building.replaceRoom(id, ifMatch, present -> description(body));
        return Tags.answer(HttpStatus.OK, room).body(room.value());
    }

    private static Description description(String body) {
        Input input = Input.body(body);
        Description description = new Description(
                input.text("name", 60),
                input.integer("capacity", 1, MOST_PEOPLE),
                input.has("equipment") ? input.words("equipment", 10) : List.of());
        input.done();
        return description;
    }
}
