"""The loop of a process that answers one frame with another: comparators and graders."""

import gc
import json
import os
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any

from evaluator.inside.runtime.frames import FrameError, FrameKind, Packet, read_frame, write_frame

Answering = Callable[[Packet], tuple[FrameKind, dict[str, Any]]]


def answer_frames(answer: Answering, *, verb: str, arguments: Sequence[str] = ()) -> int:
    """Answer frames until the host closes its end; 0 then, 1 if the host is confused. Print nothing else.

    Args:
        answer: Makes of a request the kind and the content of its answer; whatever it raises is answered, too.
        verb: What it was about when it failed.
        arguments: The number of the descriptor to talk over; without one, stdin and stdout.
    """
    requests, answers = (int(arguments[0]), int(arguments[0])) if arguments else (os.dup(0), os.dup(1))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)  # whatever a library prints must not mix with frames
    gc.freeze()  # so that no collection looks at what was imported
    gc.enable()
    while True:
        try:
            frame = read_frame(requests)
        except FrameError:
            return 1  # the host is confused or gone: it starts another process
        if frame is None:
            return 0
        started = time.process_time()
        try:
            kind, content = answer(frame)
        except Exception as error:  # noqa: BLE001  nothing in a request may end the process
            kind, content = FrameKind.FAILED, {"reason": f"{type(error).__name__} while {verb}"}
        limit_processor_time(0)
        told = {**content, "seconds": time.process_time() - started}
        write_frame(answers, kind, json.dumps(told, allow_nan=False).encode())


def limit_processor_time(seconds: float) -> None:
    """Let this process die, whatever it does, when it has used so much more processor time; 0 lifts the limit.

    What it forks has no such limit, and costs none of it.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
