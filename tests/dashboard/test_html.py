"""Text is text, whatever it holds."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from dashboard.html import join, raw, tag


class Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text = ""
        self.attributes: dict[str, str | None] = {}

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(name)
        self.attributes.update(attributes)

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(markup: str) -> Seen:
    seen = Seen()
    seen.feed(markup)
    seen.close()
    return seen


@given(st.text(), st.text())
def test_any_text_stays_text(content: str, value: str) -> None:
    seen = parsed(tag("p", content, title=value))
    assert seen.tags == ["p"]
    assert seen.text == content.replace("\0", "\ufffd")
    assert seen.attributes["title"] == value


def test_markup_goes_in_as_it_is_and_attributes_by_their_names() -> None:
    made = tag("a", tag("b", "x"), raw("<i>y</i>"), None, ["1", 2], class_="c", data_since=3, hidden=True, title=None)
    assert made == '<a class="c" data-since="3" hidden><b>x</b><i>y</i>12</a>'
    assert join("<", tag("br")) == "&lt;<br>"


def test_text_that_was_added_to_markup_is_no_markup() -> None:
    assert tag("p", tag("b", "x") + "<script>") == "<p>&lt;b&gt;x&lt;/b&gt;&lt;script&gt;</p>"
