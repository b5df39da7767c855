"""Names of teams and leagues: folding, and in time matching. Pure."""
