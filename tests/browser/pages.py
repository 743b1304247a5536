"""Every page: what it shows, that it works without a script, that nothing in it runs, that it can be used by everybody."""

import json
import time
import urllib.parse
import urllib.request

from world import CANARY, PAYLOADS, Sidecar, processor_time, shared

PATHS = {
    "tools": "",
    "search": "?q=delete+a+pet",
    "tool": "/tools/pets-getPet",
    "write": "/tools/pets-replacePet",
    "hostile": "/tools/hostile-written",
    "queries": "/tools/hostile-values",
    "toolset": "/toolsets/hostile",
    "calls": "/calls",
    "approvals": "/approvals",
    "ask": "/agents",
    "drafts": "/drafts",
    "files": "/tools/files-parts",
    "session": "/tools/pets-listOwnedPets",
    "absent": "/nowhere",
}

# Pages after a button was pressed.
STATES = {
    "result": "/tools/pets-getPet?args=%7B%22petId%22%3A7%7D",
    "refused": "/tools/pets-getPet",
    "asked": "/tools/pets-deletePet?args=%7B%22petId%22%3A7%7D",
    "rows": "/tools/shop-notes-list",
}


class Watched:
    """A page whose faults are kept: refused by the policy, errors of scripts, and payloads that ran."""

    def __init__(self, browser, faults, **options):
        self.context = browser.new_context(**options)
        self.page, self.faults = self.context.new_page(), faults
        self.page.set_default_timeout(180_000)
        self.page.add_init_script("window.hits = 0; window.hit = () => { window.hits++; }")
        self.page.on("pageerror", lambda error: faults.append(f"{self.page.url}: {error}"))
        self.page.on("console", self.note)
        self.page.on("dialog", lambda dialog: faults.append(f"{self.page.url}: a dialog: {dialog.message}"))

    def note(self, message):
        if message.type in ("error", "warning") and "status of 4" not in message.text:
            self.faults.append(f"{self.page.url}: {message.text}")

    def open(self, address, expected=200):
        response = self.page.goto(address)
        self.look(response.status == expected, f"status {response.status}")
        return self.page

    def wait(self, expression):
        """Waits until an expression is true; the policy of the pages allows no other way."""
        for _ in range(600):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(100)
        self.look(False, f"never: {expression}")

    def press(self, selector):
        """Presses what leads to another page, and waits until all of that is there: its parts stand on the page before, too, and in the
        view of a turn that runs, and the browser shows the first of them while it still reads the others and their script."""
        with self.page.expect_navigation():
            self.page.click(selector)

    def look(self, is_fine, words):
        if not is_fine:
            self.faults.append(f"{self.page.url}: {words}")

    def check_nothing_ran(self):
        self.look(self.page.evaluate("window.hits ?? 0") == 0, "a payload ran")
        self.look(CANARY not in self.page.content(), "a credential is in the page")

    def close(self):
        self.context.close()


def axe(watched, source):
    """Runs axe-core past the policy of the page, by the protocol of the browser's tools."""
    session = watched.context.new_cdp_session(watched.page)
    def evaluate(expression):
        answer = session.send("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True})
        return answer["result"].get("value")

    session.send("Page.setBypassCSP", {"enabled": True})
    evaluate(source)
    violations = evaluate("axe.run(document, {resultTypes: ['violations']}).then(it => JSON.stringify(it.violations.map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 160))])))")
    session.send("Page.setBypassCSP", {"enabled": False})
    session.detach()
    for violation in json.loads(violations or '[["axe did not run", []]]'):
        watched.faults.append(f"{watched.page.url}: axe: {violation}")


def every_page(browser, sidecar, given, faults):
    source = open(given.axe, encoding="utf-8").read()
    n_pages = 0
    looks = [("light", 1280), ("dark", 390)] if given.whole or given.shots else [("light", 1280)]
    for scheme, width in looks:
        watched = Watched(browser, faults, color_scheme=scheme, viewport={"width": width, "height": 900})
        for name, path in PATHS.items():
            page = watched.open(sidecar.console + path, 404 if name == "absent" else 200)
            watched.check_nothing_ran()
            # Of the pages of payloads, one is enough: they take long.
            if name != "queries":
                axe(watched, source)
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            watched.look(wide <= 1, f"{wide} pixels wider than the window at {width}")
            picture(page, given, f"{name}-{scheme}-{width}")
            n_pages += 1
        for name, path in STATES.items():
            page = watched.open(sidecar.console + path)
            watched.press("button[value=call]")
            watched.check_nothing_ran()
            axe(watched, source)
            picture(page, given, f"{name}-{scheme}-{width}")
            n_pages += 1
        watched.close()
    return f"{n_pages} pages"


def picture(page, given, name, is_full=False):
    if given.shots:
        given.shots.mkdir(exist_ok=True)
        page.screenshot(path=given.shots / f"{name}.png", full_page=is_full or name.startswith(tuple(STATES)))


def without_scripts(browser, sidecar, given, faults):
    watched = Watched(browser, faults, java_script_enabled=False)
    for path in PATHS.values():
        if path != "/nowhere":
            watched.open(sidecar.console + path)
    page = watched.open(sidecar.console + "/tools/pets-getPet")
    page.fill('[name="n:/petId"]', "7")
    watched.press("button[value=call]")
    watched.look("12.50" in page.inner_text("section.outcome"), "the result keeps its digits")
    page.check("input[name=source][value=json]")
    page.fill("[name=json]", '{"petId": 7, }')
    watched.press("button[value=call]")
    watched.look("Nothing was sent" in page.inner_text("main") and not page.query_selector("section.outcome"), "no JSON is sent")
    watched.look(page.input_value("[name=json]") == '{"petId": 7, }', "what was typed stays")
    page.fill('[name="n:/petId"]', "8")
    page.check("input[name=source][value=form]")
    with page.expect_navigation():
        page.press('[name="n:/petId"]', "Enter")
    watched.look("/pets/8" in page.inner_text("section.outcome") and page.input_value('[name="n:/petId"]') == "8", "Enter makes a dry run of what was typed")
    page.check("input[name=source][value=json]")
    page.fill("[name=json]", '{"petId": 900719925474099301}')
    watched.press("button[value=fill]")
    watched.look(page.input_value('[name="n:/petId"]') == "900719925474099301", "the form is filled from the JSON")
    watched.press(".actions button[value=dry]")
    watched.look("/pets/900719925474099301" in page.inner_text("section.outcome"), "a dry run shows the request")
    # A write shows its request first, and a person decides.
    page = watched.open(sidecar.console + "/tools/pets-deletePet")
    page.fill('[name="n:/petId"]', "9")
    watched.press("button[value=call]")
    watched.look("Nothing was sent yet" in page.inner_text("section.outcome"), "a write shows its request")
    watched.press("button[value=confirmed]")
    watched.press("button[value=approve]")
    watched.look("Decided" in page.inner_text("main") and "answered" in page.inner_text("main"), page.inner_text("main")[:300])
    watched.close()
    return "every page, Try it, an approval"


def actions(browser, sidecar, given, faults):
    """What scripts add, and the ways that lead over several pages."""
    watched = Watched(browser, faults)
    page = watched.open(sidecar.console + "/tools/pets-getPet")
    page.fill('[name="n:/petId"]', "12")
    watched.wait("document.querySelector('[name=json]').value.includes('12')")
    page.fill("[name=json]", "{")
    watched.look(page.is_disabled("button[value=call]"), "invalid JSON disables Call")
    page.fill("[name=json]", '{"petId": 7}')
    watched.look(page.is_checked("input[name=source][value=json]"), "the side that was changed last is sent")
    # A browser that goes back to a page shows it as it was left.
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    page.wait_for_timeout(300)
    watched.look(page.input_value("[name=json]") == '{"petId": 7}', "the text that is sent is not replaced by the form's")
    watched.press("button[value=call]")
    outcome = page.inner_text("section.outcome")
    watched.look("Rex" in outcome and "attempt" in outcome, f"a result with its journal: {outcome[:200]}")
    shown = page.evaluate("document.querySelector(location.hash + ' + section')?.className")
    watched.look(shown == "outcome", f"the page of a call begins at its outcome: {shown}")
    with page.expect_download() as download:
        page.click("text=Save as a fixture")
    saved = json.loads(open(download.value.path(), encoding="utf-8").read())
    watched.look(saved == {"tool": "getPet", "arguments": {"petId": 7}}, f"a fixture: {saved}")
    # Calls appear as they end.
    calls = watched.open(sidecar.console + "/calls")
    watched.wait("document.getElementById('live').textContent.includes('as they end')")
    body = json.dumps({"calls": [{"id": PAYLOADS[0], "tool": "hostile-fails", "args": {}}]}).encode()
    request = urllib.request.Request(sidecar.origin + "/v1/calls", body, {"content-type": "application/json"})
    urllib.request.urlopen(request).read()
    calls.wait_for_selector("tr.fresh")
    watched.press("tr.fresh td:first-child a")
    watched.look("attempt" in calls.inner_text("main") and "Arguments" in calls.inner_text("main"), "a call opened to its journal")
    watched.check_nothing_ran()
    # Words and a tag, which stays with them.
    page = watched.open(sidecar.console + "?tag=owners")
    page.fill("[name=q]", "pet")
    watched.press("button:has-text('Find')")
    page.wait_for_selector("table.ranks")
    ranked = page.inner_text("table.ranks tbody")
    watched.look("pets-listOwnedPets" in ranked and "pets-getPet" not in ranked, f"tools of a tag: {ranked[:300]}")
    watched.press("text=every tag")
    page.wait_for_selector("text=pets-getPet")
    # A turn with an agent, whose write a person approves.
    page = watched.open(sidecar.console + "/agents")
    page.fill("#words", "Delete it.")
    watched.press("text=Ask >> nth=-1")
    watched.look("A call waits" in page.inner_text("main"), page.inner_text("main")[:300])
    watched.press("button[value=approve]")
    watched.look("It is Rex." in page.inner_text("section.outcome"), page.inner_text("main")[:300])
    watched.check_nothing_ran()
    # A description drafted from an example.
    page = watched.open(sidecar.console + "/drafts")
    page.fill("[name=url]", "https://api.pets.example/pets/7?key=" + CANARY)
    page.fill("[name=output]", json.dumps({"id": 7, "name": PAYLOADS[0]}))
    watched.press("button.primary")
    drafted = page.inner_text("section")
    watched.look("/pets/{petId}" in drafted and "apiKey" in drafted and CANARY not in drafted, f"a draft: {drafted[:300]}")
    # By keyboard alone: the first link skips to the content.
    page.keyboard.press("Tab")
    watched.look(page.evaluate("document.activeElement.className") == "skip", "the first stop leads to the content")
    watched.close()
    return "form and JSON in step, fixture, live calls, a turn"


def hostile_texts(browser, sidecar, given, faults):
    """Payloads in descriptions, names, results, headers, findings, documents and rows."""
    watched = Watched(browser, faults)
    tools = ["hostile-values", "hostile-fails", "hostile-text", "shop-notes-list", "handbook-search"]
    for tool in tools:
        page = watched.open(f"{sidecar.console}/tools/{tool}")
        page.check("input[name=source][value=json]")
        page.fill("[name=json]", json.dumps({"query": "holiday"} if tool == "handbook-search" else {}))
        watched.press("button[value=call]")
        watched.look(page.query_selector("section.outcome") is not None, "a result")
        page.wait_for_timeout(100)
        watched.check_nothing_ran()
    for payload in PAYLOADS if given.whole else PAYLOADS[::5]:
        page = watched.page
        for path in (f"?q={urllib.parse.quote(payload)}", f"/tools/{urllib.parse.quote(payload, safe='')}", f"/calls/{urllib.parse.quote(payload, safe='')}"):
            page.goto(sidecar.console + path)
            watched.check_nothing_ran()
    watched.close()
    return f"{len(PAYLOADS)} payloads"


def large_results(browser, sidecar, given, faults):
    """A result of 10 MB: a page shows 64 KiB of it, the rest on demand, and no page stops the browser."""
    watched = Watched(browser, faults)
    watched.page.add_init_script("window.longest = 0; new PerformanceObserver((list) => { for (const it of list.getEntries()) window.longest = Math.max(longest, it.duration); }).observe({ type: 'longtask', buffered: true });")
    whole = json.dumps({"rows": ["x" * 1000] * 10_000})
    taken = longest = 0
    # What the model is shown is cut for one, and whole for the other.
    for tool in ("hostile-large", "wide-large"):
        # Other work of the machine stops a browser now and then; a page that stops it does so each time.
        for _ in range(3):
            task, seconds = read_large_result(watched, sidecar, tool, whole)
            if task < 1000 and seconds < 20:
                break
        longest, taken = max(longest, task), max(taken, seconds)
    watched.look(longest < 1000 and taken < 20, f"the browser stood for {longest:.0f} ms, {taken:.1f} s in all")
    watched.close()
    return f"10 MB in pieces in {taken:.1f} s, the longest task of the browser {longest:.0f} ms"


def read_large_result(watched, sidecar, tool, whole):
    """Calls a tool, turns the pages of its result and downloads it. Returns the milliseconds of the browser's longest task, and the
    seconds of all pages."""
    page = watched.open(f"{sidecar.console}/tools/{tool}")
    begun = time.monotonic()
    watched.press("button[value=call]")
    page.wait_for_selector("section.outcome")
    shown = len(page.content())
    longest = page.evaluate("window.longest")
    watched.press("text=The whole result")
    watched.press("text=Next 64 KiB")
    taken = time.monotonic() - begun
    longest = max(longest, page.evaluate("window.longest"))
    watched.look("bytes 65536 to 131072 of 10" in page.inner_text("main"), page.inner_text("main")[:200])
    watched.look(max(shown, len(page.content())) < 400_000, f"{tool}: {shown} and {len(page.content())} bytes")
    with page.expect_download() as download:
        page.click("text=Download")
    text = open(download.value.path(), encoding="utf-8").read()
    watched.look(json.loads(text) == json.loads(whole) and len(text) >= len(whole), f"{tool}: downloaded {len(text)} bytes")
    return longest, taken


def processor_seconds(sidecar, address):
    """The seconds on a processor that a sidecar takes for a page. Other work on the machine counts on a clock, and not here."""
    begun = processor_time(sidecar)
    urllib.request.urlopen(address).read()
    return (processor_time(sidecar) - begun) / 1e9


def long_texts(browser, sidecar, given, faults):
    """Descriptions whose texts have megabytes: a page reads them once, and shows their beginnings."""
    text = "Lists pets.\n" + "The <b>pets</b> &amp; their owners, <code>x</code>. " * 8_000
    limit = {"name": "limit", "in": "query", "description": text[:300_000], "schema": {"type": "integer"}}
    operation = {"description": text, "parameters": [limit], "responses": {"200": {"description": text[:100_000]}}}
    paths = {f"/pets{number}": {"get": {**operation, "operationId": f"list{number}", "tags": ["a"]}} for number in range(3)}
    description = {"openapi": "3.0.3", "info": {"title": "Long", "version": "1", "description": text}, "servers": [{"url": "https://a.example"}], "paths": paths}
    configuration = {"listen": "127.0.0.1:0", "toolsets": {"long": {"openapi": "long.json"}}}
    slowest = 0
    with Sidecar(given.callgate, configuration=configuration, files={"long.json": json.dumps(description)}) as other:
        watched = Watched(browser, faults)
        for path in ("", "?tag=a", "?q=owners"):
            urllib.request.urlopen(other.console + path).read()
            slowest = max(slowest, min(processor_seconds(other, other.console + path) for _ in range(5)))
        page = watched.open(other.console + "/tools/long-list0")
        watched.look("The first 64 KiB of" in page.inner_text("main") and len(page.content()) < 1_000_000, f"{len(page.content())} bytes")
        watched.close()
    if slowest > 0.5:
        faults.append(f"long texts are read for every page: {slowest:.1f} s")
    return f"texts of {len(text)} bytes, a page after the first in {slowest:.2f} s of processor"


def bars(browser, given, faults):
    """GitHub's description: the first page and a search. The bars in milliseconds are those of `cost.py`, for a release build."""
    corpus = shared()
    if not corpus:
        return "corpus absent"
    description = corpus / "corpus/specs/github/api.github.com.json"
    configuration = {"listen": "127.0.0.1:0", "toolsets": {"github": {"openapi": str(description)}}}
    shown = []
    with Sidecar(given.callgate, configuration=configuration) as sidecar:
        for name, path in (("first page", ""), ("search", "?q=close+an+issue"), ("tool", "/tools/github-issues_create")):
            times = []
            for _ in range(5):
                # Other work on the machine counts on a clock, and not here.
                begun = processor_time(sidecar)
                body = urllib.request.urlopen(sidecar.console + path).read()
                times.append((processor_time(sidecar) - begun) / 1e6)
            shown.append(f"{name} first {times[0]:.0f} ms of processor, then {min(times):.0f} ms, {len(body)} bytes")
            if name == "first page" and len(body) > 120_000:
                faults.append(f"the first page has {len(body)} bytes")
            # Examining all tools takes a debug build two seconds, and was done when the sidecar started.
            if name == "first page" and times[0] > 2000:
                faults.append(f"the first page took {times[0]:.0f} ms the first time")
    return "; ".join(shown)
