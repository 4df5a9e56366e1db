"""A cell that changes what reports it is told apart from one that changes the libraries it works with."""

from collections.abc import Callable
from typing import Any

import pytest

from evaluator.inside.codec.decode.decoded import DecodedOutcome
from evaluator.language import Problem, resolve_validators
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome, Session

pytestmark = pytest.mark.kernel

Reader = Callable[[Outcome], DecodedOutcome]
PATIENT = CellLimits(wall_s=60)
ANS = CaptureSpec(names=("ans",))
SETUP = "import numpy as np\nimport pandas as pd\nimport warnings\ndf = pd.DataFrame({'x': range(5)})\nlog = []"
SPOIL = "\ndf['x'] = 0\nans = 42"
LIE = """
from evaluator.inside.runtime import namespace
from evaluator.inside.codec.decode.decoded import NamespaceDiff
nothing = NamespaceDiff(added=("ans",))
"""

TAMPERING = {
    "the difference": f"{LIE}namespace._difference = lambda *a: nothing",
    "the difference once": f"{LIE}real = namespace._difference\n"
    "def once(*a):\n    namespace._difference = real\n    return nothing\nnamespace._difference = once",
    "a method": f"{LIE}namespace.Namespace.finish = lambda self, before, **k: nothing",
    "a code object": f"{LIE}real = namespace._difference\n"
    "def lie(before, after, prints): return NamespaceDiff(added=('ans',))\n"
    "namespace.NamespaceDiff = NamespaceDiff\nreal.__code__ = lie.__code__",
    "a default": "from evaluator.inside.codec import codec\ncodec.fingerprint.__defaults__ = (None, 1)[:1] + ()",
    "the fingerprint": "from evaluator.inside.codec import codec\nfrom evaluator.inside.runtime import namespace\n"
    "namespace.fingerprint = lambda *a: codec.Fingerprint(b'', True)",
    "a writer": "from evaluator.inside.codec.encode import encoder\nreal = encoder.WRITERS[pd.DataFrame]\n"
    "old = df.copy()\nencoder.WRITERS[pd.DataFrame] = lambda e, v: real(e, old)",
    "a finder": "from evaluator.inside.codec.encode import encoder\nencoder.FINDERS.insert(0, lambda kind: None)",
    "a method of the encoder": "from evaluator.inside.codec.encode.encoder import Encoder\n"
    "real = Encoder.array\nEncoder.array = lambda self, values: real(self, values * 0)",
    "the digests of large buffers": "from evaluator.inside.codec import digests as large_buffers\n"
    "large_buffers._is_shared = lambda *a: True",
    "a limit": "from evaluator.inside.codec.encode import encoder\n"
    "object.__setattr__(encoder.FINGERPRINT_LIMITS, 'nodes', 0)",
    "a builtin of one module": "from evaluator.inside.runtime import namespace\nnamespace.id = lambda value: 0",
    "the writer of JSON": "from evaluator.inside.codec import codec\n"
    "codec.to_json.__self__.separators = None",
    "the copies of libraries": "import gc\nfrom evaluator.inside.export.originals import Originals\n"
    "(known,) = [o for o in gc.get_objects() if type(o) is Originals] or [None]\n"
    "import evaluator.inside.runtime.cell as c, sys\n"
    "frame = sys._getframe()\n"
    "while 'runtime' not in frame.f_locals: frame = frame.f_back\n"
    "frame.f_locals['runtime'].originals._known = ()",
    "the notes of the state before": "import sys\nfrom evaluator.inside.codec.codec import Fingerprint\n"
    "frame = sys._getframe()\nwhile 'before' not in frame.f_locals: frame = frame.f_back\n"
    "prints = frame.f_locals['before'].prints\nprints['df'] = prints['df']._replace(is_exact=False)",
    "the tripwire itself": "from evaluator.inside.export.tripwire import Tripwire\n"
    "Tripwire._changed.__code__ = (lambda self, more: ()).__code__",
}  # fmt: skip
HONEST = {
    "builtins": "import builtins\nbuiltins.len = lambda x: 0\nbuiltins.sorted = None",
    "pandas": "pd.DataFrame.sum = pd.DataFrame.__len__ = lambda *a: 0",
    "numpy": "np.asarray = None",
    "the standard library": "import json, hashlib\njson.dumps = None\nhashlib.sha256 = None",
    "a warning": "warnings.simplefilter('always')\nwarnings.warn('x')\npd.DataFrame({'a': [1]}).astype(int)",
    "a figure": "import matplotlib.pyplot as plt\n_ = plt.plot([1, 2])",
    "magics": "%who\n%time 1 + 1",
    "a look at our modules": "from evaluator.inside.runtime import namespace\nnamespace._difference.__name__",
}


@pytest.fixture
def prepared(session: Session) -> Session:
    session.execute(SETUP, limits=PATIENT)
    return session


@pytest.mark.parametrize("changed", TAMPERING)
def test_a_cell_that_changes_what_reports_it_is_marked(prepared: Session, read: Reader, changed: str) -> None:
    outcome = prepared.attempt(f"{TAMPERING[changed]}{SPOIL}", capture=ANS, limits=PATIENT)
    assert outcome.ending is Ending.OK, outcome.error
    assert "export_tampered" in outcome.marks
    assert read(outcome).diff.tampered


@pytest.mark.parametrize("changed", HONEST)
def test_a_cell_that_changes_anything_else_is_not(prepared: Session, read: Reader, changed: str) -> None:
    outcome = prepared.attempt(f"{HONEST[changed]}\nans = 42", capture=ANS, limits=PATIENT)
    assert outcome.ending is Ending.OK, outcome.error
    assert "export_tampered" not in outcome.marks
    assert read(outcome).diff.tampered == ()


@pytest.mark.parametrize("rules", ["sound", "published"])
@pytest.mark.parametrize("right", [True, False])
def test_changing_what_reports_a_cell_is_a_violation_and_nothing_else(
    engine: Engine, prepared: Session, rules: str, right: bool
) -> None:
    problem = Problem("q", "ans = 42", validator={"template": "intact", "namespace_check": {"ans": None}})
    validators = resolve_validators(problem).to_json()
    reference = prepared.attempt("ans = 42", capture=ANS, limits=PATIENT)
    tampered = f"{TAMPERING['the difference']}\ndf['x'] = 0\nans = {42 if right else 41}"
    found = engine.judge(reference, prepared.attempt(tampered, capture=ANS, limits=PATIENT), validators, rules=rules)
    answers = {leaf["validator"]: leaf["answer"] for leaf in leaves(found)}
    assert answers["namespace_intact"] == "no"
    assert answers["namespace_check"] == ("yes" if right else "no")


def leaves(finding: dict[str, Any]) -> list[dict[str, Any]]:
    below = [leaf for child in finding["children"] for leaf in leaves(child)]
    return below or [finding]


def test_a_state_that_lives_on_keeps_the_mark(prepared: Session, read: Reader) -> None:
    with prepared.keep(CellLimits(wall_s=120)) as kept:
        assert kept.execute("ans = 1", limits=PATIENT).marks == ()
        kept.execute(TAMPERING["a finder"], limits=PATIENT)
        later = kept.execute("ans = 42", limits=PATIENT)
    assert later.marks == ("export_tampered",)
    assert read(later).diff.tampered == ("codec.encode.encoder.FINDERS",)


def test_what_trusted_cells_change_is_what_submissions_find(prepared: Session, read: Reader) -> None:
    prepared.execute(TAMPERING["a finder"], limits=PATIENT)
    outcome = prepared.attempt("ans = 42", capture=ANS, limits=PATIENT)
    assert read(outcome).diff.tampered == ()


@pytest.mark.slow
def test_a_submission_in_a_kernel_is_marked_alike(replayed: Session, read: Reader) -> None:
    replayed.execute(SETUP, limits=PATIENT)
    assert read(replayed.attempt("ans = 42", capture=ANS, limits=PATIENT)).diff.tampered == ()
    outcome = replayed.attempt(f"{TAMPERING['the difference']}{SPOIL}", capture=ANS, limits=PATIENT)
    assert outcome.marks == ("export_tampered",)
    assert read(outcome).diff.tampered == ("runtime.namespace._difference",)
