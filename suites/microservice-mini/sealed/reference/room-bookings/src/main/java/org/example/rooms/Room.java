package org.example.rooms;

import java.util.List;

public record Room(String id, String name, int capacity, List<String> equipment) {}
