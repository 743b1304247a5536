"""Whether our schemas mean what the descriptions mean: arguments that another generator made as valid from the description
itself must meet a tool's input schema, and those it made to be refused must not. Another validator decides. Both are not ours."""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

import jsonschema_rs

import judged
import judging
from withheld import Withheld

COLUMNS = ("checked", "agreeing", "too strict", "too lax", "explained", "excluded")
# Header parameters of real descriptions that no tool offers unless an operator lists them (`let-through.json`), because they
# would change who is asked and for what.
NEVER_OFFERED = {"content-encoding", "cookie", "x-forwarded-for", "x-http-method-override"}
# Disagreements in which the other generator is wrong, by description and operation, each with its kind and the reason.
EXPLAINED = Path(__file__).with_name("disagreements.json")
# How many schemas deep what is filled in is looked for.
DEEPEST = 8


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--judge", required=True, type=Path)
    parser.add_argument("--manifest", type=Path, help="the descriptions of a corpus, beside those named")
    parser.add_argument("--largest", type=int, default=1 << 40, help="leave out larger descriptions of the corpus, in bytes")
    parser.add_argument("--operations", type=int, default=0, help="at most so many operations of each; 0: all")
    parser.add_argument("--seed", default="7", help="the seed of the generator of arguments")
    parser.add_argument("--only", default="", help="descriptions whose path has this text in it")
    parser.add_argument("--shown", type=int, default=3, help="how many disagreements are shown for each description")
    parser.add_argument("--strict", action="store_true", help="fail when they disagree and nothing explains why")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    files = [Path(file) for file in options.files] + judged.corpus(options)
    files = [file for file in files if options.only in str(file)]
    # One after the other: the generator of cases runs in this process.
    rows = [compared(file, options) for file in files]
    return report(rows, options)


def compared(file, options):
    """The row of one description: counts by column, the disagreements, what explains them and why cases were excluded."""
    row = {"file": str(file), "counts": Counter(), "bad": [], "why": Counter(), "explained": explained(file), "used": set()}
    cases = judged.generated(file, judged.named(file), options)
    tools = judged.tools_of(file, options)
    spec = judging.described(options.judge, file)
    withheld, validators = Withheld(spec), {}
    for case in cases:
        reason = excluded(case, tools)
        if reason:
            row["counts"]["excluded"] += 1
            row["why"][reason] += 1
            continue
        tool = tools[case["op"]]
        case = withheld.without(case, tool)
        if "not_asked" in case:
            row["counts"]["excluded"] += 1
            row["why"]["missing-*: the place of a credential"] += 1
            continue
        if case["op"] not in validators:
            validators[case["op"]] = jsonschema_rs.Draft202012Validator(tool["inputSchema"])
        compare(row, case, validators[case["op"]], judged.arguments(case, tool, list(spec.op(case["op"]).bodies)))
    return row


def compare(row, case, validator, arguments):
    row["counts"]["checked"] += 1
    error = next(iter(validator.iter_errors(arguments)), None)
    if (error is None) == (case.get("expect") != "refuse"):
        row["counts"]["agreeing"] += 1
        return
    kind, text = ("too lax", case["mode"]) if error is None else ("too strict", told(error))
    if (case["op"], kind) in row["explained"]:
        row["counts"]["explained"] += 1
        row["used"].add((case["op"], kind))
        return
    row["counts"][kind] += 1
    row["bad"].append((kind, case["case"], case["op"], text))


def explained(file):
    """The operations and kinds whose disagreements are explained."""
    found = set()
    for entry in json.loads(EXPLAINED.read_text()):
        for description, operations in entry["operations"].items():
            if str(file).endswith(f"/{description}"):
                found |= {(operation, entry["kind"]) for operation in operations}
    return found


def told(error):
    """What a validator says, and where in the schema and in the arguments."""
    where = "/".join(str(part) for part in error.instance_path)
    rule = "/".join(str(part) for part in error.schema_path)
    return f"{error.message[:160]} (`{where}` by {rule})"


def excluded(case, tools):
    """Why a case says nothing about a schema; each reason is counted."""
    reason = judged.excluded(case, tools)
    if reason:
        return {"no tool": "no tool of this operation", "session": "an input only the session may give"}[reason]
    mode, tool = case["mode"], tools[case["op"]]
    if mode.startswith("neg:emptypath-"):
        return "emptypath-*: an empty path value has no form on the wire; no schema forbids it"
    if mode.startswith("neg:dots-"):
        return "dots-*: how `..` is written in a path is the business of the wire"
    headers = {name.lower() for name in case["args"].get("header") or {}} | {mode.removeprefix("neg:missing-header-").lower()}
    withheld = (headers & NEVER_OFFERED) - {each["name"].lower() for each in tool["inputs"] if each["in"] == "header"}
    if withheld:
        return "a header that no tool offers: " + ", ".join(sorted(withheld))
    return filled(mode, tool) if mode.startswith("neg:missing-") else None


def filled(mode, tool):
    """Why what is missing may be missing."""
    inputs, schema = tool["inputs"], tool["inputSchema"]
    if mode == "neg:missing-body":
        body = [each["argument"] for each in inputs if each["in"] == "body"]
        is_flat = ("body", "") not in {(each["in"], each["name"]) for each in inputs}
        if is_flat and not set(body) & set(schema.get("required", [])):
            return "missing-body: no property of the body must be given, so that none is the empty body"
        return None
    place, name = missing(mode)
    found = [each for each in inputs if (each["in"], each["name"]) == (place, name)]
    whole = [each for each in inputs if (each["in"], each["name"]) == ("body", "") and place == "body"]
    properties = schema["properties"]
    missed = [properties.get(each["argument"], {}) for each in found]
    missed += [part for each in whole for part in parts(properties[each["argument"]], name, schema)]
    if any(is_filled(part, schema) for part in missed):
        return "missing-*: a default or the only legal value fills what is missing"
    if any(each["source"] != "model" for each in found):
        return "missing-*: the session may fill what is missing"
    return None


def levels(schema, root, depth=DEEPEST):
    """A schema and those that say more about the same value: what it refers to, and what it is all of."""
    if depth and isinstance(schema, dict):
        yield schema
        reference = schema.get("$ref", "")
        if reference.startswith("#/$defs/"):
            name = reference.removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~")
            yield from levels(root["$defs"][name], root, depth - 1)
        for part in schema.get("allOf", []):
            yield from levels(part, root, depth - 1)


def parts(schema, name, root):
    """What a schema says about its property of this name."""
    return [level["properties"][name] for level in levels(schema, root) if name in level.get("properties", {})]


def is_filled(schema, root):
    """Whether a schema has a default, or one value is all it allows."""
    return any("default" in level or "const" in level or len(level.get("enum", [])) == 1 for level in levels(schema, root))


def missing(mode):
    """The place and the name that `neg:missing-query-name` leaves out."""
    place, _, name = mode.removeprefix("neg:missing-").partition("-")
    return ("body" if place == "bodyprop" else place), name


def report(rows, options):
    rows.sort(key=lambda row: row["file"])
    total = sum((row["counts"] for row in rows), Counter())
    for row in rows:
        for kind, case, op, text in row["bad"][: options.shown]:
            print(f"{row['file']}: {kind} {case} {op}: {text}")
    print("  ".join(f"{column:>10}" for column in COLUMNS), " description")
    for row in rows + [{"file": "all", "counts": total}]:
        print("  ".join(f"{row['counts'][column]:>10}" for column in COLUMNS), f" {row['file']}")
    for reason, number in sum((row["why"] for row in rows), Counter()).most_common():
        print(f"excluded: {number:>6} {reason}")
    unexplained = total["too strict"] + total["too lax"]
    agreeing = total["agreeing"] / max(total["checked"] - total["explained"], 1)
    print(f"agreeing: {agreeing:.3%} of {total['checked']} without {total['explained']} explained; unexplained: {unexplained}")
    # A sample need not meet everything that is explained.
    unused = [] if options.operations else [(row["file"], *each) for row in rows for each in row["explained"] - row["used"]]
    for each in sorted(unused):
        print("explains nothing:", *each)
    return 1 if options.strict and (unexplained or unused) else 0


if __name__ == "__main__":
    sys.exit(main())
