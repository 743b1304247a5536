"""The cases that are kept back though their arguments are right, and why, as `kept-back.json` says: by description, operation
and the argument at fault. A case kept back for anything else is not explained, and an explanation that explains nothing
fails a run over everything."""

import copy
import json
from pathlib import Path

DATA = Path(__file__).with_name("kept-back.json")


class Reasons:
    """What is said about one description."""

    def __init__(self, file):
        # Places that are no arguments, whatever is described, and arguments whose value is refused.
        self.closed, self.refused, self.used = set(), set(), set()
        for entry in json.loads(DATA.read_text()):
            place = next(key for key in ("argument", "header", "query") if key in entry)
            for description, operations in entry["operations"].items():
                if str(file).endswith(f"/{description}"):
                    places = self.refused if place == "argument" else self.closed
                    places |= {(operation, place, entry[place]) for operation in operations}

    def explain(self, case, result):
        """Whether the case is kept back for a reason that is told, and no other."""
        at_fault = {problem["at"].lower() for problem in result.get("error", {}).get("problems") or []}
        told = {each for each in self.closed | self.refused if each[0] == case["op"] and each[2].lower() in at_fault}
        if not at_fault or at_fault != {each[2].lower() for each in told}:
            return False
        self.used |= told
        return True

    def variants(self, cases):
        """The cases with places that are no arguments, without them: the rest of each must be sent as meant."""
        for case in cases:
            names = {(place, name.lower()) for operation, place, name in self.closed if operation == case["op"]}
            given = [(place, name) for place in ("header", "query") for name in case["args"].get(place) or {}]
            left_out = [(place, name) for place, name in given if (place, name.lower()) in names]
            if left_out and "expect" not in case:
                variant = copy.deepcopy(case) | {"case": f"{case['case']}-without", "is_variant": True}
                for place, name in left_out:
                    del variant["args"][place][name]
                yield variant

    def closes(self, case):
        """The place and name that the case is to be refused for lack of, where it is no argument."""
        missing = {(place, name) for operation, place, name in self.closed if operation == case["op"]}
        return {each for each in missing if case["mode"] == "neg:missing-{}-{}".format(*each)}

    def unused(self):
        """What is said of cases that are not kept back."""
        return sorted((self.closed | self.refused) - self.used)
