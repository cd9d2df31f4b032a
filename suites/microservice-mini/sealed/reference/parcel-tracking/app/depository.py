"""The parcels, and what may be done to them. Knows nothing of HTTP."""

from threading import Lock

from .models import NewParcel, NewScan, Parcel, Redirection, Scan, Status

MOVES = {
    Status.CREATED: {Status.IN_TRANSIT},
    Status.IN_TRANSIT: {Status.IN_TRANSIT, Status.OUT_FOR_DELIVERY},
    Status.OUT_FOR_DELIVERY: {Status.DELIVERED, Status.IN_TRANSIT, Status.RETURNED},
}


class UnknownParcelError(Exception):
    """No parcel has that tracking number."""


class ConflictError(Exception):
    """The parcel, or the key, does not allow that now."""


class Depository:
    def __init__(self) -> None:
        self._lock = Lock()
        self._parcels: dict[str, Parcel] = {}
        self._scans: dict[str, list[Scan]] = {}
        self._keys: dict[str, tuple[NewParcel, str]] = {}

    def register(self, new: NewParcel, key: str | None) -> tuple[Parcel, bool]:
        """The parcel, and whether it was created just now."""
        with self._lock:
            if key is not None and key in self._keys:
                first, tracking_id = self._keys[key]
                if first != new:
                    raise ConflictError("this idempotency key was used for another parcel")
                return self._parcels[tracking_id], False
            tracking_id = f"PT{len(self._parcels) + 1:010d}"
            self._parcels[tracking_id] = Parcel(tracking_id=tracking_id, **new.model_dump())
            self._scans[tracking_id] = []
            if key is not None:
                self._keys[key] = (new, tracking_id)
            return self._parcels[tracking_id], True

    def find(self, recipient: str | None, status: Status | None) -> list[Parcel]:
        with self._lock:
            return [
                parcel
                for parcel in self._parcels.values()
                if recipient in (None, parcel.recipient) and status in (None, parcel.status)
            ]

    def get(self, tracking_id: str) -> Parcel:
        try:
            return self._parcels[tracking_id]
        except KeyError:
            raise UnknownParcelError(tracking_id) from None

    def redirect(self, tracking_id: str, change: Redirection) -> Parcel:
        return self._change_before_first_scan(tracking_id, **change.model_dump(exclude_none=True))

    def cancel(self, tracking_id: str) -> Parcel:
        return self._change_before_first_scan(tracking_id, status=Status.CANCELLED)

    def scan(self, tracking_id: str, new: NewScan) -> Scan:
        with self._lock:
            parcel = self.get(tracking_id)
            if new.status not in MOVES.get(parcel.status, set()):
                raise ConflictError(f"a parcel cannot go from {parcel.status} to {new.status}")
            scan = Scan(sequence=len(self._scans[tracking_id]) + 1, **new.model_dump())
            self._scans[tracking_id].append(scan)
            self._parcels[tracking_id] = parcel.model_copy(update={"status": new.status})
            return scan

    def scans(self, tracking_id: str) -> list[Scan]:
        with self._lock:
            self.get(tracking_id)
            return self._scans[tracking_id][::-1]

    def _change_before_first_scan(self, tracking_id: str, **change: object) -> Parcel:
        with self._lock:
            parcel = self.get(tracking_id)
            if parcel.status is not Status.CREATED:
                raise ConflictError(f"the parcel is {parcel.status}")
            self._parcels[tracking_id] = parcel.model_copy(update=change)
            return self._parcels[tracking_id]


DEPOSITORY = Depository()
