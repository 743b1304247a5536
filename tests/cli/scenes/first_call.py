"""From the address of a description to a first call, and what `doctor` says of it."""

import json

DESCRIPTION = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "security": [{"key": []}],
    "paths": {
        "/pets": {"get": {"operationId": "listPets", "summary": "List pets", "responses": {"200": {"description": "ok"}}}},
    },
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"}}},
}


def pets(request):
    """The pets of whoever has the key."""
    if request.headers.get("X-Api-Key") != "canary-of-a-key":
        return 401, "application/json", b'{"error": "no key"}'
    return 200, "application/json", b'[{"id": 7, "name": "Rex"}]'


def play(trial):
    """Asks, is answered, and calls."""
    url = trial.serve({
        "/openapi.json": (200, "application/json", json.dumps(DESCRIPTION).encode()),
        "/docs": (200, "text/html", b"<!doctype html><html></html>"),
        "/pets": pets,
    })
    trial.run("tools", f"{url}/docs", code=2)
    trial.run("call", f"{url}/openapi.json", "listPets", code=1)
    question = "for none]: "
    trial.run("init", "pets", f"{url}/openapi.json", answers=[(question, "hunter2"), (question, "env:PETS_API_KEY")])
    trial.run("init", "pets", f"{url}/openapi.json", code=2)
    trial.run("tools", "pets")
    trial.run("tools", "petz", code=2)
    trial.run("doctor", "pets", code=1)
    trial.variables["PETS_API_KEY"] = "canary-of-a-key"
    trial.run("doctor", "pets")
    trial.run("call", "pets", "listPets", "--dry-run")
    trial.run("call", "pets", "listPets")
