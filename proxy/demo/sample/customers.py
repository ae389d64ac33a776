"""The customers of the sample shop and their addresses.

Owns: who they are, where they live, when they joined and left.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import date, timedelta

from askwire.proxy.demo.sample.dice import Dice
from askwire.proxy.demo.sample.rows import Shop, money
from askwire.proxy.demo.sample.words import Place, words

PERSONS = 500


@dataclass(frozen=True)
class Customer:
    """What orders need to know of a customer; they order from `joined` until before `left`."""

    id: int
    joined: date
    left: date
    business: bool
    addresses: tuple[tuple[int, Place], ...]


def add_customers(shop: Shop, dice: Dice) -> list[Customer]:
    """Fill `customers` and `addresses`."""
    state_names = {code: name for code, name, _ in words().states}
    customers: list[Customer] = []
    address = 0
    for number, (name, business) in enumerate(_names(dice), 1):
        place = _home(dice, name, business)
        joined = date(2019, 1, 1) + timedelta(days=dice.below(4 * 365 if number % 5 else 2500))
        left = date.max
        if not business and dice.percent(3):
            left = date(2025, dice.between(1, 12), dice.between(1, 28))
        shop.add(
            "customers", number, name, "business" if business else "person",
            _email(dice, name, number, business),
            None if dice.percent(30) else f"555-{dice.between(100, 999)}-{dice.between(1000, 9999)}",
            place.city, state_names.get(place.state), place.country, joined,
            money(dice.between(2, 40) * 50_000) if business else None,
            None if left == date.max else f"{left} 09:00:00+00",
        )  # fmt: skip
        homes: list[tuple[int, Place]] = []
        for label in ("office" if business else "home", "second")[: 2 if dice.percent(35) else 1]:
            address += 1
            where = dice.pick(words().us_places) if homes and place.state else place
            street = f"{dice.between(1, 480)} {dice.pick(words().streets)}"
            shop.add(
                "addresses", address, number, label, street, where.city, where.state or None,
                f"{dice.between(10000, 99999)}", where.country,
            )  # fmt: skip
            homes.append((address, where))
        customers.append(Customer(number, joined, left, business, tuple(homes)))
    return customers


def plain(name: str) -> str:
    """The letters of a name without accents, as mail addresses have them: 'Café Lumière' → 'CafeLumiere'."""
    return "".join(c for c in unicodedata.normalize("NFKD", name) if c.isascii() and c.isalpha())


def _names(dice: Dice) -> list[tuple[str, bool]]:
    """Names of all customers, and whether each is a business."""
    seen = set(words().namesakes)
    people: list[str] = []
    while len(people) < PERSONS - 2 * len(words().namesakes):
        name = f"{dice.pick(words().first_names)} {dice.pick(words().last_names)}"
        if name not in seen:
            seen.add(name)
            people.append(name)
    for name in words().namesakes:
        people.insert(dice.below(len(people) // 2), name)
        people.insert(len(people) // 2 + dice.below(len(people) // 2), name)
    names = [(name, True) for name in words().businesses]
    for place, name in enumerate(people):
        # The first customers were businesses; the others are mixed in.
        names.insert(min(len(names), 20 + place + place // 6), (name, False))
    return names


def _email(dice: Dice, name: str, number: int, business: bool) -> str | None:
    if dice.percent(5):
        return None
    local = f"orders@{plain(name)}" if business else f"{'.'.join(map(plain, name.split()))}{number}@mail"
    return f"{local}.example" if dice.percent(12) else f"{local}.example".lower()


def _home(dice: Dice, name: str, business: bool) -> Place:
    """Where a customer is: mostly in the large states; a business abroad has a name from there."""
    if name in words().businesses_abroad:
        abroad = {place.city: place for place in words().world_places}
        return abroad[words().businesses_abroad[name]]
    if not business and dice.percent(16):
        return dice.pick(words().world_places)
    return dice.pick(words().us_places[:16] if dice.percent(45) else words().us_places)
