package org.example.rooms;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.example.rooms.Tags.Tagged;
import org.springframework.stereotype.Component;

/** Rooms and their bookings; one request at a time changes them. */
@Component
class Building {
    private static final Comparator<Booking> BY_TIME = Comparator.comparing(Booking::start);

    private final Map<String, Tagged<Room>> rooms = new LinkedHashMap<>();
    private final Map<String, Tagged<Booking>> bookings = new LinkedHashMap<>();
    private int made;

    /** What a request says about a room. */
    record Description(String name, int capacity, List<String> equipment) {
        Room of(String id) {
            return new Room(id, name, capacity, equipment);
        }
    }

    synchronized List<Room> rooms() {
        return rooms.values().stream().map(Tagged::value).toList();
    }

    synchronized Tagged<Room> room(String id) {
        return found(rooms, id);
    }

    synchronized Tagged<Room> addRoom(Description description) {
        String id = "r" + ++made;
        return kept(id, Tags.made(named(description, id)));
    }

    /** The description is read once the precondition holds: that order is promised. */
    synchronized Tagged<Room> replaceRoom(String id, String ifMatch, Function<Room, Description> read) {
        Tagged<Room> present = room(id);
        Tags.demand(ifMatch, present);
        return kept(id, present.changedTo(named(read.apply(present.value()), id)));
    }

    synchronized boolean isFree(Room room, Span span) {
        return inTheWay(room.id(), List.of(span), null).isEmpty();
    }

    synchronized List<Booking> bookingsOf(String roomId) {
        room(roomId);
        return of(roomId).sorted(BY_TIME).toList();
    }

    synchronized Tagged<Booking> booking(String id) {
        return found(bookings, id);
    }

    synchronized List<Booking> book(String roomId, String title, List<Span> spans) {
        room(roomId);
        refuseIfTaken(roomId, spans, null);
        List<Booking> booked = new ArrayList<>();
        for (Span span : spans) {
            Booking booking = new Booking("b" + ++made, roomId, title, span);
            bookings.put(booking.id(), Tags.made(booking));
            booked.add(booking);
        }
        return booked;
    }

    synchronized Tagged<Booking> change(String id, String ifMatch, Function<Booking, Booking> read) {
        Tagged<Booking> present = booking(id);
        Tags.demand(ifMatch, present);
        Booking changed = read.apply(present.value());
        refuseIfTaken(changed.roomId(), List.of(changed.span()), id);
        Tagged<Booking> next = present.changedTo(changed);
        bookings.put(id, next);
        return next;
    }

    synchronized void cancel(String id, String ifMatch) {
        Tags.demand(ifMatch, booking(id));
        bookings.remove(id);
    }

    private Room named(Description description, String id) {
        boolean isTaken = rooms().stream()
                .anyMatch(other -> !other.id().equals(id) && other.name().equalsIgnoreCase(description.name()));
        if (isTaken) {
            throw Problem.nameTaken();
        }
        return description.of(id);
    }

    private Tagged<Room> kept(String id, Tagged<Room> room) {
        rooms.put(id, room);
        return room;
    }

    private void refuseIfTaken(String roomId, List<Span> spans, String except) {
        List<String> inTheWay = inTheWay(roomId, spans, except);
        if (!inTheWay.isEmpty()) {
            throw Problem.roomTaken(inTheWay);
        }
    }

    private List<String> inTheWay(String roomId, List<Span> spans, String except) {
        return of(roomId)
                .filter(booking -> !booking.id().equals(except) && spans.stream().anyMatch(booking.span()::overlaps))
                .sorted(BY_TIME)
                .map(Booking::id)
                .toList();
    }

    private Stream<Booking> of(String roomId) {
        return bookings.values().stream().map(Tagged::value).filter(booking -> booking.roomId().equals(roomId));
    }

    private static <T> Tagged<T> found(Map<String, Tagged<T>> all, String id) {
        Tagged<T> found = all.get(id);
        if (found == null) {
            throw Problem.notFound();
        }
        return found;
    }
}
