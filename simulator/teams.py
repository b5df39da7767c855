"""Clubs and how Brazilian bookmakers write them, with the near-namesakes that a careless matcher confuses.

One club per line: its canonical name, then other spellings seen at bookmakers. No spelling names two clubs.
"""

from collections.abc import Mapping
from types import MappingProxyType

_FOOTBALL = """
Flamengo | Flamengo RJ | CR Flamengo
Palmeiras | Palmeiras SP | SE Palmeiras
Atlético Mineiro | Atletico-MG | Atlético MG | Atl. Mineiro | Atlético-MG
Botafogo | Botafogo RJ | Botafogo FR RJ | Botafogo-RJ
Internacional | Internacional RS | SC Internacional | Internacional Porto Alegre
São Paulo | Sao Paulo | São Paulo FC | Sao Paulo SP
Corinthians | Corinthians SP | SC Corinthians
Cruzeiro | Cruzeiro MG | Cruzeiro EC | Cruzeiro Belo Horizonte
Grêmio | Gremio | Grêmio RS | Gremio Porto Alegre | Grêmio FBPA
Fluminense | Fluminense RJ | Fluminense FC
Bahia | EC Bahia | Bahia BA | Esporte Clube Bahia
Fortaleza | Fortaleza CE | Fortaleza EC
Athletico Paranaense | Athletico-PR | Athletico PR | Atlético Paranaense | CA Paranaense
Red Bull Bragantino | RB Bragantino | Bragantino | Bragantino SP
Vasco da Gama | Vasco | Vasco da Gama RJ | CR Vasco da Gama
Santos | Santos FC | Santos SP
Vitória | Vitoria BA | EC Vitória | Vitória-BA
Sport Recife | Sport | Sport-PE | Sport Club do Recife
Juventude | Juventude RS | EC Juventude
Ceará | Ceara SC | Ceará CE | Ceara
América Mineiro | America-MG | América MG | América FC MG
Goiás | Goias EC | Goiás GO
Coritiba | Coritiba PR | Coritiba FC
Atlético Goianiense | Atletico-GO | Atlético GO | AC Goianiense
Athletic Club | Athletic Club MG | Athletic-MG | Athletic Club Sao Joao del Rei
Botafogo SP | Botafogo-SP | Botafogo Ribeirão Preto | Botafogo FC SP
Vila Nova | Vila Nova GO | Vila Nova FC
Avaí | Avai SC | Avai FC
Chapecoense | Chapecoense SC | Chapecoense AF | Associação Chapecoense
Criciúma | Criciuma EC | Criciuma
CRB | CRB AL | Clube de Regatas Brasil
Novorizontino | Grêmio Novorizontino | Novorizontino SP | Gremio Novorizontino
Operário | Operario PR | Operário Ferroviário | Operario Ferroviario PR
Paysandu | Paysandu PA | Paysandu SC
Remo | Remo PA | Clube do Remo
Cuiabá | Cuiaba EC | Cuiabá MT
América RN | America-RN | América de Natal | America RN
Botafogo PB | Botafogo-PB | Botafogo João Pessoa | Botafogo Joao Pessoa PB
CSA | CSA AL | Centro Sportivo Alagoano
Inter de Limeira | Inter Limeira | Internacional de Limeira | Inter Limeira SP
Guarani | Guarani SP | Guarani FC | Guarani Campinas
Ponte Preta | AA Ponte Preta | Ponte Preta SP
Portuguesa | Portuguesa SP | Portuguesa de Desportos
São Bernardo | Sao Bernardo FC | São Bernardo SP
Noroeste | Noroeste SP | EC Noroeste
Guaraní | Guaraní Asunción | Club Guarani PAR | Guarani (PAR)
Libertad | Libertad Asunción | Club Libertad | Libertad (PAR)
River Plate | CA River Plate | River Plate (ARG)
Boca Juniors | CA Boca Juniors | Boca Juniors (ARG)
Racing Club | Racing Avellaneda | Racing Club (ARG)
Peñarol | Penarol | CA Peñarol
Nacional | Nacional Montevideo | Club Nacional (URU) | Nacional (URU)
LDU Quito | LDU de Quito | Liga de Quito | LDU
Estudiantes | Estudiantes de La Plata | Estudiantes La Plata
Manchester City | Man City | Manchester City FC | Man. City
Arsenal | Arsenal FC | Arsenal London
Liverpool | Liverpool FC
Chelsea | Chelsea FC
Tottenham Hotspur | Tottenham | Spurs
Newcastle United | Newcastle | Newcastle Utd
Manchester United | Man United | Manchester Utd | Man Utd
Aston Villa | Aston Villa FC
Brighton | Brighton & Hove Albion | Brighton and Hove Albion | Brighton Hove
Nottingham Forest | Nottm Forest | Nottingham | Nott'm Forest
Bournemouth | AFC Bournemouth
Brentford | Brentford FC
Crystal Palace | Crystal Palace FC | C. Palace
Everton | Everton FC
Fulham | Fulham FC
West Ham United | West Ham | West Ham Utd
Wolverhampton Wanderers | Wolves | Wolverhampton
Leeds United | Leeds | Leeds Utd
Burnley | Burnley FC
Sunderland | Sunderland AFC
Real Madrid | Real Madrid CF | R. Madrid
Barcelona | FC Barcelona
Atlético de Madrid | Atlético Madrid | Atletico Madrid | Atl. Madrid
Athletic Bilbao | Athletic Club Bilbao | Ath Bilbao
Villarreal | Villarreal CF
Real Betis | Betis | Real Betis Balompié
Real Sociedad | R. Sociedad | Real Sociedad San Sebastian
Sevilla | Sevilla FC | Sevilha
Valencia | Valencia CF | Valência
Girona | Girona FC
Celta de Vigo | Celta Vigo | RC Celta | Celta
Osasuna | CA Osasuna
Rayo Vallecano | Rayo | Rayo Vallecano Madrid
Mallorca | RCD Mallorca | Maiorca
Getafe | Getafe CF
Alavés | Deportivo Alavés | Alaves | Dep. Alaves
Espanyol | RCD Espanyol | Espanyol Barcelona
Elche | Elche CF
Levante | Levante UD
Real Oviedo | Oviedo | R. Oviedo
Bayern de Munique | Bayern München | Bayern Munich | Bayern Munchen
Paris Saint-Germain | PSG | Paris SG | Paris St Germain
Inter | Inter de Milão | Internazionale | Inter Milan | FC Internazionale Milano
Milan | AC Milan
Juventus | Juventus Turin | Juventus FC
Sporting | Sporting CP | Sporting Lisboa | Sporting Clube de Portugal
Benfica | SL Benfica | Benfica Lisboa
Vitória SC | Vitória de Guimarães | Vitoria Guimaraes | V. Guimarães
Braga | SC Braga | Sporting Braga | Sp. Braga
Roma | AS Roma
Lyon | Olympique Lyonnais | Olympique Lyon
Rangers | Glasgow Rangers | Rangers FC
"""

_BASKETBALL = """
Boston Celtics | BOS Celtics | Celtics
Oklahoma City Thunder | OKC Thunder | Oklahoma City
Denver Nuggets | DEN Nuggets | Nuggets
Cleveland Cavaliers | CLE Cavaliers | Cavaliers
Los Angeles Lakers | LA Lakers | L.A. Lakers | Lakers
New York Knicks | NY Knicks | Knicks
Minnesota Timberwolves | MIN Timberwolves | Minnesota T'Wolves
Los Angeles Clippers | LA Clippers | L.A. Clippers | Clippers
Golden State Warriors | GS Warriors | Golden State | Warriors
Houston Rockets | HOU Rockets | Rockets
Milwaukee Bucks | MIL Bucks | Bucks
Orlando Magic | ORL Magic | Orlando
Dallas Mavericks | DAL Mavericks | Dallas Mavs
Miami Heat | MIA Heat | Heat
Phoenix Suns | PHX Suns | Suns
San Antonio Spurs | SA Spurs | San Antonio
Atlanta Hawks | ATL Hawks | Hawks
Chicago Bulls | CHI Bulls | Bulls
Brooklyn Nets | BKN Nets | Nets
Philadelphia 76ers | PHI 76ers | Philadelphia Sixers
"""


def _read(table: str) -> dict[str, tuple[str, ...]]:
    rows = (tuple(name.strip() for name in line.split("|")) for line in table.strip().splitlines())
    return {row[0]: row for row in rows}


SPELLINGS: Mapping[str, tuple[str, ...]] = MappingProxyType({**_read(_FOOTBALL), **_read(_BASKETBALL)})

_CLUBS = list(_read(_FOOTBALL))


def _from(first: str, last: str) -> tuple[str, ...]:
    return tuple(_CLUBS[_CLUBS.index(first) : _CLUBS.index(last) + 1])


# Who plays in each league, strongest first.
LEAGUE_TEAMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "soccer_brazil_campeonato": _from("Flamengo", "Ceará"),
        "soccer_brazil_serie_b": _from("América Mineiro", "Cuiabá"),
        "soccer_brazil_copa_do_brasil": (
            *("Atlético Mineiro", "Botafogo", "Internacional", "Athletico Paranaense", "Vitória", "Sport Recife"),
            *("Atlético Goianiense", "América Mineiro", "Athletic Club", "Botafogo PB", "América RN", "CSA"),
        ),
        "soccer_brazil_paulista": _from("Inter de Limeira", "Noroeste"),
        "soccer_conmebol_copa_libertadores": (
            *("Flamengo", "Palmeiras", "River Plate", "Boca Juniors", "Racing Club", "São Paulo", "Peñarol"),
            *("Nacional", "LDU Quito", "Estudiantes", "Libertad", "Guaraní"),
        ),
        "soccer_epl": _from("Manchester City", "Sunderland"),
        "soccer_spain_la_liga": _from("Real Madrid", "Real Oviedo"),
        "soccer_uefa_champs_league": (
            *("Real Madrid", "Manchester City", "Bayern de Munique", "Paris Saint-Germain", "Barcelona", "Arsenal"),
            *("Inter", "Atlético de Madrid", "Milan", "Juventus", "Sporting", "Athletic Bilbao"),
        ),
        "soccer_uefa_europa_league": ("Benfica", "Roma", "Lyon", "Braga", "Vitória SC", "Rangers"),
        "basketball_nba": tuple(_read(_BASKETBALL)),
    }
)
