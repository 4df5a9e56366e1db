"""Bands of syntactic difficulty, wide enough to hold several problems each."""

from typing import NamedTuple


class DifficultyBand(NamedTuple):
    """Difficulties from `lowest` to `highest`, both included."""

    lowest: int
    highest: int

    def __str__(self) -> str:
        """Return the band in words."""
        return f"{self.lowest} to {self.highest}"


def difficulty_band(difficulty: int) -> DifficultyBand:
    """Return the band of a syntactic difficulty (>= 0); the bounds double from 8 on."""
    bits = max(3, difficulty.bit_length())
    return DifficultyBand(0 if bits == 3 else 2 ** (bits - 1), 2**bits - 1)
