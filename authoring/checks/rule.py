"""Decisions that no person made: problemsets accepted because they passed every check."""

from typing import Final

RULE_AUTHOR: Final = "bootstrap"  # the name in whose decisions nobody looked at the problemset
