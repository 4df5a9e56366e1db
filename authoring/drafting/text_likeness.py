"""How alike texts are, by the character grams that they share: no model, and the same on every machine."""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

GRAM: Final = 3  # characters; words that share stems share grams
BUCKETS: Final = 2**20


def similarity(left: Mapping[int, float], right: Mapping[int, float]) -> float:
    """Return the cosine of two vectors, 0 to 1; 0 where one of them is empty."""
    product = sum(weight * right[bucket] for bucket, weight in left.items() if bucket in right)
    lengths = math.sqrt(sum(w * w for w in left.values())) * math.sqrt(sum(w * w for w in right.values()))
    return product / lengths if lengths else 0.0


def text_vector(texts: Iterable[str]) -> dict[int, float]:
    """Return texts as hashed character grams with dampened counts; equal texts give equal vectors on any machine."""
    counts = Counter(bucket(gram) for text in texts for gram in _grams(text))
    return {bucket: 1.0 + math.log(count) for bucket, count in counts.items()}


def _grams(text: str) -> list[str]:
    folded = f" {' '.join(text.casefold().replace('_', ' ').split())} "
    return [folded[start : start + GRAM] for start in range(max(1, len(folded) - GRAM + 1))] if folded.strip() else []


def bucket(gram: str) -> int:
    """Return the number that stands for a gram."""
    return int.from_bytes(hashlib.blake2b(gram.encode("utf-8", "surrogatepass"), digest_size=8).digest()) % BUCKETS
