"""What simulations cost from Python: ``python -m taffeta.bench``."""
