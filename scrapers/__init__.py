"""Scrapers: a bookmaker's answers in, one model of odds out."""
