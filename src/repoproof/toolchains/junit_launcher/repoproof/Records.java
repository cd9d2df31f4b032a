package repoproof;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Lines of JSON, numbered, each with the nonce and on disk before the next: what is killed keeps what it finished. */
final class Records {
    private final FileChannel file;
    private final String nonce;
    private int number;

    Records(Path path, String nonce) throws IOException {
        this.file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        this.nonce = nonce;
    }

    /** Writes one record: keys and values, the values being JSON already. */
    synchronized void write(String... members) {
        StringBuilder line = new StringBuilder("{\"nonce\":").append(text(nonce)).append(",\"n\":").append(number++);
        for (int place = 0; place < members.length; place += 2) {
            line.append(',').append(text(members[place])).append(':').append(members[place + 1]);
        }
        try {
            file.write(ByteBuffer.wrap(line.append("}\n").toString().getBytes(StandardCharsets.UTF_8)));
            file.force(false);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** A JSON string; what is not plain ASCII is escaped, halves of characters included. */
    static String text(String value) {
        StringBuilder json = new StringBuilder("\"");
        for (char c : value.toCharArray()) {
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
