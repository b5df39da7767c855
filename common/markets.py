"""What the market with early payout pays early."""

EARLY_PAYOUT = "h2h_2up"


def pays_early(market: str, outcome: str) -> bool:
    """A side that is two goals ahead. Its draw is a plain one."""
    return market == EARLY_PAYOUT and outcome != "draw"
