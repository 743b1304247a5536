"""Serves schemas that other people wrote (Chinook, Sakila, Lago, whatever lies in `$CALLGATE_SHARED/corpus/databases`) and compares every
row with what the engine's own client reads. The client loads each schema into a database of its own; the login is the one that
`callgate init` prints, and `check` must accept it. Then every table is listed by every sortable column both ways, by pages of 7 and
of 100, and every row of the first pages is read by its key. Tables without rows get some, as far as their constraints allow.

Run it on the servers of `tests/interop/databases` and `tests/interop/mariadb`:
`tests/interop/databases tests/interop/mariadb python3 tests/interop/schemas.py --callgate CALLGATE`.
Where a server or the folder of schemas is absent, it says so and passes."""

import argparse
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

PAGES = (7, 100)
ROWS = 120
MOST_TRIES = 40
# A value of row `i` for each type of column, as the engine says the type; a column of another type keeps its default.
VALUES = {
    "postgres": [
        (r".*\[\]|ARRAY", "'{}'"),
        (r"bigint|integer|smallint", "i"),
        (r"numeric.*|double.*|real", "(i % 40) + 0.25"),
        (r"boolean", "i % 2 = 0"),
        (r"uuid", "md5(i::text)::uuid"),
        (r"timestamp.*", "'2026-01-01'::timestamp + (i % 40) * interval '1 hour'"),
        (r"date", "'2026-01-01'::date + i % 40"),
        (r"jsonb?", "'{}'"),
        (r"bytea", "decode(md5(i::text), 'hex')"),
        (r"character varying.*|text|citext", "chr(97 + i % 26) || i"),
        (r"USER-DEFINED", "first_label"),
    ],
    "mysql": [
        (r"enum|set", "first_label"),
        (r".*int|year", "i"),
        (r"decimal|double|float", "(i % 40) + 0.25"),
        (r"datetime|timestamp", "'2026-01-01' + interval i % 40 hour"),
        (r"date", "'2026-01-01' + interval i % 40 day"),
        (r".*char|.*text", "concat(char(97 + i % 26), i)"),
        (r".*blob|.*binary", "'b'"),
        (r"geometry", "point(i, i)"),
    ],
    "sqlite": [
        (r".*INT.*", "i"),
        (r"(DECIMAL|NUMERIC|REAL|DOUBLE).*", "(i % 40) + 0.25"),
        (r"(TIMESTAMP|DATETIME).*", "datetime('2026-01-01', (i % 40) || ' hours')"),
        (r"DATE", "date('2026-01-01', (i % 40) || ' days')"),
        (r"(VARCHAR|CHAR|TEXT|BLOB).*", "char(97 + i % 26) || i"),
    ],
}
NAME = "callgate_agent"
TYPES = {"array", "boolean", "integer", "null", "number", "object", "string"}


class Postgres:
    name = "postgres"
    quote = '"'

    def __init__(self):
        self.url = os.environ.get("CALLGATE_POSTGRES")

    def load(self, file, database):
        self.database = database
        self.run("postgres", f'drop database if exists "{database}" with (force)', f'create database "{database}"')
        text = file.read_text()
        # Chinook makes a database of its own.
        text = re.sub(r"(?im)^\s*(DROP|CREATE) DATABASE .*?;|^\\c .*$", "", text)
        loaded = subprocess.run(self.command(database), input=text, text=True, capture_output=True, check=False)
        # Nobody can read a materialized view before it has rows.
        views = "select format('%I.%I', schemaname, matviewname) from pg_matviews where not ispopulated"
        for (view,) in self.rows(views):
            subprocess.run([*self.command(database), "-c", f"refresh materialized view {view}"], capture_output=True, check=False)
        return [line for line in loaded.stderr.splitlines() if "ERROR" in line]

    def command(self, database):
        return ["psql", "--no-psqlrc", "-qAt", "-F", "\t", self.url.rsplit("/", 1)[0] + "/" + database]

    def run(self, database, *statements):
        for statement in statements:
            subprocess.run([*self.command(database), "-v", "ON_ERROR_STOP=1", "-c", statement], check=True, capture_output=True, text=True)

    def rows(self, statement):
        shown = subprocess.run([*self.command(self.database), "-c", statement], check=True, capture_output=True, text=True)
        return [line.split("\t") for line in shown.stdout.splitlines()]

    def fill(self, table, only):
        schema, name = table.split(".", 1)
        text = f"""select column_name, data_type, is_nullable, (select quote_literal(min(e.enumlabel)) || '::' || udt_schema || '.' || quote_ident(udt_name)
                from pg_enum e where e.enumtypid = to_regtype(quote_ident(udt_schema) || '.' || quote_ident(udt_name)))
            from information_schema.columns where table_schema = '{schema}' and table_name = '{name}' and is_generated = 'NEVER' and is_identity = 'NO'"""
        columns, values = filled(self, self.rows(text), only)
        insert = f'insert into "{schema}"."{name}" ({columns}) select {values} from generate_series(1, {ROWS}) i on conflict do nothing'
        self.run(self.database, f"set session_replication_role = replica; {insert}")

    def address(self, user):
        parts = urllib.parse.urlsplit(self.url)
        who = user or parts.username
        return f"postgres://{who}:x@{parts.hostname}:{parts.port}/{self.database}"

    def forget(self):
        self.run("postgres", f'drop database "{self.database}" with (force)')

    def make_login(self, statements):
        dropped = f"do $$ begin if exists (select from pg_roles where rolname = '{NAME}') then drop owned by {NAME}; drop role {NAME}; end if; end $$"
        self.run(self.database, dropped, *[statement.replace("'…'", "'x'") for statement in statements])

    def forget_login(self):
        self.run(self.database, f"drop owned by {NAME}", f"drop role {NAME}")


class Mariadb:
    name = "mysql"
    quote = "`"

    def __init__(self):
        self.url = os.environ.get("CALLGATE_MARIADB")

    def load(self, file, database):
        self.database = database
        self.run(f"drop database if exists {database}; create database {database}")
        text = re.sub(r"(?im)^\s*(DROP|CREATE) (DATABASE|SCHEMA) .*?;|^\s*USE .*?;", "", file.read_text())
        loaded = subprocess.run([*self.command(), "--force", database], input=text, text=True, capture_output=True, check=False)
        return [line for line in loaded.stderr.splitlines() if "ERROR" in line]

    def command(self):
        socket = self.url.split()[0]
        return ["mariadb", "--no-defaults", "-uroot", f"--socket={socket}", "-NB", "--default-character-set=utf8mb4"]

    def run(self, text):
        subprocess.run([*self.command()], input=text, check=True, capture_output=True, text=True)

    def rows(self, statement):
        shown = subprocess.run([*self.command(), "--raw", self.database, "-e", statement], check=True, capture_output=True, text=True)
        return [line.split("\t") for line in shown.stdout.splitlines()]

    def fill(self, table, only):
        schema, name = table.split(".", 1)
        text = f"""select column_name, data_type, is_nullable, if(data_type in ('enum', 'set'),
                substring_index(substring_index(column_type, '(', -1), ',', 1), null)
            from information_schema.columns where table_schema = '{schema}' and table_name = '{name}' and generation_expression is null"""
        columns, values = filled(self, [[part.rstrip(")") if at == 3 else part for at, part in enumerate(row)] for row in self.rows(text)], only)
        insert = f"insert ignore into `{schema}`.`{name}` ({columns}) select {values} from (select seq as i from seq_1_to_{ROWS}) n"
        self.run(f"use {self.database}; set foreign_key_checks = 0, sql_mode = ''; {insert}")

    def address(self, user):
        return f"mysql://{user or 'root'}:{'x' if user else ''}@127.0.0.1:{self.url.split()[1]}/{self.database}"

    def forget(self):
        self.run(f"drop database {self.database}")

    def make_login(self, statements):
        self.run(f"drop user if exists {NAME}; " + ";".join(statement.replace("'…'", "'x'") for statement in statements))

    def forget_login(self):
        self.run(f"drop user {NAME}")


class Sqlite:
    name = "sqlite"
    quote = '"'
    url = "sqlite"

    def __init__(self, folder):
        self.folder = folder

    def load(self, file, database):
        self.file = self.folder / f"{database}.db"
        connection = sqlite3.connect(self.file)
        connection.executescript(file.read_text())
        connection.close()
        return []

    def rows(self, statement):
        rows = sqlite3.connect(self.file).execute(statement).fetchall()
        return [[str(value) for value in row] for row in rows]

    def fill(self, table, only):
        found = self.rows(f"select name, upper(type), '', '' from pragma_table_info('{table}')")
        columns, values = filled(self, found, only)
        connection = sqlite3.connect(self.file)
        numbers = f"with recursive n(i) as (select 1 union all select i + 1 from n where i < {ROWS})"
        connection.execute(f'{numbers} insert or ignore into "{table}" ({columns}) select {values} from n')
        connection.commit()

    def forget(self):
        self.file.unlink()

    def address(self, _):
        return f"sqlite:{self.file}"


def filled(engine, found, only):
    """The columns of a table that get values, and the values of row `i`. Every fifth value of a column without a duty is null; with `only`,
    these columns get values alone, beside those with a duty."""
    columns, values = [], []
    optional = [name for name, _, is_nullable, _ in found if is_nullable == "YES"]
    kept = optional if only is None else optional[only : only + 1]
    for name, sql_type, is_nullable, label in found:
        if is_nullable == "YES" and name not in kept:
            continue
        value = next((value for pattern, value in VALUES[engine.name] if re.fullmatch(pattern, sql_type)), None)
        value = label if value == "first_label" else value
        if not value:
            continue
        columns.append(f"{engine.quote}{name}{engine.quote}")
        # A text without a type is one of the column's only where it stands alone.
        is_sometimes_null = is_nullable == "YES" and not value.startswith("'{") and only is None
        values.append(f"case when i % 5 <> 0 then {value} end" if is_sometimes_null else value)
    return ", ".join(columns), ", ".join(values)


class Served:
    """A loaded database with its tools."""

    def __init__(self, callgate, engine, folder):
        self.callgate, self.engine, self.folder = callgate, engine, folder
        self.sidecar, self.address = None, ""
        self.configure = lambda text: text
        self.environment = {**os.environ, "SCHEMA": engine.address(None), "RUST_BACKTRACE": "0"}

    def command(self, *line, fails=False):
        ended = subprocess.run([self.callgate, *line], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False)
        if ended.returncode and not fails:
            raise RuntimeError(f"{' '.join(line[:3])}: {ended.stdout[-3000:]}{ended.stderr[-3000:]}")
        return ended

    def begin(self):
        address = "env:SCHEMA" if self.engine.name != "sqlite" else self.engine.address(None)
        made = self.command("init", "schema", address, "--database", "--here", "--force")
        statements = re.findall(r"(?m)^((?:create|grant|revoke|GRANT|REVOKE) .*);$", made.stdout)
        if self.engine.name != "sqlite":
            self.engine.make_login(statements)
            self.environment["SCHEMA"] = self.engine.address(NAME)
        began = time.monotonic()
        checked = self.command("check", "callgate.yaml", fails=True)
        seconds = time.monotonic() - began
        if checked.returncode:
            said = "\n\n".join(part for part in f"{checked.stdout}{checked.stderr}".split("\n\n") if "error" in part.split("\n")[0])
            raise RuntimeError(f"what init prints is refused: {said[:3000]}")
        file = self.folder / "callgate.yaml"
        limits = "    limits: { rows: 100, row_bytes: 64KiB, result_bytes: 8MiB, timeout: 60s }\n"
        file.write_text(self.configure(re.sub(r"(?m)^    entities:", limits + "    entities:", file.read_text(), count=1)))
        self.serve()
        listed = self.command("tools", "callgate.yaml", "--json")
        return {tool["name"]: tool for tool in tools_of(listed.stdout)}, seconds

    def serve(self):
        """Begins a sidecar: tokens of pages are valid within one process."""
        command = [self.callgate, "serve", "callgate.yaml", "--listen", "127.0.0.1:0"]
        self.sidecar = subprocess.Popen(command, cwd=self.folder, env=self.environment, stderr=subprocess.PIPE, text=True)
        said = ""
        for line in self.sidecar.stderr:
            said += line
            listens = re.search(r"127\.0\.0\.1:(\d+)", line)
            if listens:
                self.address = f"http://127.0.0.1:{listens[1]}/v1/calls"
                threading.Thread(target=self.sidecar.stderr.read, daemon=True).start()
                return
        raise RuntimeError(f"the sidecar does not begin: {said[:2000]}")

    def end(self):
        if self.sidecar:
            self.sidecar.kill()
            self.sidecar.wait()

    def batch(self, calls):
        results = {}
        for at in range(0, len(calls), 50):
            body = json.dumps({"calls": calls[at : at + 50]}).encode()
            request = urllib.request.Request(self.address, body, {"content-type": "application/json"})
            with urllib.request.urlopen(request) as response:
                results |= {result["id"]: result for result in json.load(response)["results"]}
        return results


def illegal_types(at, schema):
    """The places of a schema whose `type` is neither a name of JSON Schema nor a list of such names."""
    if isinstance(schema, list):
        return [fault for item in schema for fault in illegal_types(at, item)]
    if not isinstance(schema, dict):
        return []
    types = schema.get("type", [])
    names = [types] if isinstance(types, str) else types
    # A column may have the name `type`.
    is_legal = isinstance(types, dict) or all(isinstance(name, str) and name in TYPES for name in names)
    faults = [] if is_legal else [f"{at}: no type of JSON Schema: {json.dumps(types)}"]
    return faults + [fault for name, part in schema.items() for fault in illegal_types(f"{at}/{name}", part)]


def tools_of(text):
    listed = json.loads(text)
    return listed["tools"] if isinstance(listed, dict) and "tools" in listed else listed


def orders_of(tool):
    """The orders that the tool takes: each sortable column, both ways."""
    schema = tool.get("input") or tool.get("inputSchema") or tool.get("parameters")
    sort = schema["properties"].get("sort")
    return sort["items"]["enum"] if sort else []


def paged(served, tool, orders):
    """All rows by each order, from pages that are fetched side by side."""
    due = {f"{order} {limit}": {"limit": limit, **({"sort": [order]} if order else {})} for order in orders for limit in PAGES}
    rows, failed = {name: [] for name in due}, []
    while due:
        calls = [{"id": name, "tool": tool, "args": arguments} for name, arguments in due.items()]
        results, further = served.batch(calls), {}
        for name, result in results.items():
            response = result.get("response")
            if response is None:
                failed.append(f"{tool} by {name}: {result['error']['message']}")
                continue
            rows[name] += response["rows"]
            if response["more"] and "next" not in response:
                # A view or a table without a key has a first page alone.
                return None, []
            if response["more"]:
                further[name] = {**due[name], "page": response["next"]}
        due = further
    return rows, failed


def compared(served, tools, name, table):
    """The faults of one table: its count, its pages in every order, and its rows by key."""
    tool, engine, faults = tools[f"schema-{name}-list"], served.engine, []
    quoted = ".".join(engine.quote + part + engine.quote for part in table.split(".", 1))
    if engine.name == "sqlite":
        quoted = engine.quote + table + engine.quote
    counted = int(engine.rows(f"select count(*) from {quoted}")[0][0])
    rows, faults = paged(served, tool["name"], orders_of(tool) or [""])
    if rows is None:
        return counted, None
    get = tools.get(f"schema-{name}-get")
    keys = (get.get("input") or get.get("inputSchema") or get.get("parameters"))["required"] if get else []
    every = {key: sorted(json.dumps(row, sort_keys=True) for row in read) for key, read in rows.items()}
    for key, read in every.items():
        if len(read) != counted:
            faults.append(f"{tool['name']} by {key}: {len(read)} rows of {counted}")
        elif read != next(iter(every.values())):
            faults.append(f"{tool['name']} by {key}: other rows than by another order")
    for order in {key.rsplit(" ", 1)[0] for key in rows}:
        one, other = (rows[f"{order} {limit}"] for limit in PAGES)
        if one != other:
            faults.append(f"{tool['name']} by {order}: pages of {PAGES[0]} and of {PAGES[1]} differ")
        column, direction = order.lstrip("-"), "desc" if order.startswith("-") else "asc"
        if column and one and keys:
            # The order is the engine's own; where nulls stand is ours to choose, all at one end.
            first = "desc" if one[0].get(column) is None else "asc"
            names = ", ".join(engine.quote + key + engine.quote for key in keys)
            own = f"{engine.quote}{column}{engine.quote}"
            read = engine.rows(f"select {names} from {quoted} order by ({own} is null) {first}, {own} {direction}, {names}")
            if [[str(row[key]) for key in keys] for row in one] != read:
                faults.append(f"{tool['name']} by {order}: another order than the engine's own client reads")
        if column and one:
            wanted = engine.rows(f"select count(*) from {quoted} where {engine.quote}{column}{engine.quote} is null")
            nulls = [at for at, row in enumerate(one) if row.get(column) is None]
            if int(wanted[0][0]) != len(nulls) or (nulls and nulls != list(range(nulls[0], nulls[0] + len(nulls)))):
                faults.append(f"{tool['name']} by {order}: nulls are not together ({direction})")
    first = next(iter(rows.values()))[:200]
    if get and first:
        calls = [{"id": str(at), "tool": get["name"], "args": {key: row[key] for key in keys}} for at, row in enumerate(first)]
        for at, result in served.batch(calls).items():
            if result.get("response", {}).get("row") != first[int(at)]:
                faults.append(f"{get['name']} {calls[int(at)]['args']}: {json.dumps(result)[:200]}")
                break
    return counted, faults


def counted_rows(engine, table):
    quoted = engine.quote + table + engine.quote
    if engine.name != "sqlite":
        quoted = ".".join(engine.quote + part + engine.quote for part in table.split(".", 1))
    return int(engine.rows(f"select count(*) from {quoted}")[0][0])


def fill(engine, tables):
    """Gives rows to tables that have none, first with all columns, then with one column beside those with a duty, as a check of "exactly one"
    wants it. Returns those that still have none: views of others, and constraints that nothing meets."""
    for table in tables:
        for only in [None, *range(MOST_TRIES)]:
            if counted_rows(engine, table):
                break
            try:
                engine.fill(table, only)
            except (subprocess.CalledProcessError, sqlite3.Error):
                continue
    return [table for table in tables if counted_rows(engine, table) == 0]


def judge(callgate, engine, file):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        errors = engine.load(file, file.name.split(".")[0])
        served = Served(callgate, engine, folder)
        try:
            tools, seconds = served.begin()
            text = (folder / "callgate.yaml").read_text()
            entities = re.findall(r'(?m)^      ["\']?([^\s"\']+)["\']?:\n        table: ["\']?(.*?)["\']?$', text)
            if not entities:
                entities = re.findall(r'(?m)^      (\S+): \{?\s*table: ["\']?([^,}"\']+)', text)
            n_rows, faults, first_pages = 0, [], []
            for tool in tools.values():
                faults += illegal_types(tool["name"], tool.get("inputSchema"))
            empty = fill(engine, [table for _, table in entities])
            for name, table in entities:
                if f"schema-{name}-list" not in tools:
                    faults.append(f"{table}: not served")
                    continue
                counted, found = compared(served, tools, name, table)
                n_rows += counted
                first_pages += [table] if found is None else []
                faults += found or []
        finally:
            served.end()
            if engine.name != "sqlite" and served.environment["SCHEMA"] == engine.address(NAME):
                engine.forget_login()
            engine.forget()
    print(f"{file.name} on {engine.name}: {len(entities)} tables, {n_rows} rows, {len(faults)} faults; loaded and checked in {seconds:.1f} s")
    if first_pages:
        print(f"  without a key, so that only a first page is served: {', '.join(first_pages)}")
    if empty:
        print(f"  without rows: {', '.join(empty)}")
    if errors:
        print(f"  the client refused {len(errors)} statements: {errors[0]}")
    for fault in faults[:20]:
        print(f"  {fault}")
    return not faults and bool(entities)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True, type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    shared = pathlib.Path(os.environ.get("CALLGATE_SHARED", "../shared"), "corpus", "databases")
    files = options.files or sorted(shared.glob("*.sql"))
    if not files:
        print(f"schemas absent: {shared}")
        return
    is_fine = True
    with tempfile.TemporaryDirectory() as place:
        engines = {"postgres": Postgres(), "mysql": Mariadb(), "sqlite": Sqlite(pathlib.Path(place))}
        for file in files:
            engine = engines[file.name.split(".")[1]]
            if not engine.url or (engine.name != "sqlite" and not shutil.which(engine.command("x")[0] if engine.name == "postgres" else "mariadb")):
                print(f"{file.name}: no server of {engine.name}")
                continue
            try:
                is_fine &= judge(options.callgate.resolve(), engine, file.resolve())
            except (RuntimeError, subprocess.CalledProcessError) as error:
                print(f"{file.name} on {engine.name}: {error} {getattr(error, 'stderr', '') or ''}")
                is_fine = False
    sys.exit(not is_fine)


if __name__ == "__main__":
    main()
