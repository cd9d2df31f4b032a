from itertools import count

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field

app = FastAPI()
notes: dict[int, str] = {}
ids = count(1)


class NewNote(BaseModel):
    text: str = Field(min_length=1, max_length=280)


@app.get("/health")
def health():
    return {"status": "ok"}


@app.post("/notes", status_code=201)
def create(note: NewNote):
    id = next(ids)
    notes[id] = note.text
    return {"id": id, "text": note.text}


@app.get("/notes/{id}")
def read(id: int):
    if id not in notes:
        raise HTTPException(404, "no such note")
    return {"id": id, "text": notes[id]}
