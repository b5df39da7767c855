"""Secrets out of text that leaves the machine: log lines, errors and stacks, as they are put into alerts."""

import re

MASK = "***"
_PATTERNS = (
    (re.compile(r"sb_(secret|publishable)_[\w-]+"), MASK),
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*"), MASK),  # a JSON web token, as older Supabase keys are
    (re.compile(r"(/api(?:/v\d+)?/webhooks/\d+/)[\w-]+"), rf"\1{MASK}"),
    (re.compile(r"([a-z][a-z0-9+.-]{0,20}://)[^\s/@\"']+@", re.IGNORECASE), rf"\1{MASK}@"),
    (re.compile(r"\b(bearer|basic)\s+[\w.~+/=-]{8,}", re.IGNORECASE), rf"\1 {MASK}"),
    (
        re.compile(
            r"((?:api_?-?key|token|secret|password|passwd|authorization|access_?id|signature)[\w-]*"
            r"[\"']?\s*[=:]\s*[\"']?)(?!\*\*\*)[^\s\"'&,;}]{4,}",
            re.IGNORECASE,
        ),
        rf"\1{MASK}",
    ),
)


def mask(text: str) -> str:
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text
