"""Routes: registering, reading, redirecting and cancelling parcels."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, Response

from .depository import DEPOSITORY
from .models import NewParcel, Parcel, ParcelPage, Redirection, Status

router = APIRouter(prefix="/parcels", tags=["parcels"])


@router.post("", status_code=201)
def register(new: NewParcel, response: Response, idempotency_key: Annotated[str | None, Header()] = None) -> Parcel:
    parcel, created = DEPOSITORY.register(new, idempotency_key)
    if not created:
        response.status_code = 200
    return parcel


@router.get("")
def find(
    recipient: str | None = None,
    status: Status | None = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> ParcelPage:
    matches = DEPOSITORY.find(recipient, status)
    return ParcelPage(items=matches[offset : offset + limit], total=len(matches))


@router.get("/{tracking_id}")
def read(tracking_id: str) -> Parcel:
    return DEPOSITORY.get(tracking_id)


@router.patch("/{tracking_id}")
def redirect(tracking_id: str, change: Redirection) -> Parcel:
    return DEPOSITORY.redirect(tracking_id, change)


@router.delete("/{tracking_id}", status_code=204)
def cancel(tracking_id: str) -> None:
    DEPOSITORY.cancel(tracking_id)
