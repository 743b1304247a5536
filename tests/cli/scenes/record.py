"""A fixture made of a real call, and run again without the service and without the secret."""

import json

DESCRIPTION = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets/{id}": {
            "get": {
                "operationId": "getPet",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
                "responses": {"200": {"description": "ok"}},
            }
        }
    },
}


def pet(request):
    """A pet, and the credential that was sent, as careless services do."""
    sent = request.headers.get("Authorization")
    return 200, "application/json", json.dumps({"id": 7, "name": "Rex", "sent": sent}).encode()


def play(trial):
    """Writes a call down, records it, and compares it."""
    url = trial.serve({"/pets/7": pet})
    case = trial.home / "pets/cases/a-pet-is-read"
    case.mkdir(parents=True)
    (trial.home / "pets/spec.json").write_text(json.dumps(DESCRIPTION))
    (trial.home / "pets/toolset.yaml").write_text(
        f"openapi: spec.json\nserver: {url}\negress: {{ allow: [127.0.0.0/8] }}\nauth: {{ bearer: {{ token: env:PETS_TOKEN }} }}\n"
    )
    (case / "call.json").write_text('{"tool": "getPet", "arguments": {"id": 7}}\n')
    trial.run("test", "pets", code=1)
    trial.run("test", "pets", "--record", code=1)
    trial.variables["PETS_TOKEN"] = "canary-of-a-token"
    trial.run("test", "pets", "--record")
    trial.show("pets/cases/a-pet-is-read/request.http", "pets/cases/a-pet-is-read/response.http")
    del trial.variables["PETS_TOKEN"]
    trial.stop()
    trial.run("test", "pets")
    result = case / "result.json"
    result.write_text(result.read_text().replace("Rex", "Max"))
    trial.run("test", "pets", code=1)
