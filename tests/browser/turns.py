"""Turns with agents: shown as they run, whole without a script, and taken once."""

import world
from pages import Watched


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
    world.GO_ON.set()
    page.wait_for_selector("section.outcome:not(.running)")
    watched.look("It is Rex." in page.inner_text("section.outcome"), page.inner_text("main")[:300])
    watched.look("callgate chat" in page.inner_text("main") or page.query_selector("text=Record it as a fixture") is not None, "a way to record it")
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
    page.click("button.primary")
    watched.look("It is Rex." in page.inner_text("section.outcome"), page.inner_text("main")[:300])
    page.reload()
    watched.look(len(world.ASKED) == n_asked + 2, "a page that is loaded again took a turn")
    watched.close()
    return "a turn as it runs, stopped, loaded again, without a script"
