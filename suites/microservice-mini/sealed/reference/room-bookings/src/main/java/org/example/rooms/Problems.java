package org.example.rooms;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.resource.NoResourceFoundException;

@RestControllerAdvice
class Problems {
    @ExceptionHandler
    ResponseEntity<Map<String, Object>> answered(Problem problem) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("status", problem.status.value());
        body.put("code", problem.code);
        body.put("title", problem.getMessage());
        body.putAll(problem.more);
        return ResponseEntity.status(problem.status).contentType(MediaType.APPLICATION_PROBLEM_JSON).body(body);
    }

    @ExceptionHandler
    ResponseEntity<Map<String, Object>> answered(NoResourceFoundException ignored) {
        return answered(Problem.notFound());
    }
}
