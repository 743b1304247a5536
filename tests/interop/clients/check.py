"""Has the MCP clients of agent libraries list and call, each in an environment of its own: a success, an argument that is refused,
an error of the service, an image, a number of 64 bits; by the tools' own names, and through the four tools that stand for many
(`mode: search`). Each lists every tool, and hands on to a model what the model needs: the text, what was wrong with an argument
that never reached the service, the status and the words of the service, the bytes of the image, all digits.
Usage: check.py --callgate CALLGATE --environments FOLDER"""

import argparse
import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mcp"))

from serving import IMAGE, LARGE, configured, running, sidecar

CLIENTS = {
    "fastmcp": "fastmcp_client.py",
    "google-adk": "google_adk.py",
    "langchain-mcp-adapters": "langchain_client.py",
    "openai-agents": "openai_agents.py",
    "pydantic-ai-slim": "pydantic_ai_client.py",
    "semantic-kernel": "semantic_kernel_client.py",
    "sdk1": "sdk.mjs",
    "sdk2": "sdk.mjs",
}
CALLS = [
    ("test_simple_text", {}),
    ("getPet", {"petId": 0}),
    ("test_error_handling", {}),
    ("test_image_content", {}),
    ("getPet", {"petId": LARGE}),
]
PICTURE = base64.b64encode(IMAGE).decode()
EXPECTED = [
    ["simple text response"],
    ["invalid_arguments", "petId", "at least 1"],
    ["service_error", "500", "intentionally"],
    [PICTURE, "image/png"],
    [str(LARGE)],
]
FAILS = [False, True, True, False, False]
DIRECT = (CALLS, EXPECTED, FAILS)
SEARCH = (
    [("find_tools", {"query": "returns a pet"}), ("describe_tools", {"names": ["getPet"]})]
    + [("call_read_tool", {"name": name, "args": arguments}) for name, arguments in CALLS],
    [["getPet"], ["petId", "integer"], *EXPECTED],
    [False, False, *FAILS],
)
# What the service is asked for: the argument that is refused is not sent.
ASKED = ["/simple-text", "/error", "/image", f"/pets/{LARGE}"]
OPERATIONS = re.findall(r"operationId: (\w+)", (HERE.parent / "mcp/conformance.yaml").read_text())
NAMES = {
    "direct": [*OPERATIONS, "read_result"],
    "search": ["find_tools", "describe_tools", "call_read_tool", "call_write_tool", "read_result"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--environments", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("only", nargs="*")
    given = parser.parse_args()
    faults = []
    for mode, wanted in {"direct": DIRECT, "search": SEARCH}.items():
        with tempfile.TemporaryDirectory() as folder:
            service = running()
            config = configured(folder, service.url)
            config.write_text(json.dumps(json.loads(config.read_text()) | {"mcp": {"mode": mode}}))
            process, url = sidecar(given.callgate, config)
            try:
                names = NAMES[mode]
                for name in given.only or CLIENTS:
                    service.asked.clear()
                    told = tried(name, given.environments, f"{url}/mcp", (names, *wanted))
                    told += [f"{name}: the service was asked for {service.asked}"] if sorted(service.asked) != sorted(ASKED) else []
                    faults += [f"{mode}: {fault}" for fault in told]
            finally:
                process.terminate()
                process.wait(timeout=120)
    print("\n".join(faults))
    raise SystemExit(1 if faults else 0)


def tried(name, environments, url, wanted):
    """The faults of one client."""
    names, calls, all_expected, all_fail = wanted
    driver = HERE / CLIENTS[name]
    of_node = driver.suffix == ".mjs"
    # JavaScript has no integers of 64 bits: a program says them as texts.
    given = json.dumps([url, calls]).replace(f": {LARGE}", f': "{LARGE}"' if of_node else f": {LARGE}")
    command = ["node", driver, environments / name, given] if of_node else [environments / name / "bin/python", driver, given]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if ended.returncode:
        return [f"{name}: {ended.stderr[-3000:]}"]
    told = json.loads(ended.stdout.splitlines()[-1])
    faults = []
    if sorted(told["names"]) != sorted(names):
        faults.append(f"{name}: expected {names}, listed {told['names']}")
    for (call, arguments), expected, fails, result in zip(calls, all_expected, all_fail, told["results"], strict=True):
        text = json.dumps(result, ensure_ascii=False)
        if any(part not in text for part in expected) or (result["failed"] is not None and result["failed"] != fails):
            faults.append(f"{name}: {call} {arguments}: expected {[part[:40] for part in expected]}, fails: {fails}; got {text[:800]}")
    print(f"mcp clients: {name}: {len(told['names'])} tools, {len(calls)} calls, {len(faults)} faults")
    return faults


if __name__ == "__main__":
    main()
