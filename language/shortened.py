"""Names that are cut short, as data: `amt` amount, `fy` fiscal year, `dist` distance or district.

Owns: the lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from askwire.language.text import listed

_LINES: Final = """
    accid accident, acct account, acft aircraft, acq acquisition, acqd acquired, actl actual, addr
    address, adj adjusted, adm admission, admt admission, advs adverse, agcy agency, agrmt
    agreement, agy agency, airln airline, alc alcohol, alloc allocation, allwd allowed, alw allowed,
    alwd allowed, amnt amount, amt amount, ann annual, appl application, appr approval, approx
    approximate, apprvd approved, appt appointment, appts appointment, apr april, aprv approved, apv
    approved, arpt airport, arr arrival, arrv arrival, asgn assignment, asmt assessment, assmt
    assessment, assn association, asst assistant, atnd attendance, attn attention, attnd attendance,
    attr attribute, aug august, auth author, autho authorization, avail available, avg average, avl
    available, awd award, bal balance, bc barcode, bch batch, bday birth date, beg begin, benf
    benefit, bgd budget, bgn begin, bgt budget, birthdt birth date, bkg booking, bkng booking, bldg
    building, bldr builder, blk block, blkd blocked, bnk bank, boro borough, brn branch, brnch
    branch, brth birth, bsn business, btch batch, buyr buyer, byr buyer, callr caller, canc
    cancelled, cancl cancelled, cand candidate, cap capacity, carr carrier, cat category, catg
    category, cd code, cens census, centre center, cert certificate, chg charge, chgs charge, chk
    check, chnl channel, chrg charge, chrnc chronic, circ circulation, clm claim, clmt claimant,
    clnt client, cls class, clsd closed, clss class, cmdty commodity, cmnt comment, cmpgn campaign,
    cmpl completed, cmplnt complaint, cmpny company, cmt comment, cncl cancelled, cnsl counsel, cnt
    count, cntct contact, cntrct contract, cntrl control, cntry country, cnty county, cofc
    certificate, coll college, colour color, commod commodity, compl completed, cond condition,
    congr congress, consgn consignment, constr construction, contct contact, contr contractor,
    contrib contribution, coord coordinate, corp corporation, cpl completed, cpty capacity, crd
    card, crdt credit, creat created, crncy currency, crrncy currency, crs course, crse course, crt
    created, crtd created, csh cash, cst cost, ctct contact, ctg category, ctgry category, ctr
    center, ctrl control, ctrt contract, ctry country, cur current, curr current, cust customer, cvg
    coverage, cyc cycle, dba name, dec december, decl declared, def definition, deliv delivery, dep
    departure, dept department, desc description, descr description, dest destination, destn
    destination, diag diagnosis, diff difference, disch discharge, disp disposition, dist distance,
    div division, dlr dealer, dlv delivery, dlvr delivery, dlvry delivery, dly daily, dmg damage,
    dnl denial, dnld denied, dob birth date, doc document, dow day week, dpt department, drvr
    driver, dsc description, dscr description, dscrptn description, dsg dosage, dstr district,
    dstrct district, dt date, dtl detail, dtls detail, dtm date, dttm date, dur duration, durn
    duration, dx diagnosis, edu education, educ education, eff effective, elec electric, elev
    elevation, elig eligible, eml email, emp employee, empl employee, emplr employer, empr employer,
    enc encounter, encntr encounter, engr engineer, enr enrollment, enrl enrollment, enroll
    enrollment, entrd entered, env environment, envir environment, eqp equipment, eqpt equipment,
    equ equipment, equip equipment, err error, est estimated, estab establishment, eth ethnicity,
    ethn ethnicity, evnt event, exch exchange, excp exception, exp expense, expend expenditure, expn
    expense, expr expiration, exprd expired, fac facility, facil facility, fam family, fatl
    fatality, fclty facility, fcst forecast, feb february, fed federal, firstname first name, fk id,
    flg flag, flt flight, fn first name, fname first name, fncl financial, frcst forecast, freq
    frequency, frst first, frt freight, fst first, ftl fatality, furn furnished, fy fiscal year, gen
    gender, gls goal, gnd gender, gndr gender, gov government, govt government, grad graduation,
    grads graduate, grd grade, grp group, grs gross, hght height, hgt height, hgts height, hh
    household, hhld household, hist history, hldr holder, hndl handled, hosp hospital, hosptl
    hospital, hp horsepower, hq headquarter, hrs hour, hsg housing, hsp hospital, ht height, hwy
    highway, idx index, img image, inc income, incd incident, incdt incident, incid incident, incm
    income, indc indicator, indiv individual, inds industry, indstry industry, info information, inj
    injury, inp inpatient, ins insurance, insp inspection, inspr inspector, insptr inspector, insr
    insured, insrd insured, inst institution, instr instructor, insur insurance, intl international,
    intr interest, inv invoice, invc invoice, invt inventory, invty inventory, iss issued, issr
    issuer, itm item, itms item, jan january, jrnl journal, jul july, jun june, jur jurisdiction,
    juris jurisdiction, kwh kilowatt hour, labr labor, lang language, lastname last name, lat
    latitude, lbr labor, lbs pound, ldgr ledger, len length, leng length, lgl legal, lgth length,
    liab liability, lic license, lim limit, lmt limit, ln last name, lname last name, lndg landing,
    lng longitude, loc location, lon longitude, long longitude, lvl level, mach machine, maint
    maintenance, manuf manufacturer, mar march, matl material, max maximum, mbr member, mdl model,
    mdse merchandise, meas measure, mem member, memb member, merch merchant, mfg manufacturing, mfgr
    manufacturer, mfr manufacturer, mgmt management, mgr manager, mi mile, min minimum, mins minute,
    mk make, mkg marketing, mkr maker, mkt market, mktg marketing, mld mold, mntnc maintenance, mo
    month, modf modified, mrch merchant, mrkt market, msg message, mstr master, mtd method, mth
    month, mthd method, mthly monthly, mtl material, mtr meter, mtrl material, mun municipality,
    muncp municipality, muni municipality, nat national, natl national, natn nation, nbhd
    neighborhood, nbr number, nbrhd neighborhood, neg negative, neigh neighborhood, netw network,
    nghbrhd neighborhood, nm name, no number, nov november, ntw network, ntwk network, num number,
    obs observation, obsv observation, occup occupation, oct october, ofc office, ofcr officer, ofr
    offer, onhd on hand, oper operator, opn open, opp opponent, opr operator, ops operation, ord
    order, ordr order, org organization, organisation organization, orgn organization, orgnl
    original, orig origin, outp outpatient, ovrd overdue, ownr owner, parc parcel, pat patient, pax
    passenger, paymt payment, pckg package, pckup pickup, pcp precipitation, pct percentage, pd
    paid, ped pedestrian, perc percentage, perd period, perf performance, pers person, pgs page, ph
    phone, phn phone, phys physician, pkg package, pkgs package, plc place, plcmt placement, plcy
    policy, pln plan, plnt plant, pmnt payment, pmt payment, pnlty penalty, polcy policy, pop
    population, pos position, posn position, prc price, prchs purchase, prcnt percentage, prcp
    precipitation, prct precinct, prd period, precip precipitation, prereq prerequisite, pres
    president, prev previous, prgm program, princ principal, prio priority, priorty priority, prmry
    primary, prmt permit, prncpl principal, proc procedure, prod product, prof professor, prog
    program, proj project, prop property, prty priority, prvd provider, prvdr provider, psgr
    passenger, pstn position, ptnt patient, pts point, pub publication, purch purchase, pwr power,
    pymt payment, qlty quality, qtr quarter, qtrly quarterly, qty quantity, qual quality, qualif
    qualification, quot quotation, rcpt receipt, rcv received, rcvd received, rdg reading, rdng
    reading, reas reason, rec record, rect receipt, recv received, recvd received, ref reference,
    regis registration, registr registration, rel release, relig religion, rem remaining, remn
    remaining, repl replacement, rept report, reqd required, reqn requisition, reqst request, resid
    resident, resp response, resrv reservation, retn return, rev revenue, rgn region, rgstr
    registration, rh relative humidity, rls release, rm room, rng range, rnk rank, rnw renewal, rpt
    report, rqst request, rslt result, rsn reason, rsv reservation, rsvn reservation, rt rate, rte
    route, rtn return, rtng rating, rtrn return, rvw review, rx prescription, sal salary, sbj
    subject, sbtl subtotal, sch school, sched scheduled, schl school, scl scale, scr score, sctn
    section, sctr sector, seas season, seasn season, sec section, seg segment, segm segment, sem
    semester, sep september, seq sequence, ser serial, serl serial, serv service, sess session, sev
    severity, sevr severity, sgmt segment, shft shift, shipmt shipment, shp ship, shpd shipped, shpg
    shipping, shpmt shipment, shpt shipment, slry salary, sls sale, slsm salesperson, slsp
    salesperson, soc social, spcl specialty, spcs species, spd speed, spec specialty, splr supplier,
    spnd spend, spp species, sqft square foot, sqmi square mile, sqr square, src source, srv
    service, srvc service, st state, sta station, stat status, stck stock, std standard, stk stock,
    stlmt settlement, stmt statement, stn station, stor storage, str street, strt start, stu
    student, stud student, subj subject, subm submitted, subtyp subtype, supl supplier, suppl
    supplier, supt superintendent, supv supervisor, surg surgery, surv survey, susp suspended, svc
    service, sys system, sz size, tbl table, tchn technician, tchr teacher, tel telephone, temp
    temperature, tenr tenure, terr territory, thr threshold, thru through, tkt ticket, tkts ticket,
    tmp temperature, tmpr temperature, tmz time zone, tot total, trans transaction, tranx
    transaction, trf tariff, trk track, trmt treatment, trns transaction, trnsfr transfer, trnsp
    transport, trsp transport, trtmt treatment, trvl travel, trx transaction, tst tested, txn
    transaction, txt text, typ type, unempl unemployment, uni university, univ university, unt unit,
    unts unit, uom unit measure, upd updated, updt updated, usr user, util utility, vac vacancy,
    vacc vaccine, val value, vcnt vacant, veh vehicle, ven vendor, vend vendor, ver version, vers
    version, vess vessel, vhcl vehicle, viol violation, vltg voltage, vnd vendor, vndr vendor, vol
    volume, vsl vessel, vst visit, wgt weight, wh warehouse, whs warehouse, whse warehouse, wk week,
    wkly weekly, wnd wind, wrhs warehouse, wrk work, wrkr worker, wrnt warrant, wrty warranty, wt
    weight, wtd weighted, wthr weather, xchg exchange, xfer transfer, yds yard, yld yield, yn flag,
    yr year, yrs year, ytd year date, zn zone,
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
_SPANS: Final = frozenset(listed("min mins minutes hrs sec secs days cd rsn tm time cnt"))
_OF_WIND: Final = frozenset(listed("ms mps mph kmh kph kt kts avg max min"))
_OF_ORDER: Final = frozenset(listed("no num nbr dt date typ type ln itm id amt stat hdr hd dtl"))
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
    ("cls", frozenset(), frozenset({"dt", "dttm", "date"}), ("closed",)),
    ("auth", frozenset(), _CODED | _DATED | {"stat", "amt"}, ("authorization",)),
    ("own", frozenset(), _CODED | {"addr", "cty", "st", "zip"}, ("owner",)),
    ("st", frozenset(), frozenset({"dt", "dttm", "date", "tm", "ts"}), ("start",)),
    ("dly", frozenset(listed("arr arrv dep dept carr wthr wx sec late")), _SPANS, ("delay",)),
    ("exp", frozenset(), frozenset({"ctry", "cntry", "country", "val"}), ("export",)),
    ("imp", frozenset(), frozenset({"ctry", "cntry", "country", "val"}), ("import",)),
    ("ws", frozenset(), _OF_WIND, ("wind", "speed")),
    ("wd", frozenset(), frozenset({"deg", "dir", "avg", "card"}), ("wind", "direction")),
    ("op", frozenset(), frozenset({"agcy", "agency", "co", "nm", "cd"}), ("operator",)),
    ("curr", frozenset(), frozenset({"cd", "code", "key"}), ("currency",)),
    ("cur", frozenset(), frozenset({"cd", "code", "key"}), ("currency",)),
    ("po", frozenset(), _OF_ORDER, ("purchase", "order")),
    ("so", frozenset(), _OF_ORDER, ("sale", "order")),
    ("wo", frozenset(), _OF_ORDER, ("work", "order")),
    ("del", frozenset(), frozenset({"flg", "ind", "yn", "mark"}), ("deleted",)),
    ("del", frozenset(), frozenset({"qty", "addr", "note"}), ("delivery",)),
    ("term", frozenset(), frozenset({"dt", "date", "rsn", "cd"}), ("termination",)),
    ("ln", frozenset({"addr", "address"}), frozenset(), ("line",)),
    ("ln", frozenset(), frozenset(listed("no num nbr amt cd itm seq typ")), ("line",)),
    ("comm", frozenset(), frozenset({"amt", "pct", "rt"}), ("commission",)),
    ("int", frozenset(), frozenset({"rt", "amt", "pct"}), ("interest",)),
    ("reg", frozenset(), frozenset({"no", "num", "nbr", "dt", "date"}), ("registration",)),
    ("mat", frozenset(), _CODED | {"grp", "cst", "cost"}, ("material",)),
    ("inv", frozenset(), frozenset(listed("no num nbr dt date amt tot ln")), ("invoice",)),
    ("inv", frozenset(), frozenset(listed("qty cnt lvl loc")), ("inventory",)),
    ("rem", frozenset(), frozenset(listed("bal amt qty cnt cap")), ("remaining",)),
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
