"""Swagger UI and the Inspector of MCP beside the console: for tools of other people's descriptions, whether the fields of each can say
a valid call, and whether what is then sent is what the command sends. A member that has no field is typed as JSON."""

import json
import urllib.parse
import urllib.request

import yaml
from playwright.sync_api import Error

import forms
import inspector
import world
from world import Sidecar, shared

DESCRIPTIONS = ["petstore/petstore3.yaml", "qdrant/openapi.json", "adyen/CapitalService-v1.yaml", "notion/notion-openapi.json", "twilio/twilio_messaging_v1.json"]
EACH = 7
# Prime, so that every tool comes once.
STEP = 7919
PAGE = """<!doctype html><meta charset=utf-8><div id=ui></div><script src=/swagger-ui-bundle.js></script><script>
window.sent = null;
SwaggerUIBundle({ url: '/description.json', dom_id: '#ui', docExpansion: 'full', tryItOutEnabled: true, validatorUrl: null, deepLinking: false,
  requestInterceptor: (it) => { if (it.loadSpec) return it; window.sent = {url: it.url, method: it.method, body: it.body}; it.url = '/nothing'; it.method = 'GET'; delete it.body; return it; } });
</script>"""


def beside(browser, given, faults):
    folder, assets = shared(), given.axe.parents[1] / "swagger-ui-dist/swagger-ui-bundle.js"
    if not folder or not assets.exists():
        return "corpus or Swagger UI absent"
    inspector_folder = inspector.folder_of(given.axe)
    counted = {name: {"tools": 0, "fields": 0, "same": 0} for name in ("the console", "Swagger UI", "the Inspector")}
    notes, undriven = [], []

    def count(name, tool, by_fields, is_same):
        counted[name]["tools"] += 1
        counted[name]["fields"] += by_fields and is_same
        counted[name]["same"] += is_same
        if not is_same:
            notes.append(f"{name}: {tool['name']}")

    for file in DESCRIPTIONS:
        description = folder / "corpus/specs" / file
        toolset = {"openapi": str(description), "server": "https://api.example.com"}
        with Sidecar(given.callgate, configuration={"listen": "127.0.0.1:0", "toolsets": {"it": toolset}}) as sidecar:
            with urllib.request.urlopen(sidecar.origin + "/v1/tools?limit=1000") as answer:
                tools = json.load(answer)["tools"]
            tools = [tool for tool in tools if tool["inputSchema"].get("properties")]
            chosen = []
            for at in range(len(tools)):
                # Spread over the description.
                details = details_of(sidecar, tools[at * STEP % len(tools)]["name"])
                arguments = plain(forms.generated(details["inputSchema"], details["inputSchema"], 0))
                if "content_type" in arguments:
                    continue  # A body that is no JSON: Swagger UI takes its text.
                wanted = forms.request_of(sidecar.callgate, sidecar.folder.name, details["name"], arguments)
                if wanted.get("url"):
                    chosen.append((details, arguments, wanted))
                if len(chosen) == EACH:
                    break
            page = browser.new_page()
            page.set_default_timeout(60_000)
            page.goto(serve_ui(description, [tool for tool, *_ in chosen], assets))
            page.wait_for_selector(".opblock")
            for tool, arguments, wanted in chosen:
                watched = forms.Watched(browser, faults)
                typed, done = forms.type_into(watched, sidecar.console, tool["name"], tool["inputSchema"], arguments)
                written, shown = (None, None) if done["lost"] else forms.shown_request(typed, sidecar, tool["name"])
                watched.close()
                count("the console", tool, not done["lost"] and not done["nJson"], written == arguments and shown == wanted)
                by_fields, sent = swagger(page, tool, arguments)
                count("Swagger UI", tool, by_fields, same(sent, wanted))
            page.close()
        # Where no tool of a description could be driven, those of the next ones take as long.
        if undriven and not counted["the Inspector"]["tools"]:
            undriven.extend(f"{tool['name']}: not tried" for tool, *_ in chosen)
        elif inspector_folder:
            inspect(given, browser, inspector_folder, toolset, chosen, count, undriven)
    if not inspector_folder:
        del counted["the Inspector"]
        notes.append("the Inspector is absent: tests/interop/clients/run installs it")
    shown = "; ".join(f"{name} {it['fields']} by fields alone, {it['same']} with JSON as text, of {it['tools']}" for name, it in counted.items())
    unknown = f"; the Inspector could not be driven, and is not judged, for {len(undriven)}: {undriven}" if undriven else ""
    return f"the same call as by the command: {shown}; not for {notes}{unknown}"


def inspect(given, browser, folder, toolset, chosen, count, undriven):
    """The same calls in the page of the Inspector. A sidecar of their tools alone lists them all. A page that cannot be driven is told, and
    not counted."""
    tools = {**toolset, "tools": {"include": [tool["name"].removeprefix("it-") for tool, *_ in chosen]}}
    configuration = {"listen": "127.0.0.1:0", "mcp": {"mode": "direct"}, "toolsets": {"it": tools}}
    with Sidecar(given.callgate, configuration=configuration) as sidecar:
        try:
            with inspector.Inspector(folder, sidecar) as server:
                for tool, arguments, _ in chosen:
                    (by_fields, sent), fault = drive_inspector(browser, server, tool["name"], arguments)
                    if fault:
                        undriven.append(f"{tool['name']}: {fault}")
                    else:
                        count("the Inspector", tool, by_fields, sent == arguments)
        except inspector.DriverError as error:
            undriven.extend(f"{tool['name']}: {error}" for tool, *_ in chosen)


def drive_inspector(browser, server, tool, arguments):
    """Makes a call in a page of its own, once more if the first page cannot be driven. Returns what came of it, or the fault of both."""
    fault = ""
    for _ in range(2):
        page = browser.new_page(viewport={"width": 1500, "height": 1400})
        try:
            server.open(page)
            return inspector.call(page, tool, arguments), ""
        except (Error, inspector.DriverError) as error:
            fault = str(error)[:200]
            print(f"the Inspector: {tool}: {fault}", flush=True)
        finally:
            page.close()
    return (False, None), fault


def plain(value):
    """A value without what only some fields keep: large numbers and line breaks. `forms.py` has those."""
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, forms.Digits):
        return forms.Digits("42") if value.isdigit() else forms.Digits("12.5")
    return "a text" if value == forms.TEXT else value


def details_of(sidecar, name):
    with urllib.request.urlopen(f"{sidecar.origin}/v1/tools/{name}") as answer:
        return json.load(answer)


def serve_ui(description, tools, assets):
    """Swagger UI with the operations of some tools."""
    whole = yaml.load(description.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    chosen = {(tool["path"], tool["method"].lower()) for tool in tools}
    methods = {"get", "put", "post", "delete", "patch", "head", "options", "trace"}
    paths = {}
    for path, item in whole["paths"].items():
        kept = {name: value for name, value in item.items() if name not in methods or (path, name) in chosen}
        if methods & set(kept):
            paths[path] = kept
    text = json.dumps({**whole, "paths": paths, "servers": [{"url": "https://api.example.com"}]}, default=str)
    files = {
        "/": ("text/html", PAGE),
        "/swagger-ui-bundle.js": ("text/javascript", assets.read_text(encoding="utf-8")),
        "/description.json": ("application/json", text),
    }
    return world.serve(lambda request, _: (200, {"content-type": files[request.path][0]}, files[request.path][1]) if request.path in files else (204, {}, ""))


def swagger(page, details, arguments):
    """Types a call into an operation. Returns whether every value has fields, and the request."""
    block = page.locator(".opblock", has=page.locator(f"[data-path=\"{details['path']}\"]")).and_(page.locator(f".opblock-{details['method'].lower()}")).first
    by_fields, body = True, {}
    for name, value in arguments.items():
        place = next((it for it in details["inputs"] if it["argument"] == name), {"in": "body", "name": name})
        if place["in"] == "body":
            whole = place["name"] == ""
            body = value if whole else {**body, place["name"]: value}
            continue
        row = block.locator(f"tr[data-param-name=\"{place['name']}\"][data-param-in={place['in']}]").first
        by_fields &= type_parameter(row, value)
    if body != {}:
        by_fields &= type_body(block, body)
    page.evaluate("window.sent = null")
    block.locator("button.execute").first.click()
    # A form that is not complete sends nothing.
    for _ in range(50):
        if page.evaluate("window.sent"):
            break
        page.wait_for_timeout(100)
    return by_fields, page.evaluate("window.sent")


def type_parameter(row, value):
    """Types the value of a parameter into its fields, or as JSON where it has none."""
    if row.count() == 0 or row.locator("input[type=file]").count():
        return False
    select, inputs, area = row.locator("select"), row.locator("input[type=text]"), row.locator("textarea")
    if isinstance(value, list) and area.count() == 0 and select.count() == 0:
        for item in value:
            row.locator("button.json-schema-form-item-add").first.click()
            row.locator("input[type=text]").last.fill(str(item))
        return not any(isinstance(item, (dict, list)) for item in value)
    if select.count():
        words = [str(it) for it in value] if isinstance(value, list) else json.dumps(value) if isinstance(value, bool) else str(value)
        select.first.select_option(words)
        return True
    if area.count():
        area.first.fill(forms.dumps(value) if isinstance(value, (dict, list)) else str(value))
        return not isinstance(value, (dict, list))
    inputs.first.fill(json.dumps(value) if isinstance(value, bool) else str(value))
    return True


def type_body(block, body):
    """Types a body: a form has a row for each member, everything else is one text."""
    area = block.locator("textarea.body-param__text")
    if area.count():
        area.first.fill(forms.dumps(body))
        return False
    by_fields = True
    for name, value in body.items() if isinstance(body, dict) else ():
        by_fields &= type_parameter(block.locator(f".opblock-section-request-body tr[data-property-name=\"{name}\"]").first, value)
    return by_fields


def same(sent, wanted):
    if not sent or not wanted.get("url"):
        return False
    if urllib.parse.unquote_plus(sent["url"]) != urllib.parse.unquote_plus(wanted["url"]):
        return False
    body = sent.get("body")
    try:
        body = forms.read(body) if isinstance(body, str) else body
    except ValueError:
        pass
    return body == wanted.get("body")
