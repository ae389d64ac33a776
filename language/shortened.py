"""Names that are cut short, as data: `amt` amount, `fy` fiscal year, `dist` distance or district.

Owns: the lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from askwire.language.text import listed

_ABBREVIATION_LINES: Final = """
    abnrm abnormal, accid accident, acct account, acft aircraft, acq acquisition, acqd acquired,
    acrft aircraft, actl actual, actv active, addr address, adj adjusted, adm admission, admt
    admission, advs adverse, affd affected, agcy agency, agegrp age group, agrmt agreement, agt
    agent, agy agency, aircrft aircraft, airln airline, alc alcohol, alloc allocation, allwd
    allowed, alrg allergy, alw allowed, alwd allowed, amnt amount, amt amount, ann annual, annl
    annual, ansr answer, answ answer, apmt apartment, appl application, appr approval, apprd
    approved, approx approximate, apprvd approved, appt appointment, appts appointment, apr
    april, aprv approved, aptmt apartment, apv approved, arpt airport, arr arrival, arrv
    arrival, arrvl arrival, arst arrest, asgn assignment, asmt assessment, assgn assigned,
    assgnd assigned, assgnee assignee, assmt assessment, assn association, asst assistant, atnd
    attendance, attn attention, attnd attendance, attndnc attendance, attr attribute, aug
    august, auth author, autho authorization, avail available, avg average, avl available, awd
    award, bal balance, bc barcode, bch batch, bday birth date, bdate birth date, beg begin, benf benefit,
    bgd budget, bgn begin, bgt budget, birthdt birth date, bkg booking, bkng booking, bldg building,
    bldgs building, bldng building, bldr builder, blk block, blkd blocked, bnf benefit, bnfcry
    beneficiary, bnk bank, bnkr banker, bns bonus, boro borough, borr borrower, brch branch, brk
    break, brn branch, brnch branch, brth birth, brwr borrower, brwsr browser, bsn business,
    btch batch, buyr buyer, byr buyer, callr caller, canc cancelled, cancl cancelled, cand
    candidate, cap capacity, carr carrier, cat category, catg category, cd code, cens census,
    cert certificate, chg charge, chgs charge, chk check, chkin checkin, chkout checkout, chnl
    channel, chrg charge, chrn chronic, chrnc chronic, circ circulation, clk clock, clm claim,
    clms claim, clmt claimant, clnt client, cls class, clsd closed, clss class, cmdty commodity,
    cmnt comment, cmpgn campaign, cmpl completed, cmplnt complaint, cmpltd completed, cmpn
    campaign, cmpny company, cmt comment, cmts comment, cncl cancelled, cnsl counsel, cnsmp
    consumption, cnstr construction, cnt count, cntct contact, cntrct contract, cntrctr
    contractor, cntrl control, cntry country, cnty county, cofc certificate, coll college,
    commod commodity, compl completed, compltd completed, cond condition, congr congress, consgn
    consignment, consmp consumption, constr construction, consum consumption, contct contact,
    contr contractor, contrib contribution, coord coordinate, corp corporation, cpl completed,
    cpn coupon, cpty capacity, crd card, crdt credit, creat created, crncy currency, crrncy
    currency, crs course, crse course, crt created, crtd created, crtdt created date, csat
    customer satisfaction, csh cash, cst cost, cstm customer, cstmr customer, ctct contact, ctg
    category, ctgry category, ctr center, ctrl control, ctrt contract, ctry country, cur
    current, curr current, cust customer, custmr customer, cvg coverage, cvrg coverage, cyc
    cycle, dba name, dcsd deceased, deact deactivated, dec december, decd deceased, decl
    declared, ded deductible, dedct deductible, def definition, deliv delivery, dep departure,
    dept department, desc description, descr description, dest destination, destn destination,
    dfct defect, dfnd defendant, diag diagnosis, diff difference, disch discharge, discnt
    discount, disct discount, disp disposition, dist distance, div division, dlr dealer, dlv
    delivery, dlvd delivered, dlvr delivery, dlvrd delivered, dlvry delivery, dly daily, dlyd
    delayed, dmg damage, dnl denial, dnld denied, dob birth date, doc document, dow day week,
    dprt departure, dprtr departure, dpst deposit, dpt department, drvr driver, dsbl disabled,
    dsc description, dscnt discount, dscpt description, dscr description, dscrptn description,
    dsg dosage, dspch dispatch, dsptch dispatch, dstr district, dstrct district, dt date, dtl
    detail, dtls detail, dtm date, dttm date, dur duration, durn duration, dvc device, dwntm
    downtime, dx diagnosis, edn edition, edu education, educ education, eff effective, elec
    electric, elev elevation, elig eligible, emis emission, eml email, emp employee, empl
    employee, emplr employer, empr employer, emssn emission, enbl enabled, enc encounter, encntr
    encounter, engr engineer, engy energy, enr enrollment, enrgy energy, enrl enrollment, enroll
    enrollment, entrd entered, env environment, envir environment, eqp equipment, eqpt
    equipment, equ equipment, equip equipment, err error, escl escalated, est estimated, estab
    establishment, eth ethnicity, ethn ethnicity, evnt event, evt event, exch exchange, excp
    exception, exp expense, expd expired, expend expenditure, expn expense, expr expiration,
    exprd expired, fac facility, facil facility, fam family, fatl fatality, fbk feedback, fclty
    facility, fcst forecast, fdbk feedback, feb february, fed federal, firstname first name, fk
    id, flg flag, flr floor, flt flight, fmt format, fn first name, fname first name, fncl
    financial, fne fine, fnm first name, fornm forename, frcst forecast, freq frequency, frght
    freight, frst first, frt freight, fst first, ftl fatality, furn furnished, fy fiscal year,
    gen gender, gls goal, gnd gender, gndr gender, gnrt generated, gov government, govt
    government, grad graduation, grads graduate, grd grade, grds grade, grp group, grs gross,
    hght height, hgt height, hgts height, hh household, hhld household, hhsz household size,
    hist history, hldr holder, hndl handled, hosp hospital, hosptl hospital, hp horsepower, hq
    headquarter, hrng hearing, hrs hour, hsg housing, hsp hospital, ht height, hwy highway, icd
    diagnosis, idx index, img image, immun immunization, inactv inactive, inc income, incd
    incident, incdt incident, incid incident, incm income, incmgrp income group, indc indicator,
    indiv individual, inds industry, indstry industry, info information, inj injury, injd
    injured, inp inpatient, ins insurance, insp inspection, inspr inspector, insptn inspection,
    insptr inspector, insr insured, insrd insured, inst institution, instl installment, instlmt
    installment, instr instructor, instrctr instructor, insur insurance, intl international,
    intr interest, inv invoice, invc invoice, invcs invoice, invld invalid, invt inventory,
    invty inventory, iss issued, issr issuer, itm item, itms item, jan january, jdg judge, jrnl
    journal, jul july, jun june, jur jurisdiction, juris jurisdiction, kld killed, kwh kilowatt
    hour, labr labor, lang language, lastname last name, lat latitude, lbr labor, lbs pound,
    ldgr ledger, leag league, len length, leng length, lgl legal, lgn login, lgth length, liab
    liability, lic license, lim limit, lmt limit, ln last name, lname last name, lndg landing,
    lndlrd landlord, lng longitude, lnm last name, lnr lender, loc location, lon longitude, long
    longitude, lvl level, mach machine, maint maintenance, manuf manufacturer, mar march, matl
    material, max maximum, mbr member, mbrshp membership, mchn machine, mdl model, mdse
    merchandise, meas measure, meds medication, mem member, memb member, membr member, menuitm
    menu item, merch merchant, mfg manufacturing, mfgr manufacturer, mfr manufacturer, mgmt
    management, mgr manager, mi mile, min minimum, mins minute, mitm menu item, mk make, mkg
    marketing, mkr maker, mkt market, mktg marketing, mld mold, mnm middle name, mntly monthly,
    mntnc maintenance, mo month, modf modified, modfd modified, mrch merchant, mrkt market, msg
    message, mstr master, mtch match, mtd method, mtge mortgage, mth month, mthd method, mthly
    monthly, mtl material, mtr meter, mtrl material, mun municipality, muncp municipality, muni
    municipality, nat national, natl national, natn nation, nbhd neighborhood, nbr number, nbrhd
    neighborhood, neg negative, neigh neighborhood, netw network, nghbrhd neighborhood, nght
    night, nghts night, nm name, no number, nov november, nrg energy, nte note, nts note, ntw
    network, ntwk network, num number, obs observation, obsv observation, occup occupation, oct
    october, ofc office, ofcr officer, offn offense, offns offense, ofr offer, onhd on hand,
    oper operator, opn open, opnd opened, opp opponent, oppor opportunity, oppty opportunity,
    opr operator, ops operation, ord order, ordr order, ordrs order, org organization, orgn
    organization, orgnl original, orig origin, otm overtime, outg outage, outgs outage, outp
    outpatient, ovrd overdue, ovtm overtime, ownr owner, parc parcel, pat patient, pax
    passenger, paymt payment, payr payer, pckg package, pckup pickup, pcp precipitation, pct
    percentage, pd paid, ped pedestrian, perc percentage, perd period, perf performance, pers
    person, pgs page, pgvw pageview, ph phone, phn phone, phys physician, pkg package, pkgs
    package, plc place, plcmt placement, plcy policy, plcyh policyholder, pln plan, plnd planned, plnt plant,
    plntf plaintiff, plyr player, pmnt payment, pmt payment, pmts payment, pndg pending, pnlty
    penalty, polcy policy, pop population, pos position, posn position, prc price, prchs
    purchase, prcnct precinct, prcnt percentage, prcp precipitation, prct precinct, prd period,
    prdct product, prdn production, prdt product, precip precipitation, prem premium, prereq
    prerequisite, pres president, prev previous, prgm program, prim primary, princ principal,
    prio priority, priorty priority, prmo promotion, prmry primary, prmt permit, prncp
    principal, prncpl principal, proc procedure, prod product, prof professor, prog program,
    proj project, promo promotion, prop property, prspct prospect, prssr pressure, prty
    priority, prvd provider, prvdr provider, psgr passenger, pssgr passenger, pssngr passenger,
    pstn position, ptlt pallet, ptnt patient, pts point, pub publication, purch purchase, purchs
    purchase, pwd password, pwr power, pymt payment, pyr payer, qlty quality, qstn question, qtr
    quarter, qtrly quarterly, qty quantity, qual quality, qualif qualification, quot quotation,
    rcpt receipt, rcpts receipt, rcv received, rcvd received, rdg reading, rdng reading, rdngs
    reading, reas reason, rec record, rect receipt, recv received, recvd received, ref
    reference, refl referral, refrl referral, regis registration, registr registration, rejct
    rejected, rejd rejected, rel release, relig religion, rem remaining, remn remaining, repl
    replacement, rept report, reqd required, reqn requisition, reqr requester, reqst request,
    resid resident, reslvd resolved, resp response, respdt respondent, resrv reservation, resv
    reservation, retn return, rev revenue, rfrl referral, rgn region, rgstr registration, rh
    relative humidity, rls release, rm room, rmk remark, rmks remark, rmrk remark, rmtyp room
    type, rng range, rnk rank, rnt rent, rnw renewal, roamg roaming, rpt report, rqst request,
    rqstr requester, rslt result, rslvd resolved, rsn reason, rspndt respondent, rsrv
    reservation, rstrnt restaurant, rsv reservation, rsvn reservation, rsvtn reservation, rt
    rate, rte route, rtg rating, rtn return, rtng rating, rtrn return, rvw review, rvws review,
    rx prescription, sal salary, salry salary, sbj subject, sbjct subject, sbscr subscriber,
    sbtl subtotal, sch school, sched scheduled, schl school, schlr scholarship, scl scale, scr
    score, scrd scored, scrp scrap, sctn section, sctr sector, seas season, seasn season, sec
    section, seg segment, segm segment, sem semester, semstr semester, sep september, seq
    sequence, ser serial, serl serial, serv service, sess session, sev severity, sevr severity,
    sgmt segment, shft shift, shipm shipment, shipmt shipment, shp ship, shpd shipped, shpg
    shipping, shpmnt shipment, shpmt shipment, shpng shipping, shpt shipment, slry salary, sls
    sale, slsm salesperson, slsp salesperson, smkr smoker, smstr semester, snsr sensor, sntnc
    sentence, soc social, spcl specialty, spcmn specimen, spcs species, spd speed, spec
    specialty, splr supplier, splyr supplier, spnd spend, spp species, sqft square foot, sqmi
    square mile, sqr square, src source, srv service, srvc service, srvy survey, st state, sta
    station, stat status, stck stock, std standard, stdm stadium, stdnt student, stk stock,
    stlmt settlement, stmt statement, stn station, stns station, stor storage, str street, strt
    start, sts status, stu student, stud student, studt student, subj subject, subm submitted,
    subsc subscription, subscr subscription, subscrp subscription, subtyp subtype, supl
    supplier, suppl supplier, supt superintendent, supv supervisor, surg surgery, surnm surname,
    surv survey, susp suspended, svc service, svrty severity, sys system, sz size, tbl table,
    tbls table, tchn technician, tchr teacher, tckt ticket, tel telephone, temp temperature,
    tenr tenure, terr territory, thr threshold, thru through, tickt ticket, tkt ticket, tkts
    ticket, tmp temperature, tmpr temperature, tmst time, tmstmp time, tmz time zone, tndr
    tender, tnnt tenant, tot total, trans transaction, tranx transaction, trf tariff, trfc
    traffic, trfr transfer, trk track, trlr trailer, trmd terminated, trmn termination, trmt
    treatment, trns transaction, trnsfr transfer, trnsp transport, trsp transport, trtmt
    treatment, trvl travel, trx transaction, ts time, tst tested, tuitn tuition, tutr tutor, txn
    transaction, txt text, typ type, underwr underwriter, unempl unemployment, uni university,
    univ university, unt unit, unts unit, uom unit measure, upd updated, updt updated, usg
    usage, usr user, usrnm username, util utility, vac vacancy, vacc vaccine, val value, vchr
    voucher, vcnt vacant, vctm victim, vd void, vdd voided, veh vehicle, ven vendor, vend
    vendor, ver version, vers version, vess vessel, vhcl vehicle, vhl vehicle, viol violation,
    vld valid, vlnt violent, vltg voltage, vltn violation, vnd vendor, vndr vendor, vndrs
    vendor, vnu venue, vol volume, vrdct verdict, vrfd verified, vsl vessel, vst visit, vtl
    vital, wdrl withdrawal, wgt weight, wh warehouse, whs warehouse, whse warehouse, wk week,
    wkly weekly, wnd wind, wndspd wind speed, wpn weapon, wrhs warehouse, wrhse warehouse, wrk
    work, wrkr worker, wrnt warrant, wrty warranty, wshl wishlist, wt weight, wtd weighted,
    wthdr withdrawal, wthr weather, xchg exchange, xfer transfer, yc yellow card, yds yard, yld
    yield, yn flag, yr year, yrs year, ytd year date, zn zone, zng zoning
"""


def _listed(lines: str) -> dict[str, tuple[str, ...]]:
    """'fy fiscal year, …' → {'fy': ('fiscal', 'year'), …}."""
    entries = (entry.split() for entry in lines.replace("\n", " ").split(",") if entry.strip())
    return {short: tuple(words) for short, *words in entries}


ABBREVIATIONS: Final = _listed(_ABBREVIATION_LINES)
"""What names cut short stand for, wherever they stand."""

_CODE_WORDS: Final = frozenset(listed("cd code nm name id no num nbr dir typ type lkp desc"))
_DATE_WORDS: Final = frozenset(listed("dt date yr year"))
_AREA_WORDS: Final = frozenset(
    listed("supv school sch schl police fire cong leg council senate water court park election")
)
_DURATION_WORDS: Final = frozenset(listed("min mins minutes hrs sec secs days cd rsn tm time cnt"))
_WIND_WORDS: Final = frozenset(listed("ms mps mph kmh kph kt kts avg max min"))
_ORDER_WORDS: Final = frozenset(listed("no num nbr dt date typ type ln itm id amt stat hdr hd dtl"))
_BESIDE_OTHER_WORDS: Final[tuple[tuple[str, frozenset[str], frozenset[str], tuple[str, ...]], ...]] = (
    ("crd", frozenset(), frozenset({"lim", "limit", "lmt"}), ("credit",)),
    ("adv", frozenset(), frozenset({"amt", "amount", "pd", "paid"}), ("advance",)),
    ("aff", frozenset(listed("cust custs customers pers pop ppl usr usrs hh")), frozenset(), ("affected",)),
    ("lat", frozenset(), frozenset({"nm", "name"}), ("latin",)),
    ("prom", frozenset(), _DATE_WORDS, ("promised",)),
    ("dist", frozenset(), _CODE_WORDS, ("district",)),
    ("dist", _AREA_WORDS, frozenset(), ("district",)),
    ("st", frozenset({"addr", "address"}), frozenset(), ("street",)),
    ("st", frozenset(), frozenset({"num", "no", "nbr", "addr", "sfx", "suffix"}), ("street",)),
    (
        "prof",
        frozenset({"pct", "num", "perc"}),
        frozenset({"pct", "lvl", "level", "rate", "rt"}),
        ("proficient",),
    ),
    ("inc", frozenset(), _CODE_WORDS | _DATE_WORDS, ("incident",)),
    ("exp", frozenset(), _DATE_WORDS, ("expiration",)),
    ("exp", frozenset(), frozenset({"ready", "arr", "arrival", "start", "end", "return"}), ("expected",)),
    ("exp", frozenset({"yr", "yrs", "years"}), frozenset(), ("experience",)),
    ("rev", frozenset(), frozenset({"cost", "dt", "date", "est"}), ("revised",)),
    ("bus", frozenset(), frozenset({"nm", "name", "addr", "typ", "type", "lic"}), ("business",)),
    ("tm", frozenset({"hm", "aw", "home", "away", "opp"}), _CODE_WORDS, ("team",)),
    ("tm", frozenset({"iss", "occ", "arr", "dep", "start", "end", "crash", "dt"}), frozenset(), ("time",)),
    ("stat", frozenset(), frozenset({"cause", "area", "yr"}), ("statistical",)),
    ("cls", frozenset(), frozenset({"dt", "dttm", "date"}), ("closed",)),
    ("auth", frozenset(), _CODE_WORDS | _DATE_WORDS | {"stat", "amt"}, ("authorization",)),
    ("cls", frozenset(), frozenset({"ts", "tm"}), ("closed",)),
    ("opn", frozenset(), frozenset({"ts", "tm"}), ("opened",)),
    ("lst", frozenset(), frozenset({"nm", "name"}), ("last",)),
    ("lst", frozenset(), frozenset({"prc", "price"}), ("list",)),
    ("mid", frozenset(), frozenset({"nm", "name"}), ("middle",)),
    ("bld", frozenset(), frozenset({"grp", "typ", "type"}), ("blood",)),
    ("pcp", frozenset(), frozenset({"id", "nm", "name"}), ("primary", "care", "provider")),
    ("act", frozenset(), frozenset({"dt", "date", "ts"}), ("activated",)),
    ("act", frozenset(), frozenset({"flg", "fl", "ind", "yn", "flag"}), ("active",)),
    ("res", frozenset(), frozenset({"cd", "code", "dt", "val"}), ("result",)),
    ("own", frozenset(), _CODE_WORDS | {"addr", "cty", "st", "zip"}, ("owner",)),
    ("st", frozenset(), frozenset({"dt", "dttm", "date", "tm", "ts"}), ("start",)),
    ("dly", frozenset(listed("arr arrv dep dept carr wthr wx sec late")), _DURATION_WORDS, ("delay",)),
    ("exp", frozenset(), frozenset({"ctry", "cntry", "country", "val"}), ("export",)),
    ("imp", frozenset(), frozenset({"ctry", "cntry", "country", "val"}), ("import",)),
    ("ws", frozenset(), _WIND_WORDS, ("wind", "speed")),
    ("wd", frozenset(), frozenset({"deg", "dir", "avg", "card"}), ("wind", "direction")),
    ("op", frozenset(), frozenset({"agcy", "agency", "co", "nm", "cd"}), ("operator",)),
    ("curr", frozenset(), frozenset({"cd", "code", "key"}), ("currency",)),
    ("cur", frozenset(), frozenset({"cd", "code", "key"}), ("currency",)),
    ("po", frozenset(), _ORDER_WORDS, ("purchase", "order")),
    ("so", frozenset(), _ORDER_WORDS, ("sale", "order")),
    ("wo", frozenset(), _ORDER_WORDS, ("work", "order")),
    ("del", frozenset(), frozenset({"flg", "ind", "yn", "mark"}), ("deleted",)),
    ("del", frozenset(), frozenset({"qty", "addr", "note"}), ("delivery",)),
    ("term", frozenset(), frozenset({"dt", "date", "rsn", "cd"}), ("termination",)),
    ("ln", frozenset({"addr", "address"}), frozenset(), ("line",)),
    ("ln", frozenset(), frozenset(listed("no num nbr amt cd itm seq typ")), ("line",)),
    ("comm", frozenset(), frozenset({"amt", "pct", "rt"}), ("commission",)),
    ("disc", frozenset(), frozenset(listed("pct perc percent amt rt rate val")), ("discount",)),
    ("int", frozenset(), frozenset({"rt", "amt", "pct"}), ("interest",)),
    ("reg", frozenset(), frozenset({"no", "num", "nbr", "dt", "date"}), ("registration",)),
    ("mat", frozenset(), _CODE_WORDS | {"grp", "cst", "cost"}, ("material",)),
    ("inv", frozenset(), frozenset(listed("no num nbr dt date amt tot ln")), ("invoice",)),
    ("inv", frozenset(), frozenset(listed("qty cnt lvl loc")), ("inventory",)),
    ("rem", frozenset(), frozenset(listed("bal amt qty cnt cap")), ("remaining",)),
    ("prc", frozenset(), frozenset({"nm", "name", "log"}), ("procedure",)),
    ("hr", frozenset(), frozenset({"rate", "rt", "wage", "pay"}), ("hourly",)),
    ("ft", frozenset(), frozenset({"flg", "yn", "ind"}), ("full", "time")),
    ("gst", frozenset(), frozenset({"cnt", "nm", "no", "id"}), ("guest",)),
    ("cons", frozenset(), frozenset({"qty", "kwh", "amt"}), ("consumption",)),
    ("prem", frozenset(), frozenset({"id", "no", "addr", "typ"}), ("premise",)),
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


def _by_short() -> dict[str, list[tuple[frozenset[str], frozenset[str], tuple[str, ...]]]]:
    """The entries above by the name they are of, in their order."""
    found: dict[str, list[tuple[frozenset[str], frozenset[str], tuple[str, ...]]]] = {}
    for short, left, right, words in _BESIDE_OTHER_WORDS:
        found.setdefault(short, []).append((left, right, words))
    return found


_BESIDE_OTHER_WORDS_BY_SHORT: Final = _by_short()

AS_TABLE: Final[dict[str, tuple[str, ...]]] = {
    "acc": ("account",),
    "cls": ("class",),
    "cst": ("customer",),
    "dist": ("district",),
    "dsc": ("discount",),
    "inc": ("incident",),
    "inv": ("invoice",),
    "po": ("purchase", "order"),
    "prem": ("premise",),
    "res": ("reservation",),
    "sec": ("section",),
    "so": ("sale", "order"),
    "std": ("student",),
    "str": ("store",),
    "ttl": ("title",),
    "sup": ("supplier",),
    "supp": ("supplier",),
    "trk": ("truck",),
    "wc": ("work", "center"),
    "wo": ("work", "order"),
}
"""What a name cut short stands for where it is all there is of a table's name, and so in the keys to it."""
TOLD_BY: Final[dict[str, tuple[frozenset[str], tuple[str, ...]]]] = {
    "instr": (
        frozenset(
            listed("ticker isin cusip wkn exch px coupon maturity calib calibration serial mfr tuning")
        ),
        ("instrument",),
    ),
    "contr": (
        frozenset(listed("sign signed sgnd terr rights adv effective eff term renewal")),
        ("contract",),
    ),
}
"""The same where a column of the table has one of some pieces: an `instr` with a ticker is no instructor.

Nor is a `contr` that is signed a contractor."""


def in_company(pieces: Sequence[str], at: int) -> tuple[str, ...] | None:
    """The words of a piece that its neighbours tell: `addr_st` is a street. None of others."""
    entries = _BESIDE_OTHER_WORDS_BY_SHORT.get(pieces[at])
    if entries is None:
        return None
    before = pieces[at - 1] if at else ""
    behind = pieces[at + 1] if at + 1 < len(pieces) else ""
    return next((words for left, right, words in entries if before in left or behind in right), None)


def written_out(pieces: Sequence[str], at: int) -> tuple[str, ...] | None:
    """The words of the piece at a place of an identifier, None where it is not cut short."""
    piece = pieces[at]
    if piece == "ind" and at and at + 1 == len(pieces):
        return ("flag",)
    return in_company(pieces, at) or ABBREVIATIONS.get(piece)
