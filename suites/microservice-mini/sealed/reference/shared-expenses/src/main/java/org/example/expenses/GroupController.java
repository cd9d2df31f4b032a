package org.example.expenses;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Status;
import java.util.List;

@Controller("/api/groups")
class GroupController {
    private static final String NAME = "[a-z0-9]{1,20}";

    private final Groups groups;

    GroupController(Groups groups) {
        this.groups = groups;
    }

    @Post
    @Status(HttpStatus.CREATED)
    Group.Shown add(@Body @Nullable String body) {
        Input input = Input.body(body);
        String name = input.text("name", 60);
        String currency = input.form("currency", "[A-Z]{3}");
        List<String> members = List.copyOf(
                input.list("members", 2, Group.MOST_MEMBERS, member -> member.matches(NAME), "format"));
        input.done();
        return groups.add(name, currency, members).shown();
    }

    @Get("/{id}")
    Group.Shown read(String id) {
        return groups.find(id).shown();
    }

    @Post("/{id}/members")
    @Status(HttpStatus.CREATED)
    Group.Shown join(String id, @Body @Nullable String body) {
        Group group = groups.find(id);
        Input input = Input.body(body);
        String name = input.form("name", NAME);
        input.done();
        return group.join(name);
    }

    @Delete("/{id}/members/{name}")
    @Status(HttpStatus.NO_CONTENT)
    void leave(String id, String name) {
        groups.find(id).leave(name);
    }
}
