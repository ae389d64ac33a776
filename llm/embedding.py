"""One call for embeddings as an ASK makes it: paid for, paced, bounded in time, recorded, tried once.

Owns: the order of these.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from askwire.core.beside import on_loop
from askwire.core.errors import BudgetSpent, ModelFailed
from askwire.core.protocols import Embedder, SealedText, Usage
from askwire.llm.calling import STAGE, Line
from askwire.llm.estimate import tokens

STEP: Final = "embed"


async def embed(line: Line, texts: Sequence[SealedText]) -> tuple[tuple[float, ...], ...]:
    """A vector for each text, in their order; tokens are paid for as those of prompts are.

    Raises ModelFailed where the endpoint fails or offers none, BudgetSpent where purse or time are spent.
    """
    return await on_loop(_embedded(line, texts))


async def _embedded(line: Line, texts: Sequence[SealedText]) -> tuple[tuple[float, ...], ...]:
    source = line.source
    model = source.model
    if not isinstance(model, Embedder) or not model.embeds:
        raise ModelFailed(f'expert "{source.name}" has no embedding model', kind="rejected")
    about = sum(tokens(text.text) for text in texts)
    reserved = line.purse.reserve(about, 0, source.price)
    began = line.clock.monotonic()
    usage, outcome, cost = Usage(), "canceled", 0.0
    try:
        if line.left <= 0:
            raise BudgetSpent(f'no time is left to ask expert "{source.name}"')
        async with asyncio.timeout(line.left), source.pace.turn():
            source.breaker.enter()
            try:
                vectors, usage = await model.embed(texts, timeout=line.left)
            except BaseException:
                source.breaker.abandoned()
                raise
            source.breaker.succeeded()
        outcome = "answered"
        return vectors
    except TimeoutError:
        outcome = "no time left"
        raise BudgetSpent(f'no time is left to ask expert "{source.name}"') from None
    except ModelFailed as error:
        outcome = error.kind
        raise
    finally:
        if outcome == "answered":
            cost = line.purse.settle(reserved, usage, source.price).cost
        else:
            line.purse.release(reserved)
        line.trace.record(
            STAGE,
            "called",
            expert=source.name,
            step=STEP,
            outcome=outcome,
            tries=1,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=0,
            cached_tokens=0,
            reasoning_tokens=0,
            estimated=usage.estimated,
            cost=round(cost, 6),
            took_ms=round((line.clock.monotonic() - began) * 1000, 1),
        )
