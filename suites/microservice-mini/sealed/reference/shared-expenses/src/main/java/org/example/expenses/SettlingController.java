package org.example.expenses;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Status;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

@Controller("/api/groups/{id}")
class SettlingController {
    private final Groups groups;

    SettlingController(Groups groups) {
        this.groups = groups;
    }

    @Post("/payments")
    @Status(HttpStatus.CREATED)
    Group.Transfer pay(String id, @Body @Nullable String body) {
        Group group = groups.find(id);
        Group.Payment payment = group.pay(Input.body(body));
        return new Group.Transfer(payment.from(), payment.to(), Money.text(payment.amount()));
    }

    @Get("/balances")
    Map<String, Map<String, String>> balances(String id) {
        Map<String, String> texts = new LinkedHashMap<>();
        groups.find(id).balances().forEach((member, cents) -> texts.put(member, Money.text(cents)));
        return Map.of("balances", texts);
    }

    @Get("/settlement")
    Map<String, List<Group.Transfer>> settlement(String id) {
        return Map.of("transfers", groups.find(id).settlement());
    }
}
