"""Calls every operation of descriptions through the built command against a recording server, and has a judge decode what
arrived. The judge and its generator of arguments are not ours and lie outside the repository; this file only drives them.

One batch for each description: its calls run in order, and a result with a status is a call that was sent, so the n-th request
recorded belongs to the n-th result that was sent. A table tells what became of the cases of each description:

| column | cases |
|---|---|
| pass, undefined, deviates, fail | sent, by the judge's verdict; a case to be refused that was sent fails |
| refused | rightly not sent |
| filled | sent with a default or an only legal value that the arguments leave out; told those, the judge passes them (`filled`) |
| again | such a one, sent again under `defaults: required`, and then as meant by the judge's word alone |
| not asked | to be refused for what is missing, and filled in the same way |
| kept back | to be sent and not sent; each is explained in `kept-back.json` (`explained`) |
| withheld | with an argument at the place of a credential, or at one that is no argument: run again without it, and then as meant (`withheld`, `explained`) |
| given | with raw bytes or text where the schema says an object or a list: run with a value that it allows, and then as meant (`explained`) |
| no tool, session | to be sent, but never offered, or only with a session |
"""

import argparse
import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import judging
from asked import arguments, empty_form
from explained import Reasons
from filled import Rule
from withheld import Withheld

WORK = Path("target/interop/judged")
# Headers that arguments may not set unless an operator lists them; here the judge sees what arrives of them when one does.
LET_THROUGH = Path(__file__).with_name("let-through.json")
COLUMNS = ("cases", "pass", "undefined", "deviates", "fail", "refused", "filled", "again", "not asked", "kept back", "withheld", "given", "session", "no tool")
# What is to be sent; the rest is to be refused.
TO_SEND = ("pass", "undefined", "deviates", "fail", "filled", "again", "kept back", "withheld", "given", "session", "no tool")
# The share of requests that must arrive as meant or as the specification leaves open, and of right cases that may be refused.
ARRIVE, KEPT_BACK = 0.999, 0.005


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--judge", required=True, type=Path)
    parser.add_argument("--manifest", type=Path, help="the descriptions of a corpus, beside those named")
    parser.add_argument("--largest", type=int, default=1 << 40, help="leave out larger descriptions of the corpus, in bytes")
    parser.add_argument("--operations", type=int, default=0, help="at most so many operations of each; 0: all")
    parser.add_argument("--seed", default="7", help="the seed of the generator of arguments")
    parser.add_argument("--all-media", action="store_true", help="a case for each media type of a body")
    parser.add_argument("--jobs", type=int, default=2, help="how many descriptions at a time")
    parser.add_argument("--table", type=Path, help="a file the table is written to, too")
    parser.add_argument("--only", default="", help="descriptions whose path has this text in it")
    parser.add_argument("--fails", type=int, default=3, help="how many requests that did not arrive as meant are shown for each")
    parser.add_argument("--needs", action="store_true", help="fail when the corpus misses the bar")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    files = [Path(file) for file in options.files] + corpus(options)
    files = [file for file in files if options.only in str(file)]
    with ProcessPoolExecutor(max_workers=options.jobs) as pool:
        rows = list(pool.map(judged, range(len(files)), files, [options] * len(files)))
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
    name = named(file)
    row = {"file": str(file), "counts": Counter(), "why": Counter(), "bad": [], "untold": Counter()}
    spec = judging.described(options.judge, file)
    for operation in spec.ops:
        operation.spec = spec
    row |= {"reasons": Reasons(file, spec), "rule": None, "judge": options.judge}
    cases = row["reasons"].given(generated(file, name, options))
    tools = tools_of(file, options)
    withheld = Withheld(spec)
    callable_cases = []
    for case in cases:
        tool = tools.get(case["op"])
        case = withheld.without(row["reasons"].without(case), tool) if tool else case
        form = empty_form(case, spec.op(case["op"]))
        case |= {"form": form} if form else {}
        kind = excluded(case, tools)
        # Nothing is sent where there is no tool, which is right where nothing need be sent.
        kind = "refused" if kind == "no tool" and "expect" in case else kind
        row["counts"][kind or "cases"] += 1
        if kind is None:
            callable_cases.append(case)
        elif kind == "no tool":
            row["untold"][case["op"]] += 1
    asked = [(case, tools[case["op"]], list(spec.op(case["op"]).bodies)) for case in callable_cases]
    filled = {told[1]["case"] for told in answered(file, (name, number), asked, {}, options) if count(row, *told) == "filled"}
    if filled:
        once_more = [each for each in asked if each[0]["case"] in filled]
        for verdict, _, result, _ in answered(file, (f"{name}.again", number), once_more, {"defaults": "required"}, options):
            if was_sent(result) and verdict["verdict"] in ("pass", "undefined"):
                row["counts"] += Counter({"again": 1})
                row["counts"] -= Counter({"filled": 1})
    is_whole = not options.operations and not options.all_media
    unused = row["reasons"].unused() if is_whole else []
    row["bad"] += [f"fail: kept-back.json explains what is not kept back: {place}" for place in unused]
    row["counts"]["fail"] += len(unused)
    return {key: row[key] for key in ("file", "counts", "why", "bad", "untold")}


def answered(file, name_and_number, asked, keys, options):
    """What the judge says of each case, with the case, the result of its call and the request that arrived; `keys` are those
    of the toolset."""
    name, number = name_and_number
    cases = [case for case, _, _ in asked]
    with recorder(WORK / f"{name}.captured.jsonl", 19900 + 10 * (number % 500), options) as log:
        results = called(file, name, asked, log.base, keys, options)
    requests = {each["case"]: each for each in labelled(log.captured, cases, results)}
    by_name = {case["case"]: case for case in cases}
    for verdict in verdicts(file, name, cases, requests.values(), options):
        case = verdict["case"]
        yield verdict, by_name[case], results[case], requests.get(case)


def generated(file, name, options):
    """The cases of a description, made once: the generator is told its seed."""
    media = ["--all-media"] if getattr(options, "all_media", False) else []
    folder = WORK / "cases" / "-".join([options.seed, str(options.operations), *media])
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"{name}.jsonl"
    if not made.exists():
        # Another check makes the same beside this one.
        part = Path(f"{made}.{os.getpid()}.part")
        script = [file, "--out", part, "--modes", "min,full,nasty,neg", *media]
        judging.run(options.judge, "gen_args", *script, "--seed", options.seed, "--max-ops", options.operations)
        part.replace(made)
    return [json.loads(line) for line in made.read_text().splitlines()]


def source(file, server, keys=None):
    """What the command takes for a description: itself, or a configuration that lets headers through and has these keys."""
    listed = [entry["header"] for entry in json.loads(LET_THROUGH.read_text()) if is_about(entry["descriptions"], file)]
    if not listed and not keys:
        return [file, "--server", server]
    toolset = {"openapi": str(file.absolute()), "prefix": "", "server": server, "auth": "none", "argument_headers": listed} | (keys or {})
    WORK.mkdir(parents=True, exist_ok=True)
    written = WORK / f"{named(file)}.{urllib.parse.quote(server, safe='')}{'.again' if keys else ''}.json"
    # Another check reads and writes the same beside this one.
    part = Path(f"{written}.{os.getpid()}.part")
    part.write_text(json.dumps({"toolsets": {"judged": toolset}}))
    part.replace(written)
    return [written]


def is_about(descriptions, file):
    return any(str(file).endswith(f"/{description}") for description in descriptions)


def named(file):
    return str(file).replace("/", "__").strip("._")


def tools_of(file, options):
    """The tools by method and path template."""
    command = [options.callgate, "tools", *source(file, "http://127.0.0.1:1"), "--json"]
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


def called(file, name, asked, base, keys, options):
    """The results of the calls by case. Cases with another base path are a batch of their own."""
    results = {}
    for path in dict.fromkeys(case["base"] for case, _, _ in asked):
        batch = [each for each in asked if each[0]["base"] == path]
        lines = [
            {"id": case["case"], "tool": tool["name"], "args": arguments(case, tool, declared)} for case, tool, declared in batch
        ]
        written = WORK / f"{name}.calls.jsonl"
        written.write_text("".join(json.dumps(line) + "\n" for line in lines))
        command = [options.callgate, "call", *source(file, f"{base}{path}", keys), "--batch", written]
        done = subprocess.run(command, capture_output=True, timeout=600, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{file}: exit {done.returncode}: {done.stderr.decode(errors='replace')[:2000]}")
        results.update((result["id"], result) for result in map(json.loads, done.stdout.splitlines()))
    if len(results) != len(asked):
        raise RuntimeError(f"{file}: expected {len(asked)} results, got: {len(results)}")
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
    judging.run(options.judge, "judge", file, cases_file, captured_file, "--out", told)
    expected = {case["case"]: case.get("expect") for case in cases}
    for line in told.read_text().splitlines():
        verdict = json.loads(line)
        verdict["expect"] = expected[verdict["case"]]
        yield verdict


def count(row, verdict, case, result, request):
    """Counts a case, and answers as what."""
    reasons, kind = row["reasons"], verdict["verdict"]
    if not was_sent(result):
        kind = "refused" if verdict["expect"] else "kept back"
    elif kind == "fail":
        row["rule"] = row["rule"] or Rule(row["file"], row["judge"])
        if row["rule"].explains(case, request, reasons.closes(case)):
            kind = "not asked" if verdict["expect"] == "refuse" else "filled"
    is_explained = kind == "kept back" and reasons.explain(case, result)
    for changed in ("withheld", "given"):
        if changed in case and kind in ("pass", "undefined", "filled"):
            kind = changed
    if kind == "fail" and case.get("not_asked"):
        kind = "not asked"
    if kind == "kept back":
        row["counts"]["explained"] += is_explained
        row["why"][reason(result)] += 1
    row["counts"][kind] += 1
    if kind in ("fail", "deviates") or (kind == "kept back" and not is_explained):
        found = [item for item in verdict["items"] if item["severity"] in ("error", "deviation")]
        detail = json.dumps(found or result.get("error"), ensure_ascii=False)
        row["bad"].append(f"{kind} {verdict['case']} {verdict['op']}: {detail[:400]}")
    return kind


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
    table = ["  ".join(f"{column:>9}" for column in COLUMNS) + "  description"]
    for row in rows + [{"file": "all", "counts": total}]:
        table.append("  ".join(f"{row['counts'][column]:>9}" for column in COLUMNS) + f"  {row['file']}")
    print("\n".join(table))
    if options.table:
        options.table.write_text("\n".join(table) + "\n")
    for title, key in (("kept back", "why"), ("no tool", "untold")):
        found = sum((row[key] for row in rows), Counter())
        for what, number in found.most_common(20):
            print(f"{title}: {number:>6} {what}")
    return verdict_on(total, options)


def verdict_on(total, options):
    """Whether the bar is met; without `--needs`, only a request that arrived wrong is a failure. Of the requests, those count
    that are judged: all to be sent but those kept back for a reason that is told, sent without a credential or with another body."""
    sent = sum(total[column] for column in TO_SEND)
    right = total["pass"] + total["undefined"] + total["again"]
    sent -= total["withheld"] + total["given"]
    arrive = (right + total["filled"]) / max(sent - total["explained"], 1)
    kept_back, untold = total["kept back"] / max(sent, 1), total["kept back"] - total["explained"]
    alone = right / max(sent, 1)
    print(f"sent without a withheld credential: {total['withheld']}; with a body that its schema allows: {total['given']}")
    print(f"to be sent: {sent}; as meant or undefined by the judge's word alone: {right} ({alone:.3%})")
    print(f"of those judged, with the filled ones: {arrive:.3%}; failed: {total['fail']}")
    print(f"kept back: {kept_back:.3%}, unexplained: {untold}")
    # A sample may hold more of the explained ones than the whole.
    keeps_too_much = kept_back > KEPT_BACK and not options.operations
    missed = options.needs and (arrive < ARRIVE or keeps_too_much or untold > 0)
    return 1 if missed or total["fail"] > 0 else 0


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
            urllib.request.urlopen(f"{self.base}/__stop", data=b"", timeout=60).read()
            self.process.wait(timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()


if __name__ == "__main__":
    sys.exit(main())
