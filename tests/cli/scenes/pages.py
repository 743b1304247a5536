"""An answer in pages: the first, and all of them as one."""

import json
import urllib.parse

DESCRIPTION = """openapi: 3.1.0
info: {title: Orders, version: "1"}
paths:
  /orders:
    get:
      operationId: listOrders
      summary: Lists orders, ten at a time
      parameters:
        - {name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}
      responses: {"200": {description: ok}}
"""
ITEMS, EACH = 25, 10


def orders(request):
    """One page, with a link to the next."""
    page = int(urllib.parse.parse_qs(urllib.parse.urlparse(request.path).query).get("page", ["1"])[0])
    items = [{"id": n, "state": "paid" if n % 3 else "open"} for n in range((page - 1) * EACH + 1, min(page * EACH, ITEMS) + 1)]
    if page * EACH < ITEMS:
        request.links = f'</orders?page={page + 1}>; rel="next"'
    return 200, "application/json", json.dumps(items).encode()


def play(trial):
    """Lists, lists all, and lists no more than it may."""
    url = trial.serve({"/orders": orders})
    (trial.home / "orders.yaml").write_text(DESCRIPTION)
    trial.run("call", "orders.yaml", "listOrders", "--format", "table", "--server", url)
    trial.run("call", "orders.yaml", "listOrders", "--format", "table", "--all-pages", "--server", url)
    trial.run("call", "orders.yaml", "listOrders", "--select", "id", "--all-pages", "--max-pages", "2", "--format", "yaml", "--server", url)
    trial.run("call", "orders.yaml", "listOrders", "page=0", "--server", url, code=1)
