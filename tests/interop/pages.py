"""Compares the text that callgate reads from pages of HTML with that of lxml, over folders of real pages: those of Debian's packages of
documentation, for example. The letters have to be equal for nearly all pages; white space and the signs of Markdown do not count.
Usage: pages.py --callgate CALLGATE [--floor SHARE] [--show N] FOLDER…"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import lxml.html

NO_TEXT = {
    "script", "style", "template", "noscript", "svg", "math", "iframe", "noembed", "noframes", "object", "select",
    "textarea", "button", "canvas", "title",
}
ROLES = {"banner", "complementary", "contentinfo", "navigation", "search"}
LARGEST = 100_000
SIGNS = re.compile(r"[\s#|-]+")


def is_left_out(element):
    """What the manual says: scripts, hidden elements, forms, and what surrounds the content of a page."""
    if element.tag in NO_TEXT or element.tag in ("aside", "form", "nav", "search"):
        return True
    if element.tag in ("footer", "header"):
        return not any(above.tag in ("article", "main", "section") for above in element.iterancestors())
    words = lambda name: set((element.get(name) or "").lower().split())
    style = re.sub(r"\s", "", element.get("style") or "").lower()
    return bool(
        words("role") & ROLES
        or "headerlink" in words("class")
        or element.get("hidden") is not None
        or (element.get("aria-hidden") or "").lower() == "true"
        or "display:none" in style
        or "visibility:hidden" in style
    )


def text_of(file):
    """The text of a page as lxml reads it."""
    root = lxml.html.document_fromstring(file.read_bytes(), parser=lxml.html.HTMLParser(encoding="utf-8"))
    parts = []

    def walk(element):
        if isinstance(element.tag, str) and not is_left_out(element):
            parts.append(element.text or "")
            if element.tag == "img":
                parts.append(element.get("alt") or "")
            for child in element:
                walk(child)
        parts.append(element.tail or "")

    sys.setrecursionlimit(100_000)
    walk(root)
    return "".join(parts)


def texts_of(callgate, folder):
    """The text of each page of a folder as the tool that reads shows it. Long pages take many calls, and are left out."""
    with tempfile.TemporaryDirectory() as place:
        documents = {"folder": str(folder), "include": ["**/*.html", "**/*.htm"]}
        config, batch = pathlib.Path(place, "callgate.json"), pathlib.Path(place, "calls.jsonl")
        config.write_text(json.dumps({"toolsets": {"pages": {"documents": documents}}}))
        files = [file for file in sorted(folder.rglob("*.htm*")) if not file.is_symlink() and file.stat().st_size < LARGEST]
        due = {str(file.relative_to(folder)): 1 for file in files}
        texts = dict.fromkeys(due, "")
        while due:
            calls = [{"id": name, "tool": "pages-read", "args": {"document": name, "from": line}} for name, line in due.items()]
            batch.write_text("".join(json.dumps(call) + "\n" for call in calls))
            command = [callgate, "call", str(config), "--batch", str(batch), "--json"]
            called = subprocess.run(command, capture_output=True, text=True, check=False)
            lines, due = called.stdout.splitlines(), {}
            if not lines:
                sys.exit(called.stderr)
            for result in map(json.loads, lines):
                response = result.get("response")
                if response is None:
                    texts.pop(result["id"])
                    continue
                texts[result["id"]] += response["text"] + "\n"
                if response["more"]:
                    due[result["id"]] = response["to"] + 1
    return texts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--floor", type=float, default=0.97)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    failed = False
    for folder in options.folders:
        texts = texts_of(options.callgate, folder)
        other = []
        for name, text in texts.items():
            own, theirs = SIGNS.sub("", text), SIGNS.sub("", text_of(folder / name))
            if own != theirs:
                at = next((at for at, (a, b) in enumerate(zip(own, theirs)) if a != b), min(len(own), len(theirs)))
                other.append((name, own[max(0, at - 30) : at + 60], theirs[max(0, at - 30) : at + 60]))
        share = 1 - len(other) / max(len(texts), 1)
        print(f"{folder}: {len(texts)} pages, {share:.1%} with the letters that lxml reads")
        for name, own, theirs in other[: options.show]:
            print(f"  {name}\n    callgate: {own!r}\n    lxml:     {theirs!r}")
        failed |= share < options.floor or not texts
    sys.exit(failed)


if __name__ == "__main__":
    main()
