"""Takes turns with a real model on a real server: llama.cpp with a small model, in the three formats that it speaks, as a stream and
not. Each turn ends with words and counted tokens, and the server accepts the conversation with a second message. The model is too
small to call tools: it only reads their declarations.
Usage: check.py --callgate CALLGATE --python PYTHON --folder FOLDER"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# The name of the bound on a reply, and the end of a reply that reaches it.
DIALECTS = {"openai": "max_tokens", "responses": "max_output_tokens", "anthropic": "max_tokens"}
MOST_TOKENS = 6
ENDS = ("answered", "limit")


def configured(address):
    """A model and an agent for each format, as a stream and not."""
    models, agents = {}, {}
    for dialect, bound in DIALECTS.items():
        for stream in (False, True):
            name = f"{dialect}-stream" if stream else dialect
            models[name] = {
                "dialect": dialect,
                "url": f"{address}/v1",
                "model": "gemma",
                "auth": "none",
                "stream": stream,
                "timeout": "10m",
                "settings": {bound: MOST_TOKENS, "temperature": 0},
            }
            limits = {"time": "20m"}
            agents[name] = {"model": name, "instructions": "Be brief.", "limits": limits}
    tool = {"name": "get_time", "description": "Returns the time", "input": {"type": "object"}}
    toolsets = {"clock": {"functions": [tool]}}
    return {"models": models, "agents": agents, "toolsets": toolsets}


class Checked:
    def __init__(self, callgate, folder):
        self.callgate, self.folder, self.faults = callgate, folder, []

    def turn(self, agent, words):
        transcript = self.folder / f"{agent}.json"
        command = [self.callgate, "chat", self.folder / "callgate.yaml", agent, "--once", words]
        command += ["--json", "--transcript", transcript]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=1800)
        if ended.returncode not in (0, 1) or not ended.stdout:
            return self.faults.append(f"{agent}: {ended.stderr or ended.stdout}")
        end = json.loads(ended.stdout)
        messages = json.loads(transcript.read_text())["messages"]
        reason, usage = end["end"]["reason"], end["usage"]
        if reason not in ENDS or not end["text"]:
            self.faults.append(f"{agent}: expected words, got: {ended.stdout}")
        if not (usage["input"] > 0 and 0 < usage["output"] <= MOST_TOKENS):
            self.faults.append(f"{agent}: the tokens were not counted: {usage}")
        print(f"{agent}: {reason}, {usage['input']} + {usage['output']} tokens, {len(messages)} messages")
        return messages


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--python", required=True, help="of the environment with the server")
    parser.add_argument("--folder", required=True, help="where the file of the model is kept")
    given = parser.parse_args()
    command = [given.python, HERE / "server.py", given.folder]
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        address = server.stdout.readline().strip()
        if not address:
            sys.exit("the server of the model did not start")
        folder = pathlib.Path(folder)
        (folder / "callgate.yaml").write_text(json.dumps(configured(address)))
        checked = Checked(given.callgate, folder)
        for dialect in DIALECTS:
            for agent in (dialect, f"{dialect}-stream"):
                first = checked.turn(agent, "Say hello.")
                second = first and checked.turn(agent, "Say it again.")
                if second and (len(second) != 2 * len(first) or second[: len(first)] != first):
                    checked.faults.append(f"{agent}: the conversation did not go on: {second}")
        server.stdin.close()
    for fault in checked.faults:
        print(f"FAILED {fault}", file=sys.stderr)
    sys.exit(bool(checked.faults))


main()
