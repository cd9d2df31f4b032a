"""What goes over the wire."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, Field, StrictInt, StringConstraints, model_validator

Name = Annotated[str, StringConstraints(min_length=1, max_length=80)]
Address = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Depot = Annotated[str, StringConstraints(min_length=1, max_length=40)]


class Status(StrEnum):
    CREATED = "created"
    IN_TRANSIT = "in_transit"
    OUT_FOR_DELIVERY = "out_for_delivery"
    DELIVERED = "delivered"
    RETURNED = "returned"
    CANCELLED = "cancelled"


class NewParcel(BaseModel):
    sender: Name
    recipient: Name
    address: Address
    weight_g: Annotated[StrictInt, Field(ge=1, le=30_000)]


class Parcel(NewParcel):
    tracking_id: str
    status: Status = Status.CREATED


class ParcelPage(BaseModel):
    items: list[Parcel]
    total: int


class Redirection(BaseModel):
    recipient: Name | None = None
    address: Address | None = None

    @model_validator(mode="after")
    def changes_something(self) -> "Redirection":
        if self.recipient is None and self.address is None:
            raise ValueError("give recipient or address")
        return self


class NewScan(BaseModel):
    status: Status
    depot: Depot


class Scan(NewScan):
    sequence: int


class ScanHistory(BaseModel):
    tracking_id: str
    scans: list[Scan]
