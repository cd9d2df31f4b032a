"""One route that looks healthy, and nothing behind it."""

from flask import Flask

app = Flask(__name__)


@app.get("/library/v1/books")
def books():
    return {"books": []}
