"""A person logs in, calls, and logs out. The authorization server is one that says yes at once, and the browser one that follows
redirects; `tests/interop/tokens/journey.mjs` plays the scene with `oidc-provider` and Chromium instead, and sees the same."""

import json
import os
import urllib.parse
import urllib.request

AT = "127.0.0.1"


def issuer(trial):
    """The authorization server: of the one who plays this, or our own."""
    if known := os.environ.get("JOURNEY_ISSUER"):
        return known
    answers = {}
    url = trial.serve(answers)

    def authorize(request):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(request.path).query))
        assert query["scope"].split() == ["openid", "pets"], query
        back = urllib.parse.urlencode({"code": "canary-code", "state": query["state"], "iss": url})
        request.send_response(302)
        request.send_header("Location", f"{query['redirect_uri']}?{back}")
        request.send_header("Content-Length", "0")
        request.end_headers()

    token = {"access_token": "canary-token", "token_type": "Bearer", "expires_in": 600, "scope": "openid pets"}
    answers |= {
        "/.well-known/openid-configuration": (200, "application/json", json.dumps({
            "issuer": url,
            "authorization_endpoint": f"{url}/auth",
            "token_endpoint": f"{url}/token",
            "revocation_endpoint": f"{url}/token/revocation",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }).encode()),
        "/auth": authorize,
        "/token": (200, "application/json", json.dumps(token).encode()),
        "/token/revocation": (200, "application/json", b""),
    }
    return url


def browse(page):
    """Opens a page as the person does; the text at the end of the way."""
    person = os.environ.get("JOURNEY_PERSON")
    address = f"{person}/?{urllib.parse.urlencode({'page': page})}" if person else page
    with urllib.request.urlopen(address, timeout=60) as shown:
        text = shown.read().decode()
    assert "You are logged in" in text, text


def pets(request):
    """The pet of whoever has a token."""
    if not request.headers.get("Authorization", "").startswith("Bearer "):
        return 401, "application/json", b'{"error": "no token"}'
    return 200, "application/json", b'{"id": 7, "name": "Rex"}'


def play(trial):
    """From a description with a login to a call, and out again."""
    known = issuer(trial)
    url = trial.serve({"/pets/7": pets})
    (trial.home / "pets.json").write_text(json.dumps({
        "openapi": "3.1.0",
        "info": {"title": "Pets", "version": "1"},
        "servers": [{"url": url}],
        "security": [{"account": ["openid", "pets"]}],
        "paths": {"/pets/7": {"get": {"operationId": "getPet", "summary": "Get a pet", "responses": {"200": {"description": "ok"}}}}},
        "components": {"securitySchemes": {
            "account": {"type": "openIdConnect", "openIdConnectUrl": f"{known}/.well-known/openid-configuration"},
        }},
    }))
    trial.run("init", "pets", "pets.json", "--server", url, "--credential", "account=login:public")
    trial.run("call", "pets", "getPet", code=1)
    trial.run("login", "pets", "--no-browser", page=browse)
    trial.run("call", "pets", "getPet")
    trial.run("doctor", "pets")
    trial.run("logout", "pets")
    trial.run("call", "pets", "getPet", code=1)
