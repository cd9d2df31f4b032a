"""Every endpoint of the specification, in words only.

POST /api/v1/parcels, GET /api/v1/parcels
GET /api/v1/parcels/{tracking_id}, PATCH /api/v1/parcels/{tracking_id}, DELETE /api/v1/parcels/{tracking_id}
POST /api/v1/parcels/{tracking_id}/scans, GET /api/v1/parcels/{tracking_id}/scans
GET /health

    @app.post("/api/v1/parcels")
    @app.get("/health")
"""

parcels = {"/api/v1/parcels": 1, "/api/v1/parcels/{tracking_id}": 2, "/api/v1/parcels/{tracking_id}/scans": 3}
paths = set(parcels)


class Shelf(dict):
    def post(self, path):
        return self.get(path)

    def patch(self, path):
        return self.get(path)

    def delete(self, path):
        return self.pop(path, None)


x = Shelf(parcels)
x.get(1)
x.get("/health")
x.get("/api/v1/parcels")
x.post("/api/v1/parcels")
x.get("/api/v1/parcels/{tracking_id}")
x.patch("/api/v1/parcels/{tracking_id}")
x.delete("/api/v1/parcels/{tracking_id}")
x.get("/api/v1/parcels/{tracking_id}/scans")
x.post("/api/v1/parcels/{tracking_id}/scans")
