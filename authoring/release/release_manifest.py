"""The manifest of a release: what it is, of what, under which licence; and the canary that marks its text."""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

import yaml

from authoring.drafting.seed_knowledge import knowledge_points_of
from authoring.release.contents import ReleasedSet
from authoring.release.release_folder import PlannedFile
from evaluator.families.family_names import families_of
from evaluator.language import syntactic_difficulty

NOT_STATED: Final = "not stated"


def content_digest(files: Mapping[str, PlannedFile]) -> str:
    """Return the sha256 that names the problems and data of a release."""
    lines = "".join(f"{path}\n{files[path].digest}\n" for path in sorted(files))
    return hashlib.sha256(lines.encode("utf-8")).hexdigest()


def canary_of(digest: str) -> str:
    """Return the string by which training data that holds this release can be found."""
    return f"benchwright canary {uuid.UUID(digest[:32], version=4)}"


def set_difficulty(item: ReleasedSet) -> float:
    """Return the mean syntactic difficulty of a set's reference code, to one decimal."""
    values = [syntactic_difficulty(problem.code) for problem in item.problemset.problems]
    return round(sum(values) / len(values), 1) if values else 0.0


def knowledge_points(item: ReleasedSet) -> tuple[str, ...]:
    """Return the knowledge points of a set's problems, in alphabetical order."""
    return tuple(sorted({point for p in item.problemset.problems for point in knowledge_points_of(p)}))


def data_licence(item: ReleasedSet) -> str:
    """Return the licence of a set's data as its seed states it."""
    return item.seed.licence if item.seed and item.seed.licence else NOT_STATED


def single(values: Sequence[str]) -> str | None:
    """Return the one value that all share, else None."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None


def environment_text(sets: Sequence[ReleasedSet]) -> str:
    """Return under which versions the references passed, such as "python 3.11.9, numpy 2.4.0"."""
    found = {", ".join(f"{name} {version}" for name, version in item.versions.items()) for item in sets}
    return "; or ".join(sorted(text for text in found if text))


def families_of_sets(sets: Sequence[ReleasedSet]) -> tuple[str, ...]:
    """Return the families that its problems are of: one makes a release a benchmark of it, several of none."""
    return families_of(item.problemset for item in sets)


def manifest_text(
    name: str, version: str, sets: Sequence[ReleasedSet], *, authors: Sequence[str], licence: str, canary: str
) -> bytes:
    """Return `_manifest.yaml`."""
    manifest: dict[str, Any] = {
        "name": name,
        "version": version,
        "language_version": min(item.problemset.language_version for item in sets),  # newer files state their own
        "rules": "sound",
        **({"family": family} if (family := single(families_of_sets(sets))) else {}),
        "environment": single([item.environment for item in sets]),
        "tested_with": environment_text(sets),
        "licence": licence,
        "authors": list(authors),
        "canary": canary,
        "sets": {item.name: _set_entry(item) for item in sets},
    }
    return yaml.safe_dump(manifest, sort_keys=False, allow_unicode=True, width=120).encode("utf-8")


def _set_entry(item: ReleasedSet) -> dict[str, Any]:
    return {
        **item.place,
        "problems": len(item.problemset.problems),
        "revision": item.revision.number,
        "origin": item.revision.origin.value,
        "digest": item.revision.digest,
        "environment": item.environment,
        "difficulty": set_difficulty(item),
        "knowledge_points": list(knowledge_points(item)),
        "data_licence": data_licence(item),
        "data_source": item.seed.source_url if item.seed else "",
        "inputs": {file.name: {"sha256": file.digest, "size_bytes": file.size_bytes} for file in item.inputs},
    }
