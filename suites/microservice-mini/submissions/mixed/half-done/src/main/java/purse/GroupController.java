package purse;

import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Status;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

@Controller("/api/groups")
class GroupController {
    private final Map<String, Group> groups = new LinkedHashMap<>();

    @Post
    @Status(HttpStatus.CREATED)
    @SuppressWarnings("unchecked")
    synchronized Map<String, Object> add(@Body Map<String, Object> body) {
        String id = "g" + groups.size();
        Group group = new Group(
                id, (String) body.get("name"), (String) body.get("currency"), (List<String>) body.get("members"));
        groups.put(id, group);
        return group.shown();
    }

    @Get("/{id}")
    synchronized Map<String, Object> read(String id) {
        return groups.get(id).shown();
    }

    @Post("/{id}/expenses")
    @Status(HttpStatus.CREATED)
    @SuppressWarnings("unchecked")
    synchronized Map<String, Object> spend(String id, @Body Map<String, Object> body) {
        Map<String, Object> split = (Map<String, Object>) body.getOrDefault("split", Map.of());
        return groups.get(id)
                .spend((String) body.get("title"), (String) body.get("amount"), (String) body.get("paid_by"), split);
    }

    @Post("/{id}/payments")
    @Status(HttpStatus.CREATED)
    synchronized Map<String, String> pay(String id, @Body Map<String, String> body) {
        groups.get(id).pay(body.get("from"), body.get("to"), body.get("amount"));
        return body;
    }

    @Get("/{id}/balances")
    synchronized Map<String, Object> balances(String id) {
        return Map.of("balances", groups.get(id).balances());
    }

    @Get("/{id}/settlement")
    synchronized Map<String, Object> settlement(String id) {
        return Map.of("transfers", groups.get(id).settlement());
    }
}
