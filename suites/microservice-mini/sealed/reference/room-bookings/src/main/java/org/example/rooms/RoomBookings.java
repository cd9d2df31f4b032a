package org.example.rooms;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class RoomBookings {
    public static void main(String[] arguments) {
        SpringApplication.run(RoomBookings.class, arguments);
    }
}
