"""Options that several commands share: one spelling, one default, one help text."""

from pathlib import Path
from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on standard output.")]
WorkspaceOption = Annotated[Path, typer.Option("--workspace", help="The workspace folder; made at first use.")]
DEFAULT_WORKSPACE = Path("./workspace")
EnvironmentOption = Annotated[
    str | None,
    typer.Option("--environment", metavar="NAME", help="Run in this environment (benchwright env), or in 'default'."),
]
