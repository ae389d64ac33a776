"""The whole sample shop, drawn from one fixed seed.

Owns: the order in which tables are filled. Everything is fixed, the dates too, so that an answer stays the
same for good; docs/sample.md lists what was planted.
"""

from __future__ import annotations

from askwire.proxy.demo.sample.assortment import add_products, add_staff
from askwire.proxy.demo.sample.customers import add_customers
from askwire.proxy.demo.sample.dice import Dice
from askwire.proxy.demo.sample.orders import add_orders
from askwire.proxy.demo.sample.rows import Shop

SEED = 20230102


def build() -> Shop:
    """All rows; the same on every call and every Python."""
    shop, dice = Shop(), Dice(SEED)
    add_staff(shop, dice)
    products = add_products(shop, dice)
    customers = add_customers(shop, dice)
    add_orders(shop, dice, customers, products)
    return shop
