"""The texts of the console, read from its templates.

Owns: what a template says to its reader, without markup; parts that vary are `‹…›`.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Final

from reference.wrapping import item

_TEMPLATES: Final = Path("proxy/console/templates")
_HIDDEN: Final = re.compile(r"\{#.*?#\}|<!--.*?-->|<(script|style)\b.*?</\1>", re.DOTALL)
_BLOCK: Final = re.compile(
    r"</?(?:p|h[1-6]|li|td|th|tr|dt|dd|div|section|summary|label|button|nav|form|ul|ol|table|option|title|"
    r"details|main|header|footer|figure|figcaption|pre|article|dl|fieldset|legend|select)\b[^>]*>"
)
_SAID_IN: Final = re.compile(r'\b(?:title|placeholder|aria-label|value)="([^"{]*[a-z][^"{]* [^"{]*)"')


def console_texts(root: Path) -> str:
    """The part of the page that shows them."""
    parts = ["\n## The console\n\nThe texts of its pages, by template.\n"]
    for path in sorted((root / _TEMPLATES).glob("*.html")):
        lines = _lines(path.read_text("utf-8"))
        if lines:
            parts.append(f"\n### {path.stem}\n\n" + "\n".join(map(item, lines)) + "\n")
    return "".join(parts)


def _lines(template: str) -> list[str]:
    text = _HIDDEN.sub(" ", template)
    attributes = [html.unescape(said) for said in _SAID_IN.findall(text)]
    text = re.sub(r"\{%.*?%\}", "\n", text, flags=re.DOTALL)
    text = _BLOCK.sub("\n", text)
    text = re.sub(r"<[^>]*>", "", text)
    text = re.sub(r"\{\{.*?\}\}", "‹…›", text, flags=re.DOTALL)
    lines = (" ".join(html.unescape(line).split()) for line in text.split("\n"))
    said = [line for line in lines if re.search("[A-Za-z]{2}", line.replace("‹…›", ""))]
    return list(dict.fromkeys([*said, *attributes]))
