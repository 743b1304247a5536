"""Calls the tools with the MCP client of PyPI: over HTTP in both eras and on standard input and output; a success, a refused
argument, an error of the service, an image, a number of 64 bits, and a value of the session from `_meta`."""

import argparse
import asyncio
import base64
import json
import pathlib
import tempfile

from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from serving import IMAGE, LARGE, configured, service, sidecar

SESSION = {"callgate/session": {"parameters": {"store": "north"}}}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True, type=lambda path: pathlib.Path(path).resolve())
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        config = configured(folder, service())
        process, url = sidecar(given.callgate, config)
        try:
            asyncio.run(tried(given.callgate, config, f"{url}/mcp"))
        finally:
            process.terminate()
            process.wait(timeout=120)


async def tried(callgate, config, url):
    async with Client(url) as client:
        await used(client, "http, 2026-07-28")
    async with streamable_http_client(url) as streams, ClientSession(*streams[:2]) as session:
        told = await session.initialize()
        await used(session, f"http, {told.protocol_version}")
    command = StdioServerParameters(command=str(callgate), args=["mcp", str(config)])
    async with stdio_client(command) as streams, ClientSession(*streams) as session:
        told = await session.initialize()
        await used(session, f"stdio, {told.protocol_version}")


async def used(client, way):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    hints = tools["getPet"].annotations
    assert (hints.read_only_hint, hints.destructive_hint) == (True, False), hints
    pet = await client.call_tool("getPet", {"petId": LARGE}, meta=SESSION)
    expected = {"id": LARGE, "next": LARGE, "store": "north"}
    assert pet.structured_content == json.loads(pet.content[0].text) == expected, pet
    refused = await client.call_tool("getPet", {"petId": 0, "name": "Rex"})
    assert refused.is_error and "petId" in refused.content[0].text and "name" in refused.content[0].text, refused
    assert refused.structured_content["error"]["code"] == "invalid_arguments", refused
    failed = await client.call_tool("test_error_handling", {})
    assert failed.is_error and "intentionally" in failed.content[0].text, failed
    image = await client.call_tool("test_image_content", {})
    assert base64.b64decode(image.content[0].data) == IMAGE, image
    print(f"mcp client: {way}: {len(tools)} tools, 4 calls as expected")


if __name__ == "__main__":
    main()
