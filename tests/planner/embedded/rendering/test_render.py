"""Logical form → SQL."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.logical_form.ir import Compare, Literal, Query, Term
from askwire.planner.embedded.rendering import render
from askwire.planner.embedded.rendering.render import CannotJoin, Renderer
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import build
from askwire.sql.catalog import Catalog


def test_rendering_quotes_and_refuses_what_cannot_join(index, make_table):
    apart = build(Catalog((make_table(1, "order", "id:id"), make_table(2, "Tag", "Label:text"))))
    label = next(c.index for c in apart.columns if c.column.name == "Label")
    renderer = Renderer(apart, JoinGraph(apart))
    query = Query(select=(Term(label),), where=(Compare(Term(label), "=", Literal("it's", "text")),))
    assert renderer.sql(query) == """SELECT "Label" FROM "Tag" WHERE "Label" = 'it''s'"""
    with pytest.raises(CannotJoin):
        renderer.sql(query.with_(tables=frozenset({0})))


def test_a_query_that_is_never_set_right_is_given_up(index, monkeypatch):
    """It was mended until the stack was full."""

    def worse(_index, query, _tree):
        return query.with_(where=(*query.where, query.where[0]))

    monkeypatch.setattr(render, "once", worse)
    city = next(c.index for c in index.columns if c.column.name == "city")
    query = Query(select=(Term(city),), where=(Compare(Term(city), "=", Literal("Paris", "text")),))
    with pytest.raises(CannotJoin):
        Renderer(index, JoinGraph(index)).sql(query)
