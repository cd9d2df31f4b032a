"""Half of the parcel service: registering, reading and listing. No changes, no scans, no idempotency keys."""

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field

app = FastAPI()
parcels: dict[str, dict] = {}


class NewParcel(BaseModel):
    sender: str = Field(min_length=1, max_length=80)
    recipient: str = Field(min_length=1, max_length=80)
    address: str = Field(min_length=1, max_length=200)
    weight_g: int = Field(ge=1, le=30_000)


@app.post("/api/v1/parcels", status_code=201)
def register(new: NewParcel):
    tracking_id = f"PT{len(parcels) + 1:010d}"
    parcels[tracking_id] = {**new.model_dump(), "tracking_id": tracking_id, "status": "created"}
    return parcels[tracking_id]


@app.get("/api/v1/parcels")
def find(recipient: str | None = None, limit: int = 20, offset: int = 0):
    matches = [parcel for parcel in parcels.values() if recipient in (None, parcel["recipient"])]
    return {"items": matches[offset : offset + limit], "total": len(matches)}


@app.get("/api/v1/parcels/{tracking_id}")
def read(tracking_id: str):
    if tracking_id not in parcels:
        raise HTTPException(404, "no such parcel")
    return parcels[tracking_id]


@app.get("/health")
def health():
    return {"status": "ok"}
