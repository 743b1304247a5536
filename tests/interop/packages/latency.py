"""How long a call takes by the client over its socket, beside MCP's client for Python at the same sidecar, in turns."""

import asyncio
import subprocess
import tempfile
import threading
import time

from callgate import Client, command_path
from mcp import Client as McpClient

N_ROUNDS, N_CALLS, MOST = 5, 200, 0.4


def median(seconds):
    return sorted(seconds)[len(seconds) // 2]


def by_client(client):
    taken = []
    for _ in range(N_CALLS):
        began = time.perf_counter()
        assert client.call("pets-getPet", {"petId": 7}).ok
        taken.append(time.perf_counter() - began)
    return taken


async def by_mcp(url):
    taken = []
    async with McpClient(f"{url}/mcp") as client:
        for _ in range(N_CALLS):
            began = time.perf_counter()
            assert not (await client.call_tool("pets-getPet", {"petId": 7})).is_error
            taken.append(time.perf_counter() - began)
    return taken


def main():
    own, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        socket = f"unix:{folder}/s"
        command = [command_path(), "serve", "config/demo.yaml", "--listen", socket, "--listen", "127.0.0.1:0"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            lines = (line for line in process.stderr if "http://" in line)
            url = next(word for word in next(lines).split() if word.startswith("http://")).rstrip(",")
            threading.Thread(target=process.stderr.read, daemon=True).start()
            with Client(socket) as client:
                for _ in range(N_ROUNDS):
                    own += by_client(client)
                    theirs += asyncio.run(by_mcp(url))
            process.terminate()
    ratio = median(own) / median(theirs)
    print(f"latency: {median(own) * 1e3:.2f} ms a call by the client, {median(theirs) * 1e3:.2f} ms by MCP's: {ratio:.2f} x")
    assert ratio <= MOST


main()
