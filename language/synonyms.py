"""Synonyms as data: a word, and the words that may name the same thing in a schema.

Owns: the word list only.
"""

from __future__ import annotations

from typing import Final

_SYNONYM_LINES: Final = """
    average mean
    mean average
    conversion converted
    construction built
    ship vessel boat
    boat vessel ship
    registration registered signup
    signup registered registration
    admission admitted
    receipt received
    activation activated
    deactivation deactivated
    completion completed
    termination terminated
    deal opportunity contract transaction agreement
    opportunity deal
    rep representative salesperson employee agent
    representative rep salesperson agent
    salesperson representative rep employee
    seller salesperson vendor
    technician engineer mechanic employee
    mechanic technician
    server waiter
    waiter server
    consumption usage
    usage consumption
    flat apartment unit
    landlord owner lessor
    tenant renter lessee
    renter tenant
    lease contract rental tenancy
    tenancy lease
    repair maintenance
    quota target goal
    goal target quota
    prospect lead
    case ticket issue
    agent representative rep
    coupon voucher promotion
    voucher coupon
    promo promotion coupon
    promotion coupon
    parcel shipment package
    package parcel shipment
    shipment delivery parcel
    delivery shipment
    subscriber subscription customer
    subscription contract plan
    outage interruption
    premise property address
    property premise building
    turnover revenue sale
    headcount employee
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
    expire expiry expiration expired end until
    expiring expiry expiration expired end until
    expiry expiration expired end until
    expiration expiry expired end until
    size area capacity byte kilobyte megabyte
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
    donor donator
    donator donor
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
    speed velocity mph kmh kph knot
    power horsepower hp
    loan checkout circulation
    rain precipitation rainfall
    rainfall precipitation rain
    length duration distance millisecond minute
    duration length time millisecond second minute runtime
    runtime duration millisecond second minute
    distance length kilometer mile meter
    weight kilogram kg gram pound lb
    temperature celsius fahrenheit degree
    filesize byte kilobyte megabyte
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
    ticket admission citation
    food cuisine dish meal
    cuisine food
    citation ticket
    killed fatality fatal death deceased
    died fatality fatal death deceased
    dead fatality fatal death deceased
    death fatality fatal deceased
    fatal fatality death
    fatality fatal death deceased
    deadly fatality fatal death
    injured injury casualty
    hurt injury casualty
    wounded injury casualty
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
    restaurant establishment eatery business facility
    eatery establishment restaurant
    shop store establishment business
    hotel property establishment
    car vehicle
    vehicle car
    crash accident collision
    accident crash collision incident
    crime offense incident
    offense crime
    fire wildfire incident
    casualty victim injury
    plane aircraft
    aircraft plane
    doctor physician provider
    illness disease diagnosis
    disease illness diagnosis
    medicine drug medication
    pupil student
    boss manager supervisor
    stadium ground venue arena
    match game fixture
    game match fixture
    club team
    team club squad
    crowd attendance
    borough district county
    brand make manufacturer
    maker manufacturer make
    inhabitant population
    resident population
    language tongue
    earthquake quake event
    tenant renter
    tip gratuity
    """


def _by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in _SYNONYM_LINES.strip().splitlines():
        word, *others = line.split()
        found[word] = (*found.get(word, ()), *others)
    return found


SYNONYMS: Final = _by_word()
"""word → words that may name the same thing in a schema, weaker than the word itself."""
