"""Words that the schema does not use: what the linker makes of the shipped thesaurus."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.linking.linker import Linker
from askwire.planner.embedded.linking.word_links import MAX_LOOSE_QUALITY, SYNONYM, WordLinks
from askwire.planner.embedded.schema.schema_index import SchemaIndex, build
from askwire.sql.catalog import Catalog, Relation


@pytest.fixture
def harbour(make_table: Callable[..., Relation]) -> SchemaIndex:
    return build(
        Catalog(
            (
                make_table(1, "ships", "id:id name:text tonnage:int height:int"),
                make_table(2, "quakes", "id:id magnitude:money happened_on:date"),
                make_table(3, "dorms", "id:id name:text student_capacity:int"),
            )
        )
    )


def named(index: SchemaIndex, question: str) -> dict[str, str]:
    """Words of the question → the table or column that fits best."""
    tokens = tokenize(question)
    found = {}
    for mention in Linker(index).spans(tokens, ()):
        option = mention.options[0]
        said = " ".join(t.text for t in tokens[mention.start : mention.end])
        if option.table:
            found[said] = index.tables[option.index].relation.name
        else:
            found[said] = index.columns[option.index].column.name
    return found


def test_words_that_the_schema_does_not_use_name_what_they_mean(harbour: SchemaIndex) -> None:
    found = named(harbour, "How many vessels are there and which dormitories saw earthquakes?")
    assert found == {"vessels": "ships", "dormitories": "dorms", "earthquakes": "quakes"}


def test_a_word_that_only_the_thesaurus_has_is_worth_less_than_a_synonym(harbour: SchemaIndex) -> None:
    links = WordLinks(harbour)
    assert links.related("vessel") == {}
    assert 0.4 < links.likely("vessel")["ship"] <= MAX_LOOSE_QUALITY < SYNONYM


def test_a_word_names_what_is_called_so_in_another_spelling(make_table: Callable[..., Relation]) -> None:
    organisations = make_table(1, "organisations", "id:id colour:text")
    index = build(Catalog((organisations, make_table(2, "centers", "id:id"))))
    found = named(index, "How many organizations of which color are there per centre?")
    assert found == {"organizations": "organisations", "color": "colour", "centre": "centers"}


def test_a_short_form_that_is_a_word_names_nothing_longer(make_table: Callable[..., Relation]) -> None:
    links = WordLinks(build(Catalog((make_table(1, "areas", "id:id population:int quantity:int"),))))
    assert links.related("qty") == {"quantity": 1.0}
    assert links.related("pop").get("population", 0.0) < 1.0


def test_what_the_schema_holds_is_never_looked_up(harbour: SchemaIndex) -> None:
    links = WordLinks(harbour)
    assert links.likely("ship") is links.related("ship")


def test_neither_of_two_that_are_as_unlikely_is_meant(
    harbour: SchemaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    class EvenThesaurus:
        def likely(self, word: str) -> tuple[tuple[str, float], ...]:
            return (("ship", -2.0), ("dorm", -2.2))

    monkeypatch.setattr("askwire.planner.embedded.linking.word_links.shipped", EvenThesaurus)
    assert WordLinks(harbour).likely("thingummy") == {}


def test_at_most_one_word_of_a_span_is_from_the_thesaurus(harbour: SchemaIndex) -> None:
    found = named(harbour, "list all vessel tremors")
    assert "vessel tremors" not in found


def test_structure_and_degrees_keep_their_own_meaning(harbour: SchemaIndex) -> None:
    links = WordLinks(harbour)
    assert links.likely("located") == links.related("located") == {}
    assert links.likely("expensive") == {}


def test_what_the_thesaurus_has_is_no_typing_error(make_table: Callable[..., Relation]) -> None:
    index = build(Catalog((make_table(1, "trails", "id:id name:text"),)))
    assert "trail" not in WordLinks(index).related("trial")
    assert "trail" in WordLinks(index).related("traill")


def test_a_word_of_structure_is_meant_where_it_names_a_table_or_a_whole_column(
    make_table: Callable[..., Relation],
) -> None:
    orders = build(Catalog((make_table(1, "orders", "id:id"), make_table(2, "towns", "id:id state:text"))))
    named = build(Catalog((make_table(1, "towns", "id:id state_tax:money last_order:date"),)))
    assert "order" in WordLinks(orders).likely("command")
    assert "state" in WordLinks(orders).likely("province")
    assert WordLinks(named).likely("province") == WordLinks(named).likely("command") == {}
