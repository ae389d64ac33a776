"""Why something failed, in words: what stands in a sentence for people instead of an exception's text.

Owns: that such a phrase has no numbers of errors and no paths, which the sentence around it names where they
matter.
"""

from __future__ import annotations

import errno
import os
import re
from typing import Final

_ERRNO: Final = re.compile(r"\[Errno -?\d+\] ")


def reason(error: BaseException) -> str:
    """One phrase, 'Permission denied' say; never empty."""
    if isinstance(error, UnicodeError):
        return "it is not UTF-8 text"
    if isinstance(error, OSError):
        if error.errno is not None and error.errno in errno.errorcode:
            return os.strerror(error.errno)
        # those of names and of TLS have numbers of their own; several at once have none
        if error.strerror:
            return error.strerror
    return _ERRNO.sub("", str(error)) or type(error).__name__
