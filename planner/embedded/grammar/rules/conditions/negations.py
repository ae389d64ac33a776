"""Negations: not, no, without, never, except.

Owns: what is denied: a condition, or that there is any row at all; and who is in a role or in none.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from askwire.language.lexicon import EVENTS, IRREGULAR_VERBS
from askwire.language.text import PARTICIPLE, listed
from askwire.planner.embedded.grammar.atoms import (
    AbsenceCondition,
    Atom,
    Comparison,
    Contains,
    CountCondition,
    FlagCondition,
    HintCondition,
    IsNull,
    IsValue,
)
from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_EXCEPT: Final = r"except for|except|excluding|exclude|other than"
_NOT_A_THING: Final = re.compile(
    rf"(?:not|{_EXCEPT}) (?:(?:those|that|which|who|be|a|an|the|any|all|our) )*M\d+"
)
"""'not managers', 'except managers': who is none; who has none is another question."""
_USING_PARTICIPLES: Final = frozenset(
    listed("used applied redeemed recorded chosen selected taken needed referenced logged reported claimed")
)
"""What is done with a thing by the rows that refer to it, whatever these are called."""
_LOCATION_WORDS: Final = frozenset({"located", "based", "situated", "living", "live", "lives", "placed"})
_LIVING: Final = frozenset({"living", "live", "lives", "residing"})
_PLACED: Final = frozenset(listed("order orders booking bookings bid bids bet bets reservation reservations"))
_WORDS_BETWEEN: Final = r"(?:(?!and |or |that |who |which |whose |but |with )[a-z]+ ){0,5}"
_INNER_CONDITIONS: Final = (
    r"(?P<inner>(?: (?:(?:in|on|with|by|that|which|who|be|from|at|the|have|for|of|as|named|a|to|and|,"
    rf"|(?<!and )(?<!, )(?:whose(?: M\d+ be)?|not|[a-z]+(?:ed|ing)|{'|'.join(IRREGULAR_VERBS)})"
    rf"|{'|'.join(sorted(_LOCATION_WORDS))}) )*C\d+)*)"
)
_ALL_CONDITIONS: Final = (
    r"(?P<inner>(?:(?: (?!and |or |but |per |each |so |whether )(?:[a-z]+|M\d+)){0,6} C\d+)*)"
)
"""Every condition to the end of the clause: each tells of rows that are had, or of what they belong to."""
_TIME_SAID_FIRST: Final = re.compile(
    r"(?:(?:in|for|during|on|from|between|since|the|year|month|of) )*C(\d+) (?:, )?(?!and |or )"
)
"""A time at the very beginning of a question: 'in C0 , which M0 have no M1'."""
_HAVING: Final = (
    r"(?:have|with|do|be|make|made|place|placed|take|took|get|got|hold|held|buy|bought|[a-z]+ed"
    rf"|{'|'.join(IRREGULAR_VERBS)})"
)
_WITHOUT: Final = (
    rf"(?:not|never|no|without|lacking|lack|free of|nor|neither|{_EXCEPT}) (?:those (?:with )?)?"
    rf"(?:that |which |who |whose )?(?:\w+ed or (?=\w+ed ))?{_WORDS_BETWEEN}(?P<before>C\d+ )?"
)
_OF_ONE_NAMED: Final = (
    r"M(\d+) (?:in|from|of|at|by|on|for) (?:the )?M\d+ C\d+ (?:(?:with|that|which|who|have) )*$"
)
"""'products in the category Shoes without reviews': of the two the products have none."""
_PREPOSITION: Final = r"(?:in|on|with|by|from|at|for|of|to|through)"


def denied(context: RuleContext, atom: Atom, *, left_out: bool = False) -> Atom | None:
    """The denial of a condition, None where it has none; `left_out` where such rows are excepted."""
    if isinstance(atom, Comparison) and atom.mention is not None and "moment" in context.kinds(atom.mention):
        return replace(atom, negated=True, ever=False)  # 'not returned before May': those that never were
    if isinstance(atom, (IsValue, Contains, Comparison, FlagCondition, HintCondition)):
        return replace(atom, negated=True)
    if isinstance(atom, IsNull) and left_out:
        return replace(atom, negated=not atom.negated)
    if isinstance(atom, CountCondition) and atom.mention is not None and atom.operator in {">", ">="}:
        fewer = CountCondition(atom.mention, "<" if atom.operator == ">=" else "<=", atom.number)
        return replace(atom, negated=True) if left_out else fewer
    return None


def _denied(context: RuleContext, place: int, *, left_out: bool) -> str | None:
    """The condition turned into its denial."""
    atom = denied(context, context.atoms[place], left_out=left_out)
    if atom is None:
        return None
    context.atoms[place] = atom
    context.understood("non")
    context.flags.add("negated")
    return f"C{place}"


def _not(context: RuleContext, found: RuleMatch) -> str | None:
    """'not C0', 'except C0', 'non C0 M1'."""
    if re.fullmatch(r"never (?:be )*C\d+", found.text) and isinstance(context.atoms[found.at("c")], IsValue):
        return None  # what is shipped now was paid once: no state tells what has never been so
    return _denied(context, found.at("c"), left_out=re.match(_EXCEPT, found.text) is not None)


def _of_kind(context: RuleContext, found: RuleMatch) -> str | None:
    """'non C0 M1': each of these is none."""
    return _denied(context, found.at("c"), left_out=False)


def _inner_atoms(context: RuleContext, found: RuleMatch, inner: str | None = None) -> tuple[Atom, ...]:
    """The conditions behind a thing, and a time said first; they stand inside another from now on."""
    inner = found["inner"] if inner is None else inner
    places = [int(place) for place in re.findall(r"C(\d+)", inner)] + _said_first(context, found)
    for place in re.findall(r"(?:not|than|except|excluding) (?:(?:be|of|the|those) )*C(\d+)", inner):
        _denied(context, int(place), left_out=True)
    for thing, place in re.findall(rf"M(\d+) (?:{_PREPOSITION} |\w+ed |the )*C(\d+)", inner):
        atom = context.atoms[int(place)]
        if isinstance(atom, IsValue) and atom.mention is None and "table!" in context.kinds(int(thing)):
            context.atoms[int(place)] = replace(atom, holder=int(thing))  # 'by users in Germany'
    context.inner.update(places)
    context.spend(*context.mentions(inner))
    return tuple(context.atoms[place] for place in places)


def _some_and_none(context: RuleContext, found: RuleMatch) -> str | None:
    """'M0 that have C0 but no C1 M1': some of the one kind and none of the other, all else alike."""
    thing = found.maybe("m") if found["m"] else found.maybe("first")
    some, none = context.atoms[found.at("a")], context.atoms[found.at("b")]
    if thing is None or not _are_of_others(context, found, thing) or not _tell_apart(context, some, none):
        return None
    context.spend(found.maybe("first") if found["m"] else None, found.maybe("again"), found.maybe("did"))
    inner = _inner_atoms(context, found)
    context.inner.update((found.at("a"), found.at("b")))
    context.flags.add("lacking")
    context.consumed(found.text)
    has = context.note(AbsenceCondition(thing, (some, *inner), held=True))
    return f"{found['verb']}{has} {context.note(AbsenceCondition(thing, (none, *inner)))}"


def _some_not_all(context: RuleContext, found: RuleMatch) -> str:
    """'have M0 but no M1': there are some of the one, and none of the other or of a kind of the same."""
    context.spend(found.at("m"))
    return f"{found['have']} {context.note(AbsenceCondition(found.at('m'), held=True))} {found['but']}"


def _nothing_else(context: RuleContext, found: RuleMatch) -> str | None:
    """'M0 that have only C0 M1', 'M0 whose M1 be all C0': some, and none of another kind."""
    whole = found.text.startswith("whose")
    thing, place = (found.at("m2"), found.at("b")) if whole else (found.at("m"), found.at("a"))
    kind = context.atoms[place]
    other = denied(context, kind)
    exact = "EQ" in found.text.split() and not context.spoken("only", "exclusively", "solely")
    if other is None or exact or not _are_of_others(context, found, thing):
        return None
    inner = _inner_atoms(context, found)
    context.inner.add(place)
    context.spend(found.maybe("did"))
    context.flags.add("lacking")
    context.consumed(found.text)
    has = context.note(AbsenceCondition(thing, (kind, *inner), held=True))
    return f"{found['verb'] or ''}{has} {context.note(AbsenceCondition(thing, (other, *inner)))}"


def _are_of_others(context: RuleContext, found: RuleMatch, thing: int) -> bool:
    """Whether what a clause tells of are no rows of `thing` themselves: 'buildings that have … leases'."""
    whose = [m for m in context.mentions(found.before) if "table!" in context.kinds(m)]
    return bool(whose) and not any(context.oracle.related(thing, "same table", m) for m in whose)


def _tell_apart(context: RuleContext, one: Atom, other: Atom) -> bool:
    """Whether no row is both: two values of one column, two numbers of one measure."""
    if isinstance(one, IsValue) and isinstance(other, IsValue):
        values = context.encoded.values
        columns = ({hit.column for hit in values[atom.value].hits} for atom in (one, other))
        return bool(set.intersection(*columns))
    if isinstance(one, Comparison) and isinstance(other, Comparison):
        return one.mention == other.mention and one.operator == other.operator == "="
    return False


def _lacking(context: RuleContext, found: RuleMatch) -> str | None:
    """'no M0', 'without M0', 'never M0', 'not have any M0 C0'."""
    mention = found.at("m")
    kinds = context.kinds(mention)
    verb = re.match(r"never|not (?:be|have|do)? ?", found.text)
    done = context.word(mention)
    if verb and done in EVENTS and not {"table", "moment", "flag"} & kinds:
        # 'never been sold': no row records it, whatever column sounds like it
        event = context.oracle.event(done)
        if event is not None:
            context.spend(mention)
            mention = event
    single = re.fullmatch(r" (?:(?:in|at|from|on|the) )*C(\d+)", found["inner"])
    if done in _LOCATION_WORDS and single and not found["before"]:
        # 'whose headquarters are not located in V0': what is denied is where
        context.spend(mention)
        return _denied(context, int(single[1]), left_out=False)
    if "numeric" in context.kinds(mention) and "table" not in context.kinds(mention) and not verb:
        return None
    if found.text.startswith("free"):
        context.understood("free")
    context.consumed("non lacking lack")
    # 'never visited a museum opened in 2010': no such visit
    context.spend(found["object"])
    if "table" in kinds:
        context.consumed(" ".join(_USING_PARTICIPLES & {*found.text.split()}))  # 'never recorded time'
    before = [int(place) for place in re.findall(r"C(\d+)", found["before"])]
    context.inner.update(before)
    context.flags.add("lacking")
    theirs, own = _said_of_each(context, found)
    inner = (*(context.atoms[place] for place in before), *_inner_atoms(context, found, theirs))
    left_out, being = _leaves_rows_out(context, found), _NOT_A_THING.fullmatch(found.text) is not None
    those = "those" in found.text.split()
    named = re.search(r"G(\d+) $" if those else _OF_ONE_NAMED, found.before)
    whose = int(named[1]) if named and (those or "table!" in context.kinds(int(named[1]))) else None
    return context.note(AbsenceCondition(mention, inner, left_out=left_out, being=being, whose=whose)) + own


def _said_of_each(context: RuleContext, found: RuleMatch) -> tuple[str, str]:
    """What is said of the things that are lacking, and of those that lack them.

    'orders without payments placed in 2024' were placed then, 'orders without payments are open' now.
    """
    inner = found["inner"]
    if "moment" in context.kinds(found.at("m")) and re.match(r" M\d", found.behind):
        own = re.search(rf" {_PREPOSITION} (?:the )?C\d+$", inner)  # 'not yet paid on the Team plan'
        return (inner[: own.start()], own[0]) if own else (inner, "")
    head = re.search(r"M(\d+) (?:(?:with|have|that|which|who) )*$", found.before)
    if head is None or not re.match(r"(?:without|no|lacking|lack)\b", found.text):
        return inner, ""
    thing, lacking = int(head[1]), found.at("m")
    for piece in re.finditer(r"((?: (?!C\d)\S+)*) C(\d+)", inner):
        said = piece[1].split()
        subject = said[:1] == ["be"] and piece.start() == 0
        if subject or _fits_rather(context, said, int(piece[2]), thing, lacking):
            return inner[: piece.start()], inner[piece.start() :]
    return inner, ""


def _fits_rather(context: RuleContext, said: list[str], place: int, thing: int, other: int) -> bool:
    """Whether a participle before a condition, or the time that it names, goes with a thing alone."""
    atom = context.atoms[place]
    related, person = context.oracle.related, "person" in context.kinds(other)
    verb = next((w for w in map(context.said, said) if w in _LOCATION_WORDS or PARTICIPLE.fullmatch(w)), "")
    if isinstance(atom, IsValue):
        fits, not_fits = (related(m, "has value", atom.value) for m in (thing, other))
        if verb in _LIVING and not person and "person" in context.kinds(thing):
            return True
        return bool(verb) and fits and not not_fits
    if not isinstance(atom, Comparison) or atom.mention is None:
        return False
    if verb == "placed":
        return [context.word(m) in _PLACED for m in (thing, other)] == [True, False]
    if context.encoded.mentions[atom.mention].words == ("time",) and not verb:
        return False
    times = context.oracle.times(verb) if verb else (atom.mention,)
    if not times or related(times[0], "column of", other) or not related(times[0], "column of", thing):
        return False
    context.atoms[place] = replace(atom, mention=times[0])
    return True


def _said_first(context: RuleContext, found: RuleMatch) -> list[int]:
    """'in 2023, which practices had no appointments': when the appointments were that are missing.

    Of what has no time, and of what a thing has but one of, nothing says when: 'in 2023, which orders have no
    customer' asks for the orders of 2023.
    """
    first = _TIME_SAID_FIRST.match(found.before)
    atom = context.atoms[int(first[1])] if first is not None else None
    if first is None or not isinstance(atom, Comparison) or atom.mention is None:
        return []
    things = [m for m in context.mentions(found.before) if "table!" in context.kinds(m)]
    unsaid = context.encoded.mentions[atom.mention].start < 0 and "moment" not in context.kinds(atom.mention)
    alone = len(things) == 1 and context.oracle.related(found.at("m"), "happens to", things[0])
    return [int(first[1])] if unsaid and alone else []


def _those_grouped(context: RuleContext, found: RuleMatch) -> str:
    """'revenue by customer without customers with M1': those with M1."""
    context.spend(found.at("m"))
    return f"{found['g']} {found['how']} those with"


def _are_grouped(context: RuleContext, found: RuleMatch) -> bool:
    group, named = int(found["g"][1:]), found.at("m")
    return group == named or context.oracle.related(named, "same table", group)


def _being(context: RuleContext, found: RuleMatch) -> str:
    """'employees who are managers': somebody has them as a manager."""
    return f"{found['m']} {context.note(AbsenceCondition(found.at('role'), held=True, being=True))}"


def _holding(context: RuleContext, found: RuleMatch) -> str:
    """'students who have treasurer votes in C0': rows in C0 name them as what was voted for."""
    places = [int(place) for place in re.findall(r"C(\d+)", found["inner"])]
    context.inner.update(places)
    inner = tuple(context.atoms[place] for place in places)
    return f"{found['lead']} {context.note(AbsenceCondition(found.at('role'), inner, held=True))}"


def _play(context: RuleContext, found: RuleMatch) -> bool:
    """Whether the second of two tables is a role that rows of the first play."""
    related = context.oracle.related
    role, thing = found.at("role"), found.at("m")
    return related(role, "plays", thing) and not related(role, "same table", thing)


def _tells_of_others(context: RuleContext, found: RuleMatch) -> bool:
    """Whether an object is no role of what is asked for: 'in departments with managers from C0'."""
    things = context.mentions(found.before)
    return not any(context.oracle.related(found.at("object"), "plays", thing) for thing in things)


def _leaves_rows_out(context: RuleContext, found: RuleMatch) -> bool:
    """Whether rows are left out, and not those who have such: 'customers without orders' are customers."""
    how, before = found.text.split()[0], found.before.split()
    if "those" in found.text.split():
        return False
    if how not in {"without", "no"}:
        return re.match(_EXCEPT, found.text) is not None
    behind_thing = before and is_mention(before[-1]) and "table!" in context.kinds(int(before[-1][1:]))
    return how == "without" and bool(before) and not behind_thing


def _undone(context: RuleContext, found: RuleMatch) -> str | None:
    """'never ordered', 'not yet shipped': no row records it.

    What was 'never used', or 'never ordered from', has no row of the one table that refers to it; what is
    'not assigned' refers to no person.
    """
    verb, party = found["verb"], context.oracle.party
    thing = re.search(r"M(\d+) (?:(?:that|which) )?$", found.before)
    used = thing is not None and (verb in _USING_PARTICIPLES or bool(found["by"]))
    user = party("user", [int(thing[1])]) if thing and used else None
    event = context.oracle.event(verb) if user is None else user
    if event is None and thing and verb == "assigned":
        event = party("doer", [int(thing[1])], verb=verb)
        if event is not None and len(context.encoded.mentions[event].options) > 1:
            return None  # nothing says who of several
    if user is not None and thing and verb in _USING_PARTICIPLES and "person" in context.kinds(int(thing[1])):
        return None
    if user is not None and verb not in _USING_PARTICIPLES:
        recorded = context.oracle.event(verb)
        if recorded is not None and not context.oracle.related(user, "same table", recorded):
            return None  # suppliers that no product is of may still have been ordered from
    if event is None or (found["by"] and user is None):
        return None
    context.flags.add("lacking")
    context.consumed(found.text)
    return context.note(AbsenceCondition(event))


def _nothing_of_kind(context: RuleContext, found: RuleMatch) -> str | None:
    """'never had a maintenance order', where 'maintenance' is like a column of orders: no order."""
    if not context.oracle.related(found.at("kind"), "same table", found.at("m")):
        return None
    context.spend(found["kind"])
    return f"{found['not']} {found['m']}"


RULES: Final = in_order(
    Rule(
        "negations/of_kind",
        r"non {c:condition}",
        _of_kind,
        examples=(Example("non C0[? = V0] M0", "C0 M0", ("C0: not ? = V0", "flag negated")),),
    ),
    Rule(
        "negations/some_and_none",
        rf"(?P<verb>(?:(?:that|which|who) )?(?:{_HAVING} )?)(?:{{did:moment,-table!}} )?"
        rf"(?:(?:some|any|a|an) )?{{a:condition}} "
        rf"(?:{{first:table!}} )?(?:but|and) (?:{_HAVING} )?(?:not|no|never|without)"
        rf"(?: (?:{_HAVING}|any|a|an|single))* {{b:condition}}(?: (?:one|{{m:table!}}|{{again:table!}}))?"
        + _ALL_CONDITIONS,
        _some_and_none,
        examples=(
            Example(
                "M0[table! shops] that have C0[? = V0] but not C1[? = V1] M1[table!] with C2[M2 < N0]",
                "M0 that have C3 C4",
                (
                    "C3: has M1 where ? = V0 and M2 < N0",
                    "C4: has no M1 where ? = V1 and M2 < N0",
                    "flag lacking",
                    "C0 stands inside another",
                    "C1 stands inside another",
                    "C2 stands inside another",
                ),
            ),
            Example("C0[? = V0] but not C1[? = V1] M1[table!]", "C0 but not C1 M1"),
        ),
    ),
    Rule(
        "negations/some_not_all",
        rf"(?P<have>{_HAVING}) (?:(?:some|any|a|an) )?{{m:table!}} (?P<but>but|and)"
        rf"(?= (?:{_HAVING} )?(?:not|no|never|without)(?: (?:{_HAVING}|any|a|an|single))* "
        r"(?:C\d+ )*{other:table!})",
        _some_not_all,
        before=("negations/lacking",),
        examples=(
            Example(
                "M0 have M1[table! orders] but no C0[? = V0] M2[table! orders]",
                "M0 have C1 but no C0 M2",
                ("C1: has M1",),
            ),
            Example(
                "M0 have some M1[table! orders] but no M2[table! visits]",
                "M0 have C0 but no M2",
                ("C0: has M1",),
            ),
            Example("M0 have M1[table! orders] but no M2[column]", "M0 have M1 but no M2"),
        ),
    ),
    Rule(
        "negations/nothing_else",
        rf"(?:(?P<verb>(?:(?:that|which|who) )?(?:{_HAVING} |{{did:moment,-table!}} )(?:ever )?)"
        r"(?:EQ|exclusively|solely|nothing (?:but|except|other than)) {a:condition} {m:table!}"
        r"|whose {m2:table!} (?:(?:be|have) )?(?:all|EQ|exclusively|solely)(?: of)?(?: be)? {b:condition})"
        + _ALL_CONDITIONS,
        _nothing_else,
        examples=(
            Example(
                "M0[table! shops] with nothing but C0[? = V0] M1[table!] in C1[M2 = D0]",
                "M0 with C2 C3",
                (
                    "C2: has M1 where ? = V0 and M2 = D0",
                    "C3: has no M1 where not ? = V0 and M2 = D0",
                    "flag lacking",
                    "C0 stands inside another",
                    "C1 stands inside another",
                ),
            ),
            Example(
                "M0[table! shops] whose M1[table!] be all C0[? = V0]",
                "M0 C1 C2",
                (
                    "C1: has M1 where ? = V0",
                    "C2: has no M1 where not ? = V0",
                    "flag lacking",
                    "C0 stands inside another",
                ),
            ),
            Example("nothing but C0[? = V0] M1[table!]", "nothing but C0 M1"),
        ),
    ),
    Rule(
        "negations/those_grouped",
        rf"{{g=G\d+}} {{how=without|{_EXCEPT}}} {{m:table!}} (?:with|(?:that|which|who) have)"
        r"(?= (?:[a-z]+ )?[CM]\d)",
        _those_grouped,
        guard=_are_grouped,
        before=("negations/lacking",),
        examples=(
            Example("G0 without M0[table!] with M1", "G0 without those with M1"),
            Example("G1 without M0[table!] with M1", "G1 without M0 with M1"),
        ),
    ),
    Rule(
        "negations/lacking_object",
        rf"(?:not|never) (?:have |be |do )*{_WORDS_BETWEEN}{{m}} "
        rf"(?:{_PREPOSITION} (?:(?:any|an?|the) )?|(?:any|an?|the) ){{object:table!}}"
        r"(?= (?:[a-z]+ ){0,2}C\d)(?P<before>)" + _ALL_CONDITIONS,
        _lacking,
        guard=_tells_of_others,
        before=("negations/lacking",),
        examples=(
            Example(
                "M0 who not M1[visited] any M2[table! museums] C0[? = V0]",
                "M0 who C1",
                ("C1: has no M1 where ? = V0", "flag lacking", "C0 stands inside another"),
            ),
            Example(
                "M0 that not M1[played] with the M2[table! bands] from C0[? = V0]",
                "M0 that C1",
                ("C1: has no M1 where ? = V0", "flag lacking", "C0 stands inside another"),
            ),
            Example(
                "M0 who never M1[had] with a M2[table! doctors] whose C0[M3 = V0]",
                "M0 who C1",
                ("C1: has no M1 where M3 = V0", "flag lacking", "C0 stands inside another"),
            ),
            Example("M0 who not M1 any M2[table!]", "M0 who not M1 any M2"),
            Example(
                "M0[table!] who not M1[worked] in any M2[table!] from C0[? = V0]",
                "M0 who not M1 in any M2 from C0",
                schema={"M2 plays M0": True},
            ),
        ),
    ),
    Rule(
        "negations/nothing_of_kind",
        r"{not=(?:(?:not|never) have|without|no)}(?: (?:a|an|any|single))* {kind:-table!} {m:table!}{END}",
        _nothing_of_kind,
        before=("negations/lacking",),
        examples=(
            Example(
                "never have a M0[column] M1[table!]",
                "never have M1",
                schema={"M0 same table M1": True},
            ),
            Example("never have a M0[column] M1[table!]", "never have a M0 M1"),
        ),
    ),
    Rule(
        "negations/lacking",
        _WITHOUT + "{m:table!}" + _ALL_CONDITIONS,
        _lacking,
        examples=(
            Example("not have any M0[table!]", "C0", ("C0: has no M0", "flag lacking")),
            Example(
                "without M0[table!] C0[? = V0]",
                "C1",
                ("C1: has no M0 where ? = V0", "flag lacking", "C0 stands inside another"),
            ),
            Example(
                "M0 with no M1[table!] living in C0[? = V0]",
                "M0 with C1",
                ("C1: has no M1 where ? = V0", "flag lacking", "C0 stands inside another"),
            ),
            Example(
                "M0 with no M1[table!] whose M2[table!] be C0[? = V0]",
                "M0 with C1",
                ("C1: has no M1 where ? = V0", "flag lacking", "C0 stands inside another"),
            ),
            Example(
                "M0 with no M1[table!] shipped to C0[? = V0]",
                "M0 with C1",
                ("C1: has no M1 where ? = V0", "flag lacking", "C0 stands inside another"),
            ),
            Example(
                "M0 with no M1[table!] and whose C0[M2 = V0]",
                "M0 with C1 and whose C0",
                ("C1: has no M1", "flag lacking"),
            ),
            Example(
                "M0 lacking M1[table!] by M2[table! users] in C0[? = V0]",
                "M0 C1",
                (
                    "C0: ? = V0 of M2",
                    "C1: has no M1 where ? = V0 of M2",
                    "flag lacking",
                    "C0 stands inside another",
                ),
            ),
            Example("M0 free of M1[table!]", "M0 C0", ("C0: has no M1", "flag lacking")),
            Example(
                "COUNT M0[table!] without M1[table!] be C0[? = V0] ?",
                "COUNT M0 C1 be C0 ?",
                ("C1: has no M1", "flag lacking"),
            ),
            Example(
                "M0[table! people] without M1[table!] living in C0[? = V0]",
                "M0 C1 living in C0",
                ("C1: has no M1", "flag lacking"),
                schema={"M0 has value V0": True},
            ),
            Example(
                "M0[table!] in the M1[table!] C0[? = V0] without M2[table!]",
                "M0 in the M1 C0 C1",
                ("C1: has no M2", "flag lacking"),
            ),
            Example(
                "M0[table! orders] without M1[table! payments] placed C0[M2 = N0]",
                "M0 C1 placed C0",
                ("C1: has no M1", "flag lacking"),
            ),
            Example(
                "M0[table! users] without M1[table! orders] joined C0[M2 = N0]",
                "M0 C1 joined C0",
                ("C0: M3 = N0", "C1: has no M1", "flag lacking"),
                schema={"times joined": (3,), "M3 column of M0": True},
            ),
        ),
    ),
    Rule(
        "negations/lacking_column",
        _WITHOUT + "{m}" + _INNER_CONDITIONS,
        _lacking,
        examples=(
            Example("never M0[sold]", "C0", ("C0: has no M1", "flag lacking"), schema={"event sold": 1}),
            Example(
                "M0[table!] not yet M1[moment paid] on the C0[? = V0] M2[table! plan]",
                "M0 C1 on the C0 M2",
                ("C1: has no M1", "flag lacking"),
            ),
            Example("no M0[numeric]", "no M0"),
        ),
    ),
    Rule(
        "negations/being",
        r"{m:table!} (?:that|which|who) be (?:(?:a|an|also|the|our) )*{role:table!}(?= ?$| [?.])",
        _being,
        guard=_play,
        examples=(
            Example("M0[table!] who be M1[table!]", "M0 C0", ("C0: has M1",), schema={"M1 plays M0": True}),
            Example("M0[table!] who be M1[table!]", "M0 who be M1"),
        ),
    ),
    Rule(
        "negations/holding",
        r"{lead=(?P<m>M\d+)(?: (?:(?:of|in|from|with) )?C\d+)*} (?:that|which|who|and) have "
        r"(?:(?:a|an|any|some) )*{role:table!}" + _INNER_CONDITIONS,
        _holding,
        guard=lambda context, found: context.oracle.related(
            found.at("role"), "plays elsewhere", found.at("m")
        ),
        examples=(
            Example(
                "M0[table!] who have M1[table!] in the C0[? = V0]",
                "M0 C1",
                ("C1: has M1 where ? = V0", "C0 stands inside another"),
                schema={"M1 plays elsewhere M0": True},
            ),
            Example("M0[table!] who have M1[table!]", "M0 who have M1"),
        ),
    ),
    Rule(
        "negations/undone",
        r"(?:(?:that|which|who|we|have|be|do) )*(?:never|not yet|not|nobody|no one|no-one)"
        r"(?: (?:yet|ever|been|be|have|do))* "
        r"{verb=[a-z]+}(?: (?:yet|before|anything|any|at all|even once|by anyone|ever))*"
        r"(?: {by=from|with})?(?= ?(?:\?|\.|,|O|S|$))",
        _undone,
        examples=(
            Example(
                "M0[table!] nobody have ever used",
                "M0 C0",
                ("C0: has no M1", "flag lacking"),
                schema={"party user M0": 1},
            ),
            Example(
                "M0[table!] we never ordered from",
                "M0 C0",
                ("C0: has no M1", "flag lacking"),
                schema={"party user M0": 1},
            ),
            Example("M0[table!] we never ordered from", "M0 we never ordered from"),
            Example(
                "COUNT M0[table!] be not assigned",
                "COUNT M0 C0",
                ("C0: has no M1", "flag lacking"),
                schema={"party doer M0 assigned": 1},
            ),
            Example("never ordered", "C0", ("C0: has no M0", "flag lacking"), schema={"event ordered": 0}),
            Example("not expensive", "not expensive"),
        ),
    ),
    Rule(
        "negations/not",
        rf"(?:but )?(?:not|never|without|neither|nor|no|{_EXCEPT}) (?:anyone |anybody |anything |those )?"
        r"(?:that |which |who |whose )?" + _WORDS_BETWEEN + r"(?:with |with the )?(?:M\d+ )?{c:condition}",
        _not,
        examples=(
            Example("not C0[? = V0]", "C0", ("C0: not ? = V0", "flag negated")),
            Example("be never C0[? = V0]", "be never C0"),
            Example("except anyone who be C0[? = V0]", "C0", ("C0: not ? = V0", "flag negated")),
            Example("except C0[count of M0 > 2]", "C0", ("C0: not count of M0 > 2", "flag negated")),
        ),
    ),
    after=("alternatives",),
)
