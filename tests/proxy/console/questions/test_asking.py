"""Asking in the console: questions, their answers, and what people say of them."""

from __future__ import annotations

import asyncio

import psycopg
from doubles.asked import rows
from doubles.scripted_expert import Says
from servers.asking_console import SECRET, AskingConsole, Person, seen
from servers.running_proxy import OwnDatabase

from askwire.core.records import Feedback
from askwire.planner.expert import ExpertContext

DOGS = "SELECT name FROM pets WHERE kind = 'dog' ORDER BY name"
KINDS = ("SELECT name FROM pets WHERE kind = 'dog'", "SELECT name FROM pets WHERE kind = 'cat'")


async def test_an_answer_shows_rows_sql_and_why(person: Person, zoo: OwnDatabase) -> None:
    text = await person.ask("dogs")
    shown = seen(text)
    assert "reading 1" in shown or "pets.name" in shown
    assert "Ada" in shown
    assert "2 rows" in shown
    assert "Copy" in shown
    assert '<a class="because" href="/ask/history/' in text
    key = text.partition('href="/ask/history/')[2].partition('"')[0]
    status, page = await person.get(f"ask/history/{key}")
    assert status == 200
    assert "Readings" in page
    assert 'href="/settings' not in page, "that is for operators"


async def test_questions_keep_their_order(console: AskingConsole, person: Person) -> None:
    gate = asyncio.Event()

    async def waits(_planning: ExpertContext) -> list[str]:
        await gate.wait()
        return ["SELECT 1 AS first_one"]

    console.asked.expert.on("slow", waits)
    for question in ("slow", "dogs", "cats"):
        await person.send("ask/questions", question=question)
    _, page = await person.get("ask")
    assert seen(page).index("cats") < seen(page).index("dogs") < seen(page).index("slow"), "latest first"
    assert page.count(">waiting<") == 2
    assert '<meta http-equiv="refresh"' in page, "without scripts the page comes again"
    gate.set()
    assert "Tom" in await person.settled("3")
    assert "Ada" in await person.settled("2")
    assert console.asked.questions == ["slow", "dogs", "cats"]


async def test_null_empty_and_numbers_are_told_apart(console: AskingConsole, person: Person) -> None:
    console.asked.expert.answers(
        "cells", "SELECT NULL::text AS a, ''::text AS b, 5::int AS c, true AS d FROM pets WHERE id = 1"
    )
    text = await person.ask("cells")
    assert (
        '<td class="null">NULL</td><td class="null">empty text</td><td class="num">5</td><td>true</td>'
        in text
    )
    assert '<th scope="col" class="num">c</th>' in text


async def test_more_rows_than_a_page_shows_are_counted_and_downloaded(
    console: AskingConsole, person: Person
) -> None:
    console.asked.expert.answers("many", "SELECT generate_series(1, 2000) AS n FROM pets WHERE id = 1")
    text = await person.ask("many")
    assert "The first 500 rows of more. The download has all of them." in seen(text)
    assert text.count("<tr>") == 501
    status, csv = await person.get("ask/answers/1/rows.csv")
    assert status == 200
    assert csv.count("\r\n") == 2001


async def test_hostile_values_are_text(console: AskingConsole, person: Person, zoo: OwnDatabase) -> None:
    bad = "<script>alert(1)</script>\"'<img src=x onerror=alert(1)>"
    with zoo.owner() as connection:
        connection.execute("INSERT INTO hostile VALUES (%s, 1), (%s, 2)", (bad, bad + "2"))
    console.asked.expert.answers(f"<b>{bad}", f'SELECT cell AS "<i>{bad[:8]}</i>", number FROM hostile')
    text = await person.ask(f"<b>{bad}")
    assert bad in seen(text)
    assert "<script>alert" not in text
    assert "<img src" not in text
    assert "<i>" not in text


async def test_a_refusal_offers_its_readings_to_choose(
    console: AskingConsole, person: Person, zoo: OwnDatabase
) -> None:
    # constants that the question names may be remembered for the role's other sessions
    console.asked.experts = (Says("one", KINDS[0]), Says("two", KINDS[1]))
    text = await person.ask("dog or cat")
    assert "NL001 ambiguous" in seen(text)
    assert text.count(">Use this one<") == 2
    assert text.count("This row gives different results") == 1
    # the readings are below, with a button each
    assert 'aria-label="Details">This row gives different results' in text
    chosen = seen(await person.say("1", said="chosen", number="2"))
    assert "You said: this reading" in chosen
    assert ("Tom" in chosen) != ("Ada" in chosen)
    again = seen(await person.ask("dog or cat"))
    assert ("Tom" in again) == ("Tom" in chosen), "it is remembered"
    dsn = f"host=127.0.0.1 port={console.asked.port} dbname={zoo.name} user=by_scram password='{SECRET}'"
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as elsewhere:
        names = [name for (name,) in await rows(elsewhere, "ASK 'dog or cat'")]
    assert ("Tom" in names) == ("Tom" in chosen), "with any other client as well"


async def test_readings_stand_side_by_side_with_the_rows_that_tell_them_apart(
    console: AskingConsole, person: Person
) -> None:
    console.asked.expert.answers("animals", *KINDS)
    await person.ask("animals")
    await person.send("ask/answers/1/compare")
    text = await person.settled("1")
    assert text.count('class="reading-card') == 2
    assert "Rex" in seen(text) or "Tom" in seen(text)
    assert "Use this one" in text


async def test_an_answer_is_right_and_wrong_in_its_session(console: AskingConsole, person: Person) -> None:
    await person.ask("dogs")
    assert "You said: right" in seen(await person.say("1", said="right"))
    assert "You said: wrong" in seen(await person.say("1", said="wrong"))
    (feedback,) = await console.asked.store.find(Feedback)
    assert (feedback.said, feedback.role) == ("wrong", "by_scram")
    assert feedback.session


async def test_the_right_sql_is_taken_and_its_rows_shown(person: Person) -> None:
    await person.ask("dogs")
    text = await person.say("1", said="wrong", sql="SELECT 'Bello' AS name FROM pets WHERE id = 1")
    assert "Bello" in seen(text)
    refused = await person.say("1", said="wrong", sql="DELETE FROM pets")
    assert "Bello" in seen(refused), "what was shown stays"
    assert 'class="remark"' in refused


async def test_an_older_question_is_judged_too(console: AskingConsole, person: Person) -> None:
    await person.ask("dogs")
    await person.ask("cats")
    assert "You said: right" in seen(await person.say("1", said="right"))
    assert "You said" not in (await person.get("ask/answers/2"))[1]
    (feedback,) = await console.asked.store.find(Feedback)
    assert (feedback.question, feedback.role) == ("dogs", "by_scram")
    async with console.asked.connection() as connection:
        weights = await rows(
            connection, "SELECT role FROM ask.experts WHERE expert = 'scripted' AND role <> ''"
        )
    assert all(role == ("by_scram",) for role in weights), "it counts for no one else"


async def test_after_the_session_has_ended_its_role_judges_it_in_the_history(
    console: AskingConsole, person: Person, zoo: OwnDatabase
) -> None:
    console.asked.expert.answers("each dog", DOGS)
    text = await person.ask("each dog")
    key = text.partition('href="/ask/history/')[2].partition('"')[0]
    await person.send("ask/sign-out")
    assert (await person.get(f"ask/history/{key}"))[0] == 303, "no one is signed in"
    assert await person.sign_in(zoo, "by_scram", SECRET) == 303
    _, history = await person.get("ask/history")
    assert f'href="/ask/history/{key}"' in history
    assert (await person.send(f"ask/history/{key}/say", said="right", number="1")).status == 303
    (feedback,) = await console.asked.store.find(Feedback)
    assert (feedback.said, feedback.role, feedback.acting_as) == ("right", "by_scram", "by_scram")
    _, page = await person.get(f"ask/history/{key}")
    assert "Feedback:" in page
    assert (await person.send(f"ask/history/{key}/say", said="nothing")).status == 303
    (feedback,) = await console.asked.store.find(Feedback)
    assert feedback.undone


async def test_one_role_sees_nothing_of_another(
    console: AskingConsole, person: Person, zoo: OwnDatabase
) -> None:
    key = (await person.ask("dogs")).partition('href="/ask/history/')[2].partition('"')[0]
    async with console.person() as other:
        # an operator sees everybody's in the console, not here
        assert await other.sign_in(zoo) == 303
        assert (await other.get(f"ask/history/{key}"))[0] == 404
        assert (await other.send(f"ask/history/{key}/say", said="right", number="1")).status == 404
        assert (await other.get("ask/answers/1"))[0] == 404
        _, history = await other.get("ask/history")
        assert key not in history
    assert not await console.asked.store.find(Feedback)


async def test_a_question_is_canceled_while_it_is_thought_about(
    console: AskingConsole, person: Person
) -> None:
    started = asyncio.Event()

    async def forever(_planning: ExpertContext) -> list[str]:
        started.set()
        await asyncio.Event().wait()
        return []

    console.asked.expert.on("slow", forever)
    await person.send("ask/questions", question="slow")
    await person.send("ask/questions", question="cats")
    await started.wait()
    await person.send("ask/answers/1/cancel")
    assert "57014 canceled" in seen(await person.settled("1"))
    assert "Tom" in await person.settled("2"), "the next one goes on"


async def test_a_question_is_canceled_while_postgresql_runs_it(
    console: AskingConsole, person: Person
) -> None:
    # millions of rows come out slowly, and the time-outs of probes do not hold for the answer
    sql = "SELECT count(*) FROM pets a, generate_series(1, 60000) b, generate_series(1, 60000) c"
    console.asked.expert.answers("count", sql)
    await person.send("ask/questions", question="count")
    await asyncio.sleep(0.5)
    await person.send("ask/answers/1/cancel")
    text = seen(await person.settled("1"))
    assert "57014" in text or "NL0" in text
    assert "Tom" in await person.ask("cats")


async def test_a_waiting_question_is_canceled_before_it_begins(
    console: AskingConsole, person: Person
) -> None:
    gate = asyncio.Event()

    async def waits(_planning: ExpertContext) -> list[str]:
        await gate.wait()
        return ["SELECT 1 AS one FROM pets WHERE id = 1"]

    console.asked.expert.on("slow", waits)
    await person.send("ask/questions", question="slow")
    await person.send("ask/questions", question="cats")
    await person.send("ask/answers/2/cancel")
    assert "canceled before it began" in seen(await person.settled("2"))
    gate.set()
    await person.settled("1")
    assert console.asked.questions == ["slow"]


async def test_the_backend_goes_away_in_the_middle_of_a_question(
    console: AskingConsole, person: Person, zoo: OwnDatabase
) -> None:
    started = asyncio.Event()

    async def forever(_planning: ExpertContext) -> list[str]:
        started.set()
        await asyncio.Event().wait()
        return []

    console.asked.expert.on("slow", forever)
    await person.send("ask/questions", question="slow")
    await started.wait()
    with zoo.owner() as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'askwire console'"
        )
    assert "57P01" in seen(await person.settled("1"))
    _, page = await person.get("ask")
    assert "terminating connection due to administrator command" in page
    assert "Sign in again" in page
    assert (await person.send("ask/questions", question="cats", part="1")).status == 409
    assert (
        (await person.send("ask/sign-out")).headers["Location"].endswith(f"user=by_scram&database={zoo.name}")
    )


async def test_a_question_of_nothing_or_nul_does_no_harm(person: Person) -> None:
    assert (await person.send("ask/questions", question=" \0 ", part="1")).status == 409
    assert "do gs" in seen(await person.ask("do\0gs"))
    text = await person.ask("it's \\ a 'quoted' \"one\"; DROP TABLE pets")
    assert "NL003" in text


async def test_too_many_questions_do_not_pile_up(console: AskingConsole, person: Person) -> None:
    gate = asyncio.Event()

    async def waits(_planning: ExpertContext) -> list[str]:
        await gate.wait()
        return ["SELECT 1 AS one FROM pets WHERE id = 1"]

    console.asked.expert.on("slow", waits)
    codes = [(await person.send("ask/questions", question="slow", part="1")).status for _ in range(12)]
    assert codes == [200] * 9 + [409] * 3
    gate.set()
    await person.settled("9")


async def test_rows_of_older_answers_are_let_go_of(person: Person) -> None:
    for _ in range(10):
        await person.ask("dogs")
    _, page = await person.get("ask/answers/1")
    assert "no longer kept" in page
    assert "Ada" in (await person.get("ask/answers/10"))[1]


async def test_progress_is_told_while_it_thinks(console: AskingConsole, person: Person) -> None:
    gate = asyncio.Event()

    async def waits(_planning: ExpertContext) -> list[str]:
        await gate.wait()
        return ["SELECT 1 AS one FROM pets WHERE id = 1"]

    console.asked.expert.on("slow", waits)
    await person.send("ask/questions", question="slow")
    text = ""
    async with asyncio.timeout(20):
        while "looking for readings of the question (" not in text:
            seen_now = text.partition('data-revision="')[2].partition('"')[0] or "0"
            _, text = await person.get(f"ask/answers/1?seen={seen_now}")
    gate.set()
    assert "looking for readings" not in await person.settled("1")


async def test_a_question_is_asked_again_in_its_place(console: AskingConsole, person: Person) -> None:
    assert "NL003" in await person.ask("birds")
    console.asked.expert.answers("birds", "SELECT 'Tweety' AS name FROM pets WHERE id = 1")
    assert (await person.send("ask/answers/1/again")).status == 303
    text = await person.settled("1")
    assert "Tweety" in text
    assert "NL003" not in text
    console.asked.expert.answers("cats", "SELECT 'Garfield' AS name FROM pets WHERE id = 1")
    await person.ask("cats")
    assert "Ask again" in await person.say("2", said="wrong")


async def test_a_role_that_keeps_no_history_asks_all_the_same(
    console: AskingConsole, zoo: OwnDatabase
) -> None:
    with zoo.owner() as connection:
        connection.execute(f"ALTER ROLE by_scram IN DATABASE {zoo.name} SET askwire.history = off")
    try:
        async with console.person() as person:
            assert await person.sign_in(zoo, "by_scram", SECRET) == 303
            text = await person.ask("dogs")
            assert "Ada" in text
            key = text.partition('href="/ask/history/')[2].partition('"')[0]
            assert (await person.get(f"ask/history/{key}"))[0] == 404
            assert "You said: right" in seen(await person.say("1", said="right"))
    finally:
        with zoo.owner() as connection:
            connection.execute(f"ALTER ROLE by_scram IN DATABASE {zoo.name} RESET askwire.history")


async def test_under_row_level_security_sessions_of_one_role_see_nothing_of_each_other(
    console: AskingConsole, person: Person, zoo: OwnDatabase
) -> None:
    with zoo.owner() as connection:
        connection.execute(
            "ALTER TABLE pets ENABLE ROW LEVEL SECURITY; "
            "CREATE POLICY p ON pets USING (kind = current_setting('app.kind', true) OR true)"
        )
    text = await person.ask("dogs")
    assert "Ada" in text
    key = text.partition('href="/ask/history/')[2].partition('"')[0]
    assert (await person.get(f"ask/history/{key}"))[0] == 200, "its own session sees it"
    async with console.person() as other:
        assert await other.sign_in(zoo, "by_scram", SECRET) == 303
        assert (await other.get(f"ask/history/{key}"))[0] == 404
        assert key not in (await other.get("ask/history"))[1]
        assert (await other.send(f"ask/history/{key}/say", said="right", number="1")).status == 404
    assert "You said: right" in seen(await person.say("1", said="right"))


async def test_pages_that_wait_for_news_are_bounded(console: AskingConsole, person: Person) -> None:
    gate = asyncio.Event()

    async def waits(_planning: ExpertContext) -> list[str]:
        await gate.wait()
        return ["SELECT 1 AS one FROM pets WHERE id = 1"]

    console.asked.expert.on("slow", waits)
    await person.send("ask/questions", question="slow")
    revision, text = "0", ""
    async with asyncio.timeout(20):
        while "looking for readings of the question (" not in text:
            _, text = await person.get(f"ask/answers/1?seen={revision}")
            revision = text.partition('data-revision="')[2].partition('"')[0]
    polls = [asyncio.create_task(person.get(f"ask/answers/1?seen={revision}")) for _ in range(7)]
    waiting = set(polls)
    async with asyncio.timeout(20):
        while len(waiting) > 4:
            _, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        await person.get(f"ask/answers/1?seen={revision}")  # answered at once, as the three are
    assert sum(not poll.done() for poll in polls) == 4
    gate.set()
    assert {status for status, _ in await asyncio.gather(*polls)} == {200}


async def test_what_was_canceled_in_the_queue_is_not_carried_out(
    console: AskingConsole, person: Person
) -> None:
    gate = asyncio.Event()

    async def waits(_planning: ExpertContext) -> list[str]:
        await gate.wait()
        return ["SELECT 1 AS one"]

    console.asked.expert.on("slow", waits)
    await person.ask("dogs")
    await person.send("ask/questions", question="slow")
    await person.send("ask/answers/1/say", said="right")
    await person.send("ask/answers/1/cancel")
    # what waits now is the second one, and the first one's turn comes before
    await person.send("ask/answers/1/say", said="wrong")
    gate.set()
    assert "You said: wrong" in seen(await person.settled("1"))
    (feedback,) = await console.asked.store.find(Feedback)
    assert feedback.said == "wrong"
