"""Questions in words about Lago, the 139 tables of a billing system that other people wrote (`$CALLGATE_SHARED/corpus/databases`): each is
answered by at most three calls of the tools that `callgate init` proposes, without SQL of the model's, as SQL of ours answers it. Those
about Chinook are a test of the crate `database`.

Run it on the server of `tests/interop/databases`: `tests/interop/databases python3 tests/interop/questions.py --callgate CALLGATE`.
Without the server or the schema it says so and passes."""

import argparse
import json
import os
import pathlib
import sys
import tempfile

from random_calls import plain, with_aggregates
from schemas import Postgres, Served

HERE = pathlib.Path(__file__).parent
MOST_CALLS = 3


def filled(value, rows):
    """The arguments with values of the result before: `$name` is that of the first row, `$$name` those of all."""
    if isinstance(value, str) and value.startswith("$$"):
        return [row[value[2:]] for row in rows]
    if isinstance(value, str) and value.startswith("$"):
        return rows[0][value[1:]]
    if isinstance(value, list):
        return [filled(item, rows) for item in value]
    if isinstance(value, dict):
        return {name: filled(item, rows) for name, item in value.items()}
    return value


def answered(served, question):
    """The rows of the last call, as sets of texts, since columns have no order."""
    rows = []
    for call in question["calls"]:
        arguments = filled(call["arguments"], rows)
        result = served.batch([{"id": "1", "tool": f"schema-{call['tool']}", "args": arguments}])["1"]
        if "response" not in result:
            raise ValueError(f"{call['tool']} {json.dumps(arguments)}: {result['error']['message']}")
        response = result["response"]
        rows = response["rows"] if "rows" in response else [response["row"]]
    return [sorted(str(plain(value)) for value in row.values()) for row in rows]


def judge(callgate, file, questions):
    engine, faults = Postgres(), []
    with tempfile.TemporaryDirectory() as place:
        engine.load(file, "lago")
        engine.run("lago", f"set session_replication_role = replica; {(HERE / 'questions.sql').read_text()}", "analyze")
        served = Served(callgate, engine, pathlib.Path(place))
        served.configure = with_aggregates
        try:
            served.begin()
            for question in questions:
                lines = engine.rows(f"select to_json(array(select value from json_each_text(row_to_json(a)))) from ({question['sql']}) a")
                wanted = [sorted(str(plain(value)) for value in json.loads(line[0])) for line in lines]
                try:
                    read = answered(served, question)
                except ValueError as error:
                    faults.append(f"{question['question']} {error}")
                    continue
                if read != wanted or len(question["calls"]) > MOST_CALLS:
                    faults.append(f"{question['question']} {read[:3]} for {wanted[:3]}")
        finally:
            served.end()
            engine.forget_login()
            engine.forget()
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True, type=pathlib.Path)
    options = parser.parse_args()
    file = pathlib.Path(os.environ.get("CALLGATE_SHARED", "../shared"), "corpus", "databases", "lago.postgres.sql")
    if not os.environ.get("CALLGATE_POSTGRES") or not file.exists():
        print("no server of PostgreSQL, or no schema of Lago: not asked")
        return
    questions = [json.loads(line) for line in (HERE / "questions.jsonl").read_text().splitlines()]
    faults = judge(options.callgate.resolve(), file, questions)
    n_calls = sum(len(question["calls"]) for question in questions)
    print(f"{len(questions)} questions about Lago take {n_calls} calls: {len(faults)} answered otherwise than by SQL")
    for fault in faults:
        print(f"  {fault[:600]}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
