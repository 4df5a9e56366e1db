"""What a run asks and has no result of: refused problemsets, and what a stopped run did not reach."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from evaluator.reporting.finished_run import FinishedRun

_NAMED: Final = 5  # refused problemsets that the text names
_MAX_WHY: Final = 200


@dataclass(frozen=True)
class Uncounted:
    """What is in no rate of a run, because nothing says how it would have ended. Its texts may be hostile."""

    problems: (
        int  # that the run asks, in all epochs, and has no record of; those of sets that do not parse are not known
    )
    refused: Mapping[str, str]  # problemset -> why

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        refused = [{"problemset": name, "why": why} for name, why in self.refused.items()]
        return {"problems": self.problems, "refused": refused}

    def to_text(self) -> str:
        """Return what readers of rates must know; empty where everything was counted."""
        if not self.problems and not self.refused:
            return ""
        parts = []
        if self.problems:
            have = "problem that the run asks has" if self.problems == 1 else "problems that the run asks have"
            parts.append(f"{self.problems} {have} no result and count in no rate.")
        if self.refused:
            named = [f"{name} ({why})" if why else name for name, why in list(self.refused.items())[:_NAMED]]
            more = f"; and {len(self.refused) - _NAMED} more" if len(self.refused) > _NAMED else ""
            parts.append(f"Refused problemsets: {'; '.join(named)}{more}.")
        else:
            parts.append("The same command judges the rest.")
        return " ".join(parts)


def uncounted(run: FinishedRun) -> Uncounted:
    """Return what a run's manifest asks that its records do not tell; nothing for a records file alone."""
    counted = {(record.problemset, record.index, record.epoch) for record in run.attempts}
    epochs = _number(run.manifest.get("epochs")) or 1
    asked = sum(_number(each.get("problems")) for each in _dicts(run.manifest.get("sets"))) * epochs
    refused = {str(each.get("problemset")): _why(each) for each in _dicts(run.manifest.get("refused"))}
    return Uncounted(max(0, asked - len(counted)), refused)


def _why(entry: Mapping[str, Any]) -> str:
    errors = [each for each in _dicts(entry.get("diagnostics")) if each.get("severity") == "error"]
    return str(errors[0].get("what", ""))[:_MAX_WHY] if errors else ""


def _number(written: object) -> int:
    return written if isinstance(written, int) and not isinstance(written, bool) and written > 0 else 0


def _dicts(written: object) -> list[Mapping[str, Any]]:
    return [each for each in written if isinstance(each, dict)] if isinstance(written, list) else []
