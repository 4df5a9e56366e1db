"""Bad agents, one a row: each is good at two problems, and does its worst at the one between them.

docs/agents.md prints the same table for readers; a test compares the two.
"""

import re
import textwrap
from dataclasses import dataclass
from typing import Final

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


@dataclass(frozen=True)
class BadAgent:
    """What an agent does at the second problem, and what has to come of it."""

    name: str
    does: str  # in words, as the page prints it
    body: str  # its code there
    told: str  # in the run's report: why it failed, or the label; empty: its answer is judged as any other
    verdict: str = "wrong"  # of that problem: wrong, CORRECT or NOT_JUDGED
    comes: str = ""  # what the page says of it beside what is told; of harmless ones that nothing came of it

    @property
    def source(self) -> str:
        """The whole script."""
        return HEAD + textwrap.indent(textwrap.dedent(self.body).strip("\n") + "\n", " " * 12) + TAIL

    @property
    def row(self) -> str:
        """Its row in the table of the page."""
        is_label = re.fullmatch(r"[a-z]+(-[a-z]+)+", self.told) is not None
        comes = "is not judged" if self.verdict == "NOT_JUDGED" else "fails"
        told = f"label `{self.told}`" if is_label else f"{comes}: `{self.told.replace('`', '')}`" if self.told else ""
        return f"| `{self.name}` | {self.does} | {'; '.join(filter(None, [told, self.comes]))} |"


BAD_AGENTS: Final = (
    BadAgent("hangs", "never answers", "time.sleep(600)", "did not answer within 8 s"),
    BadAgent(
        *("ignores-cancel", "ignores the cancel and SIGTERM, and goes on"),
        """
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while True:
            time.sleep(600)
        """,
        "did not answer within 8 s",
    ),
    BadAgent(
        *("answers-late", "answers rightly, after its time", 'time.sleep(10)\nanswer(GOOD["second"])'),
        "the agent was cancelled: it did not answer within 8 s",
    ),
    BadAgent("dies", "dies midway", "os._exit(3)", "its process ended with exit code 3"),
    BadAgent("leaves", "ends as if all were well", "os._exit(0)", "its process ended with exit code 0"),
    BadAgent("kills-itself", "ends by a signal", "os.kill(os.getpid(), 9)", "its process ended"),
    BadAgent(
        *("half-a-line", "writes half a line and dies"),
        """
        sys.stdout.write('{"jsonrpc": "2.0", "id"')
        sys.stdout.flush()
        os._exit(1)
        """,
        "its process ended with exit code 1",
    ),
    BadAgent(
        *("floods-stdout", "writes messages without end"),
        'while True:\n    write({"jsonrpc": "2.0", "method": "progress", "params": {"session_id": session}})',
        "it floods us: more than 1",
    ),
    BadAgent(
        *("never-ends-a-line", "writes for ever without the end of a line"),
        'while True:\n    sys.stdout.write("x" * 1_000_000)',
        "it wrote a line of more than 16 MiB",
    ),
    BadAgent(
        *("floods-stderr", "writes 8 MB on standard error"),
        'for _ in range(800):\n    sys.stderr.write("y" * 9_999 + "\\n")\nanswer(GOOD["second"])',
        *("log-cut", "CORRECT", "the log is cut, the answer judged"),
    ),
    BadAgent(
        *("prints", "prints what is not a message", 'print("thinking ...", flush=True)'),
        "it wrote a line that is not JSON: 'thinking ...'",
    ),
    BadAgent(
        *("invalid-utf-8", "writes bytes that are not UTF-8"),
        'os.write(1, b\'{"id": 1, "result": "\\xff\\xfe"}\\n\')',
        "it wrote a line that is not JSON",
    ),
    BadAgent(
        *("nests-deeply", "writes JSON that is nested a hundred thousand deep"),
        'print("[" * 100_000 + "]" * 100_000, flush=True)',
        "it wrote a line of JSON that is nested more than 200 deep",
    ),
    BadAgent(
        *("answers-twice", "answers wrongly, and then rightly", 'answer("None")\nanswer(GOOD["second"])'),
        *("answered-twice", "wrong", "the first answer counts"),
    ),
    BadAgent(
        *("answers-unasked", "answers a call that nobody made, too"),
        'write({"jsonrpc": "2.0", "id": 10**6, "result": {}})\nanswer(GOOD["second"])',
        *("answered-unasked", "CORRECT", "passed over, and the answer judged"),
    ),
    BadAgent(
        *("another-session", "answers for another session", 'answer(GOOD["second"], session_id="another")'),
        "its answer is one for another session: 'another'",
    ),
    BadAgent(
        *("huge-code", "returns 100 MB of code", 'answer("x" * 100_000_000)'),
        "it wrote a line of more than 16 MiB",
    ),
    BadAgent(
        *("long-code", "returns 2 MB of code", 'answer("#" * 2_000_000)'),
        "`code` of its submission has 2000000 characters, more than 1000000",
    ),
    BadAgent(
        *("lies-of-usage", "claims a usage that cannot be one"),
        'answer(GOOD["second"], usage={"prompt_tokens": -5, "calls": "many", "cost": 1e300})',
        *("usage-unreadable", "CORRECT", "what it claims is left out, the answer judged"),
    ),
    BadAgent(
        *("same-id-twice", "calls us twice with one id"),
        """
        line = json.dumps({"id": 7, "method": "execute", "params": {"session_id": session, "code": "1"}}) + "\\n"
        sys.stdout.write(line + line)
        sys.stdout.flush()
        time.sleep(600)
        """,
        "it called us twice with the id 7",
    ),
    BadAgent(
        *("out-of-turn", "calls us when nothing was asked"),
        """
        call_of_ours = {"id": 8, "method": "execute", "params": {"session_id": session, "code": "1"}}
        sys.stdout.write(
            json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": {"status": "ok", "code": "None"}}) + "\\n"
            + json.dumps({"jsonrpc": "2.0", **call_of_ours}) + "\\n"
        )  # at once: no next call can come between the two
        sys.stdout.flush()
        sys.stdin.readline()
        """,
        *("called-out-of-turn", "wrong", "refused"),
    ),
    BadAgent(
        *("blames-us", "says each time that the fault is ours"),
        'write({"jsonrpc": "2.0", "id": call["id"], "result": {"status": "error", "error": {"kind": "infra", '
        '"message": "our network is down"}}})',
        *("our network is down", "NOT_JUDGED", "asked three times; the run has no rates until it is judged"),
    ),
    BadAgent(
        *("hostile-words", "fails with markup and control characters in its words"),
        'write({"jsonrpc": "2.0", "id": call["id"], "result": {"status": "error", "error": {"kind": "agent", '
        '"message": "\\x1b[2J<script>alert(1)</script> gone"}}})',
        *("gone", "wrong", "shown as text"),
    ),
    BadAgent(
        *("leaves-children", "leaves processes behind"),
        'subprocess.Popen(["sleep", FACTS["child"]], start_new_session=True)\nanswer(GOOD["second"])',
        *("", "CORRECT", "they end with its process"),
    ),
    BadAgent(
        *("fork-bomb", "starts processes without end"),
        """
        for _ in range(3_000):  # bounded, should nobody stop it
            if os.fork() == 0:
                time.sleep(30)
                os._exit(0)
        time.sleep(30)
        """,
        "it started more than 1,000 processes",
    ),
    BadAgent(
        *("exhausts-memory", "fills the memory with several processes"),
        """
        for _ in range(3):  # bounded, should nobody stop it
            if os.fork() == 0:
                held = b"x" * 150_000_000
                time.sleep(30)
                os._exit(0)
        time.sleep(30)
        """,
        "its processes held more than 0.2 GiB of memory",
    ),
    BadAgent(
        *("hides-memory", "fills a file in memory that no process maps"),
        """
        file = os.memfd_create("hidden")
        for _ in range(400):  # bounded, should nobody stop it
            os.write(file, b"x" * 1_000_000)
        time.sleep(30)
        """,
        "its processes held more than 0.2 GiB of memory",
    ),
    BadAgent(
        *("fills-disks", "fills every place that it may write to"),
        """
        def filled(folder):
            with open(os.path.join(folder, "big"), "wb") as file:
                os.posix_fallocate(file.fileno(), 0, 4 * 1024**3)
        attempts(*(lambda place=place: filled(place) for place in ("/tmp", "/dev/shm", "/dev", "/", ".")))
        """,
        *("", "wrong", "2 GiB in its `/tmp` and 1 GiB in `/dev/shm`, both gone with it"),
    ),
    BadAgent(
        *("reads-answers", "looks for the benchmark, other runs, our variables and other processes"),
        """
        def seen(path):
            return os.path.exists(path) and (os.path.isfile(path) or bool(os.listdir(path)))
        def in_others(kind, text):
            found = []
            for each in os.listdir("/proc"):
                with contextlib.suppress(OSError), open(f"/proc/{each}/{kind}", "rb") as file:
                    found.append(file.read())
            return text.encode() in b"".join(found)
        def walked():  # where it is known to be first, and no further than the first find: /tmp may be vast
            places = (os.path.dirname(FACTS["paths"][0]), ".", "/tmp", "/root", "/home")
            return any({"records.jsonl", "_manifest.yaml", "secret.txt"} & set(names)
                       for folder in places for _, _, names in os.walk(folder))
        tries = [lambda path=path: seen(path) for path in FACTS["paths"]]
        attempts(*tries, lambda: in_others("environ", FACTS["variable"]),
                 lambda: in_others("cmdline", FACTS["neighbour"]), walked, lambda: FACTS["variable"] in os.environ)
        """,
        *("", "wrong", "they are not in sight"),
    ),
    BadAgent(
        *("opens-sockets", "connects to servers of this machine"),
        """
        def connected(kind, place):
            with socket.socket(kind) as client:
                client.settimeout(2)
                client.connect(place)
        attempts(lambda: connected(socket.AF_INET, ("127.0.0.1", FACTS["port"])),
                 lambda: connected(socket.AF_UNIX, "\\0" + FACTS["abstract"]),
                 lambda: connected(socket.AF_UNIX, FACTS["socket"]))
        """,
        *("", "wrong", "its network is its own loopback"),
    ),
    BadAgent(
        *("tampers-with-exchange", "puts links, pipes and files among the pictures that we write for it"),
        """
        place = told["exchange_dir"]
        attempts(lambda: os.symlink("/etc/passwd", os.path.join(place, "a.png")),
                 lambda: os.mkfifo(os.path.join(place, "b.png")),
                 lambda: open(os.path.join(place, "c.png"), "w"),
                 lambda: os.rename(place, place + "-moved"),
                 lambda: os.rmdir(place))
        """,
        *("", "wrong", "it may read there, and no more"),
    ),
    BadAgent(
        *("changes-its-script", "writes to its own script and folder midway"),
        """
        attempts(lambda: open(__file__, "a").write("GOOD = {}"), lambda: open("new.py", "w"),
                 lambda: os.chmod(__file__, 0o600), lambda: os.rename(__file__, "old.py"), lambda: os.remove("old.py"))
        """,
        *("", "wrong", "its folder is read-only"),
    ),
)
