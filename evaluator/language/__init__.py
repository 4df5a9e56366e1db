"""Reads and writes DSEAL: text to objects, objects to text, lint; runs nothing."""

from evaluator.language.benchmark import (
    Benchmark,
    LoadedSet,
    load_own_validators,
    load_problemset,
    read_benchmark,
)
from evaluator.language.called_names import called_names
from evaluator.language.cells import LANGUAGE_VERSION, cut
from evaluator.language.changing import changed_part, changed_settings
from evaluator.language.dependencies import longest_chain, session_dependencies
from evaluator.language.difficulty import syntactic_difficulty
from evaluator.language.equality_lines import EQUALITY_LINES, JUDGEMENTS, EqualityLine, LineInForce, lines_in_force
from evaluator.language.examples import ExampleAnswer, example_answers
from evaluator.language.imports import imported_modules
from evaluator.language.inputs import RefusedLink, inputs_folder, refused_links
from evaluator.language.labels import LABELS_FIX, LABELS_IN_INPUTS, labels_line, scored_labels
from evaluator.language.lint import support_diagnostics
from evaluator.language.locating import setting_line, validator_line
from evaluator.language.manifest import MANIFEST_NAMES, Manifest, Rules
from evaluator.language.model import ExecutionLimits, Problem, Problemset, SetupCell, ValidatorSpec, problem_id
from evaluator.language.names import NamesUsed, names_read_and_written
from evaluator.language.own_validators import OWN_VALIDATORS_FILE, OwnValidator, OwnValidators, read_own_validators
from evaluator.language.parsing import ParsedProblemset, parse_problemset
from evaluator.language.parts import problem_from_parts, problem_settings_yaml
from evaluator.language.probes import DeclaredProbe, declared_probes
from evaluator.language.python_source import parse_code, syntax_tree
from evaluator.language.rendering import render_cell, render_problem, render_problemset, reread
from evaluator.language.resolution import (
    compared_values,
    holds_code,
    probing_validators,
    resolve_validators,
    unsupported_validators,
    used_own_validators,
    wanted_names,
    withheld_names,
)
from evaluator.language.schemas import (
    MATCHER_OPTIONS,
    TEMPLATES,
    VALIDATOR_SCHEMAS,
    OptionKind,
    OptionSchema,
    ValidatorSchema,
    ValidatorShape,
    canonical_validator,
)
from evaluator.language.settings import PROBLEM_KEYS
from evaluator.language.yaml_reader import YamlDocument, read_yaml
from evaluator.language.yaml_writer import write_yaml

__all__ = [
    "EQUALITY_LINES",
    "JUDGEMENTS",
    "LABELS_FIX",
    "LABELS_IN_INPUTS",
    "LANGUAGE_VERSION",
    "MANIFEST_NAMES",
    "MATCHER_OPTIONS",
    "OWN_VALIDATORS_FILE",
    "PROBLEM_KEYS",
    "TEMPLATES",
    "VALIDATOR_SCHEMAS",
    "Benchmark",
    "DeclaredProbe",
    "EqualityLine",
    "ExampleAnswer",
    "ExecutionLimits",
    "LineInForce",
    "LoadedSet",
    "Manifest",
    "NamesUsed",
    "OptionKind",
    "OptionSchema",
    "OwnValidator",
    "OwnValidators",
    "ParsedProblemset",
    "Problem",
    "Problemset",
    "RefusedLink",
    "Rules",
    "SetupCell",
    "ValidatorSchema",
    "ValidatorShape",
    "ValidatorSpec",
    "YamlDocument",
    "called_names",
    "canonical_validator",
    "changed_part",
    "changed_settings",
    "compared_values",
    "cut",
    "declared_probes",
    "example_answers",
    "holds_code",
    "imported_modules",
    "inputs_folder",
    "labels_line",
    "lines_in_force",
    "load_own_validators",
    "load_problemset",
    "longest_chain",
    "names_read_and_written",
    "parse_code",
    "parse_problemset",
    "probing_validators",
    "problem_from_parts",
    "problem_id",
    "problem_settings_yaml",
    "read_benchmark",
    "read_own_validators",
    "read_yaml",
    "refused_links",
    "render_cell",
    "render_problem",
    "render_problemset",
    "reread",
    "resolve_validators",
    "scored_labels",
    "session_dependencies",
    "setting_line",
    "support_diagnostics",
    "syntactic_difficulty",
    "syntax_tree",
    "unsupported_validators",
    "used_own_validators",
    "validator_line",
    "wanted_names",
    "withheld_names",
    "write_yaml",
]
