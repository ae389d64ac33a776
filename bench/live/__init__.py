"""Every strategy and ablation against a model that the user names: recorded, and replayed."""
