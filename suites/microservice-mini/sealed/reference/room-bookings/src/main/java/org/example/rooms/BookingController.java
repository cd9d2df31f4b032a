package org.example.rooms;

import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.example.rooms.Tags.Tagged;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class BookingController {
    private static final int LONGEST_TITLE = 100;
    private static final int MOST_WEEKS = 26;

    private final Building building;

    BookingController(Building building) {
        this.building = building;
    }

    @GetMapping("/health")
    Map<String, String> health() {
        return Map.of("status", "ok");
    }

    @PostMapping("/rooms/{id}/bookings")
    @ResponseStatus(HttpStatus.CREATED)
    Map<String, List<Booking>> book(@PathVariable("id") String roomId, @RequestBody(required = false) String body) {
        building.room(roomId);
        Input input = Input.body(body);
        String title = input.text("title", LONGEST_TITLE);
        Span first = input.bookable(input.time("start"), input.time("end"));
        int weeks = input.has("weeks") ? input.integer("weeks", 1, MOST_WEEKS) : 1;
        input.done();
        List<Span> spans = IntStream.range(0, weeks).mapToObj(first::weeksLater).toList();
        return Map.of("bookings", building.book(roomId, title, spans));
    }

    @GetMapping("/rooms/{id}/bookings")
    Map<String, List<Booking>> list(@PathVariable("id") String roomId, @RequestParam Map<String, String> parameters) {
        List<Booking> all = building.bookingsOf(roomId);
        Input query = Input.query(parameters);
        LocalDate day = query.has("day") ? query.day("day") : null;
        query.done();
        return Map.of("bookings", all.stream()
                .filter(booking -> day == null || booking.start().toLocalDate().equals(day))
                .toList());
    }

    @GetMapping("/bookings/{id}")
    ResponseEntity<Booking> read(
            @PathVariable("id") String id,
            @RequestHeader(name = HttpHeaders.IF_NONE_MATCH, required = false) String ifNoneMatch) {
        return Tags.read(building.booking(id), ifNoneMatch);
    }

    @PatchMapping("/bookings/{id}")
    ResponseEntity<Booking> change(
            @PathVariable("id") String id,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) String ifMatch,
            @RequestBody(required = false) String body) {
        Tagged<Booking> booking = building.change(id, ifMatch, present -> changed(present, body));
        return Tags.answer(HttpStatus.OK, booking).body(booking.value());
    }

    @DeleteMapping("/bookings/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void cancel(
            @PathVariable("id") String id,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) String ifMatch) {
        building.cancel(id, ifMatch);
    }

    private static Booking changed(Booking present, String body) {
        Input input = Input.body(body);
        String title = input.has("title") ? input.text("title", LONGEST_TITLE) : present.title();
        Span span = input.bookable(
                input.has("start") ? input.time("start") : present.start(),
                input.has("end") ? input.time("end") : present.end());
        input.done();
        return new Booking(present.id(), present.roomId(), title, span);
    }
}
