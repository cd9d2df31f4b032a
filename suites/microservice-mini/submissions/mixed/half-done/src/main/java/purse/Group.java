package purse;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Without weights, and without any check. */
class Group {
    final String id;
    final String name;
    final String currency;
    final List<String> members;
    private final Map<String, Long> balances = new LinkedHashMap<>();
    private int expenses;

    Group(String id, String name, String currency, List<String> members) {
        this.id = id;
        this.name = name;
        this.currency = currency;
        this.members = members;
        members.forEach(member -> balances.put(member, 0L));
    }

    Map<String, Object> shown() {
        return Map.of("id", id, "name", name, "currency", currency, "members", members);
    }

    Map<String, Object> spend(String title, String amount, String paidBy, Map<String, Object> split) {
        Map<String, String> shares = new LinkedHashMap<>();
        shares(cents(amount), split).forEach((member, share) -> {
            shares.put(member, text(share));
            balances.merge(member, -share, Long::sum);
        });
        balances.merge(paidBy, cents(amount), Long::sum);
        return Map.of("id", "e" + ++expenses, "title", title, "amount", amount, "paid_by", paidBy, "shares", shares);
    }

    @SuppressWarnings("unchecked")
    private Map<String, Long> shares(long amount, Map<String, Object> split) {
        Map<String, Long> shares = new LinkedHashMap<>();
        if (split.containsKey("amounts")) {
            ((Map<String, String>) split.get("amounts")).forEach((member, share) -> shares.put(member, cents(share)));
            return shares;
        }
        List<String> among = (List<String>) split.getOrDefault("among", members);
        long left = amount % among.size();
        for (String member : members) {
            if (among.contains(member)) {
                shares.put(member, amount / among.size() + (left-- > 0 ? 1 : 0));
            }
        }
        return shares;
    }

    void pay(String from, String to, String amount) {
        balances.merge(from, cents(amount), Long::sum);
        balances.merge(to, -cents(amount), Long::sum);
    }

    Map<String, String> balances() {
        Map<String, String> texts = new LinkedHashMap<>();
        balances.forEach((member, balance) -> texts.put(member, text(balance)));
        return texts;
    }

    List<Map<String, String>> settlement() {
        Map<String, Long> open = new LinkedHashMap<>(balances);
        List<Map<String, String>> transfers = new ArrayList<>();
        while (true) {
            String low = members.get(0);
            String high = members.get(0);
            for (String member : members) {
                low = open.get(member) < open.get(low) ? member : low;
                high = open.get(member) > open.get(high) ? member : high;
            }
            long amount = Math.min(-open.get(low), open.get(high));
            if (amount == 0) {
                return transfers;
            }
            open.merge(low, amount, Long::sum);
            open.merge(high, -amount, Long::sum);
            transfers.add(Map.of("from", low, "to", high, "amount", text(amount)));
        }
    }

    private static long cents(String amount) {
        return Long.parseLong(amount.replace(".", ""));
    }

    private static String text(long cents) {
        return String.format("%s%d.%02d", cents < 0 ? "-" : "", Math.abs(cents) / 100, Math.abs(cents) % 100);
    }
}
