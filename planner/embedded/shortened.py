"""Names that are cut short, as data: `amt` amount, `fy` fiscal year, `dist` distance or district.

Owns: the lists. Must not know: how identifiers are split.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from askwire.planner.embedded.text import listed

_LINES: Final = """
    accid accident, alc alcohol, acct account, actl actual, addr address, adj adjusted, adm admission, admt
    admission, agcy agency, agy agency, amnt amount, amt amount, ann annual, appl application, approx
    approximate, appt appointment, appts appointment, apr april, arr arrival, arrv arrival, asgn assignment,
    assmt assessment, assn association, atnd attendance, attnd attendance, attr attribute, aug august, avail
    available, avg average, bal balance, beg begin, bgn begin, bldg building, bldr builder, blk block, boro
    borough, brth birth, cand candidate, cap capacity, carr carrier, cat category, catg category, cd code,
    cens census, centre center, cert certificate, chg charge, chgs charge, chrg charge, clm claim, cls
    class, clsd closed, clss class, cmpl completed, cmplnt complaint, cmpny company, cncl cancelled, cnt
    count, cntry country, cnty county, coll college, colour color, compl completed, cond condition, constr
    construction, contr contractor, contrib contribution, coord coordinate, corp corporation, crd card, crs
    course, crse course, ctg category, ctgry category, ctr center, ctry country, cur current, curr current,
    cust customer, dba name, dec december, def definition, dep departure, dept department, desc description,
    descr description, dest destination, destn destination, diag diagnosis, diff difference, disch
    discharge, disp disposition, dist distance, div division, dlr dealer, dly delay, dmg damage, dow day
    week, dob birth date, doc document, drvr driver, dt date, dur duration, dtl detail, dtls detail, durn
    duration, dx diagnosis, edu education, educ education, eff effective, elev elevation, elig eligible, emp
    employee, empl employee, enr enrollment, enrl enrollment, enroll enrollment, equip equipment, est
    estimated, estab establishment, eth ethnicity, ethn ethnicity, evnt event, exp expense, expend
    expenditure, fac facility, facil facility, fam family, feb february, fed federal, firstname first name,
    fk id, flg flag, flt flight, fn first name, fname first name, freq frequency, ftl fatality, fatl
    fatality, fy fiscal year, gen gender, gov government, govt government, grad graduation, grads graduate,
    grd grade, grp group, grs gross, hght height, hgt height, hgts height, hh household, hhld household,
    hist history, hosp hospital, hq headquarter, hrs hour, hsg housing, ht height, hwy highway, img image,
    inc income, incd incident, incdt incident, incid incident, incm income, indiv individual, info
    information, inj injury, ins insurance, insp inspection, inspr inspector, insptr inspector, inst
    institution, instr instructor, intl international, iss issued, jan january, jul july, jun june, jur
    jurisdiction, juris jurisdiction, lang language, lastname last name, lat latitude, lbs pound, len
    length, lgth length, lic license, lmt limit, ln last name, lname last name, lng longitude, loc location,
    lon longitude, long longitude, lvl level, maint maintenance, mar march, max maximum, mbr member, mdl
    model, mem member, mfr manufacturer, mgmt management, mgr manager, mi mile, min minimum, mins minute, mk
    make, mkt market, mo month, msg message, mth month, mthly monthly, mun municipality, muni municipality,
    nat national, natl national, nbhd neighborhood, nbr number, nbrhd neighborhood, neigh neighborhood,
    nghbrhd neighborhood, nm name, no number, nov november, num number, obs observation, obsv observation,
    occup occupation, oct october, ofc office, ofcr officer, oper operator, opn open, opp opponent, opr
    operator, ord order, org organization, organisation organization, orig origin, parc parcel, pat patient,
    pax passenger, pct percentage, pd paid, ped pedestrian, perc percentage, perf performance, pers person,
    ph phone, phn phone, phys physician, pkg package, plcy policy, plnt plant, pmt payment, pop population,
    pos position, prcnt percentage, prct precinct, prereq prerequisite, pres president, prev previous, prgm
    program, princ principal, prmt permit, prncpl principal, proc procedure, prod product, prof professor,
    prog program, proj project, prop property, prov province, prvdr provider, psgr passenger, pts point, pub
    publication, purch purchase, pwr power, qtr quarter, qty quantity, qual quality, qualif qualification,
    rcpt receipt, rcvd received, rec record, recvd received, ref reference, regis registration, repl
    replacement, rept report, reqd required, resp response, rev revenue, rgn region, rls release, rm room,
    rnk rank, rpt report, rslt result, rt rate, rte route, rtng rating, rx prescription, sal salary, sch
    school, sched scheduled, schl school, scl scale, scr score, seas season, seasn season, sec section, sem
    semester, sep september, seq sequence, serv service, sess session, soc social, spd speed, spec
    specialty, spp species, sqft square foot, sqmi square mile, src source, st state, sta station, stat
    status, std standard, stn station, str street, stu student, subj subject, supt superintendent, supv
    supervisor, surg surgery, surv survey, svc service, sys system, tchr teacher, tel telephone, temp
    temperature, tkt ticket, tot total, trans transaction, trk track, trmt treatment, trtmt treatment, trx
    transaction, tst tested, txn transaction, txt text, typ type, unempl unemployment, uni university, univ
    university, usr user, util utility, val value, veh vehicle, vhcl vehicle, viol violation, vol volume,
    vst visit, whse warehouse, wk week, wkly weekly, wt weight, wthr weather, xfer transfer, yds yard, yn
    flag, yr year, yrs year, ytd year date,
    """


def _listed(lines: str) -> dict[str, tuple[str, ...]]:
    """'fy fiscal year, …' → {'fy': ('fiscal', 'year'), …}."""
    entries = (entry.split() for entry in lines.replace("\n", " ").split(",") if entry.strip())
    return {short: tuple(words) for short, *words in entries}


ABBREVIATIONS: Final = _listed(_LINES)
"""What names cut short stand for, wherever they stand."""

_CODED: Final = frozenset(listed("cd code nm name id no num nbr dir typ type lkp desc"))
_DATED: Final = frozenset(listed("dt date yr year"))
_AREAS: Final = frozenset(
    listed("supv school sch schl police fire cong leg council senate water court park election")
)
_IN_COMPANY: Final[tuple[tuple[str, frozenset[str], frozenset[str], tuple[str, ...]], ...]] = (
    ("dist", frozenset(), _CODED, ("district",)),
    ("dist", _AREAS, frozenset(), ("district",)),
    ("st", frozenset({"addr", "address"}), frozenset(), ("street",)),
    ("st", frozenset(), frozenset({"num", "no", "nbr", "addr", "sfx", "suffix"}), ("street",)),
    (
        "prof",
        frozenset({"pct", "num", "perc"}),
        frozenset({"pct", "lvl", "level", "rate", "rt"}),
        ("proficient",),
    ),
    ("inc", frozenset(), _CODED | _DATED, ("incident",)),
    ("exp", frozenset(), _DATED, ("expiration",)),
    ("exp", frozenset({"yr", "yrs", "years"}), frozenset(), ("experience",)),
    ("rev", frozenset(), frozenset({"cost", "dt", "date", "est"}), ("revised",)),
    ("bus", frozenset(), frozenset({"nm", "name", "addr", "typ", "type", "lic"}), ("business",)),
    ("tm", frozenset({"hm", "aw", "home", "away", "opp"}), _CODED, ("team",)),
    ("tm", frozenset({"iss", "occ", "arr", "dep", "start", "end", "crash", "dt"}), frozenset(), ("time",)),
    ("stat", frozenset(), frozenset({"cause", "area", "yr"}), ("statistical",)),
    (
        "hr",
        frozenset({"crash", "start", "end", "incident", "incd", "call", "dep", "arr", "acc"}),
        frozenset(),
        ("hour",),
    ),
    (
        "dy",
        frozenset({"crash", "start", "end", "incident", "incd", "obs", "birth", "death", "acc"}),
        frozenset(),
        ("day",),
    ),
)
"""(short, what may stand before, what may stand behind, words): names that mean another thing in company."""


def written_out(pieces: Sequence[str], at: int) -> tuple[str, ...] | None:
    """The words of the piece at a place of an identifier, None where it is not cut short."""
    piece = pieces[at]
    before = pieces[at - 1] if at else ""
    behind = pieces[at + 1] if at + 1 < len(pieces) else ""
    if piece == "ind" and at and not behind:
        return ("flag",)
    for short, left, right, words in _IN_COMPANY:
        if piece == short and (before in left or behind in right):
            return words
    return ABBREVIATIONS.get(piece)
