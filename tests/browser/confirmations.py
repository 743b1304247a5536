"""What changes something is sent once, and as it was shown: pressed twice, from two tabs, after the way back, after a reload of the
page, of the configuration, and after the end of a sign-in. Each page says what happened."""

import json
import pathlib
import re
import threading
import urllib.error
import urllib.parse
import urllib.request

from pages import Watched
from world import TOKEN, Sidecar, serve

# The requests that the service got, and the moment from which it answers them.
SEEN = []
GO_ON = threading.Event()


def reply(request, _):
    SEEN.append((request.command, request.path))
    GO_ON.wait(300)
    return 200, {"content-type": "application/json"}, '{"done": 12.50}'


def description(path="/orders"):
    body = {"content": {"application/json": {"schema": {"type": "object", "properties": {"text": {"type": "string"}}}}}}
    order = {"operationId": "order", "tags": ["orders"], "requestBody": body, "responses": {"200": {"description": "Done"}}}
    return json.dumps({"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {path: {"post": order}}})


def configuration(origin, access=False):
    toolsets = {
        "shop": {"openapi": "shop.json", "server": origin},
        "asked": {"openapi": "shop.json", "server": origin, "confirm": "writes"},
    }
    ops = {"ops": {"bearer": f"literal:{TOKEN}", "admin": True}}
    return {"listen": "127.0.0.1:0", "toolsets": toolsets} | ({"access": {"principals": ops}} if access else {})


def confirmations(browser, _, given, faults):
    origin = serve(reply)
    with Sidecar(given.callgate, configuration=configuration(origin), files={"shop.json": description()}) as sidecar:
        for has_scripts in (True, False):
            watched = Watched(browser, faults, java_script_enabled=has_scripts)
            pressed_twice(watched, sidecar, has_scripts)
            sent_again(watched, sidecar)
            watched.close()
        watched = Watched(browser, faults)
        from_two_tabs(watched, sidecar)
        decided_twice(watched, sidecar)
        configuration_changed(watched, sidecar)
        watched.close()
    with Sidecar(given.callgate, configuration=configuration(origin, access=True), files={"shop.json": description()}) as sidecar:
        signed_out(browser, sidecar, faults)
    return "twice, two tabs, back, reloads, decisions at once, no sign-in any more"


def confirm_page(watched, sidecar, tool="shop-order"):
    """The page that shows the request of a write, after which nothing was sent."""
    SEEN.clear()
    GO_ON.set()
    page = watched.open(f"{sidecar.console}/tools/{tool}?args=" + json.dumps({"body": {"text": "x"}}))
    watched.press("button.primary[value=call]")
    page.wait_for_selector("form.confirm")
    watched.look(not SEEN, f"sent before it was confirmed: {SEEN}")
    return page


def wait_until_sent(watched):
    """Waits until the service has the request of a button that was just pressed."""
    for _ in range(6000):
        if SEEN:
            return
        watched.page.wait_for_timeout(10)
    watched.look(False, "nothing was sent")


def look(watched, words, n_sent):
    said = watched.page.inner_text("main")
    watched.look(words in said and len(SEEN) == n_sent, f"expected “{words}” and {n_sent} requests, got {SEEN}: {said[:400]}")


def pressed_twice(watched, sidecar, has_scripts):
    page = confirm_page(watched, sidecar)
    GO_ON.clear()
    page.dblclick("button[value=confirmed]", no_wait_after=True)
    wait_until_sent(watched)
    GO_ON.set()
    page.wait_for_selector("section.outcome h2:has-text('Result')")
    page.wait_for_load_state()
    said = page.inner_text("main")
    # Without a script the browser gives the first request up, and the second one cannot know its end.
    words = ["12.50"] if has_scripts else ["12.50", "outcome_unknown", "still_running"]
    watched.look(any(it in said for it in words) and len(SEEN) == 1, f"pressed twice: {SEEN}: {said[:400]}")


def sent_again(watched, sidecar):
    SEEN.clear()
    GO_ON.set()
    address = f"{sidecar.console}/tools/shop-order"
    page = watched.open(f"{address}?args=" + json.dumps({"body": {"text": "x"}}))
    typed = [*fields(page, "form[data-trial]"), ("do", "call")]
    watched.press("button.primary[value=call]")
    page.wait_for_selector("form.confirm")
    watched.press("button[value=confirmed]")
    page.wait_for_selector("section.outcome h2:has-text('Result')")
    look(watched, "12.50", 1)
    page.reload()
    look(watched, "This call was sent before", 1)
    # Who goes back is asked whether the form of the tool should be sent again; it means the call that was made.
    again = post(address, typed)
    key = re.search(r'name="key" value="([0-9a-f]{64})"', again)[1]
    shown = re.search(r'name="shown" value="([0-9a-f]{64})"', again)[1]
    again = post(address, [*typed[:-1], ("source", "form"), ("key", key), ("shown", shown), ("do", "confirmed")])
    watched.look("This call was sent before" in again and len(SEEN) == 1, f"back and again: {SEEN}: {again[-600:]}")
    # Pressing Call is another call.
    watched.press("button.primary[value=call]")
    page.wait_for_selector("form.confirm")
    watched.press("button[value=confirmed]")
    page.wait_for_selector("section.outcome h2:has-text('Result')")
    look(watched, "12.50", 2)


def fields(page, form):
    return [tuple(pair) for pair in page.evaluate("form => [...new FormData(document.querySelector(form))]", form)]


def post(address, pairs):
    try:
        return urllib.request.urlopen(address, urllib.parse.urlencode(pairs).encode()).read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()


def from_two_tabs(watched, sidecar):
    """The form of one page, sent from another tab while the first one waits."""
    page = confirm_page(watched, sidecar)
    pairs = [*fields(page, "form.confirm"), ("do", "confirmed")]
    GO_ON.clear()
    page.click("button[value=confirmed]", no_wait_after=True)
    wait_until_sent(watched)
    other = post(f"{sidecar.console}/tools/shop-order", pairs)
    watched.look("It is not made again" in other and "Show its result" in other, f"another tab meanwhile: {other[:400]}")
    with page.expect_navigation():
        GO_ON.set()
    page.wait_for_selector("section.outcome h2:has-text('Result')")
    look(watched, "12.50", 1)
    other = post(f"{sidecar.console}/tools/shop-order", pairs)
    watched.look("This call was sent before" in other and len(SEEN) == 1, f"another tab afterwards: {other[:400]}")


def decided_twice(watched, sidecar):
    """Approved and rejected at once, and both again."""
    page = confirm_page(watched, sidecar, "asked-order")
    watched.press("button[value=confirmed]")
    page.wait_for_selector("button[value=approve]")
    watched.look(not SEEN, f"sent before it was approved: {SEEN}")
    address = urllib.parse.urljoin(sidecar.console, page.get_attribute("form.actions[action*=approvals]", "action"))
    pairs = fields(page, "form.actions[action*=approvals]")
    GO_ON.clear()
    page.click("button[value=approve]", no_wait_after=True)
    wait_until_sent(watched)
    rejected = post(address, [*pairs, ("decision", "reject")])
    watched.look("class=\"problem\"" in rejected and len(SEEN) == 1, f"rejected while it is made: {rejected[-600:]}")
    with page.expect_navigation():
        GO_ON.set()
    page.wait_for_selector("section.outcome h2:has-text('Decided')")
    look(watched, "12.50", 1)
    for decision in ("approve", "reject", "run"):
        again = post(address, [*pairs, ("decision", decision)])
        watched.look("It was decided before" in again and len(SEEN) == 1, f"{decision} again: {again[-600:]}")


def configuration_changed(watched, sidecar):
    """Another request than the one that was shown is shown again, and not sent."""
    page = confirm_page(watched, sidecar)
    (pathlib.Path(sidecar.folder.name) / "shop.json").write_text(description("/orders2"))
    for _ in range(600):
        with urllib.request.urlopen(f"{sidecar.origin}/v1/tools/shop-order") as answer:
            if json.load(answer)["path"] == "/orders2":
                break
        page.wait_for_timeout(100)
    watched.press("button[value=confirmed]")
    page.wait_for_selector("form.confirm [role=alert]")
    look(watched, "The request is not the one that you saw", 0)
    watched.press("button[value=confirmed]")
    page.wait_for_selector("section.outcome h2:has-text('Result')")
    look(watched, "12.50", 1)
    watched.look(SEEN == [("POST", "/orders2")], f"sent: {SEEN}")


def signed_out(browser, sidecar, faults):
    watched = Watched(browser, faults)
    page = watched.open(sidecar.console)
    page.fill("#token", TOKEN)
    watched.press("text=Sign in >> nth=-1")
    page.wait_for_selector("text=Sign out")
    page = confirm_page(watched, sidecar)
    watched.context.clear_cookies()
    watched.press("button[value=confirmed]")
    page.wait_for_selector("h1:has-text('Nothing was done')")
    look(watched, "Open the page again", 0)
    watched.press("text=Open the page again")
    page.wait_for_selector("#token")
    watched.close()
