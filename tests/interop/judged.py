"""Calls every operation of descriptions through the built command against a recording server, and has a judge decode what
arrived. The judge and its generator of arguments are not ours and lie outside the repository; this file only drives them.

One batch for each description: its calls run in order, and a result with a status is a call that was sent, so the n-th request
recorded belongs to the n-th result that was sent. A table tells what became of the cases of each description."""

import argparse
import json
import subprocess
import sys
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

WORK = Path("target/interop/judged")
PLACES = ("path", "query", "header", "cookie", "querystring")
COLUMNS = ("cases", "pass", "undefined", "deviates", "fail", "refused", "kept back", "session", "no tool")
# The share of requests that must arrive as meant or as the specification leaves open, and of right cases that may be refused.
ARRIVE, KEPT_BACK = 0.999, 0.005


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--judge", required=True, type=Path)
    parser.add_argument("--manifest", type=Path, help="the descriptions of a corpus, beside those named")
    parser.add_argument("--largest", type=int, default=1 << 40, help="leave out larger descriptions of the corpus, in bytes")
    parser.add_argument("--operations", type=int, default=0, help="at most so many operations of each; 0: all")
    parser.add_argument("--only", default="", help="descriptions whose path has this text in it")
    parser.add_argument("--fails", type=int, default=3, help="how many requests that did not arrive as meant are shown for each")
    parser.add_argument("--needs", action="store_true", help="fail when the corpus misses the bar")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    files = [Path(file) for file in options.files] + corpus(options)
    files = [file for file in files if options.only in str(file)]
    # One for each core: a batch waits for the recorder, and the recorder for the batch.
    with ThreadPoolExecutor(max_workers=2) as pool:
        rows = list(pool.map(lambda numbered: judged(*numbered, options), enumerate(files)))
    return report(rows, options)


def corpus(options):
    if not options.manifest:
        return []
    entries = json.loads(options.manifest.read_text())
    # The largest first, so that no core ends with the longest work.
    entries.sort(key=lambda entry: -entry["bytes"])
    return [options.manifest.parent / entry["path"] for entry in entries if entry["bytes"] <= options.largest]


def judged(number, file, options):
    """The row of one description: counts by column, classes of refusals, and requests that did not arrive as meant."""
    name = str(file).replace("/", "__").strip("._")
    row = {"file": str(file), "counts": Counter(), "why": Counter(), "bad": [], "untold": Counter()}
    cases = generated(file, name, options)
    tools = tools_of(file, options)
    callable_cases = []
    for case in cases:
        kind = excluded(case, tools)
        row["counts"][kind or "cases"] += 1
        if kind is None:
            callable_cases.append(case)
        elif kind == "no tool":
            row["untold"][case["op"]] += 1
    with recorder(WORK / f"{name}.captured.jsonl", 19900 + 10 * (number % 500), options) as log:
        results = called(file, name, callable_cases, tools, log.base, options)
    captured = labelled(log.captured, callable_cases, results)
    for verdict in verdicts(file, name, callable_cases, captured, options):
        count(row, verdict, results)
    return row


def generated(file, name, options):
    """The cases of a description, made once: the generator is told its seed."""
    folder = WORK / "cases" / str(options.operations)
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"{name}.jsonl"
    if not made.exists():
        script = [sys.executable, options.judge / "gen_args.py", file, "--out", f"{made}.part"]
        script += ["--modes", "min,full,nasty,neg", "--seed", "7", "--max-ops", str(options.operations)]
        subprocess.run(script, check=True, stdout=subprocess.DEVNULL)
        Path(f"{made}.part").rename(made)
    return [json.loads(line) for line in made.read_text().splitlines()]


def tools_of(file, options):
    """The tools by method and path template."""
    command = [options.callgate, "tools", file, "--server", "http://127.0.0.1:1", "--json"]
    done = subprocess.run(command, capture_output=True, check=False)
    tools = json.loads(done.stdout) if done.stdout else []
    tools = tools["tools"] if isinstance(tools, dict) else tools
    return {f"{tool['method'].upper()} {tool['path']}": tool for tool in tools}


def excluded(case, tools):
    """Why a case cannot be asked for; it is counted apart."""
    tool = tools.get(case["op"])
    if tool is None:
        return "no tool"
    return "session" if any(each["source"] == "context" for each in tool["inputs"]) else None


def arguments(args, tool):
    """The judge's arguments, by place and wire name, as the tool's own arguments."""
    names = {(each["in"], each["name"]): each["argument"] for each in tool["inputs"]}
    known = {each["argument"] for each in tool["inputs"]}
    flat = {}
    for place in PLACES:
        for name, value in (args.get(place) or {}).items():
            flat[names.get((place, name), name)] = plain(value)
    if "body" not in args:
        return flat
    body = plain(args["body"])
    if ("body", "") in names:
        flat[names["body", ""]] = body
    elif isinstance(body, dict):
        flat.update({names.get(("body", name), name): value for name, value in body.items()})
    else:
        flat["body"] = body
    if "content_type" in known and ("body", "content_type") not in names and args.get("content_type"):
        flat["content_type"] = args["content_type"]
    return flat


def plain(value):
    """A value with its bytes as base64."""
    if isinstance(value, dict):
        return value["$base64"] if set(value) == {"$base64"} else {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def called(file, name, cases, tools, base, options):
    """The results of the calls by case. Cases with another base path are a batch of their own."""
    results = {}
    for path in dict.fromkeys(case["base"] for case in cases):
        batch = [case for case in cases if case["base"] == path]
        lines = [{"id": case["case"], "tool": tools[case["op"]]["name"]} for case in batch]
        for line, case in zip(lines, batch):
            line["args"] = arguments(case["args"], tools[case["op"]])
        written = WORK / f"{name}.calls.jsonl"
        written.write_text("".join(json.dumps(line) + "\n" for line in lines))
        command = [options.callgate, "call", file, "--server", f"{base}{path}", "--batch", written]
        done = subprocess.run(command, capture_output=True, timeout=600, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{file}: exit {done.returncode}: {done.stderr.decode(errors='replace')[:2000]}")
        results.update((result["id"], result) for result in map(json.loads, done.stdout.splitlines()))
    if len(results) != len(cases):
        raise RuntimeError(f"{file}: expected {len(cases)} results, got: {len(results)}")
    return results


def labelled(captured, cases, results):
    """The recorded requests with the case each belongs to."""
    bases = list(dict.fromkeys(case["base"] for case in cases))
    in_order = sorted(cases, key=lambda case: bases.index(case["base"]))
    sent = [case["case"] for case in in_order if was_sent(results[case["case"]])]
    requests = [json.loads(line) for line in captured.read_text().splitlines()] if captured.exists() else []
    if len(sent) != len(requests):
        raise RuntimeError(f"{captured}: expected {len(sent)} requests, got: {len(requests)}")
    for case, request in zip(sent, requests):
        request["case"] = case
    return requests


def was_sent(result):
    return "status" in result or result.get("error", {}).get("reached", "no") != "no"


def verdicts(file, name, cases, captured, options):
    files = cases_file, captured_file, told = [WORK / f"{name}.{end}.jsonl" for end in ("judged", "captured", "verdicts")]
    for written, lines in zip(files, (cases, captured)):
        written.write_text("".join(json.dumps(line) + "\n" for line in lines))
    script = [sys.executable, options.judge / "judge.py", file, cases_file, captured_file, "--out", told]
    subprocess.run(script, check=True, capture_output=True)
    expected = {case["case"]: case.get("expect") for case in cases}
    for line in told.read_text().splitlines():
        verdict = json.loads(line)
        verdict["expect"] = expected[verdict["case"]]
        yield verdict


def count(row, verdict, results):
    result = results[verdict["case"]]
    kind = verdict["verdict"]
    if not was_sent(result) and verdict["expect"]:
        kind = "refused"
    elif kind == "no_request":
        kind = "kept back"
        row["why"][reason(result)] += 1
    row["counts"][kind] += 1
    if kind in ("fail", "deviates", "kept back"):
        found = [item for item in verdict["items"] if item["severity"] in ("error", "deviation")]
        detail = json.dumps(found, ensure_ascii=False) if found else json.dumps(result.get("error"), ensure_ascii=False)
        row["bad"].append(f"{kind} {verdict['case']} {verdict['op']}: {detail[:400]}")


def reason(result):
    """The class of a refusal: its code and what it expected first."""
    error = result.get("error", {})
    problems = error.get("problems") or [{}]
    first = problems[0]
    return f"{error.get('code')}: expected {str(first.get('expected'))[:60]}" if first else f"{error.get('code')}: {error.get('message')}"


def report(rows, options):
    rows.sort(key=lambda row: row["file"])
    total = sum((row["counts"] for row in rows), Counter())
    for row in rows:
        for line in row["bad"][: options.fails]:
            print(f"{row['file']}: {line}")
    print("  ".join(f"{column:>9}" for column in COLUMNS), " description")
    for row in rows + [{"file": "all", "counts": total}]:
        print("  ".join(f"{row['counts'][column]:>9}" for column in COLUMNS), f" {row['file']}")
    for title, key in (("kept back", "why"), ("no tool", "untold")):
        found = sum((row[key] for row in rows), Counter())
        for what, number in found.most_common(20):
            print(f"{title}: {number:>6} {what}")
    return verdict_on(total, options)


def verdict_on(total, options):
    """Whether the bar is met; without `--needs`, only a request that arrived wrong is a failure."""
    right = total["pass"] + total["undefined"]
    sent = right + total["deviates"] + total["fail"] + total["kept back"]
    arrive, kept_back = right / max(sent, 1), total["kept back"] / max(sent, 1)
    print(f"as meant or undefined: {arrive:.3%} of {sent}; kept back: {kept_back:.3%}; failed: {total['fail']}")
    missed = total["fail"] > 0 or (options.needs and (arrive < ARRIVE or kept_back > KEPT_BACK))
    return 1 if missed else 0


class recorder:
    """The recording server, for the length of a `with`."""

    def __init__(self, captured, first, options):
        captured.parent.mkdir(parents=True, exist_ok=True)
        captured.unlink(missing_ok=True)
        self.captured, self.first = captured, first
        self.command = [sys.executable, options.judge / "recorder.py", "--log", captured, "--port"]

    def __enter__(self):
        for port in range(self.first, self.first + 10):
            self.process = subprocess.Popen(self.command + [str(port)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if self.process.stdout.readline().startswith(b"recording"):
                self.base = f"http://127.0.0.1:{port}"
                return self
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
