package org.example.expenses;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A group, its expenses and what was paid back; one request at a time changes it. */
final class Group {
    static final int MOST_MEMBERS = 20;

    private final String id;
    private final String name;
    private final String currency;
    private final List<String> members;
    private final List<Expense> expenses = new ArrayList<>();
    private final List<Payment> payments = new ArrayList<>();
    private int made;

    Group(String id, String name, String currency, List<String> members) {
        this.id = id;
        this.name = name;
        this.currency = currency;
        this.members = new ArrayList<>(members);
    }

    record Shown(String id, String name, String currency, List<String> members) {}

    record Payment(String from, String to, long amount) {}

    record Transfer(String from, String to, String amount) {}

    synchronized Shown shown() {
        return new Shown(id, name, currency, members());
    }

    synchronized List<String> members() {
        return List.copyOf(members);
    }

    synchronized Shown join(String name) {
        if (members.contains(name)) {
            throw Refusal.conflict("name", "taken");
        }
        if (members.size() == MOST_MEMBERS) {
            throw Refusal.conflict("name", "full");
        }
        members.add(name);
        return shown();
    }

    synchronized void leave(String name) {
        if (!members.contains(name)) {
            throw Refusal.unknown("name");
        }
        if (balances().get(name) != 0) {
            throw Refusal.conflict("name", "not_settled");
        }
        members.remove(name);
    }

    synchronized Expense spend(Input body) {
        String title = body.text("title", 80);
        long amount = body.amount("amount");
        String paidBy = body.member("paid_by", members::contains);
        Map<String, Long> shares = Splits.read(body, amount, members);
        body.done();
        Expense expense = new Expense("e" + ++made, title, amount, paidBy, shares);
        expenses.add(expense);
        return expense;
    }

    /** Newest first. */
    synchronized List<Expense> expenses() {
        List<Expense> newestFirst = new ArrayList<>(expenses);
        Collections.reverse(newestFirst);
        return newestFirst;
    }

    synchronized void forget(String expenseId) {
        Expense expense = expenses.stream()
                .filter(one -> one.id().equals(expenseId))
                .findFirst()
                .orElseThrow(() -> Refusal.unknown("expense_id"));
        if (!members.contains(expense.paidBy()) || !members.containsAll(expense.shares().keySet())) {
            throw Refusal.conflict("expense_id", "left");
        }
        expenses.remove(expense);
    }

    synchronized Payment pay(Input body) {
        String from = body.member("from", members::contains);
        String to = body.member("to", members::contains);
        body.holds(from == null || !from.equals(to), "to", "duplicate");
        long amount = body.amount("amount");
        body.done();
        Payment payment = new Payment(from, to, amount);
        payments.add(payment);
        return payment;
    }

    /** Of those who are in the group, in their order. Who left has none: it was zero, and what made it so stays. */
    synchronized Map<String, Long> balances() {
        Map<String, Long> balances = new LinkedHashMap<>();
        members.forEach(member -> balances.put(member, 0L));
        for (Expense expense : expenses) {
            add(balances, expense.paidBy(), expense.amount());
            expense.shares().forEach((member, share) -> add(balances, member, -share));
        }
        for (Payment payment : payments) {
            add(balances, payment.from(), payment.amount());
            add(balances, payment.to(), -payment.amount());
        }
        return balances;
    }

    List<Transfer> settlement() {
        Map<String, Long> left = balances();
        List<Transfer> transfers = new ArrayList<>();
        while (left.values().stream().anyMatch(balance -> balance != 0)) {
            // Of equals, `min` takes the first.
            String debtor = members(left).min(Comparator.comparing(left::get)).orElseThrow();
            String creditor = members(left).min(Comparator.comparing(member -> -left.get(member))).orElseThrow();
            long amount = Math.min(-left.get(debtor), left.get(creditor));
            add(left, debtor, amount);
            add(left, creditor, -amount);
            transfers.add(new Transfer(debtor, creditor, Money.text(amount)));
        }
        return transfers;
    }

    private static Stream<String> members(Map<String, Long> balances) {
        return balances.keySet().stream();
    }

    private static void add(Map<String, Long> balances, String member, long amount) {
        balances.computeIfPresent(member, (name, balance) -> balance + amount);
    }
}
