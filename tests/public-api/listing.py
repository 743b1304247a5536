"""Lists the public API of the crate `callgate`, from the JSON that rustdoc writes of it and of the crates it re-exports.

Usage: listing.py FOLDER RECORDED [--write]. Exits with 1 where the listing differs from the recorded one, where the crate has
too many names, re-exports by a glob, or has a signature with a type of ours that it does not name."""

import json
import pathlib
import sys

# Types, functions, traits, macros, constants and modules, those of the manual apart.
MOST_NAMES = 236
# Crates whose types may stand in signatures: the standard library, what `callgate` re-exports whole, and the crate that whoever writes a
# kind of toolset uses beside it (the chapter "Extending").
FOREIGN = {"alloc", "bytes", "callgate_kind", "core", "http", "serde", "serde_core", "serde_json", "std"}


class Crate:
    """One crate's JSON: what it exports at its root, by name."""

    def __init__(self, file):
        data = json.loads(file.read_text())
        self.index, self.paths, self.root = data["index"], data["paths"], data["root"]
        self.name = self.item(self.root)["name"]
        self.exports = dict(self.exported(self.root, ""))
        self.globs = []

    def item(self, id):
        return self.index.get(str(id))

    def exported(self, module, before):
        for id in self.item(module)["inner"]["module"]["items"]:
            item = self.item(id)
            if item is None:
                continue
            ((kind, inner),) = item["inner"].items()
            if kind == "use":
                yield before + inner["name"], id
            elif item["visibility"] == "public":
                if kind == "module":
                    yield from self.exported(id, f"{before}{item['name']}::")
                else:
                    yield before + item["name"], id

    def where(self, id):
        """The path of an item: `[crate, …, name]`."""
        summary = self.paths.get(str(id))
        return summary["path"] if summary else None


class Workspace:
    def __init__(self, folder):
        crates = [Crate(file) for file in sorted(folder.glob("callgate*.json"))]
        self.crates = {crate.name: crate for crate in crates}
        self.front = self.crates["callgate"]

    def target(self, crate, id, name):
        """Follows re-exports to the item: its crate and its id; `None` for a crate that is not ours."""
        item = crate.item(id)
        if item is None or "use" not in item["inner"]:
            return (crate, id) if item else self.elsewhere(crate, id, name)
        return self.elsewhere(crate, item["inner"]["use"]["id"], item["inner"]["use"]["source"].split("::")[-1])

    def elsewhere(self, crate, id, name):
        item = crate.item(id)
        if item is not None and "use" not in item["inner"]:
            return crate, id
        path = crate.where(id)
        if not path or path[0] not in self.crates:
            return None
        other = self.crates[path[0]]
        for key, candidate in other.exports.items():
            if key.split("::")[-1] == path[-1]:
                return self.target(other, candidate, path[-1])
        for candidate, summary in other.paths.items():
            if summary["path"] == path and other.item(candidate):
                return other, int(candidate)
        return None


class Listing:
    def __init__(self, workspace):
        self.workspace, self.lines, self.wanted, self.named = workspace, set(), {}, set()
        front = workspace.front
        self.globs = [
            item["inner"]["use"]["source"]
            for item in front.index.values()
            if "use" in item["inner"] and item["inner"]["use"]["is_glob"]
        ]
        self.modules = [
            item["name"]
            for item in map(front.item, front.item(front.root)["inner"]["module"]["items"])
            if item and "module" in item["inner"] and item["visibility"] == "public"
        ]
        self.names = sorted(name for name in front.exports if not name.startswith("manual::"))
        for name in self.names:
            self.add(name, front.exports[name])

    def add(self, name, id):
        found = self.workspace.target(self.workspace.front, id, name.split("::")[-1])
        path = f"callgate::{name}"
        if found is None:
            self.lines.add(f"use {path}")
            used = self.workspace.front.item(id)["inner"].get("use", {}).get("id")
            where = self.workspace.front.where(used) if used is not None else None
            self.named.add("::".join(where or []))
            return
        crate, id = found
        self.named.add((crate.name, id))
        self.of_item(crate, id, path)

    def of_item(self, crate, id, path):
        item = crate.item(id)
        ((kind, inner),) = item["inner"].items()
        text = Text(self, crate, path)
        if kind == "struct":
            self.lines.add(f"struct {path}{text.generics(inner['generics'])}")
            fields = inner["kind"]
            fields = fields.get("plain", {}).get("fields", fields.get("tuple", [])) if isinstance(fields, dict) else []
            for field in fields:
                field = field is not None and crate.item(field)
                if field and field["visibility"] == "public":
                    self.lines.add(f"field {path}.{field['name']}: {text.type(field['inner']['struct_field'])}")
            self.of_impls(crate, inner["impls"], path)
        elif kind == "enum":
            self.lines.add(f"enum {path}{text.generics(inner['generics'])}")
            for variant in inner["variants"]:
                variant = crate.item(variant)
                if variant:
                    self.lines.add(f"variant {path}::{variant['name']}{self.of_variant(crate, variant, text)}")
            self.of_impls(crate, inner["impls"], path)
        elif kind == "trait":
            bounds = text.bounds(inner["bounds"])
            self.lines.add(f"trait {path}{text.generics(inner['generics'])}" + (f": {bounds}" if bounds else ""))
            for member in inner["items"]:
                self.of_member(crate, member, path, text)
        elif kind == "function":
            self.lines.add(f"fn {path}{text.signature(inner)}")
        elif kind in ("constant", "static"):
            self.lines.add(f"const {path}: {text.type(inner['type'])}")
        elif kind == "type_alias":
            self.lines.add(f"type {path}{text.generics(inner['generics'])} = {text.type(inner['type'])}")
        else:
            self.lines.add(f"{kind} {path}")

    def of_variant(self, crate, variant, text):
        kind = variant["inner"]["variant"]["kind"]
        if isinstance(kind, str):
            return ""
        if "tuple" in kind:
            fields = [crate.item(field) for field in kind["tuple"] if field is not None]
            return "(" + ", ".join(text.type(field["inner"]["struct_field"]) for field in fields if field) + ")"
        fields = [crate.item(field) for field in kind["struct"]["fields"]]
        return " { " + ", ".join(f"{field['name']}: {text.type(field['inner']['struct_field'])}" for field in fields if field) + " }"

    def of_impls(self, crate, impls, path):
        for id in impls:
            item = crate.item(id)
            if item is None:
                continue
            found = item["inner"]["impl"]
            if found["is_synthetic"] or found["blanket_impl"]:
                continue
            text = Text(self, crate, path)
            if found["trait"]:
                self.lines.add(f"impl {text.path(found['trait'])} for {path}")
                continue
            for member in found["items"]:
                item = crate.item(member)
                if item and item["visibility"] == "public":
                    self.of_member(crate, member, path, text)

    def of_member(self, crate, id, path, text):
        item = crate.item(id)
        if item is None:
            return
        ((kind, inner),) = item["inner"].items()
        if kind == "function":
            self.lines.add(f"fn {path}::{item['name']}{text.signature(inner)}")
        elif kind == "assoc_const":
            self.lines.add(f"const {path}::{item['name']}: {text.type(inner['type'])}")
        elif kind == "assoc_type":
            self.lines.add(f"type {path}::{item['name']}: {text.bounds(inner['bounds'])}")

    def wants(self, crate, id, name, user):
        """A signature names a type."""
        path = crate.where(id)
        if path is None:
            return
        if path[0] in FOREIGN:
            return
        if path[0] not in self.workspace.crates:
            self.wanted.setdefault("::".join(path), set()).add(user)
            return
        found = self.workspace.elsewhere(crate, id, path[-1])
        found = (found[0].name, found[1]) if found else "::".join(path)
        self.wanted.setdefault(found, set()).add(user)

    def unnamed(self):
        for wanted, users in self.wanted.items():
            if wanted not in self.named:
                name = wanted
                if not isinstance(wanted, str):
                    name = f"{wanted[0]}::{self.workspace.crates[wanted[0]].item(wanted[1])['name']}"
                yield f"{name} (in {', '.join(sorted(users)[:3])})"


class Text:
    """Types as text; every type that is written is wanted by `user`."""

    def __init__(self, listing, crate, user):
        self.listing, self.crate, self.user = listing, crate, user

    def path(self, path):
        name = path.get("path") or path.get("name")
        self.listing.wants(self.crate, path["id"], name, self.user)
        return name.split("::")[-1] + self.arguments(path.get("args"))

    def arguments(self, given):
        if not given:
            return ""
        if "parenthesized" in given:
            inputs = ", ".join(map(self.type, given["parenthesized"]["inputs"]))
            output = given["parenthesized"]["output"]
            return f"({inputs})" + (f" -> {self.type(output)}" if output else "")
        given = given.get("angle_bracketed")
        if not given:
            return ""
        parts = [self.type(each["type"]) if "type" in each else str(each.get("lifetime", "_")) for each in given["args"] if isinstance(each, dict)]
        for constraint in given["constraints"]:
            binding = constraint["binding"]
            if "equality" in binding and "type" in binding["equality"]:
                parts.append(f"{constraint['name']} = {self.type(binding['equality']['type'])}")
            elif "constraint" in binding:
                parts.append(f"{constraint['name']}: {self.bounds(binding['constraint'])}")
        return f"<{', '.join(parts)}>" if parts else ""

    def bounds(self, bounds):
        parts = []
        for bound in bounds or []:
            if "trait_bound" in bound:
                sign = "?" if bound["trait_bound"].get("modifier") == "maybe" else ""
                parts.append(sign + self.path(bound["trait_bound"]["trait"]))
            elif "outlives" in bound:
                parts.append(bound["outlives"])
        return " + ".join(parts)

    def generics(self, generics):
        parts = []
        for parameter in generics["params"]:
            kind = parameter["kind"]
            if "type" in kind and not kind["type"].get("is_synthetic"):
                bounds = self.bounds(kind["type"]["bounds"])
                parts.append(parameter["name"] + (f": {bounds}" if bounds else ""))
            elif "lifetime" in kind:
                parts.append(parameter["name"])
            elif "const" in kind:
                parts.append(f"const {parameter['name']}")
        where = []
        for predicate in generics["where_predicates"]:
            if "bound_predicate" in predicate:
                bound = predicate["bound_predicate"]
                where.append(f"{self.type(bound['type'])}: {self.bounds(bound['bounds'])}")
        return (f"<{', '.join(parts)}>" if parts else "") + (f" where {', '.join(where)}" if where else "")

    def signature(self, function):
        inputs = ", ".join(f"{name}: {self.type(kind)}" for name, kind in function["sig"]["inputs"])
        output = function["sig"]["output"]
        header = function["header"]
        marks = [mark for mark in ("async", "const", "unsafe") if header.get(f"is_{mark}")]
        text = f"{self.generics(function['generics'])}({inputs})" + (f" -> {self.type(output)}" if output else "")
        return text + (f" [{' '.join(marks)}]" if marks else "")

    def type(self, kind):
        if isinstance(kind, str):
            return "_"
        ((name, inner),) = kind.items()
        if name == "resolved_path":
            return self.path(inner)
        if name in ("generic", "primitive"):
            return inner
        if name == "borrowed_ref":
            lifetime = f"{inner['lifetime']} " if inner["lifetime"] else ""
            return f"&{lifetime}{'mut ' if inner['is_mutable'] else ''}{self.type(inner['type'])}"
        if name == "tuple":
            return f"({', '.join(map(self.type, inner))})"
        if name == "slice":
            return f"[{self.type(inner)}]"
        if name == "array":
            return f"[{self.type(inner['type'])}; {inner['len']}]"
        if name == "impl_trait":
            return f"impl {self.bounds(inner)}"
        if name == "dyn_trait":
            traits = [self.path(each["trait"]) for each in inner["traits"]]
            return "dyn " + " + ".join(traits + ([inner["lifetime"]] if inner["lifetime"] else []))
        if name == "qualified_path":
            return f"<{self.type(inner['self_type'])}>::{inner['name']}"
        if name == "function_pointer":
            inputs = ", ".join(self.type(each) for _, each in inner["sig"]["inputs"])
            output = inner["sig"]["output"]
            return f"fn({inputs})" + (f" -> {self.type(output)}" if output else "")
        return name


def main():
    folder, recorded = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    listing = Listing(Workspace(folder))
    failed = [f"a glob: {source}" for source in listing.globs]
    failed += sorted(f"no name for {text}" for text in listing.unnamed())
    n_names = len(listing.names) + len(listing.modules)
    if n_names > MOST_NAMES:
        failed.append(f"{n_names} names; there is room for {MOST_NAMES}")
    text = "\n".join(sorted(listing.lines)) + "\n"
    if "--write" in sys.argv:
        recorded.write_text(text)
    known = set(recorded.read_text().splitlines()) if recorded.exists() else set()
    lines = set(text.splitlines())
    failed += [f"- {line}" for line in sorted(known - lines)] + [f"+ {line}" for line in sorted(lines - known)]
    print("\n".join(failed))
    print(f"{n_names} names, {len(listing.lines)} lines")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
