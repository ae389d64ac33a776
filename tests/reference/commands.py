"""docs/commands.md, written from the parsers of the command line and the texts of ./ask.

Owns: the page's words. The layout is not argparse's, which differs between versions of Python.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from askwire.proxy.cli import command_parser
from reference.wrapping import item

_INTRODUCTION: Final = """\
# Commands

What `./ask --help`, `askwire --help` and `COMMAND --help` print. In a checkout the command is
`./ask`, which prepares its environment first; an installed package has it as `askwire`.

"""

_OUTRO: Final = """
Written by `PYTHONPATH=.typing:tests python -m reference` from
[proxy/cli.py](../proxy/cli.py) and [ask](../ask); a test compares them.
"""


def render(root: Path) -> str:
    """The whole page; `root` holds the script `ask`."""
    texts = _of_script(root / "ask")
    parser = command_parser()
    sections = [f"```text\n{texts['USAGE']}```\n"]
    for name, command in _commands(parser).items():
        if command.description:
            sections.append(_section(name, command))
    sections += [f"\n## {name}\n\n```text\n{text}```\n" for name, text in texts.items() if name != "USAGE"]
    return _INTRODUCTION + "".join(sections) + _OUTRO


def _of_script(path: Path) -> dict[str, str]:
    """The texts of ./ask, which is no module of the package: read from its source."""
    texts: dict[str, str] = {}
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in ("USAGE", "HELP"):
                value = ast.literal_eval(node.value)
                texts |= {name: value} if isinstance(value, str) else value
    return {name: text.replace("{ask}", "./ask") for name, text in texts.items()}


def _actions(parser: argparse.ArgumentParser) -> Sequence[argparse.Action]:
    """The arguments of a parser, which argparse shows in its help and gives no other access to."""
    return parser._actions


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found = next(a for a in _actions(parser) if isinstance(a.choices, dict))
    assert isinstance(found.choices, dict)
    return dict(found.choices)


def _section(name: str, command: argparse.ArgumentParser) -> str:
    arguments = [
        item(f"`{_form(action)}`: {action.help}") for action in _actions(command) if action.dest != "help"
    ]
    lines = [f"\n## {name}\n", f"{(command.description or '').strip()}\n", *arguments]
    if command.epilog:
        more = command.epilog.replace("%(prog)s", f"./ask {name}").rstrip()
        lines.append(f"\n```text\n{more}\n```")
    return "\n".join(lines).replace("%(prog)s", f"./ask {name}") + "\n"


def _form(action: argparse.Action) -> str:
    shown = action.metavar if isinstance(action.metavar, str) else ""
    if action.choices:
        shown = "|".join(map(str, action.choices))
    if not shown and action.nargs != 0:
        shown = action.dest.upper()
    return " ".join(filter(None, [", ".join(action.option_strings), shown]))
