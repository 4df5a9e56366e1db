"""A session's process serves the next session only when the next one cannot tell (inside/runtime/renewal.py)."""

import signal

import pytest

from evaluator.session import Ending, Engine, Outcome
from evaluator.session import session as session_module
from evaluator.session.traceless_code import leaves_only_variables

PLAIN = {
    "a frame": "import pandas as pd\nimport numpy as np\nx = pd.DataFrame({'a': [1, 2, 3]})\nx['b'] = x.a * 2\nx",
    "functions": "def add(a, b=1):\n    return a + b\ntotal = sum(add(i) for i in range(9))\nprint(total)",
    "files": "import pandas as pd\npd.Series([1]).to_csv('kept.csv')\npd.read_csv('kept.csv')",
    "random numbers": "import random\nimport numpy as np\nnp.random.seed(3)\nnp.random.rand(), random.random()",
    "attributes of a variable": "import pandas as pd\nx = pd.Series([1])\nx.name = 'b'\nx.index.name = 1",
    "warnings": "import numpy as np\nnp.array([1.0]) / 0\nimport pandas as pd\npd.Series([1.0]).mean(axis=0)",
    "a name of Python's": "list = [1]\nsum = 3\nid = 4",
}
DIRTY = {
    "an option": "import pandas as pd\npd.set_option('display.max_rows', 7)",
    "an option by attribute": "import pandas as pd\npd.options.display.max_rows = 7",
    "an option by a variable": "import pandas as pd\nchosen = pd.options.display\nchosen.max_rows = 7",
    "float errors": "import numpy as np\nnp.seterr(all='raise')",
    "print options": "import numpy as np\nnp.set_printoptions(precision=2)",
    "a method put in place": "import pandas as pd\npd.DataFrame.head = lambda self: 'mine'",
    "a method of a variable's class": "import pandas as pd\nx = pd.DataFrame()\nkind = type(x)\nkind.extra = 1",
    "a function put in place": "import numpy as np\nnp.mean = lambda x: 5",
    "a builtin put in place": "import builtins\nbuiltins.ascii = lambda x: 5",
    "an accessor": "import pandas as pd\n@pd.api.extensions.register_dataframe_accessor('geo')\nclass Geo:\n"
    "    def __init__(self, frame): self.frame = frame",
    "the environment": "import os\nos.environ['LEFT'] = '1'",
    "the path of modules": "import sys\nsys.path.append('/left')",
    "a module of its own": "open('mine.py', 'w').write('x = 1')\nimport mine",
    "a filter of warnings": "import warnings\nwarnings.simplefilter('ignore')",
    "a thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
    "a child": "import subprocess\nleft = subprocess.Popen(['sleep', '60'])",
    "an open file": "handle = open('kept.txt', 'w')\nfrom os import dup\nother = dup(handle.fileno())",
    "a locale": "import locale\nlocale.setlocale(locale.LC_NUMERIC, 'C.UTF-8')\nlocale.setlocale(locale.LC_ALL, 'C')",
    "a limit": "import sys\nsys.setrecursionlimit(5000)",
    "a tracer": "import sys\nsys.setprofile(lambda *_: None)",
    "a module of a library": "import pandas.tseries.holiday",
    "a list of a class": "from pandas.tseries.holiday import USFederalHolidayCalendar as U\nkept = U.rules\nkept.pop()",
    "an object of a module": "import json\njson._default_decoder.left = 1",
    "a dictionary of a module": "import collections\ncollections.abc.__dict__['left'] = 1",
    "a decimal context": "import decimal\ndecimal.getcontext().prec = 5",
    "a future": "from __future__ import annotations",
    "a callback of cells": "get_ipython().events.register('pre_run_cell', lambda *_: None)",
    "a signal handler": "import signal\nsignal.signal(signal.SIGALRM, lambda *_: None)",
    "a name in the module of numbers": "import math\nmath.pi = 3",
    "no collector": "import gc\ngc.disable()",
}
REFUSED = {
    "an item of a module's list": "import calendar\ndays = calendar.mdays\ndays[2] = 29",
    "a module under another name": "import random\nother = random\nother.seed(1)",
    "a part of a module under another name": "import pandas as pd\nchosen = pd.api\nchosen.x = 1",
    "a module passed on": "import pandas as pd\nchange(pd)",
    "a container of a module passed on": "import re\nchange(re.template)",
    "a name from a module under another name": "from numpy import typecodes\nkept = typecodes",
    "a file with code": "import pandas as pd\npd.read_pickle('x')",
    "an array with code": "import numpy as np\nnp.load('x', allow_pickle=True)",
    "code in a text": "x.eval('a + b')",
    "a query that names variables": "x.query('a > @limit')",
    "a query made up": "x.query(text)",
    "memory as a file": "open('/proc/self/mem', 'r+b')",
    "an array over other memory": "from numpy.lib.stride_tricks import as_strided",
    "an attribute by its name": "getattr(x, 'y')",
    "an inner attribute": "x.__class__",
    "an inner name": "from numpy import _core",
    "all names of a module": "from numpy import *",
    "a class": "class Mine:\n    pass",
    "a magic": "%time x = 1",
    "a module that nobody knows": "import seaborn",
}
LOOK = """
import builtins, decimal, gc, locale, math, os, random, signal, sys, threading, warnings
import numpy as np
import pandas as pd
from pandas._config.config import _global_config
print(sorted(name for name in globals() if not name.startswith('_') and name not in ('In', 'Out')))
print(repr(_), pd.options.display.max_rows, np.geterr(), np.get_printoptions(), decimal.getcontext())
print(pd.DataFrame.head, hasattr(pd.DataFrame, 'extra'), hasattr(pd.DataFrame, 'geo'), np.mean, builtins.ascii, math.pi)
print(sorted(os.environ), sys.path, 'mine' in sys.modules, len(warnings.filters), threading.active_count())
print(locale.setlocale(locale.LC_ALL), sys.getrecursionlimit(), sys.getprofile(), signal.getsignal(signal.SIGALRM))
print(sorted(os.listdir('.')), os.path.exists('kept.csv'), random.random(), np.random.rand(), gc.isenabled())
print(len(get_ipython().events.callbacks['pre_run_cell']), get_ipython().compile.flags, get_ipython().execution_count)
"""
WARNS = "import numpy as np\nnp.array([1.0]) / 0"


def shown(outcome: Outcome) -> list[str]:
    return [str(output.get("text", output)) for output in outcome.outputs]


@pytest.fixture(scope="module")
def fresh(engine: Engine) -> list[str]:
    """What a session shows that is the first of its process."""
    with engine.open(key="look", inputs=None) as session:
        return shown(session.execute(LOOK))


def after(engine: Engine, code: str) -> tuple[bool, list[str]]:
    """Return whether the process of a session was kept after a cell, and what the next session shows."""
    while engine._renewed:  # what other tests have left
        with engine.open(key="end", inputs=None, is_trusted=True) as last:
            last.execute("import os")
    with engine.open(key="first", inputs=None, is_trusted=True) as session:
        session.execute(code)
    kept = len(engine._renewed) == 1
    with engine.open(key="look", inputs=None, is_trusted=True) as session:
        assert not engine._renewed
        return kept, shown(session.execute(LOOK))


@pytest.mark.parametrize("code", PLAIN.values(), ids=PLAIN)
def test_a_process_that_holds_variables_alone_serves_the_next_session_as_a_fresh_one(
    engine: Engine, fresh: list[str], code: str
) -> None:
    kept, looks = after(engine, code)
    assert kept
    assert looks == fresh


@pytest.mark.parametrize("code", DIRTY.values(), ids=DIRTY)
def test_code_that_leaves_more_is_told_by_its_text(engine: Engine, fresh: list[str], code: str) -> None:
    kept, looks = after(engine, code)
    assert not kept
    assert looks == fresh


@pytest.mark.parametrize("code", DIRTY.values(), ids=DIRTY)
def test_what_is_left_is_told_without_a_look_at_the_text(
    engine: Engine, fresh: list[str], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "leaves_only_variables", lambda _source: True)
    kept, looks = after(engine, code)
    assert looks == fresh
    assert not kept or code == DIRTY["a locale"]  # which is as before at the end


def test_a_warning_is_shown_in_each_session_that_gives_it(engine: Engine) -> None:
    said = []
    for _ in range(2):
        with engine.open(key="warns", inputs=None, is_trusted=True) as session:
            said.append(shown(session.execute(WARNS)))
    assert "RuntimeWarning: divide by zero" in said[0][0]
    assert said[0] == said[1]


def test_a_session_that_failed_or_is_not_an_authors_is_not_used_again(engine: Engine) -> None:
    assert not after(engine, "1 / 0")[0]
    with engine.open(key="anybody's", inputs=None) as session:
        session.execute("x = 1")
    assert not engine._renewed


def test_a_kept_process_that_died_is_replaced(engine: Engine) -> None:
    assert after(engine, "x = 1")[0] is True
    with engine.open(key="first", inputs=None, is_trusted=True) as session:
        session.execute("x = 1")
    ((_, pidfd),) = engine._renewed
    signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    with engine.open(key="look", inputs=None, is_trusted=True) as session:
        assert session.execute("'here'").ending is Ending.OK


@pytest.mark.parametrize("code", REFUSED.values(), ids=REFUSED)
def test_code_that_could_reach_further_is_refused(code: str) -> None:
    assert not leaves_only_variables(code)


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\nx.agg(np.mean).apply(np.sqrt).fillna(np.nan)",
        "import pandas as pd\nisinstance(x, pd.DataFrame) and x.map({1: pd.NA})",
        "from datetime import datetime\nx[x.day > datetime(2024, 1, 1)].apply(datetime.strftime, format='%Y')",
        "import numpy as np\nfrom numpy import newaxis\nnp.random.seed(0)\nnp.zeros(3, dtype=np.int64)[:, newaxis]",
        "x['b'] = x.a * 2\nx.loc[0, 'b'] = 3\ndel x['b']\nx.columns = ['a']",
    ],
)
def test_what_most_code_does_is_not_refused(code: str) -> None:
    assert leaves_only_variables(code)


def test_a_query_in_a_plain_text_is_not_refused() -> None:
    assert leaves_only_variables("x.query('a > 3 and b == \\'c\\'')")
