"""The application: what is served where, and which refusal has which status."""

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from . import parcels, scans
from .depository import ConflictError, UnknownParcelError

app = FastAPI(title="Parcel tracking")
app.include_router(parcels.router, prefix="/api/v1")
app.include_router(scans.router, prefix="/api/v1")


@app.exception_handler(UnknownParcelError)
def unknown_parcel(request: Request, error: UnknownParcelError) -> JSONResponse:
    return JSONResponse({"detail": f"no parcel {error}"}, status_code=404)


@app.exception_handler(ConflictError)
def conflict(request: Request, error: ConflictError) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, status_code=409)


@app.get("/health")
def health() -> dict[str, str]:
    return {"status": "ok"}
