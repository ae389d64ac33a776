"""Countries, their people, languages and codes, and the codes of US states, as data.

Owns: the lists, and which codes a name has in which kind of column.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_COUNTRIES: Final = """
    Afghanistan Afghan AF AFG, Albania Albanian AL ALB, Algeria Algerian DZ DZA, Argentina
    Argentine,Argentinian AR ARG, Armenia Armenian AM ARM, Australia Australian,Aussie AU AUS, Austria
    Austrian AT AUT, Azerbaijan Azerbaijani AZ AZE, Bangladesh Bangladeshi BD BGD, Belarus Belarusian BY
    BLR, Belgium Belgian BE BEL, Bolivia Bolivian BO BOL, Bosnia_and_Herzegovina Bosnian BA BIH, Brazil
    Brazilian BR BRA, Bulgaria Bulgarian BG BGR, Cambodia Cambodian KH KHM, Cameroon Cameroonian CM CMR,
    Canada Canadian CA CAN, Chile Chilean CL CHL, China Chinese CN CHN, Colombia Colombian CO COL,
    Costa_Rica Costa_Rican CR CRI, Croatia Croatian,Croat HR HRV, Cuba Cuban CU CUB, Cyprus Cypriot CY
    CYP, Czech_Republic Czech CZ CZE, Denmark Danish,Dane DK DNK, Dominican_Republic Dominican DO DOM,
    Ecuador Ecuadorian EC ECU, Egypt Egyptian EG EGY, England English ENG ENG, Estonia Estonian EE EST,
    Ethiopia Ethiopian ET ETH, Finland Finnish,Finn FI FIN, France French FR FRA, Georgia Georgian GE GEO,
    Germany German DE DEU,GER, Ghana Ghanaian GH GHA, Greece Greek GR GRC, Guatemala Guatemalan GT GTM,
    Haiti Haitian HT HTI, Honduras Honduran HN HND, Hungary Hungarian HU HUN, Iceland Icelandic IS ISL,
    India Indian IN IND, Indonesia Indonesian ID IDN, Iran Iranian,Persian IR IRN, Iraq Iraqi IQ IRQ,
    Ireland Irish IE IRL, Israel Israeli IL ISR, Italy Italian IT ITA, Ivory_Coast Ivorian CI CIV, Jamaica
    Jamaican JM JAM, Japan Japanese JP JPN, Jordan Jordanian JO JOR, Kazakhstan Kazakh KZ KAZ, Kenya
    Kenyan KE KEN, Kuwait Kuwaiti KW KWT, Latvia Latvian LV LVA, Lebanon Lebanese LB LBN, Lithuania
    Lithuanian LT LTU, Luxembourg Luxembourgish LU LUX, Malaysia Malaysian MY MYS, Mali Malian ML MLI,
    Malta Maltese MT MLT, Mexico Mexican MX MEX, Moldova Moldovan MD MDA, Mongolia Mongolian MN MNG,
    Montenegro Montenegrin ME MNE, Morocco Moroccan MA MAR, Nepal Nepalese,Nepali NP NPL, Netherlands
    Dutch NL NLD,NED, New_Zealand New_Zealander NZ NZL, Nicaragua Nicaraguan NI NIC, Nigeria Nigerian NG
    NGA, North_Macedonia Macedonian MK MKD, Norway Norwegian NO NOR, Pakistan Pakistani PK PAK, Panama
    Panamanian PA PAN, Paraguay Paraguayan PY PRY, Peru Peruvian PE PER, Philippines Filipino,Philippine
    PH PHL, Poland Polish PL POL, Portugal Portuguese PT PRT, Qatar Qatari QA QAT, Romania Romanian RO
    ROU, Russia Russian RU RUS, Saudi_Arabia Saudi SA SAU, Scotland Scottish SCO SCO, Senegal Senegalese
    SN SEN, Serbia Serbian,Serb RS SRB, Singapore Singaporean SG SGP, Slovakia Slovak SK SVK, Slovenia
    Slovenian,Slovene SI SVN, South_Africa South_African ZA ZAF, South_Korea Korean,South_Korean KR KOR,
    Spain Spanish,Spaniard ES ESP, Sri_Lanka Sri_Lankan LK LKA, Sweden Swedish,Swede SE SWE, Switzerland
    Swiss CH CHE,SUI, Syria Syrian SY SYR, Taiwan Taiwanese TW TWN, Tanzania Tanzanian TZ TZA, Thailand
    Thai TH THA, Tunisia Tunisian TN TUN, Turkey Turkish TR TUR, Uganda Ugandan UG UGA, Ukraine Ukrainian
    UA UKR, United_Arab_Emirates Emirati AE ARE,UAE, United_Kingdom British UK,GB GBR, United_States
    American US USA, Uruguay Uruguayan UY URY, Uzbekistan Uzbek UZ UZB, Venezuela Venezuelan VE VEN,
    Vietnam Vietnamese VN VNM, Wales Welsh WAL WAL, Yemen Yemeni YE YEM, Zambia Zambian ZM ZMB, Zimbabwe
    Zimbabwean ZW ZWE
    """
"""name, people (or what is of it), codes of two and of three letters; several are joined by bare commas."""

_LANGUAGES: Final = """
    arabic ar ara, bengali bn ben, bulgarian bg bul, chinese zh zho, croatian hr hrv, czech cs ces, danish
    da dan, dutch nl nld, english en eng, estonian et est, finnish fi fin, french fr fra, german de deu,
    greek el ell, hebrew he heb, hindi hi hin, hungarian hu hun, indonesian id ind, italian it ita,
    japanese ja jpn, korean ko kor, latvian lv lav, lithuanian lt lit, norwegian no nor, persian fa fas,
    polish pl pol, portuguese pt por, romanian ro ron, russian ru rus, serbian sr srp, slovak sk slk,
    slovenian sl slv, spanish es spa, swedish sv swe, thai th tha, turkish tr tur, ukrainian uk ukr,
    vietnamese vi vie
    """
_STATES: Final = """
    alabama al, alaska ak, arizona az, arkansas ar, california ca, colorado co, connecticut ct, delaware
    de, florida fl, georgia ga, hawaii hi, idaho id, illinois il, indiana in, iowa ia, kansas ks, kentucky
    ky, louisiana la, maine me, maryland md, massachusetts ma, michigan mi, minnesota mn, mississippi ms,
    missouri mo, montana mt, nebraska ne, nevada nv, new_hampshire nh, new_jersey nj, new_mexico nm,
    new_york ny, north_carolina nc, north_dakota nd, ohio oh, oklahoma ok, oregon or, pennsylvania pa,
    rhode_island ri, south_carolina sc, south_dakota sd, tennessee tn, texas tx, utah ut, vermont vt,
    virginia va, washington wa, west_virginia wv, wisconsin wi, wyoming wy
    """
_STATE_PEOPLE: Final = """
    alaskan alaska, arizonan arizona, californian california, floridian florida, georgian georgia,
    hawaiian hawaii, kentuckian kentucky, nebraskan nebraska, nevadan nevada, ohioan ohio, oregonian
    oregon, pennsylvanian pennsylvania, texan texas, virginian virginia, washingtonian washington
    """
COUNTRY_WORDS: Final = frozenset(
    {"country", "nation", "nationality", "national", "citizenship", "origin", "territory", "birthplace"}
)
STATE_WORDS: Final = frozenset({"state", "province", "region"})
LANGUAGE_WORDS: Final = frozenset({"language", "locale"})

_Codes = dict[str, dict[str, frozenset[str]]]


def _entries(text: str) -> list[list[str]]:
    return [e.replace("_", " ").split("\t") for e in _split(text)]


def _split(text: str) -> list[str]:
    return ["\t".join(entry.split()) for entry in " ".join(text.split()).split(", ") if entry.strip()]


def _read() -> tuple[dict[str, tuple[str, ...]], _Codes]:
    names: dict[str, list[str]] = {}
    codes: _Codes = {}

    def coded(word: str, code: str, within: frozenset[str]) -> None:
        codes.setdefault(word, {}).setdefault(code, frozenset())
        codes[word][code] |= within

    for name, people, *short in _entries(_COUNTRIES):
        words = [name.lower(), *people.lower().split(",")]
        for word in words:
            names.setdefault(word, []).extend(w for w in words if w != word)
            for code in ",".join(short).lower().split(","):
                coded(word, code, COUNTRY_WORDS)
    for name, *short in _entries(_LANGUAGES):
        for code in short:
            coded(name, code, LANGUAGE_WORDS)
    for name, short_name in _entries(_STATES):
        coded(name, short_name, STATE_WORDS)
    for people, name in _entries(_STATE_PEOPLE):
        names.setdefault(people, []).append(name)
        for code, within in codes[name].items():
            if within & STATE_WORDS:
                coded(people, code, STATE_WORDS)
    return {word: tuple(dict.fromkeys(others)) for word, others in names.items()}, codes


_read_once: Final = _read()
ALSO: Final[Mapping[str, tuple[str, ...]]] = _read_once[0]
"""'french' → france, 'france' → french: what a column may hold for a word."""
CODES: Final[Mapping[str, Mapping[str, frozenset[str]]]] = _read_once[1]
"""'german' → de in a column of countries or of languages: code → words one of which names the column."""
