"""What the chapter "Deploy" prints for a first day: files by the path in their first line, and the commands of a step."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
CHAPTER = (ROOT / "crates/callgate/manual/deploy.md").read_text()
_, DAY = CHAPTER.split("\n## A first day\n")


def file(path):
    """A file as printed, without the comment that names it."""
    [found] = re.findall(rf"```\w+\n# {re.escape(path)}\n(.*?)```", DAY, re.DOTALL)
    return found


def commands(step):
    """The commands below a heading, one a line."""
    [section] = re.findall(rf"\n### {re.escape(step)}\n(.*?)(?=\n### |\n\[|\Z)", DAY, re.DOTALL)
    blocks = re.findall(r"```text\n(?!# /)(.*?)```", section, re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]
