"""Asks the schemas of other people (`schemas.py`) as models ask: random conditions, orders, pages, columns and groups of each table, and
compares each answer with what the engine's own client reads by SQL that is written here.

Run it on the servers of `tests/interop/databases` and `tests/interop/mariadb`:
`tests/interop/databases tests/interop/mariadb python3 tests/interop/random_calls.py --callgate CALLGATE [--seed 1] [--calls 12]`."""

import argparse
import decimal
import json
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unicodedata

from schemas import Mariadb, Postgres, Served, Sqlite, counted_rows, fill

LIMITS = (20, 100)
ORDERED = ("lt", "lte", "gt", "gte")
SIGNS = {"eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
AGGREGATES = ("sum", "avg", "min", "max")


class Sql:
    """SQL of one engine for the same question."""

    def __init__(self, engine, own):
        self.engine = engine
        # The names of columns in the database, where models know them by others.
        self.own = own

    def quote(self, name):
        return self.engine.quote + name + self.engine.quote

    def column(self, name):
        return self.quote(self.own.get(name, name))

    def table(self, name):
        if self.engine.name == "sqlite":
            return self.quote(name)
        return ".".join(self.quote(part) for part in name.split(".", 1))

    def literal(self, value):
        if isinstance(value, bool):
            return str(value).lower() if self.engine.name == "postgres" else str(int(value))
        if isinstance(value, (int, float)):
            return str(value)
        text = value.replace("'", "''")
        if self.engine.name == "mysql":
            text = text.replace("\\", "\\\\")
        return f"'{text}'"

    def exact(self, column, value):
        """The two sides of an equality, which compares texts by their bytes."""
        own, literal = self.column(column), self.literal(value)
        if self.engine.name == "mysql" and isinstance(value, str) and not re.match(r"-?\d", value):
            return f"binary {own}", f"binary {literal}"
        return own, literal

    def test(self, column, operator, value):
        own, literal = self.column(column), self.literal(value) if not isinstance(value, list) else ""
        match operator:
            case "is_null":
                return f"{own} is {'' if value else 'not '}null"
            case "in":
                sides = [self.exact(column, item) for item in value]
                return f"{sides[0][0]} in ({', '.join(other for _, other in sides)})"
            case "eq" | "neq":
                one, other = self.exact(column, value)
                return f"{one} {SIGNS[operator]} {other}"
            case "contains":
                return {
                    "postgres": f"position({literal} in {own}) > 0",
                    "mysql": f"locate(binary {literal}, binary {own}) > 0",
                    "sqlite": f"instr({own}, {literal}) > 0",
                }[self.engine.name]
            case "starts_with":
                return {
                    "postgres": f"left({own}, {len(value)}) = {literal}",
                    "mysql": f"binary left({own}, {len(value)}) = binary {literal}",
                    "sqlite": f"substr({own}, 1, {len(value)}) = {literal}",
                }[self.engine.name]
        return f"{own} {SIGNS[operator]} {literal}"

    def where(self, tests):
        shown = " and ".join(self.test(*test) for test in tests)
        return f" where {shown}" if shown else ""

    def rows(self, expressions, rest):
        """Rows of texts; null for null."""
        match self.engine.name:
            case "postgres":
                shown = ", ".join(f"({text})::text" for text in expressions)
                return [json.loads(row[0]) for row in self.engine.rows(f"select json_build_array({shown})::text {rest}")]
            case "mysql":
                shown = ", ".join(f"cast({text} as char character set utf8mb4)" for text in expressions)
                return [json.loads("\t".join(row)) for row in self.engine.rows(f"select json_array({shown}) {rest}")]
        connection = sqlite3.connect(self.engine.file)
        rows = connection.execute(f"select {', '.join(expressions)} {rest}").fetchall()
        connection.close()
        return [[None if value is None else str(value) for value in row] for row in rows]


def letters(text):
    """A text without what collations may pass over: case, accents, blanks at its end."""
    return "".join(part for part in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(part)).rstrip()


def plain(value):
    """A value as a text that both sides write alike."""
    if value is None:
        return None
    text = str(int(value)) if isinstance(value, bool) else str(value)
    text = {"true": "1", "false": "0", "t": "1", "f": "0"}.get(text, text)
    if re.fullmatch(r"-?\d+(\.\d+)?([eE][-+]?\d+)?", text):
        number = decimal.Decimal(text)
        return f"{number:.9e}" if number else "0"
    moment = re.fullmatch(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d(?::?\d\d)?)?", text)
    if moment:
        part = (moment[3] or "").rstrip("0").rstrip(".")
        # The servers of the tests are in UTC, and MariaDB does not write its zone.
        zone = "" if moment[4] in ("Z", "+00:00", "+00") else moment[4] or ""
        return f"{moment[1]} {moment[2]}{part}{zone}"
    return text


class Table:
    """One table with its tools, and rows of it to ask about."""

    def __init__(self, served, tools, name, table, own):
        self.served, self.sql = served, Sql(served.engine, own)
        self.name, self.own = name, self.sql.table(table)
        self.tools = {kind: tools.get(f"schema-{name}-{kind}") for kind in ("list", "get", "aggregate")}
        self.sample = self.call("list", {"limit": 100})["rows"]

    def schema(self, kind):
        tool = self.tools[kind]
        return tool.get("input") or tool.get("inputSchema") or tool.get("parameters")

    def properties(self, kind, member):
        found = self.schema(kind)["properties"].get(member, {})
        return found.get("properties") or found.get("items", {}).get("enum") or {}

    def call(self, kind, arguments):
        name = self.tools[kind]["name"]
        result = self.served.batch([{"id": "1", "tool": name, "args": arguments}])["1"]
        if "response" not in result:
            raise ValueError(f"{name} {json.dumps(arguments)}: {result['error']['code']}: {result['error']['message']}")
        return result["response"]

    def tests(self, kind, chance):
        """Random conditions over values that rows have, as arguments and as tests."""
        where, tests = {}, []
        for column in chance.sample(list(columns := self.properties(kind, "where")), min(len(columns), chance.randint(0, 2))):
            values = [row[column] for row in self.sample if isinstance(row.get(column), (str, int, float))]
            types = columns[column].get("type", [])
            if "boolean" in types:
                # A `tinyint(1)` may hold 38, which is shown, and which no condition takes.
                values = [value for value in values if isinstance(value, bool)]
            if not values or "object" == types or chance.random() < 0.15:
                operator, value = "is_null", chance.random() < 0.5
            else:
                operator, value = chance.choice(["eq", "neq", "in"]), chance.choice(values)
                is_text = isinstance(value, str) and "format" not in columns[column] and not re.match(r"-?\d", value)
                if isinstance(value, (int, float)) and not isinstance(value, bool) and chance.random() < 0.6:
                    operator = chance.choice(ORDERED)
                if is_text and "string" in types and value and "description" not in columns[column] and chance.random() < 0.6:
                    operator = chance.choice(["contains", "starts_with"])
                    at = chance.randrange(len(value)) if operator == "contains" else 0
                    value = value[at : at + chance.randint(1, 4)]
                if operator == "in":
                    value = [value, chance.choice(values)]
            where[column] = {operator: value}
            tests.append((column, operator, value))
        return ({"where": where} if where else {}), tests

    def keys(self):
        return self.schema("get")["required"] if self.tools["get"] else []

    def listed(self, chance):
        arguments, tests = self.tests("list", chance)
        sort = self.properties("list", "sort")
        if sort and chance.random() < 0.7:
            arguments["sort"] = [chance.choice(list(sort))]
        arguments["limit"] = chance.choice(LIMITS)
        columns = list(self.properties("list", "select"))
        if columns and chance.random() < 0.5:
            arguments["select"] = chance.sample(columns, chance.randint(1, min(5, len(columns))))
            columns = arguments["select"]
        rows, page = [], {}
        while True:
            response = self.call("list", {**arguments, **page})
            rows += response["rows"]
            if not response["more"] or "next" not in response:
                break
            page = {"page": response["next"]}
        if response["more"]:
            return None
        columns = [column for column in columns if not any(isinstance(row.get(column), (dict, list)) for row in rows)]
        scalars = [column for column in columns if self.is_plain(column)]
        wanted = self.sql.rows([self.sql.column(column) for column in scalars] or ["1"], f"from {self.own}{self.sql.where(tests)}")
        read = [[row.get(column) for column in scalars] if scalars else [1] for row in rows]
        fault = differing(read, wanted, arguments)
        order = arguments.get("sort", [""])[0]
        if not fault and order.lstrip("-") in scalars:
            fault = self.misplaced(order, scalars.index(order.lstrip("-")), read, tests)
        return fault

    def misplaced(self, order, at, read, tests):
        """The fault of an order: another sequence of its values than the engine's, nulls left out."""
        own = self.sql.column(order.lstrip("-"))
        direction = "desc" if order.startswith("-") else "asc"
        wanted = self.sql.rows([own], f"from {self.own}{self.sql.where([*tests, (order.lstrip('-'), 'is_null', False)])} order by {own} {direction}")
        shown = [plain(row[at]) for row in read if row[at] is not None]
        wanted = [plain(row[0]) for row in wanted]
        # Texts that a collation holds for equal have any order among themselves.
        if [letters(text) for text in shown] != [letters(text) for text in wanted]:
            return f"by {order}: another order than the engine's: {shown[:5]} for {wanted[:5]}"
        return None

    def is_plain(self, column):
        """True for a column whose values both sides write alike."""
        return self.sql.own.get(column, column) not in self.served.opaque.get(self.own, ())

    def read(self, chance):
        if not self.keys() or not self.sample:
            return None
        row = chance.choice(self.sample)
        arguments = {key: row[key] for key in self.keys()}
        columns = [column for column in row if not isinstance(row[column], (dict, list)) and self.is_plain(column)]
        if not columns:
            return None
        chosen = chance.sample(columns, chance.randint(1, len(columns)))
        response = self.call("get", {**arguments, "select": chosen})
        tests = [(key, "eq", value) for key, value in arguments.items()]
        wanted = self.sql.rows([self.sql.column(column) for column in chosen], f"from {self.own}{self.sql.where(tests)}")
        return differing([[response["row"].get(column) for column in chosen]], wanted, arguments)

    def counted(self, chance):
        if not self.tools["aggregate"]:
            return None
        arguments, tests = self.tests("aggregate", chance)
        groups = [column for column in self.properties("aggregate", "group") if self.is_plain(column)]
        group = chance.sample(groups, min(len(groups), chance.randint(0, 2)))
        names = ["count"]
        for result in chance.sample(list(self.properties("aggregate", "select")), min(3, len(self.properties("aggregate", "select")))):
            aggregate, _, column = result.partition("_")
            if aggregate in AGGREGATES and self.is_plain(column):
                names.append(result)
        arguments |= {"select": names} | ({"group": group} if group else {})
        response = self.call("aggregate", {**arguments, "limit": 100})
        if response["more"]:
            return None
        expressions = [self.sql.column(column) for column in group] + [self.aggregate(name) for name in names]
        rest = f"from {self.own}{self.sql.where(tests)}"
        if group:
            exact = [f"cast({self.sql.column(column)} as binary)" if self.served.engine.name == "mysql" else self.sql.column(column) for column in group]
            rest += f" group by {', '.join(exact)}"
            if self.served.engine.name == "mysql":
                expressions = [f"min({text})" for text in expressions[: len(group)]] + expressions[len(group) :]
        wanted = self.sql.rows(expressions, rest)
        read = [[row.get(name) for name in [*group, *names]] for row in response["groups" if "groups" in response else "rows"]]
        return differing(read, wanted, arguments)

    def aggregate(self, name):
        aggregate, _, column = name.partition("_")
        return "count(*)" if name == "count" else f"{aggregate}({self.sql.column(column)})"


def differing(read, wanted, arguments):
    read = sorted([[plain(value) for value in row] for row in read], key=str)
    wanted = sorted([[plain(value) for value in row] for row in wanted], key=str)
    if read == wanted:
        return None
    at = next((at for at, pair in enumerate(zip(read, wanted)) if pair[0] != pair[1]), min(len(read), len(wanted)))
    return f"{json.dumps(arguments)}: {len(read)} of {len(wanted)} rows, first {read[at : at + 1]} for {wanted[at : at + 1]}"


def opaque_columns(engine):
    """The columns by tables whose texts the engine and callgate write each in its way: bytes, floats, types of extensions."""
    match engine.name:
        case "postgres":
            text = """select '"' || table_schema || '"."' || table_name || '"', column_name from information_schema.columns
                where data_type in ('bytea', 'real', 'double precision', 'interval', 'tsvector', 'ARRAY', 'json', 'jsonb') or (data_type = 'USER-DEFINED' and udt_name in ('hstore', 'vector'))"""
        case "mysql":
            text = """select concat('`', table_schema, '`.`', table_name, '`'), column_name from information_schema.columns
                where data_type like '%blob' or data_type like '%binary' or data_type in ('float', 'double', 'geometry', 'bit', 'json', 'year')"""
        case _:
            return {}
    columns = {}
    for table, column in engine.rows(text):
        columns.setdefault(table, set()).add(column)
    return columns


def own_names(text, entity):
    """The names of an entity's columns in the database, for those that `init` gave another name."""
    body = re.search(rf'(?m)^      ["\']?{re.escape(entity)}["\']?:\n((?:        .*\n?)*)', text)[1]
    return dict(re.findall(r'(?m)^          ["\']?([^\s"\']+)["\']?:\n            column: ["\']?(.*?)["\']?$', body))


def judge(callgate, engine, file, chance, n_calls):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        engine.load(file, file.name.split(".")[0])
        served = Served(callgate, engine, folder)
        served.configure = with_aggregates
        n_asked, faults = 0, []
        try:
            tools, _ = served.begin()
            served.opaque = opaque_columns(engine)
            text = (folder / "callgate.yaml").read_text()
            entities = re.findall(r'(?m)^      ["\']?([^\s"\']+)["\']?:\n        table: ["\']?(.*?)["\']?$', text)
            fill(engine, [table for _, table in entities])
            for name, table in entities:
                asked = Table(served, tools, name, table, own_names(text, name))
                for _ in range(n_calls):
                    question = chance.choice([asked.listed, asked.listed, asked.counted, asked.read])
                    n_asked += 1
                    try:
                        fault = question(chance)
                    except (ValueError, subprocess.CalledProcessError) as error:
                        fault = f"{error} {getattr(error, 'stderr', '') or ''}"
                    faults += [f"{question.__name__} {name}: {fault}"] if fault else []
        finally:
            served.end()
            if engine.name != "sqlite" and "callgate_agent" in served.environment["SCHEMA"]:
                engine.forget_login()
            engine.forget()
    print(f"{file.name} on {engine.name}: {n_asked} calls over {len(entities)} tables, {len(faults)} differ")
    for fault in faults[:20]:
        print(f"  {fault[:600]}")
    return not faults


def with_aggregates(text):
    """The configuration of `init` with `aggregate` of each entity."""
    text = re.sub(r"(?m)^        operations:\n        - list$(?!\n        - )", "        operations: [list, aggregate]", text)
    return re.sub(r"(?m)^(        table: .*)$(?!\n        operations:)", r"\1\n        operations: [list, get, aggregate]", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=12)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    shared = pathlib.Path(os.environ.get("CALLGATE_SHARED", "../shared"), "corpus", "databases")
    files = options.files or [*sorted(shared.glob("*.sql")), *sorted(pathlib.Path(__file__).parent.glob("names.*.sql"))]
    is_fine = True
    with tempfile.TemporaryDirectory() as place:
        engines = {"postgres": Postgres(), "mysql": Mariadb(), "sqlite": Sqlite(pathlib.Path(place))}
        for file in files:
            engine = engines[file.name.split(".")[1]]
            if not engine.url or (engine.name != "sqlite" and not shutil.which("psql" if engine.name == "postgres" else "mariadb")):
                print(f"{file.name}: no server of {engine.name}")
                continue
            is_fine &= judge(options.callgate.resolve(), engine, file.resolve(), random.Random(options.seed), options.calls)
    sys.exit(not is_fine)


if __name__ == "__main__":
    main()
