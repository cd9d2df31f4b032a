package org.example.stock;

record Shortage(String sku, int wanted, int available) {}
