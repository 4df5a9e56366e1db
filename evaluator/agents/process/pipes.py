"""What leads to a process: pipes that threads read to their end, and how the process ended."""

import os
import selectors
import subprocess
import threading
import time
from collections.abc import Callable
from typing import IO, Final

_PART_BYTES: Final = 1 << 20  # more than a pipe holds
_TICK_S: Final = 0.2


class PipeReader:
    """Reads a pipe in a thread of its own, which alone closes it: what is still read must not be closed."""

    def __init__(
        self,
        pipe: IO[bytes],
        take: Callable[[bytes], bool],
        ended: Callable[[Exception | None], None],
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        """Read from now on.

        Args:
            pipe: Its reading end.
            take: Is given what arrives; false: no more is read.
            ended: Is called at the end, whatever ended it, with what `take` raised.
            tick: Is called now and then while nothing arrives.
        """
        self._pipe = pipe
        self._take = take
        self._ended = ended
        self._tick = tick
        self._is_stopping = threading.Event()
        os.set_blocking(pipe.fileno(), False)
        self._thread = threading.Thread(target=self._run, daemon=True, name="agent-pipe")
        self._thread.start()

    def join(self, seconds: float) -> None:
        """Wait so long for the end of the pipe."""
        self._thread.join(seconds)

    def close(self, seconds: float) -> None:
        """Wait so long for the end of the pipe, then stop reading; the thread has ended when this returns."""
        self._thread.join(seconds)
        self._is_stopping.set()
        self._thread.join()

    def _run(self) -> None:
        failure: Exception | None = None
        try:
            self._read()
        except Exception as error:  # noqa: BLE001 - the reader's end must be told, whatever it is
            failure = error
        finally:
            self._ended(failure)
            self._pipe.close()

    def _read(self) -> None:
        """Read until there is no more, or nobody wants it; what has arrived when it is stopped is still taken."""
        with selectors.PollSelector() as selector:
            selector.register(self._pipe, selectors.EVENT_READ)
            while True:
                is_last = self._is_stopping.is_set()
                if selector.select(0.0 if is_last else _TICK_S):
                    part = os.read(self._pipe.fileno(), _PART_BYTES)
                    if not part or not self._take(part):
                        return
                if is_last:
                    return
                self._tick()


def exit_code(process: "subprocess.Popen[bytes]", seconds: float) -> int | None:
    """Return how a process ended, negative for a signal; None if it has not within so many seconds.

    Unlike `Popen.wait` this leaves it a zombie, so that its number, and that of its group, is no other process's yet.
    """
    until, pause_s = time.monotonic() + seconds, 0.001
    while True:
        try:
            ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # it was waited for meanwhile
            return process.poll()
        if ended is not None:
            return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
        if time.monotonic() >= until:
            return None
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, 0.05)
