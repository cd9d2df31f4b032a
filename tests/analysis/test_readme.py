"""Every notation in which READMEs declare endpoints is read, and nothing that only looks like one."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.analysis.endpoints import METHODS
from repoproof.analysis.readme import Notation, extract_endpoints

READMES = Path(__file__).parent / "readmes"
TAKEN = tomllib.loads((READMES / "endpoints.toml").read_text())
"""Name of a README -> what a careful reader takes from it."""

NOTATIONS = {
    "a service that is called like a section of plans": (
        "# Todo\n\n### GET /todos\n\n### POST /todos\n",
        "GET /todos, POST /todos",
    ),
    "sections named for resources that only look like plans, tests or history": (
        "# S\n## Dependencies\n- GET /dependencies\n## Migrations\n| Method | Path |\n|-|-|\n| POST | /migrations |\n## Client routes\n- GET /clients\n## Revision history\n- GET /docs/{id}/revisions\n## Tests\n- `GET /tests`\n## Environments\n```\ncurl -X POST http://localhost/environments\n```\n",
        "GET /dependencies, POST /migrations, GET /clients, GET /docs/{id}/revisions, GET /tests, POST /environments",
    ),
    "sections that begin like those that are not read": (
        "# S\n## Other endpoints\n- GET /health\n## Upgrade a subscription\n- **Method**: POST\n- **Path**: `/upgrade`\n## Migration jobs\n- POST /migrations\n## Planned maintenance\n- GET /maintenance\n## Removed items\n- GET /trash\n## 待办事项\n- GET /todos\n",
        "GET /health, POST /upgrade, POST /migrations, GET /maintenance, GET /trash, GET /todos",
    ),
    "sections that are not read": (
        "# S\n- GET /a\n## Upgrading from 1.x\n- GET /b\n## Migration guide\n- GET /b\n## Planned features\n- GET /b\n## Removed in 2.0\n- GET /b\n## Calls to other services\n- GET /b\n## Dependencies\n- GET /b\n## Version history\n- GET /b\n",
        "GET /a",
    ),
    "a changelog that is the only heading": ("- GET /a\n## Changelog\n- GET /b\n", "GET /a"),
    "titles in languages in which an order looks like a reference": (
        "- Ver usuario: `GET /usuarios/{id}`\n- Voir un article : `GET /articles/{id}`\n- Nach Namen suchen: GET /suche\n- Siehe auch: GET /none\n",
        "GET /usuarios/{id}, GET /articles/{id}, GET /suche",
    ),
    "a title in the style of lines": (
        "Changelog\n=========\n- GET /changes\n\n## Roadmap\n- GET /later\n",
        "GET /changes",
    ),
    "a section named for its resource": (
        "# S\n## Users\n### GET /users\n## Todos\n### GET /todos\n## Ideas\n- `GET /api/ideas/{id}`\n## Todo\n| Method | Path |\n|---|---|\n| GET | /todo |\n",
        "GET /users, GET /todos, GET /api/ideas/{id}, GET /todo",
    ),
    "plans of a service that has to-dos": (
        "# S\n- GET /todos\n## TODO\n- [ ] GET /todos/export\n## Ideas\n- GET /suggestions\n",
        "GET /todos",
    ),
    "two titles, one of them a changelog": ("# Changelog\n- GET /old\n# API\n- GET /new\n", "GET /new"),
    "paths that read like remarks": (
        "| Method | Path |\n|---|---|\n| GET | /removed |\n| GET | /planned |\n",
        "GET /removed, GET /planned",
    ),
    "every label in every kind of list": (
        "- **API Name**: `POST /a`\n- **API**: `GET /b`\n* **Interface**: GET /c\n+ Route: PUT `/d`\nURL: `DELETE /e`\n**Path**: `PATCH /f`\n1. Endpoint: GET /g\n2) **Interface Name:** `GET /h`\n- **Interface (Name)**: `GET /i`",
        "POST /a, GET /b, GET /c, PUT /d, DELETE /e, PATCH /f, GET /g, GET /h, GET /i",
    ),
    "fields in paragraphs": ("**Endpoint:** `/api/widget`\n\nCreates.\n\n**Method:** POST\n", "POST /api/widget"),
    "a method field first": ("- **Method**: `GET`\n- **Path**: `/widgets`\n", "GET /widgets"),
    "two pairs in a row": ("- Method: GET\n- Path: `/`\n- Method: POST\n- Path: `/x`", "GET /, POST /x"),
    "fields on one line": (
        "- **Endpoint**: `/widgets`, **Method**: `GET`\n- Method: POST | Path: /y",
        "GET /widgets, POST /y",
    ),
    "a label that holds a name": (
        "- **API Name**: Create widget\n- **Method**: POST\n- **Path**: `/a`\n- **API Name**: List widgets\n- **Path**: `/a`\n- **Method**: GET\n",
        "POST /a, GET /a",
    ),
    "methods under a path that is a heading": ("### `/a`\nMethods: GET, POST\n", "GET /a, POST /a"),
    "labels that are headings": (
        "#### Endpoint\n`POST /a`\n#### Request\n```json\n{}\n```\n#### Endpoint\n\n```\nGET /b\n```",
        "POST /a, GET /b",
    ),
    "labels inside headings": ("### Endpoint: `POST /a`\n### Endpoint 2: GET /b\n", "POST /a, GET /b"),
    "labels without a colon": (
        "**Endpoint** `POST /a`\n**Request URL**: `http://localhost:1/b`\n**Request Method**: `GET`",
        "POST /a, GET /b",
    ),
    "separators": ("- GET → /a\n- POST: /b\n- GET - /c : Get it\n- PUT -> `/d`\n", "GET /a, POST /b, GET /c, PUT /d"),
    "full-width colons": ("**接口**：`POST /a`\n- 路径：`/b`\n- API 名称：GET /c", "POST /a, GET /c"),
    "several methods, several endpoints": (
        "- `GET/PUT /x`\n- GET, POST `/y`\n- **GET** | **HEAD** `/z`\n- `GET /p` and `POST /p`",
        "GET /x, PUT /x, GET /y, POST /y, GET /z, HEAD /z, GET /p, POST /p",
    ),
    "the path first": ("- `/a` (GET)\n- `/b` - POST: create\n- **/c** [PUT]\n", "GET /a, POST /b, PUT /c"),
    "the method between dashes": ("- `/a` - GET - list\n", "GET /a"),
    "words in front that say what it does": (
        "- Create a widget: `POST /w`\n- **List** - `GET /w`\n1. Login → POST /login\n- Delete it (`DELETE /w/{id}`)\n- Create (POST): `/v`",
        "POST /w, GET /w, POST /login, DELETE /w/{id}, POST /v",
    ),
    "a line above that says what it does": (
        "**Create widget**\n`POST /widgets`\n\nCreate gadget\nPOST /gadgets\n",
        "POST /widgets, POST /gadgets",
    ),
    "bare lines": ("POST /api/v1/widgets/\nGET /api/v1/widgets/\n", "POST /api/v1/widgets/, GET /api/v1/widgets/"),
    "headings": (
        "### POST /x\n### `GET /y`\n#### 1. Create (POST /z)\n### 2.1 DELETE /q - Remove\n## Create Order - `POST /orders`\n",
        "POST /x, GET /y, POST /z, DELETE /q, POST /orders",
    ),
    "methods under a path": (
        "### `/w`\n- GET: list\n- **POST** - create\n### /v\n#### GET\n#### DELETE\n",
        "GET /w, POST /w, GET /v, DELETE /v",
    ),
    "a path under a method": ("### POST\n**URL**: `/a`\n### Create (PUT)\n`/b`", "POST /a, PUT /b"),
    "fences": (
        "**Endpoint**\n```\nPOST /a\n```\n```http\nGET /b/{id}\nAccept: x\n```\n```\nGET    /c        List\nDELETE /c/:id    Remove\n```",
        "POST /a, GET /b/{id}, GET /c, DELETE /c/{id}",
    ),
    "a request that nothing else declares": ("### Create\n```http\nPOST /a HTTP/1.1\nHost: x\n```\n", "POST /a"),
    "tables": (
        "| Endpoint | Description |\n|---|---|\n| `GET /a` | x |\n| POST /b | y |\n\n| Path | Method |\n|--|--|\n| /c/<int:id> | `DELETE` |\n| `/d` | get, post |\n\n|Path|GET|POST|\n|-|-|-|\n|/e|✓|✗|\n",
        "GET /a, POST /b, DELETE /c/{id}, GET /d, POST /d, GET /e",
    ),
    "lower-case methods in a table": ("| method | url |\n|--|--|\n| get | /a |\n", "GET /a"),
    "an OpenAPI block": (
        "```yaml\nopenapi: 3.0.0\nservers:\n  - url: http://localhost/api/v2\npaths:\n  /w:\n    get: {}\n    post: {}\n  /w/{id}:\n    delete: {}\n```",
        "GET /api/v2/w, POST /api/v2/w, DELETE /api/v2/w/{id}",
    ),
    "a request that a template describes": (
        "- Method and Path: POST /spaces/{id}/notes\n```http\nPOST /spaces/!s1:host/notes?limit=2 HTTP/1.1\n```",
        "POST /spaces/{id}/notes",
    ),
    "calls that a template describes": (
        "- GET /w/{id}\n- GET /w/me\n- GET /w/42\n```\ncurl localhost:8080/w/abc\n```\n",
        "GET /w/{id}, GET /w/me",
    ),
    "curl": (
        "## Create\n```bash\ncurl -X POST http://localhost:80/w -d '{\n\"a\": 1}'\n```\n## Get\n```\ncurl 'http://localhost/w/1?x=1'\ncurl --request=DELETE \"$BASE/w/1\"\ncurl -s -d @f localhost:1/z | jq\nT=$(curl -sX PUT http://localhost/t)\n```",
        "POST /w, GET /w/{id}, DELETE /w/{id}, POST /z, PUT /t",
    ),
    "curl to a host without a dot": (
        "```\ncurl -X POST http://host/x \\\n  -H 'A: b'\ncurl http://service:8000/y\n```",
        "POST /x, GET /y",
    ),
    "URLs and placeholders for them": (
        "- GET http://localhost:8080/api/a\n- POST {{base_url}}/b\n- DELETE {BASE_URL}/c",
        "GET /api/a, POST /b, DELETE /c",
    ),
    "a base path that only the examples write": (
        "- GET /w\n- POST /w\n```\ncurl http://localhost:1/api/v1/w\n```",
        "GET /api/v1/w, POST /api/v1/w",
    ),
    "HTML": (
        "<details><summary><code>GET</code> <code><b>/a</b></code> <code>(list)</code></summary></details>",
        "GET /a",
    ),
    "badges and code spans": (
        "![GET](https://img/get) `/a`\n\n**`POST`** `/b`\n\n`PUT` `/c`",
        "GET /a, POST /b, PUT /c",
    ),
    "emphasis": ("**`GET /a`**\n*`POST /b`*\n_`PUT /c`_\n__DELETE__ /d\n", "GET /a, POST /b, PUT /c, DELETE /d"),
    "emoji": ("- 🔹 `GET /a`\n- ✅ POST /b\n- 🔒 `DELETE /c`\n", "GET /a, POST /b, DELETE /c"),
    "anchors": ("<a name='x'></a>\n### <a id=\"y\"></a>GET /a\n", "GET /a"),
    "a quotation": ("> `POST /a`\n> creates\n", "POST /a"),
    "nested lists": ("- Users\n  - GET /users\n    - returns list\n  - POST /users\n", "GET /users, POST /users"),
    "numbered lists": ("1. GET /a\n2. POST /b\n10) PUT /c\n", "GET /a, POST /b, PUT /c"),
    "long dashes": ("- **GET** – `/a` – list\n- `POST` — `/b`\n", "GET /a, POST /b"),
    "methods in brackets": ("- (GET) /a\n- [POST] `/b`\n", "GET /a, POST /b"),
    "a preposition": ("- POST to `/a`: creates\n", "POST /a"),
    "every kind of parameter": (
        "- GET /w/{id:int}\n- GET /v/{{id}}\n- GET /u/$id\n- GET /t/:id/p/:pid\n- GET /s/<str:name>\n- GET /r/[slug]\n- GET /q/{user_id}/x-y\n- GET /o/${id}\n",
        "GET /w/{id}, GET /v/{id}, GET /u/{id}, GET /t/{id}/p/{pid}, GET /s/{name}, GET /r/{slug}, GET /q/{user_id}/x-y, GET /o/{id}",
    ),
    "odd paths": (
        "- POST /jobs/{id}:cancel\n- GET /a.json\n- GET /openapi.json\n- GET /files/*\n- GET /x/~user\n",
        "POST /jobs/{id}:cancel, GET /a.json, GET /openapi.json, GET /files/{wildcard}, GET /x/~user",
    ),
    "a space in a parameter": ("- GET /a/{user id}\n", "GET /a/{userid}"),
    "queries": ("- GET /a?x={x}&y={y}\n- GET `/b/{id}?verbose=true`\n", "GET /a, GET /b/{id}"),
    "punctuation": ("- GET /a.\n- GET `/b`;\n- GET /c!\n", "GET /a, GET /b, GET /c"),
    "a missing slash behind a label": ("- GET a/b\n- **Endpoint**: `POST api/widgets`\n", "POST /api/widgets"),
    "carriage returns": ("- GET /a\r\n- **Method**: POST\r\n- **Path**: `/b`\r\n", "GET /a, POST /b"),
    "labels in plain lines": (
        "Operation: GET /a\nAction: POST /b\nCall: PUT /c\nHTTP Request: `GET /d`\nRequest: POST /e\n",
        "GET /a, POST /b, GET /d, POST /e",
    ),
    "titles with a description behind": (
        "- **Create user** (`POST /users`): creates one\n- Get a user - `GET /users/{id}` - by its id\n- **Registration** (`POST /register`) - for all\n### Delete user — `DELETE /users/{id}` *(admin)*\n- List users: `GET /users` → all of them\n",
        "POST /users, GET /users/{id}, POST /register, DELETE /users/{id}, GET /users",
    ),
    "methods inside an item that is a path": (
        "- `/a`\n  - `GET`: list\n  - **POST** - create\n- /b\n\t* DELETE\n- GET\n- /c\n- PUT\n",
        "GET /a, POST /a, DELETE /b",
    ),
    "a list in a sentence": (
        "Supported endpoints: `GET /a`, `POST /a`, and `DELETE /a/{id}`.\n",
        "GET /a, POST /a, DELETE /a/{id}",
    ),
    "a method that says whose it is": (
        "### Get one (HTTP GET)\n`/a`\n### Make one (HTTP POST) `/b`\n- HTTP PUT /c\n",
        "GET /a, POST /b, PUT /c",
    ),
    "a tree in a fence": ("```\nGET /a\n├── POST /a\n└── GET /a/{id}   one\n```\n", "GET /a, POST /a, GET /a/{id}"),
    "titles that begin like a label": (
        "- API login: POST /login\n- Resource list - `GET /resources`\nAPI docs: GET /docs\n",
        "POST /login, GET /resources, GET /docs",
    ),
    "labels in other languages": (
        "- **Méthode HTTP** : POST\n- **Chemin** : `/livres`\n- **Método**: GET\n- **Ruta**: /libros\n- 请求方法：PUT\n- 路径：/shu\n- Methode: DELETE\n- Pfad: `/buch`\n",
        "POST /livres, GET /libros, PUT /shu, DELETE /buch",
    ),
    "the path first, the method last": (
        "- `/health` – says how it is (GET)\n- /items: all of them [GET, POST].\n",
        "GET /health, GET /items, POST /items",
    ),
    "a label and a fence before any heading": (
        "**Path**\n```\n/api/x\n```\n**Method**\n```\nPOST\n```\n",
        "POST /api/x",
    ),
    "curl in a line": (
        "- Create: `curl -X POST http://localhost:8080/a -d '{}'`\n\ncurl http://localhost:8080/a/7\n",
        "POST /a, GET /a/{id}",
    ),
    "requests to a host in a fence": (
        "```http\n### create\nPOST http://localhost:8080/a\n\n### read\nGET http://localhost:8080/a/1\n```\n",
        "POST /a, GET /a/{id}",
    ),
    "breaks in cells": (
        "| Method | Path |\n|--|--|\n| GET<br>PUT | `/a`<br/>`/b` |\n",
        "GET /a, PUT /a, GET /b, PUT /b",
    ),
    "tables and fences in quotations": (
        "> | Method | Path |\n> |--|--|\n> | GET | /a |\n\n> ```http\n> POST /b\n> ```\n",
        "GET /a, POST /b",
    ),
    "headings, lists and paragraphs of HTML": (
        "<h3>GET /a</h3>\n<ul><li><code>POST /b</code> makes one</li><li>PUT /c</li></ul>\n<pre>DELETE /d</pre>\n",
        "GET /a, POST /b, PUT /c, DELETE /d",
    ),
    "tables of HTML": (
        "<table><tr><th>Path</th><th>Method</th></tr>\n<tr><td>/a</td><td>GET</td></tr></table>\n<table>\n<tr><td>POST</td>\n<td><code>/b</code></td></tr>\n</table>\n",
        "GET /a, POST /b",
    ),
    "three marks of emphasis, and one": ("1. ***POST /b***\n\n_GET_ /a\n\n*PUT* /c\n", "POST /b, GET /a, PUT /c"),
    "an error that depends": (
        "- `GET /a` returns 404 if it is missing\n- `GET /b` → 404 when missing, 200 otherwise\n",
        "GET /a, GET /b",
    ),
    "titles that name what else would refer": (
        "- Remove item: DELETE /items/{id}\n- Create a note → POST /notes\n- Like a post: `POST /posts/{id}/like`\n- Unlike the post: `DELETE /posts/{id}/like`\n- List calls - GET /calls\n- Receive webhook: POST /hooks\n- Delete old sessions: DELETE /sessions\n- List following: GET /users/{id}/following\n",
        "DELETE /items/{id}, POST /notes, POST /posts/{id}/like, DELETE /posts/{id}/like, GET /calls, POST /hooks, DELETE /sessions, GET /users/{id}/following",
    ),
    "methods that are headings over several paths": (
        "## GET endpoints\n- `/a`\n- `/a/{id}`: one\n\n```\n/c\nhttp://localhost:80/d\n```\n## POST\n### /a\n#### Errors\n- `/none` of it\n### `/b` - makes one\n",
        "GET /a, GET /a/{id}, GET /c, GET /d, POST /a, POST /b",
    ),
    "a method that is a line, the path below": (
        "**GET**\n`/a/{id}`\n\nPOST\n\n/a\n\n- PUT\n  - `/b`\n  - `/c`: more\n",
        "GET /a/{id}, POST /a, PUT /b, PUT /c",
    ),
    "methods with words behind them under a path": (
        "### /a\n- `GET` lists\n- **POST** makes one\n- DELETE removes all\n- PUT: not supported\n- ~~PATCH: some~~\n\n`/b`\n\nAll of it.\n\n- GET: list\n\nEndpoint: `/c`\n- GET: list\n",
        "GET /a, POST /a, DELETE /a, GET /b, GET /c",
    ),
    "tables under a heading that says the rest": (
        "### /a\n| Method | What |\n|-|-|\n| GET | list |\n| POST | make |\n## PUT\n| Path | What |\n|-|-|\n| /b | all |\n",
        "GET /a, POST /a, PUT /b",
    ),
    "a heading that is a path and what it is": (
        "## /p/[id]: Thing\n### GET / POST\n## `/q` - Things\n- GET: all\n",
        "GET /p/{id}, POST /p/{id}, GET /q",
    ),
    "operations of an item": (
        "* **Orders**\n  - Endpoint : `/orders`\n    - Supported operations : **GET**, **POST**\n  - Endpoint: `/config`\n    - Returns the settings\n",
        "GET /orders, POST /orders",
    ),
    "words in front and no separator": (
        "### Create `POST /u/`\n### List all GET /u/\n- Delete one `DELETE /u/{id}`\n- The token comes from `POST /tokens`\n- Send the result of `GET /no`\n- Get one GET /no for free\n",
        "POST /u/, GET /u/, DELETE /u/{id}",
    ),
    "words between method and path": (
        "- **GET** all products - `/products`\n- `POST` a product (`/products`)\n- GET all of it - /none\n- **PUT** is not the same as: /none\n",
        "GET /products, POST /products",
    ),
    "merged cells": (
        "| Path | Method | What |\n|-|-|-|\n| /a | GET | all |\n| | POST | new |\n| | see above | |\n| /b | GET | |\n\n| Method | Path |\n|-|-|\n| GET | /c |\n| 〃 | /d |\n",
        "GET /a, POST /a, GET /b, GET /c, GET /d",
    ),
    "rows that are one operation with each of its codes": (
        "| Resource | Verb | Code |\n|-|-|-|\n| /a | POST | 201 |\n| | | 400 |\n| /a/{id} | DELETE | 404 |\n| | | 405 |\n| /b | PUT | 405 |\n",
        "POST /a, DELETE /a/{id}, PUT /b",
    ),
    "a table whose header is a row": ("| GET | /a |\n|--|--|\n| POST | /b |\n", "GET /a, POST /b"),
    "a property in each row": (
        "| Method | GET |\n|--|--|\n| URL | /a |\n\n| Item | Value |\n|-|-|\n| **HTTP Method** | `POST` |\n| **Path** | `/b` |\n\n| Field | Type |\n|-|-|\n| method | GET |\n| path | /none |\n",
        "GET /a, POST /b",
    ),
    "a path without its slash in a column of paths": (
        "| Method | Endpoint |\n|-|-|\n| GET | api/a |\n| PUT | all of it |\n",
        "GET /api/a",
    ),
    "parameters that look like markup": (
        "- `GET /<code>`\n- `GET /files/**`\n- `POST /s/<s>/<b>`\n- GET /t/(key)\n- GET /u/(?P<pk>\\d+)/\n",
        "GET /{code}, GET /files/{wildcard}, POST /s/{s}/{b}, GET /t/{key}, GET /u/{pk}/",
    ),
    "queries in templates": (
        "- GET /a{?page,limit}\n- GET /b[?x=1]\n- GET /docs/[...slug]\n- GET /api/.../x\n- GET /c…\n- POST /d[/{id}]\n- POST /jobs/{start|stop}/x\n",
        "GET /a, GET /b, GET /docs/{slug}, GET /c, POST /d, POST /jobs/{startstop}/x",
    ),
    "languages without spaces": (
        "- `GET /a`获取用户\n- GET /b，返回列表\n- `PUT /c`（管理员）\n- `DELETE /d`（已废弃）\n- 更新：`PATCH /e`。\n",
        "GET /a, GET /b, PUT /c, PATCH /e",
    ),
    "numbers in front": (
        "1.1 `GET /a`\n1.2 `POST /b`\n\n(1) GET /c\n\n① GET /d\n\n1、GET /e\n\n2.`GET /f`\n\n404 GET /none\n",
        "GET /a, POST /b, GET /c, GET /d, GET /e, GET /f",
    ),
    "lower case in code": (
        "- `get /a`\n- `post /b`: x\n- **Put** `/c`\n- DEL /d\n- get /none\n",
        "GET /a, POST /b, PUT /c, DELETE /d",
    ),
    "neighbours on a line": (
        "- `GET /a` `POST /b`\n- `GET /c` | `POST /d`\n- `/e` GET, POST\n\nGET /f<br>POST /f\n`PUT /g`\\\n`PUT /h`\\\n",
        "GET /a, POST /b, GET /c, POST /d, GET /e, POST /e, GET /f, POST /f, PUT /g, PUT /h",
    ),
    "badges that are images": (
        '![](https://img.shields.io/badge/-GET-blue) `/a`\n\n![badge](https://img.shields.io/badge/post-green) /b\n\n<img src="x/badge/PUT-x" alt="PUT"> `/c`\n\n![x](https://img.shields.io/badge/budget-GET) /none\n',
        "GET /a, POST /b, PUT /c",
    ),
    "columns in a fence": (
        "```\n/a        GET    List\n/a/{id}   GET, PUT   One\n/none     is GETting old\n```\n```\n│ POST │ /b │ x │\n```\n",
        "GET /a, GET /a/{id}, PUT /a/{id}, POST /b",
    ),
    "lists in YAML and JSON": (
        '```yaml\n# all\n---\n- {method: GET, path: /a}\n- path: /b\n  methods: [post, PUT]\n- GET /c\n- {method: GET, path: /none, status: removed}\n- {method: GET, path: /none, upstream: x}\n```\n```json\n{"api": {"base_path": "/v1", "endpoints": {"/d": ["GET"], "POST /d": "new", "x": {"verb": "delete", "route": "/d/{id}"}}}}\n```\n',
        "GET /a, POST /b, PUT /b, GET /c, GET /v1/d, POST /v1/d, DELETE /v1/d/{id}",
    ),
    "documents with dots and empty operations": (
        "```yaml\npaths:\n  /a:\n    get:\n      summary: x\n      ...\n    post: ...\ncomponents:\n  /none:\n    get: ...\n```\n```yaml\n/b:\n  get:\n  /{id}:\n    put:\n```\n",
        "GET /a, POST /a, GET /b, PUT /b/{id}",
    ),
    "HTTPie": (
        "```sh\nhttp :80/a\nhttp POST :80/b\nhttp :80/c x=1 y==2\nhttp :80/d y==2 H:v=1\necho 1 | http -v localhost:80/e\n~ ❯ https put localhost/f\n# http is short\n```\n- `xh :/g`\n",
        "GET /a, POST /b, POST /c, GET /d, POST /e, PUT /f, GET /g",
    ),
    "wget and PowerShell": (
        "```\nwget -qO- http://localhost/a\nwget --post-data='x' http://localhost/b\nwget -O /tmp/x --method PUT http://localhost/c\nwget --spider http://localhost/d\n```\n```powershell\n$u = 'http://localhost/v1'\nInvoke-RestMethod -Uri \"$u/e\" -Method Delete\nirm http://localhost/f -UseBasicParsing\n```\n",
        "GET /a, POST /b, PUT /c, HEAD /d, DELETE /v1/e, GET /f",
    ),
    "options of curl in any place": (
        "```\ncurl http://localhost/a -X POST\ncurl -sSo /dev/null -w '%{http_code}' localhost:80/b\ncurl -Gd x=1 http://localhost/c\ncurl -XPUT http://localhost/d\ncurl --request DELETE --url http://localhost/e\ncurl http://localhost/f?a=1&b=2 -X PATCH\ncurl -u a:b URL/g\ncurl http://localhost/h/%7Bid%7D\n```\n",
        "POST /a, GET /b, GET /c, PUT /d, DELETE /e, PATCH /f, GET /g, GET /h/{id}",
    ),
    "commands without a fence": (
        "Create:\n\n    curl http://localhost:80/a \\\n      -d '{}'\n\n    $ curl -X PUT --data-raw '{\n        \"b\": 1\n      }' http://localhost/b\n",
        "POST /a, PUT /b",
    ),
    "variables": (
        "```http\n@host = http://localhost:80\n@api = {{host}}/api\n\nGET {{api}}/a HTTP/1.1\n\n###\nPOST {{host}}/b\n```\n`menu_url` is `http://localhost/menu`.\n- GET {{menu_url}}/c\n- GET {{other_url}}/d\n",
        "GET /api/a, POST /b, GET /menu/c, GET /d",
    ),
    "client code and nothing else": (
        "```python\nBASE = 'http://localhost:80'\nrequests.post(f'{BASE}/a/{name}', json={})\nrequests.get('https://files.acme.io/b')\nrequests.get('/none')\n```\n```js\nawait fetch(`http://localhost/c`, {\n  method: 'PUT',\n});\naxios.delete('http://localhost/d');\naxios({ url: 'http://localhost/e', method: 'patch' })\n```\n",
        "POST /a/{name}, PUT /c, DELETE /d, PATCH /e",
    ),
    "a document in one fence": (
        "```markdown\n# S\n### GET /a\n- **Method**: POST\n- **Path**: `/b`\n```\n",
        "GET /a, POST /b",
    ),
    "API Blueprint": (
        "## Questions [/q{?page}]\n### List [GET]\n+ Response 200\n### Make [POST]\n## Question [/q/{id}]\n### See [GET]\n",
        "GET /q, POST /q, GET /q/{id}",
    ),
    "labels in more languages": (
        "- Methode: GET\n- Endpunkt: `/a`\n\n**Endereço**: `/b`\n**Método**: `POST`\n\n请求方式：PUT\n请求地址：/c\n\nURL: `/d`\nメソッド: DELETE\n",
        "GET /a, POST /b, PUT /c, DELETE /d",
    ),
}

BASE_PATHS = {
    "prefixed with": (
        "All endpoints are prefixed with `/api/v1`.\n\n- GET /a\n- GET /api/v1/b",
        "GET /api/v1/a, GET /api/v1/b",
    ),
    "served under": (
        "The API is served under `/api/v2`. \n\nAll routes below start with /api/v2.\n- GET /a\n",
        "GET /api/v2/a",
    ),
    "relative to": ("All paths are relative to `http://localhost:8080/api`.\n- GET /a\n", "GET /api/a"),
    "lives under": ("Every endpoint lives under /v1.\n- GET /a\n", "GET /v1/a"),
    "mounted at": ("All API routes are mounted at `/api`:\n- GET /a\n", "GET /api/a"),
    "a heading and a fence": (
        "## Base URL\n\n```\nhttp://localhost:8080/api\n```\n## Endpoints\n- GET /a",
        "GET /api/a",
    ),
    "sections inside a base path": (
        "# S\nBase path: `/api`\n## Users (`/users`)\n- GET `/`\n- POST /login\n## Pets\nPrefix: /pets\n- GET /{id}\n",
        "GET /api/users/, POST /api/users/login, GET /api/pets/{id}",
    ),
    "a table": (
        "| Setting | Value |\n|---|---|\n| Base URL | http://localhost:1/api |\n| Port | 80 |\n\n- GET /a",
        "GET /api/a",
    ),
    "API prefix": ("**API Prefix**: `/api`\n- GET /a", "GET /api/a"),
    "an equals sign": ("* Base path = /api\n- GET /a", "GET /api/a"),
    "a sentence": ("The base URL is `http://localhost:8080/v1/`.\n- GET /a", "GET /v1/a"),
    "a remark in brackets": ("Base URL (development): http://localhost:8080/v1\n- GET /a", "GET /v1/a"),
    "for all requests": ("The base URL for all requests is http://localhost:8080/v1\n- GET /a", "GET /v1/a"),
    "a definition list": ("Base URL\n: http://localhost:8080/v1\n\n- GET /a", "GET /v1/a"),
    "a host only": ("Base URL: http://localhost:8080\n- GET /a", "GET /a"),
    "the root": ("Base path: `/`\n- GET /a", "GET /a"),
    "a base path each": (
        "# S\n## Users service\nBase URL: http://localhost:1/users\n- GET /x\n## Pets service\nBase URL: http://localhost:1/pets\n- GET /x\n",
        "GET /users/x, GET /pets/x",
    ),
    "a prefix in a heading": (
        "### Widgets API (prefix: `/api/widgets`)\n- GET /\n- GET /{id}\n",
        "GET /api/widgets/, GET /api/widgets/{id}",
    ),
    "a context path in a sentence": ("It runs on port 1 with context path `/shop`.\n- GET /a", "GET /shop/a"),
    "a path behind the title of a heading": ("## Users `/users`\n- GET /\n- GET /{id}", "GET /users/, GET /users/{id}"),
    "a base path right before fields": (
        "**Base URL**: `http://localhost:1/api`\n- **Method**: GET\n- **Path**: `/a`\n",
        "GET /api/a",
    ),
    "a path that only some requests have": (
        "All requests to `/admin` need a token.\n- GET /a\nEach request under /internal is logged.\n",
        "GET /a",
    ),
    "in other languages": (
        "# A\n## B\nAlle Endpunkte liegen unter `/b`.\n- GET /a\n## C\n所有接口均以 `/c` 为前缀。\n- GET /a\n## D\n**基础路径**：`/d`\n- GET /a\n## E\nBasis-URL: http://localhost/e\n- GET /a\n## F\nTodos los endpoints están bajo `/f`.\n- GET /a\n",
        "GET /b/a, GET /c/a, GET /d/a, GET /e/a, GET /f/a",
    ),
    "as an order": ("Prefix every path below with `/api`.\n- GET /a\n", "GET /api/a"),
    "everything under": ("Everything is under `/api`.\n- GET /a\n", "GET /api/a"),
    "a heading that is a path": (
        "## /users\n- GET: all\n- GET /{id}\n## /pets\n- GET: all\n- GET /pets/{id}\n",
        "GET /users, GET /users/{id}, GET /pets, GET /pets/{id}",
    ),
    "an endpoint that is said to be outside": (
        "Base path: `/api`\n- GET /a\n- `GET /health` (outside the base path)\n- GET /ping: no prefix\n\n| Method | Path | What |\n|-|-|-|\n| GET | /live | without the `/api` prefix |\n| GET | /b | prefix search |\n",
        "GET /api/a, GET /health, GET /ping, GET /live, GET /api/b",
    ),
    "several hosts": (
        "## Base URLs\n- Development: `http://localhost:8000/api`\n- Production: `https://api.acme.io/api`\n\n## E\n- GET /a\n",
        "GET /api/a",
    ),
    "a host, and a prefix behind it": ("Base URL: `http://localhost:8080`, prefix `/api`\n- GET /a\n", "GET /api/a"),
    "headings that are paths inside one another": (
        "## /api/v1\n### /users\n- GET: list\n### /users/{id}\n- GET: one\n",
        "GET /api/v1/users, GET /api/v1/users/{id}",
    ),
    "what only some paths begin with, in any language": (
        "Everything under `/admin` needs a token.\nAlle Anfragen unter `/admin` brauchen eines.\nTodas las rutas en `/admin` lo requieren.\n所有 `/admin` 接口都需要登录。\n- GET /a\n",
        "GET /a",
    ),
    "a host that is its own": (
        "Base URL: https://api.acme.io/v1\n- GET /a\n- GET https://api.acme.io/v1/b\n- GET https://maps.acme.net/c\n",
        "GET /v1/a, GET /v1/b",
    ),
}

FALSE_FRIENDS = {
    "endpoints that are not there, and references": (
        "- Not supported: DELETE /x\n- `DELETE /x` is not supported\n- ~~`GET /x`~~\n- `GET /x` (deprecated)\n- Note: POST /x requires auth\n- See also: GET /y\n- Uses the mailer (POST /mails): once a day\n- The token comes from: POST /tokens - as above\n- same as POST /x\n- `GET /nope` returns 404\n- Removed: `GET /old`",
        "",
    ),
    "prose": ("After POST /x returns, call GET /y.\nIt is the same as\nPOST /z which is.\n", ""),
    "wrapped prose": ("The service calls\n`POST /a` and then stops.\n\n- Uses\n  `GET /b` internally\n", ""),
    "code in other languages and JSON": (
        "```python\nrequests.get('/x')\n@app.get('/y')\n# POST /q\n```\n```js\napp.get('/z', h)\n```\n```json\n{\"download_url\": \"/api/x\", \"GET /x\": 1}\n```",
        "",
    ),
    "environment variables": ("PATH=/usr/bin\nGET_URL=/x\n- `API_URL`: `/api`\n", ""),
    "files": ("DELETE /tmp/cache on start\nPUT /etc/x\n", ""),
    "sections about something else": (
        "- GET /a\n## Changelog\n- `GET /b` added\n### v1\n- GET /c\n## Deprecated endpoints\n- GET /d\n## Frontend routes\n- GET /e",
        "GET /a",
    ),
    "calls of other hosts, and set-up": (
        "- GET /a\n## Install\n```sh\ncurl -fsSL https://deb.nodesource.com/setup | bash\ncurl http://localhost:1/health\n```",
        "GET /a",
    ),
    "what the service sends to others": (
        "- POST /pay\n\nThen we POST to your `callback_url`:\n```http\nPOST /your/hook HTTP/1.1\nHost: shop\n```\n",
        "POST /pay",
    ),
    "calls in a section of tests": (
        "- GET /a/{id}\n## Tests\n- `GET /a/abc` answers 422\n- `POST /zzz` answers 400\n",
        "GET /a/{id}",
    ),
    "a sentence that goes on": (
        "When it is deleted, what\nDELETE /a\nwould remove stays.\n\nGET /b is deliberately missing.\n",
        "",
    ),
    "redirects and examples": (
        "- Response: 200 /a\n- Redirects to: GET /b\n- Example: GET /c/1\n- GET /c/{id}\n",
        "GET /c/{id}",
    ),
    "lists of what is not there": (
        "- GET /a\n\nNot supported:\n\n- DELETE /a\n\n  Too slow.\n- PUT /a\n\nThe following endpoints were removed in 2.0:\n```\nGET /b\n```\n\n**Not implemented**\n\n| Method | Path |\n|-|-|\n| GET | /c |\n\nTo come:\n\n- Planned:\n  - GET /d\n- GET /e\n\nIt calls these endpoints of other services:\n- GET /f\n\nMore:\n- GET /g\n",
        "GET /a, GET /e, GET /g",
    ),
    "lists of what is there, said with a not": (
        "Endpoints not available to guests:\n- GET /a\n\nThese must not be called twice:\n- POST /b\n\nA token is not required for:\n- GET /c\n\nThe API uses the following endpoints:\n- GET /d\n",
        "GET /a, POST /b, GET /c, GET /d",
    ),
    "entries of a changelog without a heading": (
        "- GET /a\n## [1.2.0] - 2024-01-01\n### Added\n- GET /b\n## v1.1 (2023-12-24)\n- GET /c\n## Unreleased\n- GET /d\n# v2\n- GET /e\n",
        "GET /a, GET /e",
    ),
    "refusals and sections in other languages": (
        "- `DELETE /x` wird nicht unterstützt\n- GET /y （已废弃）\n- PUT /z 已弃用\n- GET /w (ya no existe)\n- `GET /v` est supprimée\n## Veraltet\n- GET /u\n## 更新日志\n- GET /t\n",
        "",
    ),
    "signs and columns that say no": (
        "- ✅ GET /a\n- ❌ DELETE /a\n- `PUT /a` ❌\n- 🔒 POST /a\n\n| Method | Path | Implemented |\n|-|-|-|\n| GET | /b | ✅ |\n| PUT | /b | ❌ |\n\n| Method | Path | Token |\n|-|-|-|\n| POST | /b | ❌ |\n",
        "GET /a, POST /a, GET /b, POST /b",
    ),
    "a remark under a heading": (
        "### GET /a\n\n> **Deprecated** since 2.0, use GET /b\n\n### GET /b\n\nRemoved items are listed.\n\n### GET /c\n\nNot implemented yet.\n\n### GET /d\n\nStatus: planned\n\n### GET /e\n\nPlanned trips.\n",
        "GET /b, GET /e",
    ),
    "sections that say so in brackets": (
        "## Endpoints\n- GET /a\n## More (planned)\n- GET /b\n## Beta (not implemented yet)\n- GET /c\n## Admin (internal)\n- GET /d\n",
        "GET /a, GET /d",
    ),
    "moved ones, and redirects": (
        "- `GET /x` moved to `GET /y`\n- POST /p is now POST /q\n- GET /{code} redirects to the URL\n",
        "GET /{code}",
    ),
    "things that are called like what is not there": (
        "- `GET /todos` - Todo list\n- GET /trips: Planned trips\n- `GET /missing` missing items\n- GET /users/disabled: Disabled users\n- `GET /todo` (todo)\n- GET /b - TODO\n- GET /c: planned, not before 3.0\n- GET /d is deliberately missing\n\n| Method | Path | What |\n|-|-|-|\n| PUT | /todos/{id} | Todo with a date |\n| GET | /removed | Removed items |\n| GET | /e | Removed |\n| GET | /f | planned for 3.0 |\n",
        "GET /todos, GET /trips, GET /missing, GET /users/disabled, PUT /todos/{id}, GET /removed",
    ),
    "words that are programs": (
        "```sh\n# use curl to read, or wget it\napt-get install -y curl git\napk add php-curl curl-dev\ncurl --version\ncurl -h all\nwhich http && http --help\n```\nWith http you are free; `curl` as well.\nhttp is a protocol on :80/x\n",
        "",
    ),
    "code in a block that names no language": (
        "```\n@app.get('/x')\ndef f():\n    # POST /q\n```\n```\nconst app = express()\n# GET /y\n```\n\n    # GET /z\n    def f(): ...\n",
        "",
    ),
    "settings and answers in YAML and JSON": (
        '- GET /a\n```yaml\nrules:\n  - {method: GET, path: /b}\nroutes:\n  - {path: /c, method: GET, backend: x}\n```\nResponse:\n```json\n{"routes": [{"method": "GET", "path": "/d"}]}\n```\n## Configuration\n```yaml\nendpoints:\n  - GET /e\n```\n',
        "GET /a",
    ),
    "client code beside a declaration": (
        "- GET /a\n```js\nfetch('http://localhost/b', {method: 'POST'})\n```\n",
        "GET /a",
    ),
    "an example of a document": ("# S\n```markdown\n### GET /a\n```\n- GET /b\n```sh\nls\n```\n", "GET /b"),
}

CASES = {
    **{f"notation: {name}": case for name, case in NOTATIONS.items()},
    **{f"base path: {name}": case for name, case in BASE_PATHS.items()},
    **{f"false friend: {name}": case for name, case in FALSE_FRIENDS.items()},
}


@pytest.mark.parametrize("name", sorted(path.stem for path in READMES.glob("*.md")))
def test_a_readme_yields_what_a_careful_reader_takes_from_it(name: str) -> None:
    text = (READMES / f"{name}.md").read_bytes().decode()
    assert {str(endpoint) for endpoint in extract_endpoints(text)} == set(TAKEN[name])


@pytest.mark.parametrize(("markdown", "listed"), CASES.values(), ids=CASES)
def test_a_notation_is_read_as_it_is_meant(markdown: str, listed: str) -> None:
    assert ", ".join(map(str, extract_endpoints(markdown))) == listed


def test_an_endpoint_says_where_and_how_it_is_declared() -> None:
    markdown = "# Title\n\n<!-- GET /hidden\n-->\n- **API**: `GET /a`\n\n|Path|Method|\n|-|-|\n|/b|PUT|\n\n```yaml\npaths:\n  /c:\n    get: {}\n```\n"
    assert [(found.path, found.line, found.notation) for found in extract_endpoints(markdown)] == [
        ("/a", 5, Notation.LABELLED),
        ("/b", 9, Notation.TABLE),
        ("/c", 13, Notation.OPENAPI),
    ]


def test_the_first_of_two_declarations_counts() -> None:
    assert [
        (str(found), found.line) for found in extract_endpoints("- GET /a/{id}\n- `GET /a/:key/`\n- POST /a\n")
    ] == [
        ("GET /a/{id}", 1),
        ("POST /a", 3),
    ]


@pytest.mark.parametrize(
    "markdown",
    [
        "`" * 5000,
        "|" * 5000,
        "[a](" * 3000,
        "- GET" + " " * 5000,
        "```\n" + "curl '" * 500,
        "# a\n" * 3000,
        "```yaml\npaths: " + "[" * 5000,
        "<table>\n" * 5000,
        "<table>" + "<tr><td>GET" * 5000 + "</table>",
        # Each of these once took time that grew with the square of its length, or doubled with each parameter.
        "/" + "{a}" * 200 + " x",
        "- http://h/" + "<a>" * 200 + " = x",
        "<s>" * 200_000,
        ("a" + " " * 900 + "b\n\n") * 1_000,
        ("# http://a " + "** " * 300 + "\n") * 1_000,
        ("api " * 220 + "\n\n") * 500,
        "```\n" + ("GET" + " " * 900 + "\n") * 1_000,
        "```\n" + "\n" * 200_000,
        "```\n" + "curl " * 100_000,
        "<table>" + "<tr " * 100_000 + "</table>",
        "```\ncurl localhost/" + "{<" * 1_200 + ">}" * 1_200 + "\n```\n",
        "# a" + " " * 100_000 + "b",
        "# S\n## Todos\n" + "GET " * 200_000 + "\n## A\n",
        "a|b\n" + " " * 100_000 + "x-|",
        "we posts your " * 10_000 + "\n```\nx\n```",
        # The same for the notations that came later.
        "```\n" + "https " * 100_000,
        "```\n" + "wget -O " * 50_000,
        "    curl \\\n" * 50_000,
        "    curl -d '\n" * 20_000,
        "<table>" + "<td rowspan=9999 colspan=9999>" * 5_000 + "</table>",
        "```yaml\npaths:\n" + "  /a: ...\n  get\n" * 20_000,
        "```yaml\na: &a {b: {c: d}}\n" + "".join(f"k{at}: {{e: *a}}\n" for at in range(900)),
        "```python\n" + "requests.get(" * 50_000,
        "```js\n" + "axios({url: " * 50_000,
        "Not supported: " * 20_000,
        "**GET** a " * 20_000,
        "![](/badge/" * 20_000,
        "### GET\n" * 5_000,
        "@a=" * 50_000,
        "{{a_url" * 50_000,
    ],
)
def test_hostile_text_yields_nothing(markdown: str) -> None:
    assert extract_endpoints(markdown) == ()


@given(st.text(alphabet=st.sampled_from(list("GET POST/a{}<>:`*|#-\n~[]().\"'$ curl")), max_size=300))
def test_no_text_brings_the_reader_down(markdown: str) -> None:
    for endpoint in extract_endpoints(markdown):
        assert endpoint.line <= markdown.count("\n") + 1


WORDS = st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=4, max_size=8)
SEGMENTS = st.one_of(WORDS, st.builds("{}-{}".format, WORDS, WORDS), st.builds("{{{}_id}}".format, WORDS))
PATHS = (
    st.lists(SEGMENTS, min_size=1, max_size=4)
    .map(lambda segments: "/" + "/".join(segments))
    .filter(lambda path: not path.startswith("/{"))
)
ENDPOINTS = st.lists(
    st.tuples(st.sampled_from(METHODS), PATHS), min_size=1, max_size=6, unique_by=lambda pair: pair[0] + _shape(pair[1])
)

# Each stands alone: what comes before or after it does not change what it says.
WRITTEN = [
    "- **API Name**: `{method} {path}`\n",
    "- `{method} {path}` (Admin only)\n",
    "- `{method} {path}`: Get it\n",
    "\n**{method}** `{path}`\n\n",
    "- {method} `{path}`\n",
    "### One\n\n**Endpoint:** `{path}`\n\nWords about it.\n\n**Method:** {method}\n\n",
    "### One\n\n- **Method**: `{method}`\n- **Path**: `{path}`\n\n",
    "\n{method} {path}\n\n",
    "- Method and Path: {method} {path}\n",
    "### `{method} {path}`\n\n",
    "### Do it ({method} {path})\n\n",
    "\n| Path | Method |\n|---|---|\n| `{path}` | {method} |\n\n",
    "\n| Endpoint | What |\n|---|---|\n| {method} {path} | does it |\n\n",
    "### `{path}`\n\n- **{method}**: does it\n\n### Next\n\n",
    "\n```\n{method} {path}   # does it\n```\n\n",
    "* Do it: `{method} {path}`\n",
    "### {method}\n\n`{path}`\n\n### Next\n\n",
    "### Do it `{method} {path}`\n\n",
    "- {method}\n  - `{path}`: does it\n",
    "\n**{method}**\n`{path}`\n\n",
    "- **{method}** does it: `{path}`\n",
    "\n| {method} | {path} |\n|---|---|\n\n",
    "\n| Method | {method} |\n|---|---|\n| Path | `{path}` |\n\n",
    "\n```yaml\n- method: {method}\n  path: {path}\n```\n\n",
    "\n```\n{path}   {method}   does it\n```\n\n",
    "1.2 `{method} {path}`\n",
    "<ul><li><code>{method} {path}</code></li></ul>\n",
]
PARAMETERS = ["{{{}}}", ":{}", "<{}>", "<int:{}>", "[{}]"]


def _shape(path: str) -> str:
    return "/".join("{}" if segment.startswith("{") else segment for segment in path.split("/"))


def _rendered(path: str, parameter: str) -> str:
    return "/".join(
        parameter.format(segment[1:-1]) if segment.startswith("{") else segment for segment in path.split("/")
    )


@given(ENDPOINTS, st.data())
def test_endpoints_written_in_any_notations_come_back(endpoints: list[tuple[str, str]], data: st.DataObject) -> None:
    markdown = "# Service\n\n"
    for method, path in endpoints:
        written = data.draw(st.sampled_from(WRITTEN))
        markdown += written.format(method=method, path=_rendered(path, data.draw(st.sampled_from(PARAMETERS))))
    assert [str(found) for found in extract_endpoints(markdown)] == [f"{method} {path}" for method, path in endpoints]


@given(
    ENDPOINTS,
    st.sampled_from(
        [
            "Base URL: http://localhost:8080{}\n\n",
            "All endpoints are prefixed with `{}`.\n\n",
            "**Base path**: `{}`\n\n",
        ]
    ),
)
def test_a_base_path_is_joined_to_each_endpoint(endpoints: list[tuple[str, str]], stated: str) -> None:
    markdown = stated.format("/api/v9") + "".join(f"- `{method} {path}`\n" for method, path in endpoints)
    assert [str(found) for found in extract_endpoints(markdown)] == [
        f"{method} /api/v9{path}" for method, path in endpoints
    ]
