"""One warm engine per lane, made at the first need and kept until something breaks it."""

import contextlib
from typing import TYPE_CHECKING

from authoring.store.settings import get_setting
from authoring.store.workspace import Workspace
from evaluator.errors import ToolkitError

if TYPE_CHECKING:
    from authoring.checks.dry_run.warm_sessions import WarmSessions
    from evaluator.session import Engine, SandboxChoice

CONSENT_SETTING = "sandbox_consent"  # true: the person agreed to run without a sandbox on this machine


class WarmEngine:
    """Holds the engine that the jobs of a lane share."""

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self._made_for: tuple[SandboxChoice, bool] | None = None
        self._warm_sessions: WarmSessions | None = None

    def get(self, workspace: Workspace, *, trusted: bool = False) -> "Engine":
        """Return the engine, made anew when consent or trust differ from those it was made for.

        Raises:
            ToolkitError: If there is no sandbox and nobody has agreed to go without.
        """
        from evaluator.session import DRAWING, Engine

        wanted = (sandbox_choice(workspace), trusted)
        if self._engine is None or self._made_for != wanted:
            self.drop()
            engine = Engine(sandbox=wanted[0], trusted=trusted, preload=DRAWING)
            self._engine = engine.__enter__()
            self._made_for = wanted
        return self._engine

    @property
    def warm_sessions(self) -> "WarmSessions":
        """Where sessions of the engine wait for the next job on the same problem."""
        from authoring.checks.dry_run.warm_sessions import WarmSessions

        if self._warm_sessions is None:
            self._warm_sessions = WarmSessions()
        return self._warm_sessions

    def rest(self) -> None:
        """Do, between two jobs, what makes the next one quick."""
        if self._warm_sessions is not None:
            try:
                self._warm_sessions.rest()
            except Exception:  # noqa: BLE001 - nobody waits for it: the next job does without
                self._warm_sessions.drop()

    def prepare(self, workspace: Workspace) -> None:
        """Make the engine ahead of the first job; what hinders it is told by the job that needs it."""
        with contextlib.suppress(ToolkitError):
            self.get(workspace)

    def drop(self) -> None:
        """End the engine and the sessions that wait; the next job makes a fresh one."""
        if self._warm_sessions is not None:
            self._warm_sessions.drop()
        engine, self._engine, self._made_for = self._engine, None, None
        if engine is not None:
            with contextlib.suppress(Exception):  # it is being thrown away: how it ends changes nothing
                engine.__exit__(None, None, None)


def sandbox_choice(workspace: Workspace) -> "SandboxChoice":
    """Return no sandbox where the workspace's people agreed to it, else the best one there is."""
    from evaluator.session import SandboxChoice

    return SandboxChoice.NONE if get_setting(workspace, CONSENT_SETTING, False) else SandboxChoice.AUTO
