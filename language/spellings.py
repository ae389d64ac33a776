"""Other spellings of values, as data: what people write, and what columns hold.

Owns: word lists only.
"""

from __future__ import annotations

from typing import Final

_CALENDAR: Final = {
    "sunday": ("sun", "su"),
    "monday": ("mon", "mo"),
    "tuesday": ("tue", "tues", "tu"),
    "wednesday": ("wed", "weds", "we"),
    "thursday": ("thu", "thur", "thurs", "th"),
    "friday": ("fri", "fr"),
    "saturday": ("sat", "sa"),
    "january": ("jan",),
    "february": ("feb",),
    "march": ("mar",),
    "april": ("apr",),
    "june": ("jun",),
    "july": ("jul",),
    "august": ("aug",),
    "september": ("sep", "sept"),
    "october": ("oct",),
    "november": ("nov",),
    "december": ("dec",),
}
"""Days of the week and months, and how columns shorten them."""
_LEAST_SHORT: Final = 3
"""Letters of a shortened day that people write in a question."""
VALUE_ALIASES: Final = {
    **_CALENDAR,
    **{f"{name}s": (name, *short) for name, short in _CALENDAR.items() if name.endswith("day")},
    **{short: (name,) for name, all_ in _CALENDAR.items() for short in all_ if len(short) >= _LEAST_SHORT},
    "female": ("f", "women", "woman", "girl"),
    "woman": ("f", "female"),
    "women": ("f", "female"),
    "girl": ("f", "female"),
    "male": ("m", "men", "man", "boy"),
    "man": ("m", "male"),
    "men": ("m", "male"),
    "boy": ("m", "male"),
    "usa": ("united states", "us", "u.s.", "united states of america", "america"),
    "us": ("united states", "usa", "u.s."),
    "u.s": ("united states", "usa", "us"),
    "united states": ("usa", "us", "united states of america"),
    "america": ("united states", "usa", "us"),
    "american": ("united states", "usa", "us", "america"),
    "uk": ("united kingdom", "great britain", "gb"),
    "united kingdom": ("uk", "gb", "great britain"),
    "british": ("united kingdom", "uk", "england"),
    "england": ("uk", "united kingdom", "english"),
    "european": ("europe",),
    "asian": ("asia",),
    "african": ("africa",),
    "la": ("los angeles",),
    "nyc": ("new york", "new york city"),
    "new york city": ("new york",),
    "left handed": ("l", "left"),
    "right handed": ("r", "right"),
    "left-handed": ("l", "left"),
    "right-handed": ("r", "right"),
    "math": ("mathematics", "maths"),
    "canceled": ("cancelled",),
    "cancelled": ("canceled",),
    "married": ("m",),
    "finished": ("completed", "complete"),
    "completed": ("complete", "finished"),
    "failed": ("fail",),
    "us dollars": ("usd",),
    "us dollar": ("usd",),
    "dollars": ("usd",),
    "euros": ("eur",),
    "euro": ("eur",),
    "british pounds": ("gbp",),
    "pounds sterling": ("gbp",),
    "yen": ("jpy",),
    "swiss francs": ("chf",),
    "zloty": ("pln",),
    "yuan": ("cny", "rmb"),
    "rupees": ("inr",),
    "canadian dollars": ("cad",),
    "australian dollars": ("aud",),
    "passed": ("pass",),
}
TOGETHER: Final = {
    "weekend": ("saturday", "sunday"),
    "weekends": ("saturday", "sunday"),
    "weekday": ("monday", "tuesday", "wednesday", "thursday", "friday"),
    "weekdays": ("monday", "tuesday", "wednesday", "thursday", "friday"),
    "children": ("child", "boy", "girl"),
}
"""Words that mean several values of one column together."""
