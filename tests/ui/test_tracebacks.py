"""A traceback shows the author's own lines; the frames of libraries are folded."""

from authoring.ui.drawing.blocks import error_block
from authoring.ui.drawing.tracebacks import split_traceback

STORED = """Traceback (most recent call last):
  File "pandas/core/indexes/base.py", line 3812, in get_loc
    return self._engine.get_loc(casted_key)
KeyError: 'units'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  Cell In[8], line 3, in <module>
    total(sales)
  Cell In[2], line 2, in total
    return table['units']
           ~~~~~^^^^^^^^^
  File "pandas/core/frame.py", line 4107, in __getitem__
    indexer = self.columns.get_loc(key)
KeyError: 'units'
in two lines"""
NOTEBOOK = """---------------------------------------------------------------------------
KeyError                                  Traceback (most recent call last)
Cell In[2], line 2
      1 x=1
----> 2 f(df)

File /lib/python3.11/site-packages/pandas/core/frame.py:4330, in DataFrame.__getitem__(self, key)
   4327         if is_single_key:
-> 4330             indexer = self.columns.get_loc(key)

KeyError: 'zz'"""


def test_frames_of_cells_stay_and_those_of_libraries_are_folded() -> None:
    found = split_traceback(STORED, "Problem 7")
    assert found.own.splitlines() == [
        "  Problem 7, line 3, in <module>",
        "    total(sales)",
        "  Cell In[2], line 2, in total",
        "    return table['units']",
        "           ~~~~~^^^^^^^^^",
        "KeyError: 'units'",
        "in two lines",
    ]
    assert found.folded == 2
    assert found.whole == STORED.replace("Cell In[8]", "Problem 7")


def test_a_notebooks_traceback_is_folded_too() -> None:
    found = split_traceback(NOTEBOOK)
    assert found.own.splitlines() == ["Cell In[2], line 2", "      1 x=1", "----> 2 f(df)", "KeyError: 'zz'"]
    assert found.folded == 1


def test_a_traceback_without_frames_of_libraries_or_of_cells_is_shown_whole() -> None:
    for text in ("KeyError: 'units'", "", STORED.partition("The above")[0], "Cell In[1], line 1\nKeyError"):
        assert split_traceback(text) == (text, 0, text)


def test_a_folded_traceback_is_escaped_in_both_parts() -> None:
    block = error_block("KeyError", "<b>", STORED.replace("'units'\nin two", "<b>\nin two"), cell="Problem 7")
    assert block.folded == 2
    assert "KeyError: &lt;b&gt;" in block.text
    assert "<b>" not in block.text + block.whole


CHAINED = """Traceback (most recent call last):
  Cell In[2], line 3, in total
    return table['units']
  File "pandas/core/frame.py", line 4107, in __getitem__
    indexer = self.columns.get_loc(key)
KeyError: 'units'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  Cell In[10], line 1, in <module>
    total(sales)
  Cell In[2], line 5, in total
    raise ValueError("no units") from error
ValueError: no units"""


def test_of_chained_errors_each_keeps_its_frames_and_what_it_says_and_the_latest_cell_was_executed() -> None:
    found = split_traceback(CHAINED, "Problem 7")
    assert found.own.splitlines() == [
        "  Cell In[2], line 3, in total",
        "    return table['units']",
        "KeyError: 'units'",
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        "  Problem 7, line 1, in <module>",
        "    total(sales)",
        "  Cell In[2], line 5, in total",
        '    raise ValueError("no units") from error',
        "ValueError: no units",
    ]
    assert (found.folded, found.whole) == (1, CHAINED.replace("Cell In[10]", "Problem 7"))


def test_the_last_of_chained_errors_is_told_although_only_libraries_raised_it() -> None:
    first = CHAINED.partition("\n\nThe above")[0]
    library = 'Traceback (most recent call last):\n  File "pandas/a.py", line 1, in b\n    c()\nOSError: disk'
    joint = "During handling of the above exception, another exception occurred:"
    found = split_traceback(f"{first}\n\n{joint}\n\n{library}")
    assert found.own.splitlines()[2:] == [
        "KeyError: 'units'",
        "",
        "During handling of the above exception, another exception occurred:",
        "",
        "OSError: disk",
    ]
