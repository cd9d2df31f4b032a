package org.example.flags;

import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Locale;
import java.util.Map;

@Path("/api/flags")
public class FlagResource {
    private static final String KEY = "[a-z][a-z0-9-]{0,39}";

    private final Flags flags;

    FlagResource(Flags flags) {
        this.flags = flags;
    }

    @GET
    public Map<String, List<Flag.Shown>> list(
            @QueryParam("q") String words,
            @QueryParam("enabled") String enabled,
            @QueryParam("attribute") String attribute) {
        Input query = Input.query();
        query.holds(enabled == null || enabled.equals("true") || enabled.equals("false"), "enabled", "format");
        query.done();
        return Map.of("flags", flags.all().stream()
                .filter(flag -> words == null || contains(flag.key(), words) || contains(flag.description(), words))
                .filter(flag -> enabled == null || flag.enabled() == enabled.equals("true"))
                .filter(flag -> attribute == null
                        || flag.rules().stream().anyMatch(rule -> rule.attribute().equals(attribute)))
                .toList());
    }

    @GET
    @Path("/{key}")
    public Flag.Shown read(@PathParam("key") String key) {
        return flags.shown(key);
    }

    @PUT
    @Path("/{key}")
    public Response put(@PathParam("key") String key, @HeaderParam("X-Actor") String header, String body) {
        String actor = Input.actor(header);
        Input input = Input.body(body);
        input.holds(key.matches(KEY), "key", "format");
        Settings settings = input.settings();
        Integer base = input.has("revision") ? input.integer("revision", Integer.MIN_VALUE, Integer.MAX_VALUE) : null;
        input.done();
        Flags.Outcome outcome = flags.put(key, settings, base, actor);
        return Response.status(outcome.isNew() ? 201 : 200).entity(outcome.flag()).build();
    }

    @DELETE
    @Path("/{key}")
    public void remove(
            @PathParam("key") String key,
            @HeaderParam("X-Actor") String header,
            @QueryParam("revision") String revision) {
        Input.actor(header);
        flags.shown(key);
        Input query = Input.query();
        int base = query.number("revision", revision, Integer.MIN_VALUE, Integer.MAX_VALUE);
        query.done();
        flags.remove(key, base);
    }

    @POST
    @Path("/{key}/rollback")
    public Flag.Shown rollBack(@PathParam("key") String key, @HeaderParam("X-Actor") String header, String body) {
        String actor = Input.actor(header);
        flags.shown(key);
        Input input = Input.body(body);
        int to = input.integer("to", Integer.MIN_VALUE, Integer.MAX_VALUE);
        int base = input.integer("revision", Integer.MIN_VALUE, Integer.MAX_VALUE);
        input.done();
        return flags.rollBack(key, to, base, actor);
    }

    private static boolean contains(String text, String words) {
        return text.toLowerCase(Locale.ROOT).contains(words.toLowerCase(Locale.ROOT));
    }
}
