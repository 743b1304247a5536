"""Compares what projections write with engines and types that are not ours: `llguidance`, with which servers constrain what a model
writes, compiles those for llama.cpp and OpenAI's strict mode; `google-genai` takes those for Gemini. Tools are those of the fixtures
and the largest of descriptions of the corpus, one description a provider first. Failures are counted and listed.

Usage: check.py CALLGATE [MANIFEST]. Exits with 1 where something is refused."""

import concurrent.futures
import json
import pathlib
import subprocess
import sys
from collections import Counter

from google.genai import types
from llguidance import LLMatcher

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Enough tools of many descriptions, and no description for minutes.
MOST_TOOLS, MOST_OF_ONE, MOST_BYTES = 420, 15, 700_000
# Fewer prove nothing of the corpus.
LEAST_TOOLS = 400
SHOWN = 20


def compiled(tool):
    """An engine makes a grammar of the schema."""
    refused = LLMatcher.validate_grammar(LLMatcher.grammar_from_json_schema(tool["parameters"]))
    if refused:
        raise ValueError(refused)


def schema(tool):
    """Google's types take the schema, and no member is unknown to them."""
    parameters = types.Schema.model_validate(tool["parameters"])
    types.FunctionDeclaration(name=tool["name"], description=tool["description"], parameters=parameters)


def json_schema(tool):
    types.FunctionDeclaration(name=tool["name"], description=tool["description"], parameters_json_schema=tool["parameters"])


JUDGES = {
    "gemini_json": (json_schema, compiled),
    "gemini_schema": (schema,),
    "llamacpp": (compiled,),
    "openai_strict": (compiled,),
    "anthropic_strict": (compiled,),
    "bedrock_strict": (compiled,),
    "portable": (compiled,),
}


def main():
    callgate, manifest = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    files = [next(file.parent.glob("spec.*")) for file in sorted(ROOT.glob("fixtures/*/toolset.yaml"))]
    taken, refused = Counter(), []
    for file in files + sample(manifest):
        if min((taken[name] for name in JUDGES), default=0) >= MOST_TOOLS:
            break
        judged(callgate, file, taken, refused)
    for failure in refused[:SHOWN]:
        print(f"FAILED {failure}")
    for projection in JUDGES:
        n_refused = sum(failure.startswith(f"{projection} ") for failure in refused)
        print(f"{projection}: {taken[projection]} schemas taken, {n_refused} refused")
    least = LEAST_TOOLS if manifest else 1
    few = [projection for projection in JUDGES if taken[projection] < least]
    if few:
        print(f"FAILED fewer than {least} schemas were judged: {', '.join(few)}")
    return 1 if refused or few else 0


def sample(manifest):
    """Descriptions of middling size, one a provider first."""
    if not manifest:
        print("corpus absent")
        return []
    entries = [entry for entry in json.loads(pathlib.Path(manifest).read_text()) if entry["bytes"] < MOST_BYTES]
    entries = [entry for entry in entries if entry["operations"] and not entry["multifile"]]
    seen, first, rest = set(), [], []
    for entry in sorted(entries, key=lambda entry: -entry["bytes"]):
        (rest if entry["provider"] in seen else first).append(entry)
        seen.add(entry["provider"])
    folder = pathlib.Path(manifest).parent
    return [folder / entry["path"] for entry in first + rest]


def judged(callgate, file, taken, refused):
    def shown(projection):
        command = [callgate, "tools", file, "--projection", projection]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as workers:
        all_shown = list(workers.map(shown, JUDGES))
    failed = [ran for ran in all_shown if ran.returncode]
    if failed and (len(failed) < len(all_shown) or ROOT in pathlib.Path(file).parents):
        refused.append(f"tools {file}: {failed[0].stderr[:300]}")
    for (projection, judges), ran in zip(JUDGES.items(), all_shown):
        tools = json.loads(ran.stdout) if ran.returncode == 0 else []
        tools.sort(key=lambda tool: -len(json.dumps(tool)))
        for tool in tools[:MOST_OF_ONE]:
            try:
                for judge in judges:
                    judge(tool)
                taken[projection] += 1
            except Exception as error:
                refused.append(f"{projection} {file}: {tool['name']}: {' '.join(str(error).split())[:300]}")


if __name__ == "__main__":
    sys.exit(main())
