"""The web page of the Inspector of MCP: types the arguments of a call into its form, and reads the call that it sends."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "interop"))

import forms
from ports import free_port

LINES = 60
STEP_MILLISECONDS = 60_000
# Ten a second.
ENABLED_LOOKS = 50
SENT_LOOKS = 300


class DriverError(Exception):
    """The page cannot be driven: that says nothing about its forms."""


class Inspector:
    """The Inspector's own server, for one sidecar. It ends with the block."""

    def __init__(self, folder, sidecar):
        self.folder, self.sidecar = folder, sidecar

    def __enter__(self):
        self.home = tempfile.TemporaryDirectory(prefix="inspector-")
        modules = self.folder / "node_modules"
        command = [modules / "node/bin/node", modules / ".bin/mcp-inspector", "--web", "--transport", "http", "--server-url", self.sidecar.origin + "/mcp"]
        settings = {"HOME": self.home.name, "CLIENT_PORT": str(free_port()), "MCP_AUTO_OPEN_ENABLED": "false", "DANGEROUSLY_OMIT_AUTH": "true", "MCP_STORAGE_DIR": self.home.name}
        self.process = subprocess.Popen(command, env={**os.environ, **settings}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if found := re.search(r"^\s+(http://\S+)$", line):
                self.origin = found[1]
                # A pipe that nobody reads stops the server once it is full.
                threading.Thread(target=self.process.stdout.read, daemon=True).start()
                return self
            if len(lines) > LINES:
                break
        self.__exit__()
        raise DriverError("the Inspector names no address: " + "".join(lines)[-400:])

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.home.cleanup()

    def open(self, page):
        """Connects a page, and shows the list of tools."""
        page.set_default_timeout(STEP_MILLISECONDS)
        page.goto(self.origin)
        switch = page.locator("input[role=switch][aria-label^='Connect or disconnect']").first
        switch.wait_for(state="attached")
        # It is on while the page connects, and a press would end that.
        if not switch.is_checked():
            switch.click(force=True)
        # There once the server has answered.
        page.get_by_text("Tools", exact=True).first.click()
        page.calls = []
        page.on("request", lambda request: page.calls.append(request.post_data) if "tools/call" in (request.post_data or "") else None)


def call(page, tool, arguments):
    """Types a call into a page of its own. Returns whether every value has fields, and the arguments that were sent."""
    page.get_by_text(tool, exact=True).first.click()
    button = page.get_by_role("button", name="Execute Tool")
    for part in (button, page.get_by_text("Edit as JSON").first):
        part.wait_for()
    page.wait_for_timeout(400)
    by_fields = type_members(page, page.evaluate_handle(FORM), arguments)
    # The form judges what was typed a moment later.
    if not wait(page, button.is_enabled, ENABLED_LOOKS):
        return False, None
    button.click()
    if not wait(page, lambda: page.calls, SENT_LOOKS):
        raise DriverError("nothing was sent after the button was pressed")
    return by_fields, sent_arguments(page.calls)


def wait(page, is_done, n_looks):
    """Waits until something is done. Returns false if it never is."""
    for _ in range(n_looks):
        if is_done():
            return True
        page.wait_for_timeout(100)
    return False


def sent_arguments(calls):
    """The arguments in what the page sends to its server, wherever the message stands in it."""
    def find(value):
        if isinstance(value, dict):
            if value.get("method") == "tools/call":
                return value["params"].get("arguments")
            value = list(value.values())
        for member in value if isinstance(value, list) else ():
            if (found := find(member)) is not None:
                return found
        return None

    return find(forms.read(calls[0])) if calls else None


# The place of a member in a part of the form: a field with its label, a part of its own, or a list.
FIND = """([part, name]) => {
  const named = (it) => it?.textContent.replace(/ ?\\*$/, "") === name;
  for (const child of part.children) {
    const label = child.querySelector(":scope > label");
    if (named(label)) return { id: label.htmlFor };
    const first = child.firstElementChild;
    const inner = first?.nextElementSibling?.firstElementChild;
    if (first?.tagName === "P" && named(first) && inner) return { part: inner };
    if (child.classList.contains("mantine-InputWrapper-root") && named(first)) return { list: child };
  }
  return {};
}"""
FORM = "() => [...document.querySelectorAll('label')].find(it => it.textContent.includes('Edit as JSON')).closest('.mantine-Group-root').parentElement"


def type_members(page, part, members):
    """Types the members of an object. Returns whether each has fields."""
    # Every member is typed, also after one that has none.
    return all([type_value(page, page.evaluate_handle(FIND, [part, name]), value) for name, value in members.items()])


def type_value(page, place, value):
    """Types one value, as JSON where the page has an editor of JSON for it."""
    has = place.evaluate("it => Object.keys(it)[0]")
    if has == "part":
        return isinstance(value, dict) and type_members(page, place.get_property("part"), value)
    if has == "list":
        return isinstance(value, list) and type_items(page, place.get_property("list").as_element(), value)
    if has is None:
        return False
    name = place.evaluate("it => it.id")
    field = page.locator(f"[id='{name}']")
    if "ace_text-input" in (field.get_attribute("class") or ""):
        page.evaluate("([id, text]) => document.getElementById(id + '-editor').env.editor.setValue(text, 1)", [name, forms.dumps(value)])
        return False
    return type_field(page, field, value)


def type_field(page, field, value):
    if field.get_attribute("type") == "checkbox":
        field.set_checked(value, force=True)
    elif field.get_attribute("aria-haspopup") == "listbox":
        for item in value if isinstance(value, list) else [value]:
            field.click()
            words = item if isinstance(item, str) else json.dumps(item)
            option = page.get_by_role("option", name=words, exact=True)
            if option.count() == 0:
                return False
            option.first.click()
    elif isinstance(value, (dict, list)) or value is None:
        return False
    else:
        field.fill(str(value))
    return True


def type_items(page, frame, items):
    """Types the items of a list, each of which has a part of its own."""
    by_fields = True
    for item in items:
        button = frame.query_selector("button[aria-label^='Add item']")
        if not button:
            return False
        button.click()
        page.wait_for_timeout(200)
        part = frame.query_selector_all("[role=group]")[-1]
        inner = part.query_selector(":scope > div > div:last-child")
        by_fields &= isinstance(item, dict) and type_members(page, inner, item)
    return by_fields


def folder_of(axe):
    """The folder of the Inspector that the suite of clients installs; `None` where it is absent."""
    folder = pathlib.Path(axe).parents[4] / "clients/inspector"
    return folder if (folder / "node_modules/.bin/mcp-inspector").exists() else None
