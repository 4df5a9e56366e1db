"""A socket that carries frames and descriptors between the host and one worker process."""

import array
import os
import socket
import struct
from collections.abc import Sequence
from typing import NamedTuple

from evaluator.inside.runtime.frames import (
    HEAD_SIZE,
    FrameError,
    FrameKind,
    frame_head,
    read_frame,
    write_all,
    write_frame,
)

MAX_DESCRIPTORS = 200  # the kernel passes at most 253 with one message


class ChannelMessage(NamedTuple):
    """A frame and the descriptors that came with it; the receiver owns them."""

    kind: int
    body: bytes
    descriptors: list[int]


class Channel:
    """Blocking frames over a stream socket, each with up to `MAX_DESCRIPTORS` descriptors."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._patience_s: float | None = None
        self._held = b""
        sock.setblocking(True)

    def fileno(self) -> int:
        """Return the socket's descriptor, for polling."""
        return self.sock.fileno()

    def set_patience(self, seconds: float) -> None:
        """Let reads and writes that wait longer than so many seconds for the peer raise `BlockingIOError`."""
        if seconds == self._patience_s:
            return
        limit = struct.pack("ll", int(seconds), int(seconds % 1 * 1_000_000))  # struct timeval
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        self._patience_s = seconds

    def send(self, kind: int, body: bytes = b"", descriptors: Sequence[int] = ()) -> None:
        """Send one frame; a VIEW is sent with the frame after it, so that the peer wakes up once.

        Raises:
            OSError: If the peer is gone.
        """
        if kind == FrameKind.VIEW:
            self._held += frame_head(kind, body) + body
            return
        held, self._held = self._held, b""
        if not descriptors:
            write_frame(self.sock.fileno(), kind, body, before=held)
            return
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors).tobytes())]
        data = held + frame_head(kind, body) + body
        sent = self.sock.sendmsg([data], rights)
        write_all(self.sock.fileno(), data[sent:])

    def receive(self) -> ChannelMessage | None:
        """Wait for one frame; None at the end of the stream.

        Raises:
            FrameError: If the peer sent no frame.
        """
        size = array.array("i").itemsize * MAX_DESCRIPTORS
        head, ancillary, _, _ = self.sock.recvmsg(HEAD_SIZE, socket.CMSG_SPACE(size), socket.MSG_CMSG_CLOEXEC)
        descriptors = array.array("i")
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
        if not head:
            return None
        try:
            frame = read_frame(self.sock.fileno(), begun=head)
            assert frame is not None
        except FrameError:
            for descriptor in descriptors:
                os.close(descriptor)
            raise
        return ChannelMessage(frame.kind, frame.body, list(descriptors))

    def close(self) -> None:
        """Close the socket."""
        self.sock.close()


def take_standard_socket() -> Channel:
    """Return the channel to the host that standard input and output are, and lead both to nowhere instead."""
    channel = Channel(socket.socket(fileno=os.dup(0)))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return channel
