"""Foreign pages: forms without their token, frames, names that lead here, other origins, cookies that ended."""

import json
import re
import urllib.error
import urllib.parse
import urllib.request

from pages import Watched
from world import AGENT_TOKEN, TOKEN, serve


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


def ask(address, headers, form=None):
    body = urllib.parse.urlencode(form).encode() if form is not None else None
    try:
        answer = OPENER.open(urllib.request.Request(address, body, headers))
    except urllib.error.HTTPError as error:
        answer = error
    return answer.status, answer.headers, answer.read().decode()


def token_of(page):
    return re.search(r'name="csrf" value="([0-9a-f]{64})"', page)[1]


def run(browser, sidecar, given, faults):
    def look(is_fine, words):
        if not is_fine:
            faults.append(f"attacks: {words}")

    console = sidecar.console
    status, headers, page = ask(console, {})
    look(status == 200 and "Sign in" in page and "pets" not in page, "a stranger sees the sign-in alone")
    status, headers, _ = ask(console + "/sign-in", {}, {"csrf": token_of(page), "token": "no-token-of-anybody-0123456"})
    look(status == 303 and "Set-Cookie" not in headers, f"a wrong token: {status} {headers}")
    status, headers, _ = ask(console + "/sign-in", {}, {"csrf": token_of(page), "token": TOKEN})
    cookie = headers["Set-Cookie"].split(";")[0]
    look("HttpOnly" in headers["Set-Cookie"] and TOKEN not in cookie, headers["Set-Cookie"])
    _, _, page = ask(console, {"cookie": cookie})
    look("pets-getPet" in page, "a cookie opens the pages")
    csrf, call = token_of(ask(console + "/tools/pets-getPet", {"cookie": cookie})[2]), console + "/tools/pets-getPet"
    form = {"csrf": csrf, "source": "json", "json": '{"petId": 7}', "do": "call"}
    refused = [
        ("a form without its token", {"cookie": cookie}, {**form, "csrf": ""}, 403),
        ("a form with the token of nobody", {"cookie": cookie}, {**form, "csrf": "0" * 64}, 403),
        ("a form with the token of another cookie", {"cookie": "__Host-callgate=" + "0" * 64}, form, 403),
        ("a form from another origin", {"cookie": cookie, "origin": "https://evil.example"}, form, 403),
        ("a form from a sandboxed frame", {"cookie": cookie, "origin": "null"}, form, 403),
        ("a name that leads here", {"cookie": cookie, "host": "evil.example:8410"}, form, 421),
        ("JSON in place of a form", {"cookie": cookie, "content-type": "application/json"}, form, 415),
    ]
    for words, headers, fields, expected in refused:
        status, _, text = ask(call, headers, fields)
        look(status == expected and "Rex" not in text, f"{words}: {status}")
    look("Rex" in ask(call, {"cookie": cookie}, form)[2], "the form itself is answered")
    status, headers, _ = ask(console, {"cookie": cookie})
    look(headers["X-Frame-Options"] == "DENY" and "frame-ancestors 'none'" in headers["Content-Security-Policy"], "no frames")
    look(ask(sidecar.origin + "/v1/tools", {"cookie": cookie})[0] == 401, "a cookie is for pages alone")
    # Rights are those of the token.
    # A turn as a fixture shows the instructions, which are for operators.
    turn = json.dumps({"session": {"id": "s"}, "input": "Which pet is it?", "record": True}).encode()
    headers = {"authorization": f"Bearer {AGENT_TOKEN}", "content-type": "application/json"}
    try:
        OPENER.open(urllib.request.Request(sidecar.origin + "/v1/agents/keeper/turns", turn, headers))
        look(False, "everybody has turns recorded")
    except urllib.error.HTTPError as error:
        look(error.status == 403, f"a recorded turn of another: {error.status}")
    _, headers, _ = ask(console + "/sign-in", {}, {"csrf": token_of(ask(console, {})[2]), "token": AGENT_TOKEN})
    agent = headers["Set-Cookie"].split(";")[0]
    status, _, text = ask(console + "/calls", {"cookie": agent})
    look(status == 403 and "admin" in text, f"calls for no admin: {status}")
    # In the browser: the cookie holds over plain HTTP on this machine, and a page of another origin sends and frames nothing.
    watched = Watched(browser, faults)
    page = watched.open(console)
    page.fill("#token", TOKEN)
    watched.press("text=Sign in >> nth=-1")
    look("pets-getPet" in page.inner_text("main"), "a browser signs in")
    cookies = [cookie for cookie in watched.context.cookies() if cookie["name"] == "__Host-callgate"]
    look(len(cookies) == 1 and cookies[0]["httpOnly"], "the cookie has its prefix")
    attacker = f"""<iframe id=f src="{console}"></iframe><form id=g method=post action="{call}"><input name=source value=json>
        <input name=json value='{{"petId": 7}}'><input name=do value=call><input name=csrf value="{csrf}"></form>"""
    evil = serve(lambda *_: (200, {"content-type": "text/html"}, attacker))
    other = watched.context.new_page()
    other.goto(evil)
    other.wait_for_timeout(300)
    framed = [frame for frame in other.frames if frame != other.main_frame]
    look(all("pets-getPet" not in (frame.content() or "") for frame in framed), "a page was framed")
    with other.expect_navigation():
        other.evaluate("document.getElementById('g').submit()")
    look("Rex" not in other.content(), "another origin sent a form")
    other.goto(evil)
    read = other.evaluate(f"fetch({json.dumps(console)}, {{credentials: 'include'}}).then(it => it.text()).catch(() => 'refused')")
    look(read == "refused", "another origin read a page")
    watched.press("text=Sign out")
    look("Sign in" in page.inner_text("main"), "signed out")
    stale = f"__Host-callgate={cookies[0]['value']}" if cookies else ""
    look("Sign in" in ask(console, {"cookie": stale})[2], "a cookie that ended opens nothing")
    faults[:] = [fault for fault in faults if "frame-ancestors" not in fault and evil not in fault]
    watched.close()
    return f"{len(refused)} forms, frames, origins, cookies"
