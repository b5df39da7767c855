import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapers.names.fold import fold


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("Atlético-MG", "atletico mg"),
        ("  São   Paulo ", "sao paulo"),
        ("Bodø/Glimt", "bodo glimt"),
        ("Wisła Łódź", "wisla lodz"),
        ("Preußen Münster", "preussen munster"),
        ("PÃ©tange", "petange"),  # UTF-8 that a book read as Latin
        ("Saint-Ã\x89tienne", "saint etienne"),  # the same, of a letter that no Windows has
        ("SÃO PAULO", "sao paulo"),  # not that
        ("Nott'm Forest", "nott m forest"),
        ("(F)", "f"),
        ("---", "---"),
    ],
)
def test_folds(name: str, folded: str) -> None:
    assert fold(name) == folded


@given(st.text(min_size=1, max_size=120))
def test_a_folded_name_stays_as_it_is(name: str) -> None:
    assert fold(fold(name)) == fold(name)
