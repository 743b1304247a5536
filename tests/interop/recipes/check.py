"""Runs the programs of the manual's chapter "Recipes" as they stand there, but for the two ports: the service of FastAPI, an agent of
LangGraph, loops and a client in TypeScript (checked by its compiler), and MCP clients that bring their user's token. Where a
framework asks a model, its own test model follows a script; OpenAI's client talks to a server that does.
Usage: check.py CALLGATE MODULES (a folder with `node_modules`, or nothing without Node)"""

import contextlib
import http.server
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
CHAPTER = HERE.parents[2] / "crates/callgate/manual/recipes.md"
# Of what `pip install mcp` brings; LangChain's adapters want an older one.
MCP = HERE.parents[2] / "target/interop/mcp/bin/python"
TOOL = "shop-read_order"
TIMES = 5
# The service shows the token that it got: the result must not.
TOKEN_OF_USER = "token-of-kim"
ECHO = """

from fastapi import Request


@app.middleware("http")
async def write_down(request: Request, call_next):
    if "authorization" in request.headers:
        orders[7]["seen"] = request.headers["authorization"]
        with open("seen.txt", "a") as seen:
            seen.write(request.headers["authorization"] + "\\n")
    return await call_next(request)
"""


def programs(chapter):
    """The blocks that begin with the name of their file."""
    blocks = re.findall(r"```(?:python|ts|text)\n(?:#|//) (\S+\.\w+)\n(.*?)```", chapter, re.DOTALL)
    return {name: text for name, text in blocks}


@contextlib.contextmanager
def service(folder):
    """The service, on a port that the system chose."""
    command = [sys.executable, "-m", "uvicorn", "app:app", "--port", "0"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        yield address(process)
    finally:
        process.terminate()
        process.wait(timeout=120)


@contextlib.contextmanager
def sidecar(callgate, folder, config):
    """A sidecar, with no state of another one."""
    command = [callgate, "serve", config, "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        yield address(process)
    finally:
        process.terminate()
        process.wait(timeout=120)


def address(process):
    for line in process.stderr:
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if found:
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return found[0]
    raise SystemExit("recipes: a server ended before it said where it listens")


class Provider(http.server.BaseHTTPRequestHandler):
    """A model behind OpenAI's interface: it calls the first tool, then says what it got."""

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": request["messages"][-1]["content"]}
        if request["messages"][-1]["role"] == "user":
            function = {"name": request["tools"][0]["function"]["name"], "arguments": '{"order_id": 7}'}
            message = {"role": "assistant", "content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
        body = json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


def from_nothing(callgate, folder, url, lines):
    """The lines that a person types for a service that runs, and those that they print for a host, used as a host uses them. Returns seconds."""
    began = time.monotonic()
    commands = [shlex.split(line.replace("http://127.0.0.1:8000", url)) for line in lines]
    shown, called, printed = (subprocess.check_output([callgate, *words[1:]], text=True) for words in commands)
    assert "read_order" in shown and "shipped" in called, (shown, called)
    server = next(iter(json.loads(printed)["mcpServers"].values()))
    taken = time.monotonic() - began
    (folder / "host.py").write_text(HOST)
    answered = subprocess.check_output([sys.executable, "host.py", json.dumps(server)], cwd=folder, text=True)
    seconds, text = answered.split(" ", 1)
    assert "shipped" in text, answered
    return taken + float(seconds)


def typed(chapter):
    """The lines of the chapter's first block of commands of callgate."""
    block = re.search(r"```text\n((?:callgate .*\n)+)```", chapter)
    return block[1].splitlines()


HOST = """
import asyncio, json, sys, time
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    began = time.monotonic()
    async with stdio_client(StdioServerParameters(**json.loads(sys.argv[1]))) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            name = next(tool.name for tool in tools if "read_order" in tool.name)
            result = await session.call_tool(name, {"order_id": 7})
            print(time.monotonic() - began, result.content[0].text)


asyncio.run(main())
"""


def run(name, folder, url, python=sys.executable, **environment):
    """What a program prints, once its address of a sidecar is this one."""
    text = (folder / name).read_text().replace("http://127.0.0.1:8410", url)
    (folder / name).write_text(text)
    command = ["node", name] if name.endswith(".mjs") else [python, name]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, env=os.environ | environment)
    if ended.returncode:
        raise SystemExit(f"recipes: {name}: {ended.stderr[-3000:]}")
    return ended.stdout


def compiled(folder, modules):
    """The programs of TypeScript as JavaScript, by a compiler that checks their types."""
    shutil.copy(HERE / "model.mts", folder)
    (folder / "node_modules").symlink_to(pathlib.Path(modules).resolve() / "node_modules")
    sources = [path.name for path in folder.glob("*.mts")]
    options = ["--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck", "--types", "node"]
    subprocess.run(["node_modules/.bin/tsc", *options, *sources], cwd=folder, check=True)


def main():
    callgate, *modules = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:])
    written = programs(CHAPTER.read_text())
    n_run = 0
    with tempfile.TemporaryDirectory() as home:
        folder = pathlib.Path(home)
        os.environ["HOME"] = home
        for name, text in written.items():
            (folder / name).write_text(text)
        (folder / "app.py").write_text(written["app.py"] + ECHO)
        shutil.copy(HERE / "model.py", folder)
        with service(folder) as url:
            for name in ("shop.yaml", "users.yaml"):
                (folder / name).write_text(written[name].replace("http://127.0.0.1:8000", url))
            lines = typed(CHAPTER.read_text())
            assert len(lines) <= 6, f"recipes: {len(lines)} lines are typed, six at most may be"
            # Other work of the machine takes its share of a time now and then.
            for _ in range(TIMES):
                seconds = from_nothing(callgate, folder, url, lines)
                if seconds < 1:
                    break
            assert seconds < 1, f"recipes: from a FastAPI service to a call of an MCP host took {seconds:.2f} s"
            with sidecar(callgate, folder, "shop.yaml") as shop:
                assert "shipped" in run("agent.py", folder, shop)
                n_run += 1
                if modules:
                    compiled(folder, modules[0])
                    n_run += in_typescript(folder, shop)
            n_run += with_tokens(callgate, folder)
    assert n_run == len([name for name in written if name.endswith((".py", ".mts"))]) - 1 - (0 if modules else 3), n_run
    print(f"recipes: {n_run} programs, from a FastAPI service to a call of an MCP host by {len(lines)} lines in {seconds:.2f} s")


def in_typescript(folder, shop):
    provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{provider.server_port}/v1"
    said = run("openai-loop.mjs", folder, shop, OPENAI_API_KEY="none", OPENAI_BASE_URL=base)
    assert "shipped" in said, said
    for name in ("ai-sdk-loop.mjs", "mcp-client.mjs"):
        said = run(name, folder, shop)
        assert "shipped" in said, f"{name}: {said}"
    provider.shutdown()
    return 3


def with_tokens(callgate, folder):
    """The service gets the user's token each time, and no result shows it."""
    by_header = (folder / "users.yaml").read_text()
    without_header = re.sub(r"^sessions: .*\n", "", by_header, flags=re.MULTILINE)
    (folder / "users-meta.yaml").write_text(without_header)
    ways = {"user-header.py": "users.yaml", "user-meta.py": "users-meta.yaml", "user-session.py": "users-meta.yaml"}
    for name, config in ways.items():
        (folder / "seen.txt").write_text("")
        with sidecar(callgate, folder, config) as users:
            said = run(name, folder, users, MCP)
        assert "shipped" in said and TOKEN_OF_USER not in said and "****" in said, f"{name}: {said}"
        assert (folder / "seen.txt").read_text().splitlines() == [f"Bearer {TOKEN_OF_USER}"], name
    return len(ways)


if __name__ == "__main__":
    main()
