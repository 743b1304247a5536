"""Opens every page of the console in Chromium, with and without scripts, against the built command and real services: `world.py` makes
them. Each suite is a file; each prints what it did. Any fault ends the process with status 1."""

import argparse
import pathlib
import time

from playwright.sync_api import Error, sync_playwright

import attacks
import beside
import confirmations
import files
import forms
import losses
import pages
import states
import turns
import ways
from world import Sidecar

SUITES = (
    pages.every_page,
    pages.without_scripts,
    states.states,
    pages.actions,
    confirmations.confirmations,
    ways.ways,
    turns.turns,
    files.files,
    files.cases,
    losses.losses,
    pages.hostile_texts,
    pages.large_results,
    pages.long_texts,
    forms.fixtures,
    forms.odd,
)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--callgate", required=True)
    arguments.add_argument("--chromium", required=True)
    arguments.add_argument("--axe", type=pathlib.Path, required=True, help="the file axe.min.js")
    arguments.add_argument("--shots", type=pathlib.Path, help="a folder for a picture of each page")
    arguments.add_argument("--whole", action="store_true", help="every fixture, tools of the corpus, and the bars")
    arguments.add_argument("--only", action="append", help="the name of a suite, which alone is run; may be repeated")
    given = arguments.parse_args()
    faults = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=given.chromium, args=["--no-sandbox"], timeout=180_000)
        with Sidecar(given.callgate) as sidecar:
            for suite in (it for it in SUITES if is_wanted(given, it.__name__)):
                begun, before = time.monotonic(), len(faults)
                try:
                    done = suite(browser, sidecar, given, faults)
                except Error as error:
                    done = "broken off"
                    faults.append(f"{suite.__name__}: {str(error)[:600]}")
                    # A page that stays open would report the end of its sidecar as another fault.
                    close_pages(browser)
                print(f"{suite.__name__}: {done}, {len(faults) - before} faults, {time.monotonic() - begun:.1f} s", flush=True)
                print("\n".join(f"FAULT {fault}" for fault in faults[before:]), end="\n" if len(faults) > before else "", flush=True)
        if is_wanted(given, "attacks"):
            with Sidecar(given.callgate, access=True) as sidecar:
                print(f"attacks: {attacks.run(browser, sidecar, given, faults)}")
        for suite in (forms.corpus, beside.beside, pages.bars) if given.whole else ():
            if is_wanted(given, suite.__name__):
                try:
                    print(f"{suite.__name__}: {suite(browser, given, faults)}", flush=True)
                except Error as error:
                    faults.append(f"{suite.__name__}: {str(error)[:600]}")
        browser.close()
    print("\n".join(f"FAULT {fault}" for fault in faults))
    raise SystemExit(1 if faults else 0)


def close_pages(browser):
    for context in browser.contexts:
        context.close()


def is_wanted(given, name):
    return not given.only or name in given.only


if __name__ == "__main__":
    main()
