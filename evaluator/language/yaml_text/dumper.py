"""Dumps plain mappings as YAML: text of several lines in blocks, no aliases, keys in the order given."""

from typing import Any

import yaml

from evaluator.language.yaml_text.reader import read_yaml

_LONG = 90  # characters from which text of one line goes into a block too


class _Dumper(yaml.SafeDumper):
    """Text of several lines in blocks, nothing in aliases, keys in the order given."""

    use_blocks = True

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the signature is theirs
        return True


class _PlainDumper(_Dumper):
    use_blocks = False


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = None
    if '"""' in text or text == "\n" or text.endswith("\n\n"):
        # The settings end at the first three quotes; escaped ones do not stand side by side. A block that keeps several
        # line ends would close the document with '...', and nothing may follow that.
        style = '"'
    elif dumper.use_blocks and ("\n" in text or len(text) > _LONG):
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _nothing(dumper: _Dumper, _value: None) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:null", "")


for _class in (_Dumper, _PlainDumper):
    _class.add_representer(str, _text)
    _class.add_representer(type(None), _nothing)


def dump_mapping(plain: dict[str, Any]) -> str:
    """Return `plain` as YAML text in which no three double quotes stand side by side."""
    for dumper in (_Dumper, _PlainDumper):
        text: str = yaml.dump(
            plain, Dumper=dumper, default_flow_style=False, sort_keys=False, allow_unicode=True, width=1000
        )
        if '"""' not in text and read_yaml(text).value == plain:
            return text
    return yaml.dump(plain, Dumper=yaml.SafeDumper, default_flow_style=False, sort_keys=False, default_style='"')
