package org.example.expenses;

import java.math.BigDecimal;

/** Amounts are whole cents inside, and texts with two decimals outside. */
final class Money {
    static final long MOST = 100_000_000;

    private static final String FORM = "(0|[1-9]\\d{0,17})\\.\\d\\d";

    private Money() {}

    static boolean isWritten(String text) {
        return text.matches(FORM);
    }

    static boolean isWithin(String text) {
        BigDecimal cents = new BigDecimal(text).movePointRight(2);
        return cents.signum() > 0 && cents.compareTo(BigDecimal.valueOf(MOST)) <= 0;
    }

    static long cents(String text) {
        return new BigDecimal(text).movePointRight(2).longValueExact();
    }

    static String text(long cents) {
        return BigDecimal.valueOf(cents, 2).toPlainString();
    }
}
