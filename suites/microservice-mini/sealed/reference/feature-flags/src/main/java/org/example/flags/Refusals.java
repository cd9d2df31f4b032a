package org.example.flags;

import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

@Provider
public class Refusals implements ExceptionMapper<Refusal> {
    @Override
    public Response toResponse(Refusal refusal) {
        return Response.status(refusal.status).type(MediaType.APPLICATION_JSON).entity(refusal.body()).build();
    }
}
