"""What stands beside the scrapers: the published file with its surebets, and the clean-up."""
