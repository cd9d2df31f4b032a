package org.example.expenses;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Map;
import java.util.TreeMap;

/** Amounts in cents. */
record Expense(String id, String title, long amount, String paidBy, Map<String, Long> shares) {
    record Shown(String id, String title, String amount, @JsonProperty("paid_by") String paidBy, Map<String, String> shares) {}

    Shown shown() {
        Map<String, String> texts = new TreeMap<>();
        shares.forEach((name, cents) -> texts.put(name, Money.text(cents)));
        return new Shown(id, title, Money.text(amount), paidBy, texts);
    }
}
