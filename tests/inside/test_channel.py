"""The socket between the host and a worker process."""

import socket

import pytest

from evaluator.inside.runtime.channel import Channel
from evaluator.inside.runtime.frames import FrameBuffer, FrameKind


def test_a_view_travels_with_the_frame_after_it() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        channel = Channel(ours)
        channel.send(FrameKind.VIEW, b"seen")
        theirs.setblocking(False)
        with pytest.raises(BlockingIOError):
            theirs.recv(1)
        channel.send(FrameKind.PAYLOAD, b"kept")
        frames = list(FrameBuffer().feed(theirs.recv(100)))
    assert frames == [(FrameKind.VIEW, b"seen"), (FrameKind.PAYLOAD, b"kept")]


def test_another_patience_takes_the_place_of_the_one_before() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        channel = Channel(ours)
        for seconds in (60.0, 0.01):
            channel.set_patience(seconds)
        with pytest.raises(BlockingIOError):
            channel.receive()
