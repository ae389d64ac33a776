"""What experts that are models cost besides the model, and what becomes of its faults. No model is called."""

from askwire.bench.models.run import measure

__all__ = ["measure"]
