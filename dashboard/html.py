"""HTML that is escaped by construction: text is text, and only what this file made is markup."""

from collections.abc import Iterable
from html import escape
from typing import Final

VOID: Final = frozenset({"input", "link", "meta", "br"})


class Html(str):
    """Markup. Made by `tag`, `join` and `raw`; everything else is text, and is escaped on its way in."""

    __slots__ = ()


Child = str | int | float | None | Iterable["Child"]
Attribute = str | int | float | bool | None


def tag(name: str, /, *children: Child, **attributes: Attribute) -> Html:
    """An element. `class_`, `for_` and `data_since` become class, for and data-since; None and False are left out."""
    shown = "".join(map(_attribute, attributes.items()))
    if name in VOID:
        return Html(f"<{name}{shown}>")
    return Html(f"<{name}{shown}>{join(*children)}</{name}>")


def join(*children: Child) -> Html:
    return Html("".join(map(_render, children)))


def raw(markup: str) -> Html:
    """Markup that is written in our own source. Never for anything that was read."""
    return Html(markup)


def _attribute(item: tuple[str, Attribute]) -> str:
    name, value = item
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value), quote=True)}"'


def _render(child: Child) -> str:
    match child:
        case None:
            return ""
        case Html():
            return child
        case str():
            return escape(child, quote=True).replace("\0", "\ufffd")  # which no page may hold
        case int() | float():
            return str(child)
        case _:
            return "".join(map(_render, child))
