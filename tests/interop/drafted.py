"""Drafts from examples of responses that the people of services wrote into their descriptions: half of those of one schema make the
draft, the others are unseen; several times, with other halves. Usage: drafted.py --callgate FILE [--splits N] [--show N]"""

import argparse
import json
import pathlib
import random
import subprocess
import tempfile

import yaml

import drafts

SERVICES = [
    "github/api.github.com.json", "intercom/api.intercom.io.yaml", "lob/lob-api-bundled.yml", "twilio/twilio_api_v2010.json",
    "twilio/twilio_messaging_v1.json",
]
FEWEST = 4


def written_examples(path):
    """The different examples of each schema of successful responses."""
    text = path.read_text()
    root = json.loads(text) if path.suffix == ".json" else yaml.load(text, yaml.CSafeLoader)
    service = drafts.Service.__new__(drafts.Service)
    service.root = root
    schemas = {}
    for item in root["paths"].values():
        for operation in (item[method] for method in drafts.METHODS if method in item):
            for status, response in operation.get("responses", {}).items():
                media = service.resolve(response).get("content", {}).get("application/json", {})
                named = media.get("examples")
                named = list(named.values()) if isinstance(named, dict) else []
                values = [service.resolve(example).get("value") for example in named] + [media.get("example")]
                for value in values:
                    if str(status).startswith("2") and value and isinstance(value, (dict, list)):
                        schema = json.dumps(media.get("schema", {}), default=str)
                        schemas.setdefault(schema, {})[json.dumps(value, sort_keys=True, default=str)] = None
    return [list(examples) for examples in schemas.values() if len(examples) >= FEWEST]


def entry(at, text):
    request = {"method": "GET", "url": f"https://api.service.example/schema-{'abcdefghijklmnopqrstuvwxyz'[at % 26]}{'x' * (at // 26)}", "headers": []}
    return {"request": request, "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json", "text": text}}}


def examine(callgate, name, schemas, seed, show):
    randomly = random.Random(seed)
    seen, unseen = [], []
    for at, examples in enumerate(schemas):
        examples = randomly.sample(examples, len(examples))
        half = (len(examples) + 1) // 2
        seen += [entry(at, text) for text in examples[:half]]
        unseen += [entry(at, text) for text in examples[half:]]
    with tempfile.TemporaryDirectory() as home:
        har = pathlib.Path(home) / "all.har"
        har.write_text(drafts.archive(seen))
        ran = subprocess.run([callgate, "draft", "--har", har, "--json"], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
    draft = json.loads(ran.stdout)["description"]
    whys = [why for one in unseen if (why := drafts.holds(draft, one))]
    for why in whys[:show]:
        print("   ", why)
    refused = drafts.count_refused(draft, unseen, randomly)["response"]
    return {"name": name, "seen": len(seen), "bad_seen": sum(drafts.holds(draft, one) is not None for one in seen),
            "unseen": len(unseen), "bad_unseen": len(whys), "refused": refused[0], "spoilt": refused[1]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    if not drafts.CORPUS.exists():
        print("corpus absent")
        return
    rows = []
    for name in SERVICES:
        schemas = written_examples(drafts.CORPUS / name)
        rows += [examine(options.callgate, name, schemas, seed, options.show) for seed in range(options.splits)]
    for row in rows:
        print(" ".join(f"{name} {value}" for name, value in row.items()))
    total = {name: sum(row[name] for row in rows) for name in rows[0] if name != "name"}
    print(f"drafted: {total['bad_seen']} of {total['seen']} seen wrong, {1 - total['bad_unseen'] / total['unseen']:.1%} of {total['unseen']} unseen accepted, "
          f"{total['refused'] / max(1, total['spoilt']):.1%} of {total['spoilt']} with a value of a wrong type refused")


if __name__ == "__main__":
    main()
