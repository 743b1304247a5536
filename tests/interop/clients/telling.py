"""Runs one client in its own environment: reads the address and the calls, prints the names of the tools that were listed and
what the client hands on of each result."""

import asyncio
import json
import sys


def run(tried):
    url, calls = json.loads(sys.argv[1])
    names, results = asyncio.run(tried(url, calls))
    print(json.dumps({"names": names, "results": results}, default=str))
