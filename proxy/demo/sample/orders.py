"""The orders of the sample shop: lines, refunds and reviews.

Owns: who ordered what when, what became of it, and the one tie made on purpose. Money is in cents until a row
is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from askwire.proxy.demo.sample.assortment import LAST_DAYS, Product
from askwire.proxy.demo.sample.customers import Customer
from askwire.proxy.demo.sample.dice import Dice
from askwire.proxy.demo.sample.rows import LAST_DAY, Shop, money
from askwire.proxy.demo.sample.words import words

ORDERS_PER_YEAR = {2023: 800, 2024: 1130, 2025: 1450}
MONTH_WEIGHTS = (7, 6, 7, 8, 8, 8, 7, 7, 8, 9, 12, 13)
NEVER_ORDERED = 24
SELLERS = (11, 12, 13, 14, 15, 16, 17)
"""The employees who take orders by phone and in the store."""


@dataclass
class Line:
    """One line of an order; mutable because one tie is made afterwards. `discount` is in percent."""

    order: int
    number: int
    product: int
    quantity: int
    unit_cents: int
    discount: int

    @property
    def cents(self) -> int:
        """What the customer paid for the line, rounded half up."""
        return (self.quantity * self.unit_cents * (100 - self.discount) + 50) // 100


@dataclass(frozen=True)
class Delivery:
    """A line that reached its customer, and the day it was shipped."""

    customer: Customer
    shipped: date
    line: Line


def add_orders(shop: Shop, dice: Dice, customers: list[Customer], products: list[Product]) -> None:
    """Fill `orders`, `order_lines`, `refunds` and `reviews`."""
    buyers = customers[:-NEVER_ORDERED]
    appetites = [_appetite(dice, customer) for customer in buyers]
    lines: list[Line] = []
    delivered: list[Delivery] = []
    for order, (day, minute) in enumerate(_moments(dice), 10001):
        customer = buyers[dice.weighted(appetites)]
        while not customer.joined <= day < customer.left:
            customer = buyers[dice.weighted(appetites)]
        required = day + timedelta(days=dice.between(5, 14))
        status, shipped = _fate(dice, day, required)
        own = [] if status == "cancelled" else _lines(dice, order, day, customer, products)
        ship_to, place = customer.addresses[-1 if dice.percent(40) else 0]
        channel = ("web", "phone", "store")[dice.weighted((70, 18, 12))]
        free = channel == "store" or not own or sum(line.cents for line in own) >= 15000
        shop.add(
            "orders", order, customer.id, None if channel == "web" else _seller(dice, day), status, channel,
            ("card", "card", "paypal", "invoice" if customer.business else "card")[dice.below(4)],
            f"{day} {minute // 60:02d}:{minute % 60:02d}:00+00", required, shipped,
            ship_to, customer.addresses[0][0], place.city, place.state or None,
            money(0 if free else dice.pick((495, 795, 995))),
            dice.pick(words().order_notes) if dice.percent(9) else None,
        )  # fmt: skip
        lines += own
        if status == "delivered" and shipped:
            delivered += [Delivery(customer, shipped, line) for line in own]
    _tie_at_five(lines)
    for line in lines:
        shop.add(
            "order_lines", line.order, line.number, line.product, line.quantity, money(line.unit_cents),
            f"0.{line.discount:02d}", money(line.cents),
        )  # fmt: skip
    _add_aftermath(shop, dice, delivered)


def _appetite(dice: Dice, customer: Customer) -> int:
    """How often a customer orders, compared with the others."""
    if customer.id == 1:
        return 75
    return dice.pick((8, 12, 20, 34)) if customer.business else dice.pick((1, 1, 2, 3, 5, 7))


def _moments(dice: Dice) -> list[tuple[date, int]]:
    """Day and minute of every order, in order; daytime in UTC."""
    moments = []
    for year, count in ORDERS_PER_YEAR.items():
        for _ in range(count):
            first = date(year, dice.weighted(MONTH_WEIGHTS) + 1, 1)
            length = ((first + timedelta(days=31)).replace(day=1) - first).days
            day = first + timedelta(days=dice.below(length))
            # Closed on 31 December and 1 January: no time zone moves an order into another year.
            day = min(max(day, date(year, 1, 2)), date(year, 12, 30))
            moments.append((day, dice.between(7 * 60, 21 * 60)))
    return sorted(moments)


def _seller(dice: Dice, day: date) -> int:
    seller = dice.pick(SELLERS)
    return seller if day <= LAST_DAYS.get(seller, date.max) else SELLERS[0]


def _fate(dice: Dice, day: date, required: date) -> tuple[str, date | None]:
    """The order's status, and the day it was shipped if it was."""
    if dice.percent(4):
        return "cancelled", None
    if dice.below(1000) < (90 if day >= date(2025, 8, 1) else 6):
        return "delayed", None
    if dice.percent(11):
        shipped = required + timedelta(days=dice.between(1, 9))
    else:
        shipped = day + timedelta(days=dice.between(1, 5))
    if shipped > LAST_DAY:
        return dice.pick(("new", "paid", "packed")), None
    return ("shipped" if shipped + timedelta(days=7) > LAST_DAY else "delivered"), shipped


def _lines(dice: Dice, order: int, day: date, customer: Customer, products: list[Product]) -> list[Line]:
    offered = [p for p in products if p.weight and p.launched <= day < p.ended]
    weights = [p.weight for p in offered]
    chosen: list[Product] = []
    for _ in range(dice.pick((1, 1, 1, 2, 2, 3, 3, 4, 5))):
        product = offered[dice.weighted(weights)]
        if product not in chosen:
            chosen.append(product)
    lines = []
    for number, product in enumerate(chosen, 1):
        if product.cents > 10000:
            quantity = dice.pick((1, 1, 2)) if customer.business else 1
        else:
            quantity = dice.pick((2, 4, 6, 10, 12) if customer.business else (1, 1, 1, 1, 2, 2, 3, 4))
        # Prices rose by 4 % of today's each year, so what was charged differs from the list price.
        unit_cents = product.cents * (100 - 4 * (2025 - day.year)) // 100
        discount = dice.pick((0, 0, 0, 0, 0, 0, 0, 5, 10, 15))
        lines.append(Line(order, number, product.id, quantity, unit_cents, discount))
    return lines


def _tie_at_five(lines: list[Line]) -> None:
    """Make the products ranked fifth and sixth by units sold equal, so that a top 5 cuts through a tie."""
    units: dict[int, int] = {}
    for line in lines:
        units[line.product] = units.get(line.product, 0) + line.quantity
    ranked = sorted(units, key=lambda product: (-units[product], product))
    fifth, sixth = ranked[4], ranked[5]
    missing = units[fifth] - units[sixth]
    while missing:
        for line in [line for line in lines if line.product == sixth][:missing]:
            line.quantity += 1
            missing -= 1


def _add_aftermath(shop: Shop, dice: Dice, delivered: list[Delivery]) -> None:
    """Refunds and reviews, some days after the goods were shipped."""
    refund = review = 0
    for item in delivered:
        day = item.shipped + timedelta(days=dice.between(3, 45))
        if day > LAST_DAY:
            continue
        line = item.line
        if dice.percent(4):
            refund += 1
            amount = money(line.cents if dice.percent(70) else line.cents // 2)
            reason = dice.pick(words().refund_reasons)
            shop.add("refunds", refund, line.order, line.number, amount, reason, day)
        if dice.percent(17):
            review += 1
            rating = dice.weighted((5, 8, 17, 34, 36)) + 1
            title = dice.pick(words().review_titles[rating - 1]) if dice.percent(85) else None
            shop.add("reviews", review, line.product, item.customer.id, rating, title, day)
