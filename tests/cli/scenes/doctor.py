"""What `doctor` finds: secrets, tokens and servers, in order and not."""

import json
import socket

DESCRIPTION = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {"/pets": {"get": {"operationId": "listPets", "responses": {"200": {"description": "ok"}}}}},
}
CONFIGURATION = """toolsets:
  pets:
    openapi: pets.json
    server: {url}
    egress: {{ allow: [127.0.0.0/8] }}
    auth: {{ api_key: {{ in: header, name: X-Key, value: env:PETS_KEY }} }}
  orders:
    openapi: pets.json
    server: http://127.0.0.1:{closed}
    egress: {{ allow: [127.0.0.0/8] }}
    auth:
      oauth2_client_credentials: {{ token_url: {url}/token, client_id: me, client_secret: file:secret.txt }}
"""


def token(request):
    """A token, or the reason why there is none."""
    request.rfile.read(int(request.headers.get("Content-Length", 0)))
    if token.is_known:
        return 200, "application/json", b'{"access_token": "canary-of-an-access-token", "token_type": "Bearer"}'
    return 401, "application/json", b'{"error": "invalid_client", "error_description": "no such client"}'


def play(trial):
    """Nothing is there, the wrong things are, all is well but one server."""
    # Bound, so that nobody else listens there; connections are refused until it listens.
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    closed = held.getsockname()[1]
    url = trial.serve({"/token": token})
    (trial.home / "pets.json").write_text(json.dumps(DESCRIPTION))
    (trial.home / "callgate.yaml").write_text(CONFIGURATION.format(url=url, closed=closed))
    trial.run("doctor", code=1)
    token.is_known = False
    trial.variables["PETS_KEY"] = "canary-of-a-key"
    (trial.home / "secret.txt").write_text("canary-of-a-client-secret\n")
    trial.run("doctor", code=1)
    token.is_known = True
    trial.run("doctor", code=1)
    held.listen()
    trial.run("doctor")
    held.close()
