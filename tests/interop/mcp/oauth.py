"""The MCP client of PyPI finds the issuer of a sidecar by itself, registers, signs in, calls, and asks for a scope it lacks:
its own OAuth flow, with a certified authorization server. Nobody without a token gets further than a list."""

import argparse
import asyncio
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

import httpx2
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm
from mcp import Client, ClientSession, MCPError
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

from ports import free_port
from serving import HERE, LARGE, configured, service, sidecar

SCOPE = "conformance.call"
CALLBACK = "http://127.0.0.1:1/callback"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--modules", required=True, type=pathlib.Path, help="the Node modules with oidc-provider")
    given = parser.parse_args()
    issuer_port, port = free_port(), free_port()
    url = f"http://127.0.0.1:{port}/mcp"
    with started(given.modules, issuer_port) as issuer, tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as ends:
        ends.callback(issuer.terminate)
        config = configured(folder, service())
        settings = json.loads(config.read_text())
        jwt = {"issuer": f"http://127.0.0.1:{issuer_port}", "audience": url, "scopes": {"conformance": SCOPE}}
        settings["access"] = {"jwt": [jwt], "public_listing": ["conformance"]}
        config.write_text(json.dumps(settings))
        process, _ = sidecar(given.callgate, config, port)
        try:
            asyncio.run(tried(url))
        finally:
            process.terminate()
            process.wait(timeout=120)


def started(modules, port):
    key = json.loads(ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP256R1()))) | {"kid": "k1", "alg": "ES256", "use": "sig"}
    settings = json.dumps({"port": port, "key": key, "scope": SCOPE})
    environment = os.environ | {"SETTINGS": settings, "INTEROP_MODULES": str(modules)}
    process = subprocess.Popen(["node", HERE / "issuer.mjs"], env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().strip() == "ready", "the authorization server does not start"
    return process


class Kept:
    """What a client keeps of its registration and its tokens."""

    client = tokens = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Browser:
    """Follows the sign-in to the callback."""

    def __init__(self):
        self.client = httpx2.AsyncClient()
        self.authorizations = []
        self.reached = None

    async def open(self, url):
        self.authorizations.append(dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query)))
        followed = [url]
        while not url.startswith(CALLBACK):
            answer = await self.client.get(url)
            assert answer.has_redirect_location and len(followed) < 12, (followed, answer.text)
            url = urllib.parse.urljoin(url, answer.headers["location"])
            followed.append(url)
        self.reached = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))

    async def answered(self):
        return AuthorizationCodeResult(code=self.reached["code"], state=self.reached.get("state"), iss=self.reached.get("iss"))


async def failed(call):
    try:
        await call
    except MCPError as error:
        return error
    return None


async def tried(url):
    async with Client(url) as anybody:
        tools = (await anybody.list_tools()).tools
        assert any(tool.name == "getPet" for tool in tools), tools
    browser, kept = Browser(), Kept()
    metadata = OAuthClientMetadata(client_name="interop", redirect_uris=[CALLBACK], grant_types=["authorization_code", "refresh_token"])
    provider = OAuthClientProvider(url, metadata, kept, browser.open, browser.answered)
    async with httpx2.AsyncClient(auth=provider, timeout=30) as http:
        async with streamable_http_client(url, http_client=http) as streams, ClientSession(*streams[:2]) as session:
            await session.initialize()
            # It signs in, and its token lacks the scope; this client asks for more with its next request.
            lacking = await failed(session.call_tool("getPet", {"petId": LARGE}))
            assert lacking and not kept.tokens.scope, (lacking, kept.tokens)
            pet = await session.call_tool("getPet", {"petId": LARGE})
            assert pet.structured_content["id"] == LARGE, pet
    asked = [(request["resource"], SCOPE in request.get("scope", "").split()) for request in browser.authorizations]
    assert asked == [(url, True)] * 2, browser.authorizations
    assert kept.client.client_id and SCOPE in kept.tokens.scope, kept.tokens
    print("mcp oauth: found, registered, signed in, asked for the scope it lacked, called")


if __name__ == "__main__":
    main()
