"""A seed as commands print it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from authoring.store.drafting.seeds import Seed


def seed_summary(seed: "Seed") -> dict[str, Any]:
    """Return a seed as lists show it, as plain JSON values."""
    tables = (seed.profile or {}).get("tables", [])
    return {
        "id": seed.id,
        "name": seed.name,
        "title": seed.title,
        "description": seed.description,
        "source_url": seed.source_url,
        "licence": seed.licence,
        "files": [{"name": file.name, "size_bytes": file.size_bytes, "sha256": file.digest} for file in seed.files],
        "notebook": seed.notebook is not None,
        "tables": [{"file": t["file"], "rows": t["rows"], "columns": len(t["columns"])} for t in tables],
        "images": len((seed.profile or {}).get("images", [])),
        "published_on": seed.published_on,
        "popularity": seed.popularity,
        "synthetic": seed.synthetic,
        "traps": len((seed.profile or {}).get("traps", [])),
    }


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def tables_text(summary: dict[str, Any]) -> str:
    """Return the tables of a seed with their sizes, in words."""
    tables = [f"{t['file']} ({_count(t['rows'], 'row')}, {_count(t['columns'], 'column')})" for t in summary["tables"]]
    pictures = [f"{summary['images']} pictures"] if summary["images"] else []
    return ", ".join(tables + pictures) or "not profiled"
