"""Compares the text that callgate reads from pages of HTML with that of lxml, over folders of real pages: those of Debian's packages of
documentation, for example. Both leave out what surrounds the content of a page; white space and the signs of Markdown do not count.
A page whose text differs only by another rule of the manual (hidden elements, headers of parts, frames) is counted apart, with the
rule. Usage: pages.py --callgate CALLGATE [--each N] [--floor SHARE] [--show N] FOLDER…"""

import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import lxml.html

AROUND = {"aside", "footer", "header", "nav", "script", "style", "template"}
NO_TEXT = {"iframe", "noembed", "noframes", "textarea"}
SIGNS = re.compile(r"[\s#|-]+")
BATCH = 2000


def words_of(element, attribute):
    return set((element.get(attribute) or "").lower().split())


def is_around(element):
    """What surrounds the content of a page."""
    return element.tag in AROUND or "navigation" in words_of(element, "role") or "headerlink" in words_of(element, "class")


def reason(element):
    """Why the manual leaves an element out beyond that, or keeps it; none if it does neither."""
    style = re.sub(r"\s", "", element.get("style") or "").lower()
    if element.tag in NO_TEXT:
        return element.tag
    is_hidden = element.get("hidden") is not None or (element.get("aria-hidden") or "").lower() == "true"
    if is_hidden or "display:none" in style or "visibility:hidden" in style:
        return "hidden"
    is_of_content = any(above.tag in ("article", "main", "section") for above in element.iterancestors())
    return "header of a part" if element.tag == "header" and is_of_content else None


def text_of(root, reasons=None):
    """The text of a page as lxml reads it; with `reasons`, by the rules of the manual, which go into it."""
    parts = []

    def is_left_out(element):
        why = reason(element) if reasons is not None else None
        if why:
            reasons.add(why)
        return why != "header of a part" and (why is not None or is_around(element))

    def walk(element):
        is_title = element.tag == "title" and element.getparent().tag == "head"
        if isinstance(element.tag, str) and not is_title and not is_left_out(element):
            parts.append(element.text or "")
            if element.tag == "img":
                parts.append(element.get("alt") or "")
            for child in element:
                walk(child)
        parts.append(element.tail or "")

    walk(root)
    return SIGNS.sub("", "".join(parts))


def parsed(file):
    data = file.read_bytes()
    try:
        data.decode("utf-8")
        encoding = None if b"iso-2022" in data[:1024].lower() else "utf-8"
    except UnicodeDecodeError:
        encoding = None
    return lxml.html.document_fromstring(data, parser=lxml.html.HTMLParser(encoding=encoding, huge_tree=True))


def texts_of(callgate, files):
    """The text of each page as the tool that reads shows it; none for one that is refused."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place, "pages")
        folder.mkdir()
        for at, file in enumerate(files):
            shutil.copyfile(file, folder / f"{at}.html")
        documents = {"folder": str(folder), "include": ["**/*.html"]}
        config, batch = pathlib.Path(place, "callgate.json"), pathlib.Path(place, "calls.jsonl")
        toolset = {"documents": documents, "limits": {"result_bytes": "16MiB"}}
        config.write_text(json.dumps({"toolsets": {"pages": toolset}}))
        texts = dict.fromkeys(range(len(files)), "")
        due = dict.fromkeys(texts, 1)
        while due:
            calls = [{"id": str(at), "tool": "pages-read", "args": {"document": f"{at}.html", "from": line}} for at, line in due.items()]
            batch.write_text("".join(json.dumps(call) + "\n" for call in calls))
            command = [callgate, "call", str(config), "--batch", str(batch), "--json"]
            called = subprocess.run(command, capture_output=True, text=True, check=False)
            lines, due = called.stdout.splitlines(), {}
            if not lines:
                sys.exit(called.stderr)
            for result in map(json.loads, lines):
                response, at = result.get("response"), int(result["id"])
                if response is None:
                    texts[at] = None
                    continue
                texts[at] += response["text"] + "\n"
                if response["more"]:
                    due[at] = response["to"] + 1
        return texts


def compare(callgate, files, options):
    """The number of equal pages, the pages that differ by a rule of the manual, and the others with their difference."""
    n_equal, by_rule, other = 0, collections.Counter(), []
    for start in range(0, len(files), BATCH):
        part = files[start : start + BATCH]
        for at, text in texts_of(callgate, part).items():
            try:
                root = parsed(part[at])
            except (lxml.etree.ParserError, UnicodeDecodeError) as error:
                root = None
                print(f"  {part[at]}: lxml reads nothing: {error}")
            own = SIGNS.sub("", text or "")
            reasons = set()
            theirs = text_of(root) if root is not None else ""
            if text is not None and own == theirs:
                n_equal += 1
            elif text is not None and root is not None and own == text_of(root, reasons):
                by_rule[", ".join(sorted(reasons))] += 1
            else:
                theirs = text_of(root, set()) if root is not None else ""
                first = next((at for at, (a, b) in enumerate(zip(own, theirs)) if a != b), min(len(own), len(theirs)))
                near = slice(max(0, first - 30), first + 60)
                other.append((part[at], own[near] if text is not None else "refused", theirs[near]))
    return n_equal, by_rule, other


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--each", type=int, help="pages of each folder at most, evenly over their names")
    parser.add_argument("--floor", type=float, default=0.99)
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    sys.setrecursionlimit(100_000)
    n_pages = n_same = n_ruled = 0
    rest = []
    for folder in options.folders:
        files = [file for file in sorted(folder.rglob("*.htm*")) if file.is_file() and not file.is_symlink()]
        if options.each:
            files = files[:: max(1, len(files) // options.each)][: options.each]
        n_equal, by_rule, other = compare(options.callgate, files, options)
        rules = "".join(f"; {n} but for {names}" for names, n in by_rule.most_common())
        print(f"{folder}: {len(files)} pages, {n_equal} equal{rules}; {len(other)} differ")
        n_pages, n_same, n_ruled = n_pages + len(files), n_same + n_equal, n_ruled + by_rule.total()
        rest += other
    for file, own, theirs in rest[: options.show]:
        print(f"  {file}\n    callgate: {own!r}\n    lxml:     {theirs!r}")
    share = (n_same + n_ruled) / max(n_pages, 1)
    print(f"{n_pages} pages, {n_same} equal, {n_ruled} but for a rule of the manual, {len(rest)} differ: {share:.2%}")
    sys.exit(share < options.floor)


if __name__ == "__main__":
    main()
