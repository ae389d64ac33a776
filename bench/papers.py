"""The papers, element by element: where each stands, which test shows it, and what deviates.

    python -m askwire.bench.papers > docs/papers.md

A test holds the page against this table, and the table against files and tests. Owns: the table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from askwire.bench.live.ablations import ABLATIONS


@dataclass(frozen=True)
class Element:
    """One element: `place` is a file, `test` is `path::name`; `deviates` says how and why it does."""

    paper: str
    name: str
    source: str
    place: str
    test: str
    deviates: str = ""


_MODELS: Final = "tests/planner/models"
_DUELS: Final = "tests/selector/duels/test_duels.py"
_JUDGED: Final = "tests/selector/duels/test_judged_rows.py"

PAPERS: Final = {
    "PV-SQL": "probing, then verification by rules",
    "SISelection": "separating instances decide between answers",
    "APEX-SQL": "agentic exploration, for linking and for writing",
    "SSEV": "self-refinement, linking by first drafts, weighted votes",
    "ReCAPAgent-SQL": "a plan, its critique, actions, refinement, validation",
    "DPC": "dual-paradigm checks: SQL against Python",
}

ELEMENTS: Final = (
    Element(
        "PV-SQL",
        "probe loop, K = 5, errors fed back",
        "Algorithm 1, Prompt 1",
        "planner/models/data_probes.py",
        f"{_MODELS}/test_model_expert.py::test_a_model_that_repeats_a_look_is_not_asked_for_more",
    ),
    Element(
        "PV-SQL",
        "grounding: columns and values that a probe confirmed",
        "section 4.1",
        "planner/models/data_probes.py",
        f"{_MODELS}/test_model_expert.py::test_prompts_are_as_in_the_golden_files",
        "a column or value counts only where the catalog or a result has it",
    ),
    Element(
        "PV-SQL",
        "ten kinds of constraint, their triggers",
        "Table 9",
        "verifier/constraints/__init__.py",
        "tests/verifier/test_pv_sql.py::test_each_trigger_fires",
        "rate, overall, aggregate, typical and placed need a word beside them that says so",
    ),
    Element(
        "PV-SQL",
        "what satisfies each kind",
        "Table 10",
        "verifier/constraints/__init__.py",
        "tests/verifier/test_pv_sql.py::test_each_criterion_is_held_against_the_sql",
        "an ORDER BY satisfies 'rank by', as in gold queries; stored counts, sums and averages count",
    ),
    Element(
        "PV-SQL",
        "constraints as demands on the generator",
        "Algorithm 1, line 17; Prompt 2",
        "verifier/requirements.py",
        "tests/proxy/selecting/test_strategies.py::test_the_constraints_are_demands_on_the_generator",
    ),
    Element(
        "PV-SQL",
        "repair with the violations, M = 5",
        "Algorithm 1, Prompt 3",
        "verifier/repair/loop.py",
        "tests/verifier/repair/test_loop.py::test_a_failed_text_is_repaired_until_it_is_clean",
        "a repair that breaks a constraint which held is not taken; M is 2 in `balanced`",
    ),
    Element(
        "PV-SQL",
        "verification by a model (ablation)",
        "Table 5",
        "verifier/review/strategies.py",
        "tests/verifier/review/test_model_reviewer.py"
        "::test_demands_are_listed_once_and_each_text_is_held_against_them",
    ),
    Element(
        "SISelection",
        "clusters by result",
        "section 3",
        "selector/clusters.py",
        "tests/selector/test_selection.py::test_without_confidences_every_expert_has_one_vote",
    ),
    Element(
        "SISelection",
        "instances that separate two answers",
        "section 3",
        "selector/instances/search.py",
        f"{_DUELS}::test_rules_make_a_small_database_on_which_two_queries_part",
        "the smallest set of real rows is searched; `judge_rows = drawn` draws M and N terms as there",
    ),
    Element(
        "SISelection",
        "comparator: NULL-only rows, duplicates, column order ignored",
        "section 3",
        "selector/duels/pair.py",
        f"{_JUDGED}::test_what_a_judge_cannot_tell_apart_has_no_rows",
    ),
    Element(
        "SISelection",
        "schema with explanations, three votes",
        "section 3",
        "selector/duels/answering.py",
        f"{_JUDGED}::test_the_third_voice_is_asked_only_where_the_first_two_differ",
        "the third vote is left out where two agree: it could change nothing",
    ),
    Element(
        "SISelection",
        "round robin, ties to consistency",
        "section 3",
        "selector/tournament.py",
        "tests/selector/test_tournament.py::test_equal_points_fall_back_on_the_size_of_the_cluster",
    ),
    Element(
        "SISelection",
        "worked examples",
        "examples 1 to 3",
        "selector/tournament.py",
        "tests/proxy/selecting/test_selection_examples.py::test_the_ruling_on_separating_rows_is_the_answer",
    ),
    Element(
        "APEX-SQL",
        "logical plans, N = 2 at 0.8, merged at 0.2",
        "section 3.2.1",
        "planner/models/plans.py",
        f"{_MODELS}/test_linking.py::test_agents_choose_what_is_shown_and_each_stage_tells_the_next",
    ),
    Element(
        "APEX-SQL",
        "dual-pathway pruning in batches",
        "section 3.2.2",
        "planner/models/linking/pruning.py",
        f"{_MODELS}/test_linking.py::test_batches_are_full_within_their_bounds_and_hold_what_ranks_first",
        "only where the schema is too large to be shown whole, unless `model_linking = always`",
    ),
    Element(
        "APEX-SQL",
        "semantic linking: roles of tables",
        "section 3.2.3",
        "planner/models/linking/roles.py",
        f"{_MODELS}/test_linking.py::test_agents_choose_what_is_shown_and_each_stage_tells_the_next",
    ),
    Element(
        "APEX-SQL",
        "data profiling, 3 to 8 queries for each table",
        "section 3.2.3",
        "planner/models/linking/profiling.py",
        f"{_MODELS}/test_linking.py::test_below_rows_nothing_is_profiled_and_no_value_leaves",
    ),
    Element(
        "APEX-SQL",
        "global synthesis over a connected schema",
        "section 3.2.4",
        "planner/models/linking/synthesis.py",
        f"{_MODELS}/test_linking.py::test_what_is_apart_is_told_and_queries_run_between_rounds",
    ),
    Element(
        "APEX-SQL",
        "ways to do each step, and guidance by keyword",
        "section 3.3.1, appendix C",
        "planner/models/guidance/library.py",
        f"{_MODELS}/test_guidance.py::test_there_are_52_entries_under_49_ids_in_14_categories_and_four_are_always_told",
        "the entries are in our own words, for PostgreSQL",
    ),
    Element(
        "APEX-SQL",
        "EXPLORE, REFINE, SQL; summaries beyond 30 rows",
        "sections 3.3.2, 4.3.4",
        "planner/models/exploring/explorer.py",
        f"{_MODELS}/test_exploring.py::test_it_explores_takes_stock_writes_corrects_and_confirms",
        "10 actions and 14,000 tokens in `balanced`; 40 and 56,000 in `thorough`, as the paper",
    ),
    Element(
        "APEX-SQL",
        "confirmation with a prompt of its own",
        "section 3.3.2",
        "planner/models/exploring/explorer.py",
        f"{_MODELS}/test_exploring.py::test_what_a_confirmation_misses_is_told_and_work_goes_on",
    ),
    Element(
        "APEX-SQL",
        "eight candidates, majority, a model breaks ties",
        "section 4.2",
        "selector/voting.py",
        "tests/selector/test_voting.py::test_apex_select_asks_only_to_break_a_tie",
        "eight in `thorough`, and only of a model that has a temperature: at 0 they do not differ",
    ),
    Element(
        "SSEV",
        "PreSQL with example rows and nine demonstrations",
        "section 3.1.1",
        "planner/models/retrieval/demonstrations.py",
        f"{_MODELS}/test_demonstrations.py::test_nine_are_told_and_seeds_fill_up_what_is_missing",
        "demonstrations are what the role confirmed on this database, then some that come with askwire",
    ),
    Element(
        "SSEV",
        "schema linking by the tables of first drafts",
        "section 3.1.1",
        "planner/models/first_drafts.py",
        f"{_MODELS}/test_first_drafts.py"
        "::test_the_second_round_is_over_the_tables_of_all_experts_first_drafts",
        "no second round where it would see the same tables",
    ),
    Element(
        "SSEV",
        "PostSQL: the second round keeps the rows and sees the first draft",
        "section 3.1.2",
        "planner/models/model_expert.py",
        f"{_MODELS}/test_first_drafts.py"
        "::test_the_second_round_sees_example_rows_and_the_first_draft_with_its_result",
    ),
    Element(
        "SSEV",
        "refinement upon error or empty result",
        "section 3.1.3",
        "planner/models/first_drafts.py",
        f"{_MODELS}/test_first_drafts.py::test_a_first_draft_that_fails_or_finds_nothing_is_refined_before_its_tables_count",
    ),
    Element(
        "SSEV",
        "weighted majority (WMA)",
        "section 3.2",
        "selector/weighted_majority.py",
        "tests/selector/test_weighted_majority.py::test_a_heavy_expert_outvotes_two_light_ones",
    ),
    Element(
        "SSEV",
        "randomized weighted majority (RWMA)",
        "section 3.2",
        "selector/weighted_majority.py",
        "tests/bench/selection/test_online.py::test_mistakes_stay_within_the_bounds_in_every_order",
    ),
    Element(
        "ReCAPAgent-SQL",
        "planner with the columns of the result",
        "section 3.3.1",
        "planner/models/plans.py",
        f"{_MODELS}/test_plans.py::test_a_plan_is_criticised_and_made_anew_then_told_with_its_columns",
    ),
    Element(
        "ReCAPAgent-SQL",
        "plan critique, at most three",
        "section 3.3.3",
        "planner/models/plans.py",
        f"{_MODELS}/test_plans.py::test_critiques_end",
        "one in `balanced`",
    ),
    Element(
        "ReCAPAgent-SQL",
        "external knowledge",
        "section 3.3.2",
        "planner/models/retrieval/knowledge.py",
        f"{_MODELS}/test_knowledge.py"
        "::test_the_sections_that_a_question_is_about_are_told_with_the_columns_they_name",
        "ranked by words, not by embeddings",
    ),
    Element(
        "ReCAPAgent-SQL",
        "syntax retriever",
        "section 3.3.2",
        "planner/models/retrieval/functions.py",
        f"{_MODELS}/test_knowledge.py::test_a_function_is_called_for_by_words_or_not_at_all",
        "words of question and plan call for functions of the server's own catalog; no model is asked",
    ),
    Element(
        "ReCAPAgent-SQL",
        "action loop over the plan's steps",
        "section 3.3.5",
        "planner/models/action_agent.py",
        f"{_MODELS}/test_action_agent.py::test_each_step_of_the_plan_is_at_hand_until_its_query_has_run",
        "each action is a query or the end; the SQL critique sees the query at the end, not each action",
    ),
    Element(
        "ReCAPAgent-SQL",
        "schema linker upon an unknown table or column",
        "section 3.3.4",
        "planner/models/schema_search.py",
        "tests/proxy/selecting/test_strategies.py::test_the_schema_is_searched_for_a_table_that_is_not_there",
        "it searches names and comments, and runs no commands",
    ),
    Element(
        "ReCAPAgent-SQL",
        "SQL critique",
        "section 3.3.3",
        "verifier/review/strategies.py",
        "tests/proxy/selecting/test_models.py::test_what_a_critic_objects_to_is_written_anew_and_seen_again",
        "it names words of the question or is silent, and writes no SQL of its own",
    ),
    Element(
        "ReCAPAgent-SQL",
        "self-refinement with a taxonomy of errors",
        "section 3.3.6",
        "verifier/repair/taxonomy.py",
        "tests/verifier/repair/test_loop.py::test_a_table_that_is_not_there_is_told_as_such",
    ),
    Element(
        "ReCAPAgent-SQL",
        "validator of the result",
        "section 3.3.7",
        "verifier/review/strategies.py",
        "tests/proxy/selecting/test_strategies.py::test_a_right_query_survives_an_objection",
        "what it objects to stays a rival; an empty result is no fault by itself",
    ),
    Element(
        "DPC",
        "champion and challenger: the two largest clusters",
        "section 3",
        "selector/tournament.py",
        "tests/selector/test_tournament.py"
        "::test_only_the_two_largest_duel_for_champion_and_the_champion_keeps_a_draw",
    ),
    Element(
        "DPC",
        "Slicer",
        "section 3",
        "selector/duels/slicing.py",
        f"{_DUELS}::test_a_slice_shows_what_the_two_need",
    ),
    Element(
        "DPC",
        "Tester",
        "section 3",
        "selector/duels/testing.py",
        f"{_DUELS}::test_a_model_s_rows_are_a_database",
        "rules make the rows first; a model is asked where they find none",
    ),
    Element(
        "DPC",
        "Solver, T = 3, in a sandbox",
        "section 3",
        "selector/sandbox/running.py",
        f"{_DUELS}::test_the_solver_puts_its_code_right_a_few_times",
    ),
    Element(
        "DPC",
        "BS-F1",
        "section 3",
        "selector/soft_f1.py",
        "tests/selector/test_soft_f1.py::test_scores",
    ),
    Element(
        "DPC",
        "worked example",
        "appendix",
        "selector/duels/judges.py",
        "tests/proxy/selecting/test_selection_examples.py::test_the_challenger_whom_the_code_agrees_with_is_the_answer",
    ),
    *(
        Element(
            paper,
            "a strategy is this paper and no more",
            "ablations",
            "verifier/extent.py",
            "tests/proxy/selecting/test_strategies.py::test_a_text_is_held_against_what_its_paper_has",
            "the gate, the caps and the choice of the schema that is shown stay",
        )
        for paper in ("PV-SQL", "APEX-SQL", "SSEV", "ReCAPAgent-SQL")
    ),
)
"""In the order of the page."""


_NEEDS: Final = {"knowledge": "with documents (`--knowledge`)", "experts": "with several experts"}


def page() -> str:
    """docs/papers.md."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# The papers, element by element"
    yield ""
    yield "What askwire takes of the papers, where it stands, and the test that shows it. *Faithful* means"
    yield "that the element does what the paper says; otherwise the last column says what differs, and why."
    yield "Results that a paper reports are not claimed. Made by `python -m askwire.bench.papers`."
    for paper, about in PAPERS.items():
        yield ""
        yield f"## {paper}: {about}"
        yield ""
        yield "| element | paper | where | test | faithful |"
        yield "|---|---|---|---|---|"
        for one in (element for element in ELEMENTS if element.paper == paper):
            path, _, name = one.test.partition("::")
            told = f"deviates: {one.deviates}" if one.deviates else "faithful"
            yield (
                f"| {one.name} | {one.source} | [{one.place}](../{one.place}) "
                f"| [{name}](../{path}) | {told} |"
            )
    yield from _ablations()


def _ablations() -> Iterator[str]:
    yield ""
    yield "## Ablations"
    yield ""
    yield "The rows of the papers' tables as settings; `./ask bench live` runs them. APEX's \"w/o All\" keeps"
    yield "a choice after pruning, here a single call without a query (`model_synthesis = once`). SSEV's"
    yield "stages 3 and 5 give the same answers; the votes that it compares (WMA, RWMA, naive) are"
    yield "[strategies of the selector](selection.md#strategies-of-papers)."
    yield ""
    yield "| strategy | table | row | setting |"
    yield "|---|---|---|---|"
    for one in ABLATIONS:
        own = {"effort": one.effort} if one.effort else {}
        settings = [f"`{name} = {value}`" for name, value in {**own, **one.settings}.items()]
        settings += [_NEEDS[one.needs]] if one.needs else []
        settings += ["sent what the right SQL does"] if one.oracle else []
        yield f"| `{one.strategy}` | {one.table} | {one.row} | {', '.join(settings) or '–'} |"


if __name__ == "__main__":
    sys.stdout.write(page())
