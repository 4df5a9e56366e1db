"""Bad agents, one a row: each is good at two problems, and does its worst at the one between them.

docs/agents.md prints the same table for readers; a test compares the two.
"""

import re
import textwrap
from pathlib import Path
from typing import Final, NamedTuple

import yaml

TIMEOUT_S: Final = 8.0
"""What one answer of a bad agent may take."""
MARKER: Final = "BENCHWRIGHT_BAD_AGENT"
"""In the environment of what a bad agent starts, so that a test finds what is left of it."""

HEAD: Final = """\
import contextlib, json, os, signal, socket, subprocess, sys, time

FACTS = json.load(open("facts.json"))
GOOD = {"first": "x + 1", "second": "x + 2", "third": "x + 3"}
calls, told = 0, {}


def write(message):
    sys.stdout.write(json.dumps(message) + "\\n")
    sys.stdout.flush()


def answer(code, **more):
    write({"jsonrpc": "2.0", "id": call["id"], "result": {"status": "ok", "code": code, **more}})


def ask(method, number, **params):
    write({"jsonrpc": "2.0", "id": number, "method": method, "params": {"session_id": session, **params}})


def attempts(*tries):
    '''Answer with the numbers of those tries that no error stopped: none, if all is well.'''
    done = []
    for number, each in enumerate(tries):
        with contextlib.suppress(Exception):
            if each() is not False:
                done.append(number)
    answer(f"worked = {done}")


for line in sys.stdin:
    call = json.loads(line)
    method, params = call.get("method"), call.get("params", {})
    if method == "initialize":
        told = params
        card = {"name": "bad", "version": "1"}
        write({"jsonrpc": "2.0", "id": call["id"], "result": {"protocol": 1, "agent": card}})
    elif method in ("solve", "retry"):
        session, word = params["session_id"], params["query"].split()[1]
        if word == "second":
            pass
"""
TAIL: Final = """\
        else:
            answer(GOOD[word])
    elif "id" in call:
        write({"jsonrpc": "2.0", "id": call["id"], "result": {}})
"""


class BadAgent(NamedTuple):
    name: str
    does: str  # in words, as the page prints it
    body: str  # its code there
    told: str = ""  # in the run's report: why it failed, or the label; empty: its answer is judged as any other
    verdict: str = "wrong"  # of that problem: wrong, CORRECT or NOT_JUDGED
    comes: str = ""  # what the page says of it beside what is told; of harmless ones that nothing came of it

    @property
    def source(self) -> str:
        return HEAD + textwrap.indent(self.body, " " * 12) + TAIL

    @property
    def row(self) -> str:
        is_label = re.fullmatch(r"[a-z]+(-[a-z]+)+", self.told) is not None
        comes = "is not judged" if self.verdict == "NOT_JUDGED" else "fails"
        told = f"label `{self.told}`" if is_label else f"{comes}: `{self.told.replace('`', '')}`" if self.told else ""
        return f"| `{self.name}` | {self.does} | {'; '.join(filter(None, [told, self.comes]))} |"


TABLE: Final = Path(__file__).with_name("bad_agents.yaml")
BAD_AGENTS: Final = tuple(BadAgent(**row) for row in yaml.safe_load(TABLE.read_text(encoding="utf-8")))
