"""The status page, /health and /metrics."""
