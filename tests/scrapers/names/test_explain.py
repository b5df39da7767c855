import io

from rich.console import Console, RenderableType

from scrapers.names.explain import compare, comparison_table, explain, explanation_table
from tests.scrapers.names import FAIR, PRICES, candidate, seen


def printed(table: RenderableType) -> str:
    out = io.StringIO()
    Console(width=160, file=out).print(table)
    return out.getvalue()


def test_two_names_side_by_side() -> None:
    found = compare("Atl. Mineiro", "Atlético-MG")
    assert (found.kind, found.score, found.veto) == ("known", 100.0, None)
    text = printed(comparison_table(found))
    for part in ("atl mineiro", "atletico mg", "mg", "Atlético Mineiro", "known, 100 of 100"):
        assert part in text


def test_two_names_that_are_two_clubs() -> None:
    assert compare("Atl. Mineiro", "Flamengo").veto == "known as another club"
    assert compare("Foo (F)", "Foo").veto == "marks women / none"


def test_a_fixture_and_all_that_it_was_weighed_against() -> None:
    matches = [
        candidate(1, "Atlético Mineiro", "Flamengo", fair=FAIR),
        candidate(2, "Atlético-GO", "Bahia", fair=FAIR),
    ]
    found = explain(seen("Atl. Mineiro", "Flamengo RJ", prices=PRICES), matches)
    assert (found.verdict.kind, found.verdict.match_id) == ("same", 1)
    assert found.pairings[0].candidate.match_id == 1
    text = printed(explanation_table(found))
    for part in ("Atl. Mineiro v Flamengo RJ: same", "100 known", "Atlético-GO", "known as another club"):
        assert part in text
