"""Judges scrapers by their data, heals by cause, and tells the operator once: observe -> decide -> act."""
