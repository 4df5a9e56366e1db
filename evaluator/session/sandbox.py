"""Sandbox backends: the command lines that start worker processes inside them."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evaluator.session.interpreter import SYSTEM_FOLDERS, Interpreter

INSIDE: Final = Path(__file__).resolve().parent.parent / "inside"
PAYLOAD: Final = "/payload"
_THREADS: Final = (
    "OMP_NUM_THREADS",
    "OMP_THREAD_LIMIT",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
)
_SYSTEM_FILES: Final = (
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/ssl/openssl.cnf",
)
_PACKAGE: Final = b'"""What of our code is visible in a sandbox."""\n'
_PASSWD: Final = b"root:x:0:0:root:/root:/bin/sh\nsession:x:65534:65534:session:/tmp/home:/bin/sh\n"
_GROUP: Final = b"root:x:0:\nsession:x:65534:\n"
_SYNTHETIC: Final = ("/etc/passwd", "/etc/group", "/etc/hosts", f"{PAYLOAD}/evaluator/__init__.py")
_HOSTS: Final = b"127.0.0.1 localhost session\n::1 localhost session\n"


def worker_environment(home: str, hash_seed: int = 0) -> dict[str, str]:
    """Return the whole environment of a worker process: the same on every machine, without a secret."""
    return {
        "HOME": home,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "MPLBACKEND": "agg",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": str(hash_seed),
        "PYTHONNOUSERSITE": "1",
        "PYTHONPATH": PAYLOAD,
        "TZ": "UTC",
        "USER": "session",
        **dict.fromkeys(_THREADS, "1"),
    }


def roots_in_tmp(interpreter: Interpreter) -> list[str]:
    """Return what a worker needs below `/tmp`: it stays visible where sessions and trials get a `/tmp` of their own."""
    return [root for root in interpreter.roots if root.startswith("/tmp/")]  # noqa: S108


def bwrap_command(interpreter: Interpreter, data: Sequence[int], hash_seed: int = 0) -> list[str]:
    """Return the bubblewrap command up to the program it starts.

    Args:
        interpreter: Which Python becomes visible.
        data: Descriptors to read made-up files from (see `synthetic_files`).
        hash_seed: Orders the sets of texts that the program makes.
    """
    program = shutil.which("bwrap") or "bwrap"
    command = [program, "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net", "--unshare-ipc"]
    command += ["--unshare-uts", "--unshare-cgroup-try", "--hostname", "session", "--clearenv"]
    if os.getuid() == 0:  # the worker mounts /proc itself and becomes another user
        command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        command += ["--cap-add", "CAP_SYS_ADMIN", "--dir", "/proc"]
    else:
        command += ["--unshare-user", "--proc", "/proc"]
    command += ["--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"]  # noqa: S108  # inside
    for folder in SYSTEM_FOLDERS:
        if os.path.islink(folder):
            command += ["--symlink", os.readlink(folder), folder]
        elif os.path.isdir(folder):
            command += ["--ro-bind", folder, folder]
    for parent in _parents([*_SYSTEM_FILES, *_SYNTHETIC, *interpreter.roots]):
        command += ["--perms", "0755", "--dir", parent]  # else it gets the rights of the one outside
    for path in _SYSTEM_FILES:
        command += ["--ro-bind-try", path, path]
    for path, descriptor in zip(_SYNTHETIC, data, strict=True):
        command += ["--perms", "0444", "--ro-bind-data", str(descriptor), path]
    for root in interpreter.roots:
        command += ["--ro-bind", root, root]
    command += ["--ro-bind", str(INSIDE), f"{PAYLOAD}/evaluator/inside"]
    command += ["--perms", "0777", "--dir", "/session", "--perms", "0777", "--dir", "/run/benchwright"]
    for name, value in worker_environment("/tmp/home", hash_seed).items():  # noqa: S108  # inside
        command += ["--setenv", name, value]
    return [*command, "--chdir", "/", "--remount-ro", "/"]


def _parents(paths: Sequence[str]) -> list[str]:
    """Return the folders above `paths`, outermost first, without those that are there already."""
    parents = {str(parent) for path in paths for parent in Path(path).parents}
    return sorted(parents - {"/", "/tmp"} - set(paths))  # noqa: S108  # inside


def synthetic_files() -> list[int]:
    """Return descriptors that hold the sandbox's own versions of `_SYNTHETIC`; the caller closes them."""
    descriptors = []
    for content in (_PASSWD, _GROUP, _HOSTS, _PACKAGE):
        descriptor = os.memfd_create("sandbox")
        os.write(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        descriptors.append(descriptor)
    return descriptors


def readable_places(interpreter: Interpreter) -> list[str]:
    """Return what a worker may read where files are guarded one by one (Landlock), besides its own folders."""
    own = [str(INSIDE), *interpreter.roots]
    return [*SYSTEM_FOLDERS, *_SYSTEM_FILES, *own]


def lay_out_payload(scratch: Path) -> Path:
    """Make a folder from which `evaluator.inside`, and nothing else of ours, can be imported."""
    payload = scratch / "payload"
    (payload / "evaluator").mkdir(parents=True, exist_ok=True)
    (payload / "evaluator" / "__init__.py").touch()
    link = payload / "evaluator" / "inside"
    if not link.is_symlink():
        link.symlink_to(INSIDE)
    return payload
