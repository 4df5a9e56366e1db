"""The budget of a job for requests of an agent's own client: each stands in the transcript before it is sent."""

import threading
import time
from collections import defaultdict
from typing import Final

from authoring.store import model_calls
from authoring.store.workspace import Workspace
from evaluator.errors import ToolkitError
from evaluator.models import Budget, ModelSettings, Spent, price_of

UNDER_WAY: Final = "it was under way when its process ended: it counts by the most that it may have taken"


class JobBudget(Budget):
    """Shares a job's purse with its clients, and keeps what an agent with a client of its own asks as calls of the job.

    A call is kept before it is sent, by the most that it may take, and afterwards by what it took: a job that is killed
    meanwhile is resumed with no more than is left.
    """

    def __init__(self, ws: Workspace, purse: Budget, settings: ModelSettings, *, job_id: int) -> None:
        """Take the purse.

        Args:
            ws: Whose transcript holds the calls.
            purse: Of the job; clients that keep their calls themselves ask it directly.
            settings: Of the model that is asked.
            job_id: The job.
        """
        super().__init__(purse.budget)
        self._ws = ws
        self._purse = purse
        self._settings = settings
        self._job_id = job_id
        self._price = price_of(settings.model)
        self._pending: defaultdict[Spent, list[tuple[int, float]]] = defaultdict(list)  # id of the call, and its start
        self._changing = threading.Lock()

    @property
    def spent(self) -> Spent:
        """What the job spent so far, whoever asked."""
        return self._purse.spent

    def reserve(self, wanted: Spent) -> Spent:
        """Reserve as the job's purse does, and keep the call before it is sent.

        Raises:
            BudgetSpentError: If that could be more than is left.
            ToolkitError: If the workspace cannot be written; nothing is reserved then.
        """
        aside = self._purse.reserve(wanted)
        try:
            call = model_calls.insert(
                self._ws,
                purpose="run",
                subject=f"job {self._job_id}",
                digest="",  # nothing is answered from it
                model=self._settings.model,
                host=self._settings.host,
                params={},
                messages=[],
                completion_tokens=aside.tokens,
                error=UNDER_WAY,
                job_id=self._job_id,
                cost=self._cost(aside),
                currency=self._price.currency if self._price is not None else "",
            )
        except ToolkitError:
            self._purse.settle(aside, Spent())
            raise
        with self._changing:
            self._pending[aside].append((call, time.monotonic()))
        return aside

    def settle(self, aside: Spent, spent: Spent) -> None:
        """Replace what was put aside by what the call took, here and in the transcript.

        Raises:
            ToolkitError: If the workspace cannot be written: the call then counts there by what was put aside.
        """
        self._purse.settle(aside, spent)
        with self._changing:  # of calls for which the same was put aside any one will do
            call, started = self._pending[aside].pop()
        seconds = round(time.monotonic() - started, 3)
        model_calls.settle(self._ws, call, tokens=spent.tokens, cost=self._cost(spent), seconds=seconds)

    def _cost(self, spent: Spent) -> float | None:
        return spent.cost if self._price is not None else None
