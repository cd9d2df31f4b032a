package org.example.rooms;

import java.util.Arrays;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

/** Entity tags, and what requests demand of them. A tag tells how often a thing has changed. */
final class Tags {
    private Tags() {}

    /** A thing in one of its states. */
    record Tagged<T>(T value, int revision) {
        Tagged<T> changedTo(T changed) {
            return changed.equals(value) ? this : new Tagged<>(changed, revision + 1);
        }

        String tag() {
            return '"' + Integer.toString(revision) + '"';
        }
    }

    static <T> Tagged<T> made(T value) {
        return new Tagged<>(value, 1);
    }

    static void demand(String ifMatch, Tagged<?> present) {
        if (ifMatch == null) {
            throw Problem.preconditionRequired();
        }
        if (!isNamed(ifMatch, present)) {
            throw Problem.preconditionFailed();
        }
    }

    static <T> ResponseEntity<T> read(Tagged<T> present, String ifNoneMatch) {
        boolean isKnown = ifNoneMatch != null && isNamed(ifNoneMatch, present);
        return isKnown ? answer(HttpStatus.NOT_MODIFIED, present).build() : answer(HttpStatus.OK, present).body(present.value());
    }

    static ResponseEntity.BodyBuilder answer(HttpStatus status, Tagged<?> present) {
        return ResponseEntity.status(status).header(HttpHeaders.ETAG, present.tag());
    }

    private static boolean isNamed(String header, Tagged<?> present) {
        return Arrays.stream(header.split(",")).map(String::strip).anyMatch(tag -> tag.equals("*") || tag.equals(present.tag()));
    }
}
