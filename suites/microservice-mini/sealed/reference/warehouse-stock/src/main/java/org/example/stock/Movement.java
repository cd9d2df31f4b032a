package org.example.stock;

record Movement(int number, int quantity, String reason, String reference, int balance) {}
