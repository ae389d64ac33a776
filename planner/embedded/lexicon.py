"""English as data: function words, synonyms, adjectives and what they measure, other spellings of values.

Owns: word lists only. Must not know: how they are used.
"""

from __future__ import annotations

from typing import Final

from askwire.planner.embedded.text import listed

FUNCTION_WORDS: Final = frozenset(
    listed(
        """
    a an the this that these those there here it its they them their theirs he she his her hers him
    we us our you your i me my be am do have can could will would shall should may might must of in
    on at by for from to with without within into onto over under about above below between among
    through during before after since until as than then and or but nor not no never none neither
    either both any all each every per some such same other another also too only just so if when
    where who whom whose which what why how many much more most less least few fewer fewest 's 'd ,
    . ? ! ; : ( ) - / ' & please tell show list give find return display get fetch want need know
    see let count compute calculate determine provide print name report identify select retrieve
    what's who's list state number amount total average mean sum maximum minimum max min up out one
    along together respectively correspond corresponding associate associated relate related belong
    belonging different distinct unique various exist existing available record result information
    detail data database table value order ordered sort ascend descend ascending descending
    alphabetical alphabetically alphabetic asc desc decrease increase decreasing increasing
    lexicographical chronological reverse group rank top first last high low highest lowest large
    largest small smallest great greatest big biggest long short new old young early late recent
    latest earliest equal least exactly great greater larger smaller bigger higher lower less fewer
    kind type ever yet still well like call called named title titled entitle ascendingly
    descendingly across against toward towards else except excluding besides instead least whole
    entire overall common popular frequent commonly frequently often usually time there's let's
    everything anything something anyone everyone someone nobody nothing thing those whichever
    however use using used include including contain containing start starting begin beginning end
    ending current currently today now return returned
    """
    )
)
"""Words that carry structure; they need no counterpart in the schema to count as understood."""

SOFT_WORDS: Final = frozenset(
    listed(
        """
    live living lived locate located situated come came work working worked play playing played make
    made making take taken took taking hold held holding run running ran own owned owning go went
    going gone serve served serving teach taught teaching study studying studied enroll enrolled
    attend attended attending participate participated participating join joined receive received
    receiving win won winning born write written wrote publish published produce produced release
    released direct directed offer offered offering sell sold buy bought purchase purchased place
    placed pay paid send sent appear appeared host hosted operate operated work register registered
    assign assigned sign signed create created build built found founded open opened close closed
    happen happened occur occurred mention mentioned describe described stay stayed reside residing
    affect affected award awarded earn earned reach reached perform performed sing sung act acted
    say said stand get got become became choose chosen treat treated visit visited travel traveled
    arrive arrived depart departed leave left follow following rate rated review reviewed employ
    employed hire hired manage managed supervise supervised advise advised lead led head headed
    share shared support supported allow allowed least consist involve involved represent
    represented specify specified describe ship shipped deliver delivered total average distinct
    possible corresponding particular certain given specific respective single individual order
    ordered list listed count ever actually least please good
    """
    )
)
"""Verbs and adjectives that join things already named; leaving them out costs little confidence."""

_SYNONYM_GROUPS: Final = """
    nation country
    venue place
    place venue location city
    performer artist
    sponsor company
    nationality country citizenship
    location place address city
    hometown city
    town city
    state province region
    sex gender
    salary wage pay income earnings compensation
    price cost fee charge amount
    cost price expense
    revenue sale income amount total
    sale revenue
    income earning revenue
    profit earning
    movie film
    title name
    name title
    kind type category
    type kind category
    category type
    description detail
    detail description
    job occupation profession position role
    occupation job
    position role job
    staff employee
    employee staff worker
    worker employee
    teacher instructor professor faculty
    professor instructor faculty teacher
    instructor teacher professor
    doctor physician
    physician doctor
    pupil student
    client customer
    customer client
    shop store
    store shop
    company firm business enterprise manufacturer
    firm company
    phone telephone mobile cell
    telephone phone
    email mail
    zip postcode postal
    zipcode zip postcode
    postcode zip postal
    birthday birth dob
    birth dob birthday born
    born birth
    age year
    year date
    date time day year
    time date
    day date
    start begin beginning from
    end finish until to
    begin start
    size area capacity
    area size
    capacity size seat
    population resident inhabitant
    people person human population
    person people individual population
    man person
    woman person
    author writer
    writer author
    song track
    track song
    singer artist vocalist
    artist singer painter
    actor cast
    car vehicle automobile
    vehicle car
    plane aircraft airplane
    airplane aircraft plane
    aircraft plane airplane
    airline carrier company
    flight trip
    origin source departure
    source origin
    destination arrival target
    depart departure source origin
    arrive arrival destination
    leave departure
    purchase buy order
    order purchase
    buy purchase
    item product
    product item good
    good product
    goods product item
    quantity amount number count stock
    amount quantity
    grade score mark
    score point grade mark result
    point score
    mark grade score
    rating star score
    star rating
    review rating comment
    club team
    team club
    match game
    game match
    contest competition
    competition contest tournament
    tournament competition
    prize award
    award prize honor
    college university school
    university college school
    school college university
    department division
    major department
    class course section
    course class
    boss manager supervisor
    supervisor manager
    manager supervisor boss head
    head manager leader
    leader head president
    spouse husband wife
    id identifier code number
    identifier id
    code id abbreviation
    abbreviation code short
    tall height
    height tall
    heavy weight
    speed velocity
    length duration distance
    duration length time
    distance length
    elevation altitude height
    altitude elevation
    language tongue
    tongue language
    party affiliation
    status state condition
    condition status
    account user
    user account member
    member user
    owner possession
    pet animal
    animal pet
    photo picture image
    picture photo image
    image photo picture
    note comment
    comment remark note
    contact phone email
    money amount dollar budget
    dollar amount
    expense cost
    budget fund
    fund budget
    grant fund
    illness disease condition
    disease condition
    drug medicine medication
    medicine drug medication
    medication medicine drug
    therapy treatment
    treatment procedure
    procedure treatment
    street road address
    road street
    website url homepage web
    url website link
    surname last
    surname name
    forename first
    given first
    family last
    apartment flat unit
    building facility tower
    facility building
    hotel inn lodging
    journey trip
    trip journey travel
    paper publication article document
    article paper
    publication paper
    document file
    file document
    theme topic subject
    topic theme subject
    subject topic
    genre category style
    style genre
    device equipment
    equipment device
    machine equipment
    weather temperature
    seat capacity
    crowd attendance audience
    audience attendance
    attendance audience
    follower following
    friend friendship
    rank ranking
    ranking rank
    percentage percent rate ratio
    percent percentage
    rate percentage
    share percentage
    headquarter headquarters city
    founder founded
    foundation founded
    vote voter
    voter vote
    candidate nominee
    nominee candidate nominated
    nomination nominated nominee
    citizenship nationality
    origin country
    hour time
    room bedroom
    tail
    payment pay
    invoice bill
    bill invoice
    reservation booking
    booking reservation
    discount reduction
    tax duty
    stock inventory
    inventory stock
    supplier vendor
    vendor supplier
    brand make
    maker manufacturer make
    make maker
    manufacturer maker producer
    producer manufacturer
    engine motor
    horsepower power
    mileage mpg mile
    color colour
    county district
    district county region
    region area district
    continent region
    capital city
    mountain peak
    peak mountain
    river stream
    ticket admission
    show performance
    performance show
    concert performance
    exhibit exhibition
    museum gallery
    festival event
    event activity
    activity event
    tryout try
    decision result
    outcome result
    winner champion victory
    champion winner
    loser loss lose
    gender sex
    female gender
    male gender
    complaint issue
    channel station
    broadcast program
    program show
    episode show
    advisor adviser
    conference venue
    """
SYNONYMS: Final = {
    line.split()[0]: tuple(
        w
        for group in _SYNONYM_GROUPS.strip().splitlines()
        if group.split()[0] == line.split()[0]
        for w in group.split()[1:]
    )
    for line in _SYNONYM_GROUPS.strip().splitlines()
}
"""word → words that may name the same thing in a schema, weaker than the word itself."""

AGE: Final = "age|-birth date|-birthday|-date birth|-birth|-year born|-founded|-built|-start year|-open year"
ATTRIBUTES: Final = {
    "old": (AGE, ">"),
    "young": (AGE, "<"),
    "tall": ("height", ">"),
    "short": ("length|duration|height|distance|time", "<"),
    "long": ("length|duration|distance|time|runtime|year", ">"),
    "heavy": ("weight", ">"),
    "light": ("weight", "<"),
    "large": ("size|area|population|capacity", ">"),
    "big": ("size|area|population|capacity", ">"),
    "small": ("size|area|population|capacity", "<"),
    "expensive": ("price|cost|fee|amount|charge", ">"),
    "pricey": ("price|cost", ">"),
    "costly": ("price|cost|fee", ">"),
    "cheap": ("price|cost|fee|amount|charge", "<"),
    "early": ("date|year|time|start|founded", "<"),
    "late": ("date|year|time|start|founded", ">"),
    "recent": ("date|year|time|start|founded", ">"),
    "new": ("date|year|time|start|founded", ">"),
    "fast": ("speed|-time|-lap time|-duration|velocity", ">"),
    "slow": ("speed|-time|-lap time|-duration", "<"),
    "rich": ("income|salary|wealth|worth|net worth|balance", ">"),
    "deep": ("depth", ">"),
    "wide": ("width", ">"),
    "strong": ("power|magnitude|strength", ">"),
    "hot": ("temperature", ">"),
    "cold": ("temperature", "<"),
    "high": ("height|elevation|altitude|price|score", ">"),
    "low": ("height|elevation|altitude|price|score", "<"),
    "popular": ("popularity", ">"),
    "populous": ("population", ">"),
    "populated": ("population", ">"),
    "crowded": ("population|attendance", ">"),
    "experienced": ("experience|year working|year experience", ">"),
    "good": ("rating|score|rank", ">"),
    "bad": ("rating|score", "<"),
    "paid": ("salary|income|wage|pay|compensation|earnings|amount", ">"),
    "senior": (AGE, ">"),
    "close": ("distance", "<"),
    "far": ("distance", ">"),
    "dense": ("density|population density", ">"),
    "productive": ("production", ">"),
    "profitable": ("profit", ">"),
    "successful": ("success", ">"),
}
"""adjective → (what it measures, direction); '|' separates choices, a leading '-' turns the direction."""

IRREGULAR_DEGREES: Final = {
    "better": ("good", "er"),
    "best": ("good", "est"),
    "worse": ("bad", "er"),
    "worst": ("bad", "est"),
    "latest": ("late", "est"),
    "later": ("late", "er"),
    "eldest": ("old", "est"),
    "elder": ("old", "er"),
    "farthest": ("far", "est"),
    "furthest": ("far", "est"),
    "farther": ("far", "er"),
    "biggest": ("big", "est"),
    "bigger": ("big", "er"),
    "hottest": ("hot", "est"),
    "hotter": ("hot", "er"),
    "nearest": ("close", "est"),
}

MEASURE_WORDS: Final = frozenset({"revenue", "sale", "turnover"})
"""Words for money taken in; a sum of them is meant even where the question does not say so."""

ASKED: Final = {
    "how old": "age",
    "how long": "length|duration|time",
    "how tall": "height",
    "how high": "height|elevation",
    "how heavy": "weight",
    "how large": "size|area|population",
    "how big": "size|area|population",
    "how far": "distance",
    "how fast": "speed",
    "how expensive": "price|cost",
}
"""question opening → the attribute it asks for."""

VALUE_ALIASES: Final = {
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
    "french": ("france",),
    "german": ("germany",),
    "italian": ("italy",),
    "spanish": ("spain",),
    "chinese": ("china",),
    "japanese": ("japan",),
    "canadian": ("canada",),
    "australian": ("australia",),
    "russian": ("russia",),
    "indian": ("india",),
    "mexican": ("mexico",),
    "brazilian": ("brazil",),
    "dutch": ("netherlands",),
    "swiss": ("switzerland",),
    "swedish": ("sweden",),
    "irish": ("ireland",),
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
}
STATES: Final = dict(
    pair.rsplit(" ", 1)
    for pair in [
        "alabama al",
        "alaska ak",
        "arizona az",
        "arkansas ar",
        "california ca",
        "colorado co",
        "connecticut ct",
        "delaware de",
        "florida fl",
        "georgia ga",
        "hawaii hi",
        "idaho id",
        "illinois il",
        "indiana in",
        "iowa ia",
        "kansas ks",
        "kentucky ky",
        "louisiana la",
        "maine me",
        "maryland md",
        "massachusetts ma",
        "michigan mi",
        "minnesota mn",
        "mississippi ms",
        "missouri mo",
        "montana mt",
        "nebraska ne",
        "nevada nv",
        "new hampshire nh",
        "new jersey nj",
        "new mexico nm",
        "new york ny",
        "north carolina nc",
        "north dakota nd",
        "ohio oh",
        "oklahoma ok",
        "oregon or",
        "pennsylvania pa",
        "rhode island ri",
        "south carolina sc",
        "south dakota sd",
        "tennessee tn",
        "texas tx",
        "utah ut",
        "vermont vt",
        "virginia va",
        "washington wa",
        "west virginia wv",
        "wisconsin wi",
        "wyoming wy",
    ]
)
"""US states and their postal codes; used only where a column of states holds the code."""
