"""Sandbox backends: the command lines that start worker processes inside them."""

import compileall
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evaluator.session.sandboxing.interpreter import SYSTEM_FOLDERS, Interpreter

_LIMIT_S: Final = 120.0
_LOCK: Final = threading.Lock()
_done: set[tuple[Path, str]] = set()


def compile_inside(folder: Path, interpreter: Interpreter) -> None:
    """Compile the modules of a folder for an interpreter; where that is not possible, sandboxes only start slower.

    Only the compiler of another Python runs, without the packages of its environment: they may hold anything.
    """
    tag = interpreter.bytecode_tag
    with _LOCK:
        if sys.dont_write_bytecode or (folder, tag) in _done:
            return
        _done.add((folder, tag))
        if tag == sys.implementation.cache_tag:
            compileall.compile_dir(folder, maxlevels=0, quiet=2)
        elif os.access(folder, os.W_OK) and not all(_is_compiled(source, tag) for source in folder.glob("*.py")):
            _compile_with(folder, interpreter)


def _compile_with(folder: Path, interpreter: Interpreter) -> None:
    command = [interpreter.executable, "-I", "-S", "-m", "compileall", "-qq", "-l", str(folder)]
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LIMIT_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return


def _is_compiled(source: Path, tag: str) -> bool:
    """Return whether there is bytecode of this very source: its header holds the source's time and size."""
    try:
        facts = source.stat()
        with (source.parent / "__pycache__" / f"{source.stem}.{tag}.pyc").open("rb") as file:
            header = file.read(16)
    except OSError:
        return False
    wanted = [int(facts.st_mtime) & 0xFFFFFFFF, facts.st_size & 0xFFFFFFFF]
    return header[8:] == b"".join(number.to_bytes(4, "little") for number in wanted)


INSIDE: Final = Path(__file__).resolve().parents[2] / "inside"
_ROOT: Final = os.fsencode(INSIDE.parent.parent) + b"/"
_LAYING_OUT: Final = threading.Lock()
CODE_MOUNT: Final = "/payload"
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
_SYNTHETIC: Final = ("/etc/passwd", "/etc/group", "/etc/hosts")
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
        "PYTHONPATH": CODE_MOUNT,
        "TZ": "UTC",
        "USER": "session",
        **dict.fromkeys(_THREADS, "1"),
    }


def roots_in_tmp(interpreter: Interpreter) -> list[str]:
    """Return what a worker needs below `/tmp`: it stays visible where sessions and trials get a `/tmp` of their own."""
    return [root for root in interpreter.roots if root.startswith("/tmp/")]  # noqa: S108


def bwrap_command(interpreter: Interpreter, data: Sequence[int], code_copy: Path, hash_seed: int = 0) -> list[str]:
    """Return the bubblewrap command up to the program it starts.

    Args:
        interpreter: Which Python becomes visible.
        data: Descriptors to read made-up files from (see `synthetic_files`).
        code_copy: From `lay_out_code`.
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
    command += ["--ro-bind", str(code_copy), CODE_MOUNT]
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
    for content in (_PASSWD, _GROUP, _HOSTS):
        descriptor = os.memfd_create("sandbox")
        os.write(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        descriptors.append(descriptor)
    return descriptors


def readable_places(interpreter: Interpreter) -> list[str]:
    """Return what a worker may read where files are guarded one by one (Landlock), besides folders of ours."""
    return [*SYSTEM_FOLDERS, *_SYSTEM_FILES, *interpreter.roots]


def code_folder(scratch: Path) -> Path:
    """Return the folder from which `evaluator.inside`, and nothing else of ours, can be imported."""
    return scratch / "payload"


def lay_out_code(scratch: Path, interpreter: Interpreter) -> Path:
    """Fill the payload folder once: with copies, since the place of what is mounted or linked can be seen inside.

    Args:
        scratch: Where workers of one interpreter have it.
        interpreter: Whose bytecode is copied too.
    """
    code_copy = code_folder(scratch)
    with _LAYING_OUT:
        if not code_copy.exists():
            made = scratch / "payload.part"
            shutil.rmtree(made, ignore_errors=True)
            _copy_inside(made / "evaluator", interpreter.bytecode_tag)
            made.rename(code_copy)
    return code_copy


def _copy_inside(package: Path, bytecode_tag: str) -> None:
    package.mkdir(parents=True)
    (package / "__init__.py").write_bytes(_PACKAGE)
    for room in rooms_inside():
        _copy_room(room, package / "inside" / room.relative_to(INSIDE), bytecode_tag)
    for made in (package.parent, *package.parent.rglob("*")):  # whatever the mask of new files is: somebody else reads
        made.chmod(0o755 if made.is_dir() else 0o644)


def rooms_inside() -> list[Path]:
    """Return the folders of modules that run inside sandboxes."""
    return sorted(init.parent for init in INSIDE.rglob("__init__.py"))


def _copy_room(room: Path, target: Path, bytecode_tag: str) -> None:
    bytecode = target / "__pycache__"
    bytecode.mkdir(parents=True)
    for source in (*room.glob("*.py"), *room.glob("*.json")):
        shutil.copyfile(source, target / source.name)
        times = source.stat()
        os.utime(target / source.name, ns=(times.st_atime_ns, times.st_mtime_ns))  # by which bytecode is valid
    for compiled in (room / "__pycache__").glob(f"*.{bytecode_tag}.pyc"):
        (bytecode / compiled.name).write_bytes(_without_place(compiled.read_bytes()))


def _without_place(bytecode: bytes) -> bytes:
    """Return bytecode that does not tell where it was compiled; its texts keep their lengths, as they must."""
    return bytecode.replace(_ROOT, b"/" * len(_ROOT))
