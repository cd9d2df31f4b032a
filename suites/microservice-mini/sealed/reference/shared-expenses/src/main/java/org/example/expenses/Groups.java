package org.example.expenses;

import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

@Singleton
class Groups {
    private final Map<String, Group> groups = new ConcurrentHashMap<>();
    private final AtomicInteger made = new AtomicInteger();

    Group add(String name, String currency, List<String> members) {
        String id = "g" + made.incrementAndGet();
        Group group = new Group(id, name, currency, members);
        groups.put(id, group);
        return group;
    }

    Group find(String id) {
        Group group = groups.get(id);
        if (group == null) {
            throw Refusal.unknown("group_id");
        }
        return group;
    }
}
