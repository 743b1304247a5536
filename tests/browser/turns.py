"""Turns with agents: shown as they run, whole without a script, and taken once."""

import pathlib
import shutil
import subprocess
import zipfile

import world
from pages import Watched
from world import CANARY


def replay(watched, sidecar, button):
    """Saves the turn of the page as a fixture beside the configuration, and runs it as it is."""
    with watched.page.expect_download() as download:
        watched.page.click(button)
    with zipfile.ZipFile(download.value.path()) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
        archive.extractall(sidecar.folder.name)
    folder = pathlib.Path(download.value.suggested_filename).stem
    watched.look(CANARY not in "".join(files.values()), "a credential is in the fixture")
    watched.look(all(name.startswith(f"{folder}/") for name in files), f"the folder {folder}: {list(files)}")
    ran = subprocess.run([sidecar.callgate, "test", folder], cwd=sidecar.folder.name, capture_output=True, text=True)
    watched.look(ran.returncode == 0 and "1 passed" in ran.stdout + ran.stderr, f"{folder}: {ran.stdout} {ran.stderr}")
    # It is compared: another reply of the model is another turn.
    reply = pathlib.Path(sidecar.folder.name) / folder / "model/02.response.http"
    if reply.exists():
        reply.write_bytes(reply.read_bytes().replace(b"Rex", b"Tom"))
        ran = subprocess.run([sidecar.callgate, "test", folder], cwd=sidecar.folder.name, capture_output=True, text=True)
        watched.look(ran.returncode == 1, f"{folder} with another reply: {ran.stdout} {ran.stderr}")
    shutil.rmtree(pathlib.Path(sidecar.folder.name) / folder)


def turns(browser, sidecar, given, faults):
    watched = Watched(browser, faults)
    page = watched.open(sidecar.console + "/agents")
    world.GO_ON.clear()
    n_asked = len(world.ASKED)
    page.select_option("[name=agent]", "talker")
    page.fill("#words", "Which pet is it?")
    page.click("button.primary")
    watched.wait("document.querySelector('.running .answer')?.textContent === 'It is '")
    shown = page.inner_text(".running")
    watched.look("pets-getPet" in shown and "answered" in shown, f"calls as they run: {shown}")
    watched.check_nothing_ran()
    with page.expect_navigation():
        world.GO_ON.set()
    watched.look("It is Rex." in page.inner_text("section.outcome"), page.inner_text("main")[:300])
    said = page.inner_text(".messages")
    watched.look("Which pet is it?" in said and "pets-getPet" in said and "It is Rex." in said, f"messages in a line each: {said}")
    replay(watched, sidecar, "text=Save as a fixture")
    page.reload()
    watched.look("It is Rex." in page.inner_text("section.outcome"), "a page that is loaded again shows its turn")
    watched.look(len(world.ASKED) == n_asked + 2, f"one turn of two requests: {len(world.ASKED) - n_asked}")
    # One that is stopped is not taken again.
    world.GO_ON.clear()
    page.fill("#words", "And now?")
    page.click("button.primary")
    watched.wait("document.querySelector('.running .answer')?.textContent === 'It is '")
    page.click("text=Stop")
    watched.wait("document.querySelector('.running [role=status]').textContent === 'Stopped.'")
    world.GO_ON.set()
    page.wait_for_timeout(300)
    watched.look(len(world.ASKED) == n_asked + 4, f"a stopped turn was taken again: {len(world.ASKED) - n_asked}")
    watched.check_nothing_ran()
    watched.close()
    # Without a script the page waits for the end.
    watched = Watched(browser, faults, java_script_enabled=False)
    page = watched.open(sidecar.console + "/agents")
    n_asked = len(world.ASKED)
    page.fill("[name=session]", "without-scripts")
    page.fill("#words", "Which pet is it?")
    watched.press("button.primary")
    watched.look("It is Rex." in page.inner_text("section.outcome"), page.inner_text("main")[:300])
    page.reload()
    watched.look(len(world.ASKED) == n_asked + 2, "a page that is loaded again took a turn")
    watched.close()
    approved(browser, sidecar, faults)
    return "a turn as it runs, stopped, loaded again, without a script, as a fixture, and the turn of an approval"


def approved(browser, sidecar, faults):
    """A turn that waits, and the one that a person approves: each is a fixture of its own."""
    watched = Watched(browser, faults)
    page = watched.open(sidecar.console + "/agents")
    page.fill("[name=session]", "approved")
    page.fill("#words", "Delete it.")
    watched.press("button.primary")
    replay(watched, sidecar, "text=Save as a fixture")
    watched.press("button[value=approve]")
    watched.look("It is Rex." in page.inner_text("section.outcome"), page.inner_text("main")[:300])
    replay(watched, sidecar, "text=Save as a fixture")
    watched.close()
