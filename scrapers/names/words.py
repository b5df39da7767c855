"""What the words of a name are worth: tables only, everything folded."""

from collections.abc import Mapping
from types import MappingProxyType


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Legal forms. They do not tell which club is meant, except where two of a town differ in nothing else.
FORMS = word_set(
    """
    fc cf sc ac ec cr se fk nk sk sv if bk afc cfc sfc fbc ff gfk pfc pfk ofk hnk kf ks mks gks tsv vfb vfl vfr bv bc kk
    cb cd ca cs csd cp rc rcd ud sd ad aa as ssd asd us ss ssc sl gd ce ae ev saf sad spa ltda bsb bbc
    acf acs afk asc ask csm csu fcm fks fkk fsv gnk ifk ik il jk kaa kfc kfk kmsk krc ksv kv lks mfk mhsk msk ofc
    okk pas rfc rks rsc sg spvgg ssv tfc tjk tsg tus ues usc wks wsg zks
    """
)
CLUB_WORDS = FORMS | word_set(
    """
    club clube clubs spor kulubu futebol football fussball futbol foot ball calcio esporte esportivo esportiva deporte
    associacao association asociacion sociedade regatas recreativo recreativa desportiva desportivo team
    basket basketball basquete baloncesto basketbol basquetebol pallacanestro
    al de da do dos das del della di du des der van le les el los las lo the of and e y et i
    """
)

# Words that many clubs bear: one in common proves nothing, and two different ones are no slip of the pen.
SHARED_WORDS = word_set(
    """
    real united city town rovers wanderers athletic atletico sport sporting sportivo inter internacional internazionale
    international nacional national america american botafogo guarani vitoria victoria viktoria operario portuguesa
    independiente independente racing river dinamo dynamo spartak lokomotiv cska torpedo zenit metalurg metallurg
    shakhtar olimpia olympia olympic olympique union uniao deportivo universidad universitario universitatea university
    central county albion rangers stade saint santa santo sao san new north south east west western eastern northern
    southern state tech college young red white black blue star stars hapoel maccabi beitar bnei ironi shabab ahly ahli
    ittihad hilal nasr wahda al borussia eintracht fortuna germania preussen rapid austria juventud juventude juventus
    libertad cerro estudiantes gimnasia defensores gremio brasil ypiranga comercial radnicki radnik mladost sloboda
    borac buducnost zeljeznicar slavia sparta slovan virtus fortitudo academica academia academy nova vila villa
    lions tigers wildcats bulldogs eagles bears hawks panthers bulls warriors knights cougars spartans trojans rams
    aggies huskies wolves wolverines falcons cardinals raiders titans pirates vikings rockets kings jets royals bobcats
    broncos cowboys rebels mustangs owls hornets bruins beavers ducks grizzlies mountaineers flames lakers clippers
    angeles york australia niger nigeria guinea iran iraq korea
    """
)

# Of words that many clubs bear: "Uni. Española", "Uni Craiova".
CUT_WORDS = word_set("uni")

# Left with no more than this, a name could mean any of several clubs.
AMBIGUOUS = word_set(
    """
    atletico athletic america botafogo inter internacional guarani sport sporting vitoria nacional operario portuguesa
    independiente river racing ypiranga brasil comercial uniao gremio real universidad central everton liverpool
    barcelona arsenal santos rangers manchester milan madrid dinamo dynamo spartak lokomotiv cska
    """
) | {"sao jose", "santa cruz", "rio branco", "river plate", "angeles", "new york", "universidad catolica"}

# Left out by nobody: with and without one of these are two teams ("Michigan", "Eastern Michigan", "Michigan State").
TELLING_WORDS = word_set(
    """
    north south east west northern southern eastern western northeastern northwestern southeastern southwestern
    northeast northwest southeast southwest nord sud se sw ne nw central state tech am valley gulf coast bay
    """
)

# Places with several clubs or colleges: "Arkansas" may stand for "Arkansas Razorbacks", not for "Arkansas Pine Bluff".
WIDE_WORDS = word_set(
    """
    alabama arkansas arizona california carolina colorado dakota florida georgia illinois indiana iowa kansas kentucky
    louisiana maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada ohio oklahoma
    oregon pennsylvania tennessee texas utah virginia washington wisconsin london paris roma madrid milan
    berlin wien moskva
    """
)

# Towns as they call themselves, then as others do: a book writes them in its own language.
_TOWNS = """
munchen munich munique muenchen | wien vienna viena vienne | praha prague praga | moskva moscow moscou moscu
bucuresti bucharest bucareste bucarest | beograd belgrade belgrado | warszawa warsaw varsovia varsovie
athina athens atenas athenes athinon | koln cologne colonia koeln | napoli napoles naples | sevilla sevilha seville
kobenhavn copenhagen copenhague kopenhagen | lisboa lisbon lisbonne | bruxelles brussels bruxelas brussel
antwerpen antwerp anvers antuerpia | gent gand ghent gantoise | brugge bruges | mechelen malines | liege luik
geneve genebra geneva genf | basel bale basileia basle | zurich zurique | torino turin turim | firenze florence florenca
genova genes | roma rome | venezia venise veneza venice | padova padoue padua | como come | pisa pise | verona verone
bologna bologne bolonha | perugia perouse perusia | parma parme | livorno livourne leghorn | bergamo bergame
alessandria alexandrie alessandrie | mantova mantoue mantua | modena modene | siena sienne | ancona ancone
krakow cracovie cracow cracovia | kyiv kiev | yerevan erevan ierevan | istanbul istambul
thessaloniki salonique salonica saloniki tessalonica | coruna corogne corunha | granada grenade | cadiz cadix
valencia valence | zaragoza saragosse saragoca | mallorca majorque maiorca | nurnberg nuremberg nuremberga
regensburg ratisbonne ratisbona | braunschweig brunswick | koblenz coblence | hamburg hambourg hamburgo
freiburg fribourg friburgo | frankfurt francfort | salzburg salzbourg salzburgo | mainz mayence | leipzig lipsia
augsburg augsbourg augsburgo | duisburg duisbourg | dresden dresde dresda | hannover hanovre
groningen groningue | eindhoven eindovem | luxembourg luxemburgo | marseille marselha | strasbourg estrasburgo
lyon lione | bordeaux bordeus | goteborg gothenburg gotemburgo | stockholm estocolmo | tbilisi tbilissi
lviv lvov | ufa oufa | crete creta kreta | karpaty carpates karpaten | sumgayit soumgait sumqayit | aktobe aktioube
lviv lvov | donetsk donets | odesa odessa | sofia sofija | zagreb zagrebe | ljubljana liubliana | skopje escopia
sarajevo saraievo | nis nich | sochi sotchi | kazan cazan | minsk minsque | almaty almati | baku bakou
budapest budapeste | bratislava bratislawa | plzen pilsen | wroclaw breslavia | poznan posnania
gdansk danzig dantzig | asuncion assuncao | montevideo montevideu | chile chili
"""
_EXONYMS = {
    other: names[0]
    for line in _TOWNS.strip().replace("\n", "|").split("|")
    if (names := line.split())
    for other in names[1:]
}
SHORT_FORMS: Mapping[str, str] = MappingProxyType(
    {
        **_EXONYMS,
        "atl": "atletico",
        "ath": "athletic",
        "athl": "athletic",
        "dep": "deportivo",
        "deportes": "deportivo",
        "nottm": "nottingham",
        "university": "universidad",
        "utd": "united",
        "man": "manchester",
        "univ": "universidad",
        "ste": "saint",
        "sankt": "saint",
        "ny": "new york",
        "mun": "munchen",
        "gim": "gimnasia",
        "ind": "independiente",
        "olymp": "olympique",
        "dyn": "dinamo",
        "dynamo": "dinamo",
        "hap": "hapoel",
        "mac": "maccabi",
        "makkabi": "maccabi",
        "national": "nacional",
        "din": "dinamo",
        "lok": "lokomotiv",
        "loko": "lokomotiv",
    }
)
# In basketball, where two letters are a place and not a legal form.
SHORT_PLACES: Mapping[str, str] = MappingProxyType(
    {
        **SHORT_FORMS,
        "la": "angeles",
        "nc": "north carolina",
        "unc": "north carolina",
        "uc": "california",
        "cal": "california",
        "ul": "louisiana",
        "so": "southern",
        "se": "southeast",
        "sw": "southwest",
        "wisc": "wisconsin",
        "uw": "wisconsin",
        "tenn": "tennessee",
    }
)
