"""CIBench prediction files: a JSON object by notebook index, each with the rounds of every step.

A round is {type, args {text, extract_code}, result {text, image_path} or null, thought, state, errmsg, valid}.
Nothing in it is executed; pictures are read only from below the file's own folder.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ContentError, UsageError
from evaluator.families.pictures import PictureFolder
from evaluator.scoring.execution_log import Execution, ExecutionLog, picture_links

MAX_BYTES: Final = 1_000_000_000
INTERPRETER: Final = "IPythonInterpreter"
"""The type of a round in which code was executed; all others are closing answers or faults of format."""
_LISTS: Final = ("gold", "prediction", "origin_prompt", "steps")


@dataclass(frozen=True)
class PredictedStep:
    """What an agent did at one step."""

    log: ExecutionLog
    codes: tuple[str, ...] = ()  # of its executions, as extracted
    rounds: int = 0  # rounds of any type (count)


NO_STEP: Final = PredictedStep(ExecutionLog())


@dataclass(frozen=True)
class Predictions:
    """A prediction file. All text in it is hostile: escape it."""

    path: Path
    notebooks: Mapping[int, tuple[PredictedStep, ...]]  # by index, from 0
    diagnostics: tuple[Diagnostic, ...] = ()
    refused: frozenset[str] = frozenset()  # links that are not followed
    asked: Mapping[int, tuple[str, ...]] = field(default_factory=dict)  # index -> what it says was asked, step by step

    def picture(self, link: str) -> bytes | None:
        """Return the bytes that a link leads to; None where it leads nowhere, or must not be followed."""
        if link in self.refused:
            return None
        try:
            return (self.path.parent / link).read_bytes()
        except (OSError, ValueError):
            return None


def is_predictions(path: Path) -> bool:
    """Return whether a file looks like predictions: one JSON object whose first key is a number."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(200).lstrip(b"\xef\xbb\xbf \t\r\n")
    except OSError:
        return False
    key = head[1:].lstrip()
    return head.startswith(b"{") and key.startswith(b'"') and key[1:].split(b'"', 1)[0].isdigit()


def read_predictions(path: Path) -> Predictions:
    """Read a prediction file; what is wrong with a part of it comes back as diagnostics.

    Raises:
        UsageError: If there is no such file.
        ContentError: If it is too large, or no JSON object by notebook index.
    """
    reader = _Reader(path)
    notebooks: dict[int, tuple[PredictedStep, ...]] = {}
    asked: dict[int, tuple[str, ...]] = {}
    for key, entry in _content(path):
        index = int(key) if key.isascii() and key.isdigit() and len(key) < 7 else -1
        if index < 0 or str(index) != key:
            reader.warn("bad-prediction", f"the key {key[:40]!r} is no index of a notebook", "count from 0")
            continue
        if index in notebooks:
            what = f"notebook {index} is predicted twice; the later prediction counts"
            reader.warn("predicted-twice", what, "keep one of them")
        notebooks[index] = tuple(reader.steps(index, entry))
        prompts = entry.get("origin_prompt") if isinstance(entry, dict) else None
        asked[index] = tuple(map(str, prompts)) if isinstance(prompts, list) else ()
    return Predictions(path, notebooks, (*reader.found, *reader.pictures.diagnostics), reader.pictures.refused, asked)


def _content(path: Path) -> list[tuple[str, Any]]:
    """Return the entries of the object, two of one key both."""
    fix = "name the file with predictions that the harness wrote"
    try:
        if path.exists() and not path.is_file():
            raise UsageError("this is no plain file", where=str(path), fix=fix)
        if path.stat().st_size > MAX_BYTES:
            what = f"the file has more than {MAX_BYTES / 1e9:.0f} GB"
            raise ContentError(what, where=str(path), fix="split it by notebooks")
        content = json.loads(path.read_bytes().decode("utf-8-sig"), object_pairs_hook=_Pairs)
    except FileNotFoundError as error:
        raise UsageError("there is no such file", where=str(path), fix=fix) from error
    except (ValueError, RecursionError) as error:
        what = f"the file is no readable JSON: {str(error)[:200]}"
        raise ContentError(what, where=str(path), fix=fix) from error
    if not isinstance(content, _Pairs) or not content:
        raise ContentError("the file is no JSON object by notebook index", where=str(path), fix=fix)
    return content.pairs


class _Pairs(dict[str, Any]):
    """A JSON object that still knows keys that it has twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs if len(self) < len(pairs) else list(self.items())


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self.found: list[Diagnostic] = []
        self.pictures = PictureFolder(path)

    def warn(self, code: str, what: str, fix: str) -> None:
        self.found.append(Diagnostic(code, Severity.WARNING, self._path, 1, what, fix))

    def steps(self, index: int, entry: object) -> Iterator[PredictedStep]:
        steps = entry.get("steps") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(steps, list):
            what = f"notebook {index} has no list 'steps': all its steps count as not tried"
            self.warn("bad-prediction", what, f"write an object with {', '.join(_LISTS)}")
            return
        for number, rounds in enumerate(steps, start=1):
            yield self._step(f"step {number} of notebook {index}", rounds)

    def _step(self, where: str, rounds: object) -> PredictedStep:
        if not isinstance(rounds, list):
            what = f"{where} is no list of rounds: it counts as not tried"
            self.warn("bad-prediction", what, "write a list, empty where nothing was tried")
            rounds = []
        executions, codes = [], []
        for each in rounds:
            if not isinstance(each, dict) or not isinstance(each.get("type"), str):
                self.warn("bad-round", f"{where} has a round without a type: it is left out", "write its 'type'")
            elif each["type"] == INTERPRETER:
                executions.append(self._execution(where, each))
                codes.append(_code(each))
        return PredictedStep(ExecutionLog(tuple(executions)), tuple(codes), len(rounds))

    def _execution(self, where: str, entry: Mapping[str, Any]) -> Execution:
        result = entry.get("result")
        succeeded = not entry.get("errmsg")
        if not isinstance(result, dict) or not result:
            if result:
                what = f"{where} has a result that is no object: it counts as none"
                self.warn("bad-round", what, "write {text, image_path}, or null")
            return Execution(succeeded)
        text, path = result.get("text"), result.get("image_path")
        if not isinstance(text, str | None) or not isinstance(path, str | None):
            what = f"{where} has a text or image_path that is no text: it is not read"
            self.warn("bad-round", what, "write texts, or null")
        text = text if isinstance(text, str) else ""
        links = picture_links(path if isinstance(path, str) else text if "image_path" not in result else "")
        if isinstance(path, str) and path.strip() and not links:
            what = f"the image_path of {where} holds no link ![fig-001](PATH), so that no picture is found"
            self.warn("picture-link-not-read", what, "write it as the harness does: ![fig-001](PATH)")
        for link in links:
            self.pictures.can_be_read(where, link)
        return Execution(succeeded, text, links)


def _code(entry: Mapping[str, Any]) -> str:
    args = entry.get("args")
    written = args if isinstance(args, dict) else {}
    for key in ("extract_code", "text"):
        if isinstance(written.get(key), str):
            return str(written[key])
    return ""
