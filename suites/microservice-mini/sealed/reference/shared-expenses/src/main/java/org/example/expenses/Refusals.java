package org.example.expenses;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;

@Singleton
class Refusals implements ExceptionHandler<Refusal, HttpResponse<Map<String, List<Refusal.Fault>>>> {
    @Override
    public HttpResponse<Map<String, List<Refusal.Fault>>> handle(HttpRequest request, Refusal refusal) {
        return HttpResponse.<Map<String, List<Refusal.Fault>>>status(refusal.status).body(Map.of("errors", refusal.faults));
    }
}
