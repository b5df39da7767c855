"""Answers gone wrong, made from right ones. Pure."""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace

import msgspec

from scrapers.odds import Outcome
from simulator.board import Answer, Board, Line

CHUNK = b"x" * 65536
STRING_PRICE = 66.66  # stands for a price that is text in the answer; no true price is this high with this fraction
HOSTILE_PRICES = (-1.5, 0.0, 1.0, 1e308, STRING_PRICE)
FIRST_HOSTILE_ID = 1_000
HOSTILE_NAMES = (
    "Robert'); DROP TABLE matches;--",
    "<script>alert('odds')</script>",
    "\u202eognemalF\u202c\u200b",
    "Fla\x00men\x07go\r\nX-Injected: 1",
    "A" * 10_000,
    "{{7*7}} ${jndi:ldap://x} %s%n @everyone [x](http://x.invalid)",
)
CHALLENGE = b"""<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title>
<meta http-equiv="refresh" content="390"></head><body class="no-js"><div class="main-wrapper" role="main">
<h1 class="zone-name-title">Verify you are human</h1><noscript>Enable JavaScript and cookies to continue</noscript>
<script>window._cf_chl_opt={cvId:'3',cType:'managed'};</script>
<script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script></div></body></html>"""
LEAK = b"<script>const kept=[];setInterval(()=>kept.push(new Uint8Array(8<<20).fill(1)),100)</script>"
LEAKING_PAGE = b"<!DOCTYPE html><html><body>" + LEAK + b"</body></html>"


def malformed(answer: Answer) -> Answer:
    """The same content as if the site had been rewritten: other names, numbers as text and text as numbers."""
    try:
        content = msgspec.json.decode(answer.body)
    except msgspec.DecodeError:
        # Not JSON: the marks that hold the format together change places.
        return replace(answer, body=answer.body.translate(bytes.maketrans(b"|;={}[]", b"/,:()()")))
    return replace(answer, body=msgspec.json.encode(_rewritten(content)))


def _rewritten(value: object) -> object:
    match value:
        case dict():
            return {f"{key}V9": _rewritten(item) for key, item in value.items()}
        case list():
            return {"items": [_rewritten(item) for item in value]}
        case bool() | None:
            return {"value": value}
        case int() | float():
            return str(value)
        case _:
            return 0


def leaking(answer: Answer, *, navigation: bool) -> Answer:
    if "html" in answer.content_type:
        return replace(answer, body=answer.body + LEAK)
    return replace(answer, body=LEAKING_PAGE, content_type="text/html") if navigation else answer


def hostile(board: Board, answer: Callable[[Board], Answer]) -> Answer:
    """The normal lines with hostile ones among them, in as many ways as the wire format can carry."""
    lines = list(board.lines)
    for index, line in enumerate(_hostile_lines(board.lines)):
        try:
            answer(replace(board, lines=(line,)))
        except (ArithmeticError, ValueError):  # a format that counts in thousandths or fractions cannot write 1e308
            continue
        lines.insert(index * 2, line)  # in between, not in a block
    made = answer(replace(board, lines=tuple(lines)))
    try:
        content = msgspec.json.decode(made.body)
    except msgspec.DecodeError:
        return made
    return replace(made, body=msgspec.json.encode(_with_text_prices(content)))


def _hostile_lines(lines: tuple[Line, ...]) -> Iterator[Line]:
    """Copies of one normal line of each sport, under ids of their own, which no answer key knows."""
    samples = {line.sport: line for line in reversed(lines) if not line.live}
    for place, line in enumerate(samples.values()):
        first = FIRST_HOSTILE_ID + 100 * place
        for index, price in enumerate(HOSTILE_PRICES):
            prices: dict[Outcome, float] = dict.fromkeys(line.markets["h2h"], price)
            yield replace(line, event_id=first + index, markets={"h2h": prices}, suspended=False, swapped=False)
        for index, name in enumerate(HOSTILE_NAMES, len(HOSTILE_PRICES)):
            yield replace(line, event_id=first + index, home=name, suspended=False, swapped=False)


def _with_text_prices(value: object) -> object:
    match value:
        case dict():
            return {key: _with_text_prices(item) for key, item in value.items()}
        case list():
            return [_with_text_prices(item) for item in value]
        case float() | int() if value in (STRING_PRICE, STRING_PRICE * 1000):
            return "66,66 <b>"
        case _:
            return value


def huge(megabytes: int) -> Iterator[bytes]:
    """The beginning of a JSON answer that goes on and on."""
    yield b'{"error":false,"data":["'
    for _ in range(megabytes * 16):
        yield CHUNK
    yield b'"]}'


def zipped(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Often an empty piece, so that the caller gets its turn after each chunk."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    for chunk in chunks:
        yield packer.compress(chunk)
    yield packer.flush()
