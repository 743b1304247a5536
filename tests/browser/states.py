"""Pages after something was done, which no address alone shows: each can be used by everybody; and a call by the keyboard alone."""

import itertools
import json
import urllib.request

from pages import Watched, axe, picture
from world import AGENT_TOKEN, APPROVER_TOKEN, TOKEN, Sidecar


def states(browser, sidecar, given, faults):
    source = open(given.axe, encoding="utf-8").read()
    looks = [("light", 1280), ("dark", 390)] if given.whole or given.shots else [("light", 1280)]
    n_states = 0
    with Sidecar(given.callgate, access=True) as secured:
        for scheme, width in looks:
            watched = Watched(browser, faults, color_scheme=scheme, viewport={"width": width, "height": 900})
            for name in itertools.chain(without_sign_in(watched, sidecar), with_sign_in(watched, secured)):
                watched.check_nothing_ran()
                axe(watched, source)
                wide = watched.page.evaluate("document.documentElement.scrollWidth - innerWidth")
                watched.look(wide <= 1, f"{name}: {wide} pixels wider than the window at {width}")
                picture(watched.page, given, f"{name}-{scheme}-{width}", is_full=True)
                n_states += 1
            watched.close()
    by_keyboard(browser, sidecar, faults)
    return f"{n_states} states, a call by the keyboard alone"


def without_sign_in(watched, sidecar):
    """Leads to one state after the other, and names each."""
    page, console = watched.page, sidecar.console
    call(sidecar, "hostile-fails", {})
    page.goto(console + "/calls")
    watched.press("tbody tr td:first-child a")
    yield "call-failed"
    page.goto(console + "/tools/files-whole")
    with page.expect_navigation():
        page.set_input_files("input[type=file]", {"name": "a.bin", "mimeType": "image/png", "buffer": bytes(range(256))})
    page.wait_for_selector(".note")
    yield "file-kept"
    page.goto(f"{console}/tools/pets-getPet")
    page.check("input[name=source][value=json]")
    page.fill("[name=json]", '{"petId": ')
    yield "no-json"
    page.goto(f"{console}/tools/pets-getPet?args=7")
    yield "no-arguments"
    kept = urllib.request.Request(f"{sidecar.origin}/v1/results?session=s-1", b"words " * 30_000, {"content-type": "text/plain"})
    handle = json.load(urllib.request.urlopen(kept))["handle"]
    page.goto(f"{console}/results/{handle}?session=s-1&from=65536")
    yield "piece"
    page.goto(f"{console}/tools/pets-deletePet?args=" + json.dumps({"petId": 9}))
    watched.press("button[value=call]")
    watched.press("button[value=confirmed]")
    yield "pending"
    page.goto(console + "/approvals")
    yield "waiting"
    watched.press("button[value=reject] >> nth=0")
    yield "decided"
    page.goto(console + "/agents")
    page.fill("[name=session]", f"states-{page.viewport_size['width']}")
    page.fill("#words", "Delete it.")
    watched.press("button.primary")
    page.wait_for_selector("button[value=approve]")
    yield "turn-waits"
    watched.press("button[value=approve]")
    yield "turn"
    page.goto(console + "/drafts")
    page.fill("[name=url]", "https://api.pets.example/pets/7")
    page.fill("[name=output]", json.dumps({"id": 7}))
    watched.press("button.primary")
    yield "draft"


def with_sign_in(watched, sidecar):
    page, console = watched.page, sidecar.console
    watched.context.clear_cookies()
    page.goto(console)
    yield "sign-in"
    page.fill("#token", "no-token-of-anybody")
    watched.press("text=Sign in >> nth=-1")
    yield "sign-in-refused"
    page.fill("#token", AGENT_TOKEN)
    watched.press("text=Sign in >> nth=-1")
    yield "no-admin"
    page.goto(console + "/calls")
    yield "calls-refused"
    watched.press("text=Sign out")
    page.fill("#token", TOKEN)
    watched.press("text=Sign in >> nth=-1")
    yield "admin"
    # Nobody approves their own call: a turn goes on once somebody else has decided.
    page.goto(console + "/agents")
    page.fill("[name=session]", f"others-{page.viewport_size['width']}")
    page.fill("#words", "Delete it.")
    watched.press("button.primary >> nth=-1")
    page.wait_for_selector("text=Somebody else has to decide")
    yield "turn-of-others"
    watched.press("text=Go on >> nth=-1")
    page.wait_for_selector("text=Somebody else has to decide")
    decide(watched.context.browser, console)
    watched.press("button[value=approve]")
    watched.look("It is Rex." in page.inner_text("section.outcome"), page.inner_text("main")[:300])
    yield "turn-decided"


def decide(browser, console):
    """Somebody else signs in and approves the call that waits."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(180_000)
    page.goto(console)
    page.fill("#token", APPROVER_TOKEN)
    with page.expect_navigation():
        page.click("text=Sign in >> nth=-1")
    page.goto(console + "/approvals")
    page.click("button[value=approve] >> nth=0")
    page.wait_for_selector("text=The call is made when its own caller comes back")
    context.close()


def call(sidecar, tool, arguments):
    body = json.dumps({"calls": [{"id": "1", "tool": tool, "args": arguments}]}).encode()
    urllib.request.urlopen(urllib.request.Request(sidecar.origin + "/v1/calls", body, {"content-type": "application/json"})).read()


def by_keyboard(browser, sidecar, faults):
    """From the list to the result of a call without a mouse: each stop is seen, and none is a trap."""
    watched = Watched(browser, faults)
    page = watched.open(sidecar.console + "?toolset=pets")
    focus(watched, "document.activeElement.textContent === 'pets-getPet'")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    focus(watched, "document.activeElement.name === 'n:/petId'")
    page.keyboard.type("7")
    # Its button is a stop again once the fields are written as JSON.
    watched.wait("!document.querySelector('button[value=call]').disabled")
    focus(watched, "document.activeElement.value === 'call' && !document.activeElement.disabled")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    watched.look("Rex" in page.inner_text("section.outcome"), "a call by the keyboard")
    focus(watched, "document.activeElement.textContent.trim() === 'Whole result'")
    page.keyboard.press("Enter")
    watched.look(page.evaluate("document.activeElement.parentElement.open"), "the keyboard opens what is folded")
    watched.close()


def focus(watched, expression):
    """Presses the key to the next stop until an expression is true. Behind the last one stands the page itself."""
    for _ in range(150):
        watched.page.keyboard.press("Tab")
        outside = watched.page.evaluate(
            "(() => { const box = document.activeElement.getBoundingClientRect(); return document.activeElement !== document.body && (box.width < 2 || box.right < 0 || getComputedStyle(document.activeElement).outlineStyle === 'none'); })()"
        )
        stop = watched.page.evaluate("document.activeElement.outerHTML.slice(0, 120)")
        watched.look(not outside, f"a stop that nobody sees: {stop}")
        if watched.page.evaluate(expression):
            return
        watched.page.wait_for_timeout(5)
    watched.look(False, f"the keyboard never leads to: {expression}")
