"""What a source says: one answer in words counts, a list of guesses and a comment do not (sound rules)."""

import time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from evaluator.inside.validators.answer_in_source import says

ALL = " ".join(map(str, range(-1000, 1000)))
CITIES = "Oslo Roma Paris Berlin Wien Praha Bern Kyiv Riga"
SAID: list[tuple[Any, str]] = [
    *((42, "print('The answer is 42')"), (42, "print('The answer is 42.')"), (42, "print(42)")),
    *((42, "x = 1\nprint('so it is', 42)"), (42, "print(f'The answer is {42}')")),
    *((42, "print('The answer is %d' % 42)"), (42, "print('The answer is {}'.format(42))")),
    *((42, "print('The answer' + ' is 42')"), (42, "print('Of 365 days in 2024 there were 42 with rain')")),
    *((42, "print('rows:', len(df))\nprint('The answer is 42')"), (42, "answer = 'The answer is 42'")),
    *((42, "answer: str = '42'"), (42, "answer = 42\n1 / 0"), (42, "1 / 0\n42")),
    *((42, "%time\nprint('The answer is 42')"), (42, "files = !ls\nprint('The answer is 42')")),
    *((42, "The answer is 42."), (42, "Counting the rows, I find 42 of them.\n")),
    *((-42, "print('The answer is -42')"), (-42, "answer = -42\n1 / 0"), (9.25, "print('The highest fare is 9.25')")),
    *((np.float64(9.25), "print('The highest fare is 9.250')"), (np.int32(42), "print('It is 42')")),
    *((Decimal("9.25"), "print('It is 9.25')"), (10**40, f"print('It is {10**40}')")),
    *((Fraction(1, 3), "print('It is 1/3')"), (float("nan"), "print('It is nan')")),
    *((True, "print('The answer is True')"), (np.bool_(False), "print('It is False, there are 2 of them')")),
    *(("Oslo", "print('The answer is Oslo')"), ("Oslo", "print('Oslo')"), ("Oslo", "Most trips begin in Oslo!")),
    *(("Oslo", "answer = 'Oslo'"), ("New York", "print('The answer is New York')")),
    *(("cat", "print('the most common animal is cat')"), ("DE", "print('The country is DE')")),
    *(("42", "print('It is 42')"), ("a.c", "print('The path is a.c')")),
    ("New York", "print('The city with most trips is New York, before Los Angeles')"),
    *(("<=", "print('The sign is <=')"), (42, "print('Of 41 and 42 the greater one is 42')")),
    *((pd.Timestamp("2024-01-02"), "print('It was on 2024-01-02 00:00:00')"), ((1, 2), "print('It is (1, 2)')")),
]
UNSAID: list[tuple[Any, str]] = [
    *((42, "print('41 42 43')"), (42, "print(41, 42)"), ("42", "print('41, 42')")),
    *(("New York", "print('New York, Los Angeles, San Diego')"), ("<=", "print('< > <= >= == !=')")),
    *((42, f"# {ALL}\npass"), (42, "# 42\npass"), (42, "pass  # The answer is 42"), (42, f"'''{ALL}'''\npass")),
    *((42, "'''The answer is 42'''\npass"), (42, "42\npass"), (42, f"print('{ALL}')")),
    *((42, f"print({', '.join(ALL.split())})"), (42, f"print([{', '.join(ALL.split())}])")),
    (42, "\n".join(f"print({number})" for number in range(100))),
    (42, f"answer = ({', '.join(ALL.split())})\n1 / 0"),
    *((42, "\n".join(f"answer_{number} = {number}" for number in range(100))), (42, f"answer = '{ALL}'")),
    *((42, f"print(f'{ALL} {{0}}')"), (42, "if 0:\n    print('The answer is 42')"), (42, "def f():\n    print(42)")),
    *((42, "x = lambda: 42"), (42, "print(df.head(42))"), (42, "print('the first 42 of', x)")),
    *((42, "print(f'the first 42 of {x}')"), (42, "print('It is', end='42')"), (42, "df['x'] = 42")),
    *((42, "x = 42\ny = 41"), (42, "print('The answer is 42.5, or 142, or x42')"), (42, ALL + " !")),
    *((42, f"# {ALL}\n!!"), (42, "# 42\nno python"), (42, "print('41 42 43 44')"), (42, "print('It is -42')")),
    *((42, "print(1e99999999)"), (42, "x"), (42, ""), (42, "("), (1, "print(True)"), (True, "# True False\npass")),
    *((True, "print('True False')"), (True, "print('True or false?')"), (True, "print(True, False)")),
    *((True, "print(1)"), (True, "x = 'True'\ny = 0"), ("Oslo", f"# {CITIES}\npass"), ("Oslo", f"print('{CITIES}')")),
    *(("Oslo", "print('oslo')"), ("a", "# a b c d e\npass"), ("a", "print('a b c d e f g h i j k l m n o p')")),
    *(("A", "print('A B C D E F')"), ("42", f"print('{ALL}')"), ("007", "print('It is 7')"), ("", "print('')")),
    *((" ", "print(' ')"), ((1, 2), f"print('{' '.join(str((a, b)) for a in range(9) for b in range(9))}')")),
    *((float("nan"), "print(' ')"), (Decimal("sNaN"), "print(' ')")),
]


def test_one_answer_in_words_is_said() -> None:
    assert [row for row in SAID if not says(row[1], row[0])] == []


def test_comments_guesses_and_what_is_never_shown_say_nothing() -> None:
    assert [row for row in UNSAID if says(row[1], row[0])] == []


def test_odd_sources_are_read_within_bounds() -> None:
    started = time.process_time()
    for source in (
        *("(" * 100_000, "-" * 100_000 + "1", "+".join(["'1'"] * 30_000), "print(" + "[" * 150 + "]" * 150 + ")"),
        *("print(" + "+".join(["'x'"] * 900) + ")", "x = " + "=!" * 90_000, "= " * 90_000 + "42"),
        *("print(0x" + "7" * 190_000 + ")", "print('" + "4" * 190_000 + "')", "print('" + "4 " * 90_000 + "')"),
        *("\0", "\ud800", "42" * 10**7),
    ):
        assert not says(source, 42), source[:20]
    assert time.process_time() - started < 60
