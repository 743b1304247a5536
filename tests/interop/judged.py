"""Calls every operation of a description through the built command against a recording server, and has a judge decode what
arrived. The judge and its generator of arguments are not ours and lie outside the repository; this file only drives them."""

import argparse
import json
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

WORK = Path("target/interop/judged")
PLACES = ("path", "query", "header", "cookie", "querystring")
# Verdicts that do not count against us: the values arrived, or the specification defines no encoding for them.
FINE = {"pass", "undefined"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--judge", required=True, type=Path)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    return 1 if sum(judge(file, options) for file in options.files) else 0


def judge(file, options):
    """How many verdicts on a description are not fine."""
    name = file.replace("/", "__")
    cases_file, captured, verdicts = (WORK / f"{name}.{end}.jsonl" for end in ("cases", "captured", "verdicts"))
    captured.unlink(missing_ok=True)
    tools = tools_of(file, options)
    cases = [case for case in generated(file, cases_file, options) if not excluded(case, tools)]
    cases_file.write_text("".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases))
    with recorder(captured, options) as base, ThreadPoolExecutor(max_workers=2) as pool:
        callable_cases = [case for case in cases if case["op"] in tools]
        list(pool.map(lambda case: call(file, case, tools, base, options), callable_cases))
    script = [sys.executable, options.judge / "judge.py", file, cases_file, captured, "--out", verdicts]
    print(subprocess.run(script, capture_output=True, text=True, check=True).stdout.rstrip())
    found = [json.loads(line) for line in verdicts.read_text().splitlines()]
    bad = [each for each in found if each["verdict"] not in FINE]
    for each in bad:
        print(f"  {each['verdict']} {each['case']} {each['op']}: {json.dumps(each['items'])[:300]}")
    print(f"{file}: {len(found)} cases judged, {len(bad)} not fine")
    return len(bad)


def tools_of(file, options):
    """The tools by method and path template."""
    done = subprocess.run([options.callgate, "tools", file, "--json"], capture_output=True, check=False)
    tools = json.loads(done.stdout)
    tools = tools["tools"] if isinstance(tools, dict) else tools
    return {f"{tool['method'].upper()} {tool['path']}": tool for tool in tools}


def generated(file, cases_file, options):
    script = [sys.executable, options.judge / "gen_args.py", file, "--out", cases_file]
    subprocess.run(script + ["--modes", "min,full,nasty,neg", "--seed", "7"], check=True, stdout=subprocess.DEVNULL)
    return [json.loads(line) for line in cases_file.read_text().splitlines()]


def excluded(case, tools):
    """Cases that cannot be asked for, each told. An operation without a tool is none: nothing arrives, and that counts."""
    tool = tools.get(case["op"])
    if tool is None:
        return False
    if any(each["source"] == "context" for each in tool["inputs"]):
        print(f"excluded {case['case']} {case['op']}: an input only the session may give")
        return True
    return False


def flat(args, tool):
    """The judge's arguments, by place and wire name, as the tool's own arguments."""
    names = {(each["in"], each["name"]): each["argument"] for each in tool["inputs"]}
    arguments = {}
    for place in PLACES:
        for name, value in (args.get(place) or {}).items():
            arguments[names.get((place, name), name)] = value
    body = args.get("body")
    if "body" not in args:
        return arguments
    if ("body", "") in names:
        arguments[names["body", ""]] = body
    elif isinstance(body, dict):
        arguments.update({names.get(("body", name), name): value for name, value in body.items()})
    else:
        arguments["body"] = body
    if any(each["argument"] == "content_type" for each in tool["inputs"]):
        arguments["content_type"] = args.get("content_type")
    return arguments


def call(file, case, tools, base, options):
    """One call. The case stands in the server's path, so that the recorder knows whose request it saw."""
    tool = tools[case["op"]]
    line = {"id": case["case"], "tool": tool["name"], "arguments": flat(case["args"], tool)}
    batch = WORK / f"{file.replace('/', '__')}.{case['case']}.call.jsonl"
    batch.write_text(json.dumps(line, ensure_ascii=False) + "\n")
    server = f"{base}/c/{case['case']}{case['base']}"
    command = [options.callgate, "call", file, "--server", server, "--batch", batch]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    batch.unlink()
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{case['case']}: exit {done.returncode}: {done.stderr.decode(errors='replace')}")


class recorder:
    """The recording server, for the length of a `with`."""

    def __init__(self, captured, options):
        self.command = [sys.executable, options.judge / "recorder.py", "--log", captured, "--port"]

    def __enter__(self):
        for port in range(19900, 19950):
            self.process = subprocess.Popen(self.command + [str(port)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if self.process.stdout.readline().startswith(b"recording"):
                self.base = f"http://127.0.0.1:{port}"
                return self.base
            self.process.wait()
        raise RuntimeError("no free port for the recorder")

    def __exit__(self, *_):
        try:
            urllib.request.urlopen(f"{self.base}/__stop", data=b"", timeout=5).read()
            self.process.wait(timeout=5)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()


if __name__ == "__main__":
    sys.exit(main())
