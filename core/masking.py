"""Values as shapes: what a value looks like, without what it says.

Owns: the one way in which values are masked.

    'Anna Berg' → 'Xxxx Xxxx',   'Emma Dahl' → 'Xxxx Xxxx#2',   '2024-03-01' → '9999-99-99',   NULL → NULL
"""

from __future__ import annotations

from askwire.core.types import Cell


class ValueMask:
    """Masks the values of one text that is sent to a model; what is equal stays equal, what differs differs.

    Letters become x or X, digits 9; length, white space and punctuation stay. The second value of a shape is
    marked `#2`, the third `#3`, in the order in which they come (a mark that would make it another value's
    mask is left out): the same values in the same order give the same masks. NULL and the empty text stay.
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._shapes: dict[str, int] = {}
        self._given: set[str] = set()

    def value(self, cell: Cell) -> Cell:
        """The mask of a value."""
        if not cell:
            return cell
        if cell not in self._known:
            shape = shape_of(cell)
            mask = shape
            while mask in self._given:
                self._shapes[shape] = self._shapes.get(shape, 1) + 1
                mask = f"{shape}#{self._shapes[shape]}"
            self._given.add(mask)
            self._known[cell] = mask
        return self._known[cell]


def shape_of(text: str) -> str:
    """A text with its letters and digits made alike; letters without case count as small ones."""
    return "".join(map(_shape, text))


def _shape(character: str) -> str:
    if character.isdigit() or character.isnumeric():
        return "9"
    if character.isalpha():
        return "X" if character.isupper() else "x"
    # marks of other scripts and signs such as emoji say as much as letters do
    return character if character.isascii() else "x"
