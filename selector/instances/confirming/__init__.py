"""From row sets that may separate to the instance that is reported: judged, minimized, and run once more."""
