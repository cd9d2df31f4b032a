package org.example.expenses;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.annotation.Status;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

@Controller("/api/groups/{id}/expenses")
class ExpenseController {
    private final Groups groups;

    ExpenseController(Groups groups) {
        this.groups = groups;
    }

    record Page(List<Expense.Shown> expenses, int page, int pages, int total) {}

    @Post
    @Status(HttpStatus.CREATED)
    Expense.Shown add(String id, @Body @Nullable String body) {
        Group group = groups.find(id);
        return group.spend(Input.body(body)).shown();
    }

    @Get
    Page list(
            String id,
            @QueryValue("paid_by") @Nullable String paidBy,
            @QueryValue @Nullable String involving,
            @QueryValue @Nullable String page,
            @QueryValue @Nullable String size) {
        Group group = groups.find(id);
        Map<String, String> faults = new TreeMap<>();
        int wanted = Input.number("page", page, Integer.MAX_VALUE, 1, faults);
        int length = Input.number("size", size, 100, 20, faults);
        if (!faults.isEmpty()) {
            throw Refusal.invalid(faults);
        }
        List<Expense.Shown> found = group.expenses().stream()
                .filter(expense -> paidBy == null || expense.paidBy().equals(paidBy))
                .filter(expense -> involving == null || expense.shares().containsKey(involving))
                .map(Expense::shown)
                .toList();
        List<Expense.Shown> cut = found.stream().skip((wanted - 1L) * length).limit(length).toList();
        return new Page(cut, wanted, (found.size() + length - 1) / length, found.size());
    }

    @Delete("/{expenseId}")
    @Status(HttpStatus.NO_CONTENT)
    void forget(String id, String expenseId) {
        groups.find(id).forget(expenseId);
    }
}
