"""The shop's own side: states, employees, suppliers, and the range of products.

Owns: who sells what at which price.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from askwire.proxy.demo.sample.customers import plain
from askwire.proxy.demo.sample.dice import Dice
from askwire.proxy.demo.sample.rows import Shop, money
from askwire.proxy.demo.sample.words import words

LAST_DAYS = {14: date(2024, 1, 31), 20: date(2024, 9, 30)}
"""Employees who have left, by number, with their last day."""


@dataclass(frozen=True)
class Product:
    """What order lines need to know of a product; it sells from `launched` until before `ended`."""

    id: int
    cents: int
    launched: date
    ended: date
    weight: int


def add_staff(shop: Shop, dice: Dice) -> None:
    """Fill `states` and `employees`."""
    for state in words().states:
        shop.add("states", *state)
    for number, person in enumerate(words().staff, 1):
        hired = date(2014 + number % 9, dice.between(1, 12), dice.between(1, 28))
        email = f"{person.first_name[0]}.{person.last_name}@shop.example".lower()
        shop.add(
            "employees", number, person.first_name, person.last_name, person.title, person.department, email,
            person.manager or None, hired, LAST_DAYS.get(number), money(person.salary * 100),
        )  # fmt: skip


def add_products(shop: Shop, dice: Dice) -> list[Product]:
    """Fill `categories`, `suppliers`, `tags`, `products` and `product_tags`."""
    for number, category in enumerate(words().categories, 1):
        shop.add("categories", number, category.name, category.description)
    for number, (name, city, country) in enumerate(words().suppliers, 1):
        email = f"sales@{plain(name)}.example".lower()
        shop.add("suppliers", number, name, city, country, None if number % 5 == 0 else email)
    for number, tag in enumerate(words().tags, 1):
        shop.add("tags", number, tag)
    products: list[Product] = []
    for group, category in enumerate(words().categories, 1):
        suppliers = [dice.between(1, len(words().suppliers)) for _ in range(4)]
        for name, cents in category.articles.items():
            number = len(products) + 1
            unsold = category.name == "Gift Cards"
            discontinued = dice.percent(7)
            launched = date(2025, 12, 15) if unsold else _launch(dice)
            shop.add(
                "products", number, name, group, None if unsold else dice.pick(suppliers),
                money(cents), money(cents * dice.between(45, 70) // 100),
                None if unsold or cents < 4000 else dice.pick((12, 24, 24, 36, 60)),
                0 if unsold or discontinued or dice.percent(5) else dice.between(1, 240),
                launched, discontinued,
            )  # fmt: skip
            for mark in sorted({dice.between(1, len(words().tags)) for _ in range(dice.below(5))}):
                shop.add("product_tags", number, mark)
            # A few products sell well and most sell now and then, as in any shop.
            weight = 0 if unsold else dice.pick((1, 2, 2, 3, 3, 4, 5, 6, 9, 14))
            ended = date(2025, 1, 1) if discontinued else date.max
            products.append(Product(number, cents, launched, ended, weight))
    return products


def _launch(dice: Dice) -> date:
    first, last = (2018, 2022) if dice.percent(75) else (2023, 2024)
    return date(dice.between(first, last), dice.between(1, 12), dice.between(1, 28))
