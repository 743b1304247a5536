"""Files by handle, and cases: a file that a person chooses is kept by the sidecar, and a call names it by its handle."""

import base64
import json
import pathlib
import shutil
import subprocess
import tempfile

import world
from pages import Watched
from world import ROOT

PICTURE = bytes(range(256)) * 40
FILE = {"name": "<img src=x onerror=hit()>.png", "mimeType": "image/png", "buffer": PICTURE}


def files(browser, sidecar, given, faults):
    watched = Watched(browser, faults)
    page = watched.open(sidecar.console + "/tools/files-parts")
    page.fill('[name="t:/note"]', "a note")
    with page.expect_navigation():
        page.set_input_files('[name="f:/photo/|1"]', FILE)
    arguments = json.loads(page.input_value("[name=json]"))
    photo = arguments["photo"]
    watched.look(photo["handle"].startswith("result:") and photo["filename"] == FILE["name"] and arguments["note"] == "a note", f"kept: {arguments}")
    watched.look(photo["handle"] in page.inner_text(".note"), "the handle is shown")
    watched.press("button[value=call]")
    watched.press("button[value=confirmed]")
    watched.look("taken" in page.inner_text("section.outcome"), page.inner_text("main")[:400])
    watched.look(bool(world.UPLOADS) and PICTURE in world.UPLOADS[-1] and b"a note" in world.UPLOADS[-1], "the bytes were sent")
    # A case holds the bytes, because a handle ends.
    page = watched.open(f"{sidecar.console}/tools/files-parts?args=" + json.dumps(arguments))
    with page.expect_download() as download:
        page.click("text=Save as a fixture")
    case = json.loads(pathlib.Path(download.value.path()).read_text(encoding="utf-8"))
    saved = case["arguments"]["photo"]
    watched.look(case["tool"] == "parts" and base64.b64decode(saved["data"]) == PICTURE and saved["content_type"] == "image/png", f"a case: {case['tool']}")
    watched.check_nothing_ran()
    watched.close()
    # Without a script the file is kept when the form is sent.
    watched = Watched(browser, faults, java_script_enabled=False)
    page = watched.open(sidecar.console + "/tools/files-whole")
    page.set_input_files("input[type=file]", FILE)
    watched.press("button[value=call]")
    watched.press("button[value=confirmed]")
    watched.look(world.UPLOADS[-1] == PICTURE, "the bytes are the body")
    page = watched.open(sidecar.console + "/tools/files-whole")
    page.set_input_files("input[type=file]", {**FILE, "buffer": bytes(2 << 20)})
    watched.press("button[value=upload]")
    watched.look("limits.body_bytes" in page.inner_text("body"), f"a file that is too large: {page.inner_text('body')[:200]}")
    watched.close()
    return "a file in a part, as a body, in a case; one that is too large"


def cases(browser, sidecar, given, faults):
    """A saved call and its session are a case that `callgate test` completes."""
    watched = Watched(browser, faults)
    page = watched.open(sidecar.console + "/tools/pets-listOwnedPets")
    page.click("summary:has-text('Session')")
    watched.press("button[value=session]")
    session = json.loads(page.input_value("[name=session]"))
    watched.look("storeNumber" in session["parameters"] and "locale" in session["payload"], f"the names of its values: {session}")
    session["parameters"] |= {"ownerId": "o-1", "storeNumber": 4}
    page.fill("[name=session]", json.dumps(session | {"credentials": {"user token": "a-typed-credential"}}))
    with tempfile.TemporaryDirectory() as folder:
        case = pathlib.Path(folder) / "pets/cases/saved"
        shutil.copytree(ROOT / "fixtures/pets", case.parents[1])
        shutil.rmtree(case.parent)
        case.mkdir(parents=True)
        for name, button in (("call.json", "text=Save as a fixture"), ("session.json", "text=Save as session.json")):
            with page.expect_download() as download:
                page.click(button)
            download.value.save_as(case / name)
        saved = (case / "session.json").read_text(encoding="utf-8")
        watched.look("env:USER_TOKEN" in saved and "a-typed-credential" not in saved, f"a session names its credentials: {saved}")
        (case / "session.json").write_text(json.dumps(session))
        ran = subprocess.run([sidecar.callgate, "test", case.parents[1], "--update"], capture_output=True, text=True)
        watched.look((case / "request.http").exists(), f"a case that asks its service: {ran.stdout} {ran.stderr}")
    watched.close()
    return "a call and its session"
