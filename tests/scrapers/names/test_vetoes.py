import pytest

from scrapers.names.vetoes import read, veto


@pytest.mark.parametrize(
    ("name", "marks"),
    [
        ("Flamengo", set()),
        ("Flamengo (F)", {"women"}),
        ("Flamengo Feminino", {"women"}),
        ("Flamengo Fem.", {"women"}),
        ("Flamengo W", {"women"}),
        ("Arsenal Women", {"women"}),
        ("Flamengo U20", {"u20"}),
        ("Flamengo U-20", {"u20"}),
        ("Flamengo Sub-20", {"u20"}),
        ("Flamengo (Sub 17)", {"u17"}),
        ("Brasil U23", {"u23"}),
        ("Flamengo U20 (F)", {"u20", "women"}),
        ("Benfica B", {"reserves"}),
        ("Bayern München II", {"reserves"}),
        ("Boca Juniors Reservas", {"reserves"}),
        ("Grêmio Aspirantes", {"reserves"}),
        ("Flamengo Esports", {"virtual"}),
        ("Flamengo E-Sports", {"virtual"}),
        ("Flamengo (V)", {"virtual"}),
        ("Flamengo SRL", {"virtual"}),
        ("Flamengo Futsal", {"futsal"}),
        ("Botafogo-PB", set()),
        ("Boca Juniors", set()),
        ("F.C. Porto", set()),
    ],
)
def test_marks(name: str, marks: set[str]) -> None:
    assert read(name).marks == marks


@pytest.mark.parametrize(
    ("name", "core", "state", "country"),
    [
        ("Atlético-MG", "atletico", "mg", ""),
        ("Atl. Mineiro", "atletico", "mg", ""),
        ("Athletico Paranaense", "atletico", "pr", ""),
        ("Athletico", "atletico", "pr", ""),
        ("Athletic Club", "athletic", "", ""),
        ("Botafogo FR RJ", "botafogo fr", "rj", ""),
        ("América (RN)", "america", "rn", ""),
        ("Guarani (PAR)", "guarani", "", "py"),
        ("Guarani BR", "guarani", "", "br"),
        ("Vitória SC", "vitoria", "sc", ""),
        ("CRB", "crb", "", ""),
        ("Goiás GO", "goias", "go", ""),
        ("Paulista", "paulista", "", ""),
    ],
)
def test_state_and_country(name: str, core: str, state: str, country: str) -> None:
    reading = read(name)
    assert (reading.bare, reading.state, reading.country) == (core, state, country)


def test_two_letters_are_no_state_in_basketball() -> None:
    assert read("Alabama AM", "basketball").core == ("alabama", "am")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Flamengo", "Flamengo (F)"),
        ("Flamengo", "Flamengo U20"),
        ("Flamengo U17", "Flamengo U20"),
        ("Benfica", "Benfica B"),
        ("Willem II", "Jong Willem II"),
        ("Wahda (Oman)", "Wahda (Emirates)"),
        ("Flamengo", "Flamengo (JKey)"),
        ("Flamengo (Kray)", "Flamengo (JKey)"),
        ("Flamengo", "Flamengo Esports"),
        ("Botafogo-RJ", "Botafogo-SP"),
        ("Fluminense RJ", "Fluminense PI"),
        ("Atlético-MG", "Atlético-CE"),
        ("Guarani BR", "Guarani PY"),
        ("Guarani SP", "Guarani (PAR)"),
    ],
)
def test_apart(a: str, b: str) -> None:
    assert veto(read(a), read(b))
    assert veto(read(b), read(a))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Flamengo", "Flamengo RJ"),
        ("Fortaleza CE", "Fortaleza EC"),
        ("Ceará SC", "Ceará CE"),
        ("Atlético-MG", "Atlético Mineiro"),
        ("Flamengo U20", "Flamengo Sub-20"),
        ("Flamengo (F)", "Flamengo Feminino"),
        ("AC Milan", "Milan AC"),
        ("Arsenal (Sarandí)", "Arsenal Sarandí"),
        ("Flamengo (JKey)", "Flamengo (JKey)"),
        ("River Plate (ARG)", "River Plate (ARG)"),
        ("River Plate (ARG)", "River Plate"),  # may be; a bare name is no proof, as the traps have it
        ("Toulouse (Playoff Winner)", "Toulouse"),
        ("Willem II", "Willem II Tilburg"),
        ("Guangzhou R&F", "Guangzhou RF"),
        ("AFC Leopards (Kenya)", "AFC Leopards"),
    ],
)
def test_compatible(a: str, b: str) -> None:
    assert veto(read(a), read(b)) is None
    assert veto(read(b), read(a)) is None
