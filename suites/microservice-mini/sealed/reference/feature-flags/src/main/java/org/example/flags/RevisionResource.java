package org.example.flags;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import java.util.List;
import java.util.Map;

@Path("/api/flags/{key}/revisions")
public class RevisionResource {
    private final Flags flags;

    RevisionResource(Flags flags) {
        this.flags = flags;
    }

    @GET
    public Map<String, List<Flag.Revision>> list(
            @PathParam("key") String key, @QueryParam("limit") String limit, @QueryParam("before") String before) {
        List<Flag.Revision> all = flags.revisions(key);
        Input query = Input.query();
        int most = limit == null ? 20 : query.number("limit", limit, 1, 100);
        int end = before == null ? Integer.MAX_VALUE : query.number("before", before, Integer.MIN_VALUE, Integer.MAX_VALUE);
        query.done();
        return Map.of("revisions", all.stream().filter(one -> one.revision() < end).limit(most).toList());
    }

    @GET
    @Path("/{revision}")
    public Flag.Shown read(@PathParam("key") String key, @PathParam("revision") String revision) {
        if (!revision.matches("\\d{1,9}")) {
            throw Refusal.notFound();
        }
        return flags.shown(key, Integer.parseInt(revision));
    }
}
