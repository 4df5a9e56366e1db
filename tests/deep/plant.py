"""Plants small faults in a copy of the product, one at a time, and tells which of them the tests catch.

What was tried on the same commit is not tried again. Exits with 1 if more than three faults are missed.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, NamedTuple

import yaml

HERE: Final = Path(__file__).resolve().parent
MAX_MISSED: Final = 3
LIMIT_S: Final = 1800.0  # of one run of pytest; a fault by which it does not end until then is caught
_NO_FAILURE: Final = (0, 5)  # exit codes of pytest: all pass; nothing was collected
_FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", re.MULTILINE)
_PLACES: Final = "import evaluator.scoring, authoring.store as s; print(evaluator.scoring.__file__); print(s.__file__)"


class Fault(NamedTuple):
    """One edit of product code, and where tests of what it breaks are looked for."""

    id: str
    file: str
    old: str  # stands once in the file
    new: str
    why: str  # what a user would meet
    tests: Sequence[str]  # paths below tests/, tried in order; those that do not exist are skipped


@dataclass(frozen=True)
class Trial:
    """What came of one fault."""

    id: str
    caught: bool
    by: str  # id of the failing test, or how pytest ended; empty: nothing failed
    seconds: float
    head: str  # commit that was copied


class Copy:
    """A clone of a checkout's commit, in which faults are planted."""

    def __init__(self, root: Path) -> None:
        self.root, self._planted = root, 0
        self._env = {**os.environ, "PYTHONPATH": str(root)}
        said = subprocess.check_output([sys.executable, "-c", _PLACES], cwd=root.parent, env=self._env, text=True)
        if any(not Path(place).resolve().is_relative_to(root) for place in said.split()):
            raise SystemExit(f"the copy is not what is imported: {said}")

    @contextmanager
    def planted(self, fault: Fault) -> Iterator[None]:
        """Apply an edit, and take it back; each text has a time of its own, by which old bytecode is refused."""
        path = self.root / fault.file
        text, times = path.read_bytes(), path.stat()
        self._planted += 1
        path.write_bytes(text.replace(fault.old.encode(), fault.new.encode()))
        os.utime(path, (times.st_atime, times.st_mtime + 10 * self._planted))
        try:
            yield
        finally:
            path.write_bytes(text)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def run(self, test: str) -> tuple[int, str]:
        """Run tests up to the first failure; return how pytest ended (-9: it was killed) and what failed."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-rfE", "-n", "0"]
        command += ["-p", "no:randomly", "--hypothesis-seed=0", test]
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as out:
            run = subprocess.Popen(command, cwd=self.root, env=self._env, stdout=out, stderr=out, process_group=0)
            try:
                code = run.wait(LIMIT_S)
            except BaseException as error:
                os.killpg(run.pid, signal.SIGKILL)
                code = run.wait()
                if not isinstance(error, subprocess.TimeoutExpired):
                    raise
            out.seek(0)
            failed = _FAILED.search(out.read())
        return code, failed[1] if failed else ""


def try_fault(copy: Copy, fault: Fault, head: str) -> Trial:
    """Run the tests of a fault until one fails that passes without it."""
    started, by, is_caught = time.monotonic(), "", False
    for test in (f"tests/{each}" for each in fault.tests if (copy.root / "tests" / each).exists()):
        with copy.planted(fault):
            code, failed = copy.run(test)
        if code in _NO_FAILURE:
            continue
        is_caught = copy.run(failed or test)[0] in _NO_FAILURE
        how = "" if code == 1 else f"exit code {code} in {test}"
        by = ": ".join(part for part in ("" if is_caught else "flaky", how, failed) if part)
        if is_caught:
            break
    return Trial(fault.id, is_caught, by, round(time.monotonic() - started, 1), head)


def read_faults(path: Path, root: Path) -> list[Fault]:
    """Read the list; every text that is replaced must stand once in its file."""
    faults = [Fault(**row) for row in yaml.safe_load(path.read_text(encoding="utf-8"))]
    counts = {fault.id: (root / fault.file).read_text(encoding="utf-8").count(fault.old) for fault in faults}
    if set(counts.values()) != {1} or len(counts) != len(faults):
        raise SystemExit(f"an id stands twice, or edits do not fit: {[name for name, n in counts.items() if n != 1]}")
    return faults


def main() -> int:
    """Try the faults and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="ids, separated by commas")
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="a checkout; what is not committed is left out")
    parser.add_argument("--results", type=Path, default=HERE / "results.jsonl")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the copy is removed then, too
    head = subprocess.check_output(["git", "-C", str(options.root), "rev-parse", "HEAD"], text=True).strip()
    known = options.results.read_text(encoding="utf-8").splitlines() if options.results.is_file() else []
    trials = {trial.id: trial for trial in (Trial(**json.loads(line)) for line in known) if trial.head == head}
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        root = Path(folder).resolve() / "checkout"
        subprocess.run(["git", "clone", "-q", "--local", str(options.root), str(root)], check=True)
        copy, faults = Copy(root), read_faults(HERE / "faults.yaml", root)
        wanted = options.only.split(",") if options.only else [fault.id for fault in faults]
        for fault in (each for each in faults if each.id in wanted and each.id not in trials):
            trials[fault.id] = try_fault(copy, fault, head)
            with options.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(trials[fault.id])) + "\n")
    tried = [(fault, trials[fault.id]) for fault in faults if fault.id in trials]
    for fault, trial in tried:
        print(f"{fault.id}  {'caught' if trial.caught else 'MISSED'} {trial.seconds:7.1f} s  {fault.file}  {trial.by}")
    missed = [fault for fault, trial in tried if not trial.caught]
    print(f"{len(missed)} of {len(tried)} missed", *(f"{each.id}: {each.why}" for each in missed), sep="\n")
    return int(len(missed) > MAX_MISSED)


if __name__ == "__main__":
    sys.exit(main())
