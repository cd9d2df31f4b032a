"""Routes: a parcel's way from depot to depot."""

from fastapi import APIRouter

from .depository import DEPOSITORY
from .models import NewScan, Scan, ScanHistory

router = APIRouter(prefix="/parcels/{tracking_id}/scans", tags=["scans"])


@router.post("", status_code=201)
def scan(tracking_id: str, new: NewScan) -> Scan:
    return DEPOSITORY.scan(tracking_id, new)


@router.get("")
def history(tracking_id: str) -> ScanHistory:
    return ScanHistory(tracking_id=tracking_id, scans=DEPOSITORY.scans(tracking_id))
