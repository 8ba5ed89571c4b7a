"""Names of folders, tags and headings under which people keep their own lives, and words for who is family."""

import re
from functools import cache
from unicodedata import normalize

# Written without accents: `plain` takes them off. English, German, French, Spanish, Portuguese, Italian, Chinese.
_PERSONAL = """
diary diaries journal journals journaling health medical medicine doctor doctors family home house household
apartment
flat money finance finances budget bank banking tax taxes insurance mortgage recipe recipes cooking kitchen meals
travel
travels trips holiday holidays vacation vacations books movies films hobby hobbies garden gardening pets kids
children
baby pregnancy relationship relationships dating friends wedding birthdays gifts wishlist wishlists lists shopping
groceries fitness workouts dreams therapy gratitude mood personal private life
tagebuch gesundheit medizin arzt arzte familie zuhause daheim haus haushalt wohnung geld finanzen steuer steuern
versicherung versicherungen rezepte kochen kuche essen reise reisen urlaub bucher filme hobbys garten haustiere
kinder
schwangerschaft freunde hochzeit geburtstage geschenke listen einkauf einkaufen einkaufslisten traume therapie
personlich personliches privat privates leben
sante famille maison foyer appartement argent banque impots assurances recettes cuisine voyage voyages vacances
livres
jardin enfants bebe grossesse amis mariage anniversaires cadeaux listes courses loisirs perso prive vie
diario salud familia casa hogar piso dinero finanzas banco impuestos seguros recetas cocina viajes vacaciones
libros
hijos ninos embarazo amigos boda cumpleanos regalos listas compras privado
saude lar apartamento dinheiro financas impostos receitas cozinha viagens ferias livros jardim filhos criancas
gravidez
casamento aniversarios presentes pessoal
salute famiglia soldi denaro finanze banca tasse assicurazioni ricette cucina viaggi vacanze libri giardino figli
bambini
gravidanza amici matrimonio compleanni regali liste spesa personale privato
日记 日記 健康 家庭 家人 财务 理财 食谱 菜谱 旅行 旅游 个人 個人 私人
"""
# What lies below one of these is of the work, whatever its folder is called: Work/Travel, Clients/Home.
_WORK = """
work works job office company business client clients customer customers project projects team teams research
university
arbeit beruf firma buro kunde kunden projekt projekte forschung uni universitat
travail bureau entreprise clients projets recherche
trabajo oficina empresa clientes proyectos investigacion trabalho escritorio projetos pesquisa
lavoro ufficio azienda clienti progetti ricerca
工作 公司 项目 客户
"""
_PEOPLE = """
people person persons contacts contact menschen personen person kontakte leute personnes gens personas contactos
gente
pessoas contatos persone contatti 人物 联系人 人脉
"""
_KIN = """
mother father mum mom mommy mummy dad daddy parents brother sister siblings son daughter wife husband spouse
partner
girlfriend boyfriend fiance fiancee ex grandmother grandma granny grandfather grandpa grandparents aunt auntie
uncle
cousin niece nephew godchild stepmother stepfather stepson stepdaughter friend neighbour neighbor therapist dentist
mutter vater mama papa mami papi eltern bruder schwester geschwister sohn tochter ehefrau ehemann partnerin
verlobte
verlobter oma opa grossmutter grossvater grosseltern tante onkel cousine nichte neffe patenkind
ex-mann ex-frau schwiegermutter
schwiegervater schwiegereltern schwager schwagerin nachbar nachbarin zahnarzt
mere pere maman frere sœur soeur fils fille epouse epoux mari conjoint conjointe compagnon compagne mamie papy
grand-mere grand-pere oncle cousine niece neveu belle-mere beau-pere
madre padre hermano hermana hijo hija esposa esposo marido novia novio pareja abuela abuelo abuelos tia tio prima
primo
sobrina sobrino suegra suegro
mae pai irmao irma filho filha namorada namorado avo avos sobrinha sobrinho sogra sogro companheira companheiro
mamma fratello sorella figlio figlia moglie marito fidanzata fidanzato nonna nonno nonni zia zio cugina cugino
nipote
suocera suocero compagna
妈妈 爸爸 母亲 父亲 妻子 丈夫 女儿 儿子 哥哥 弟弟 姐姐 妹妹 奶奶 爷爷 外婆 外公 老婆 老公 男朋友 女朋友
"""
# What people call their own besides: who does it has a note under a name of their own.
_HELPERS = """
accountant advisor adviser agent architect babysitter barber boss builder carpenter childminder cleaner coach
colleague
cook doctor electrician flatmate gardener gp hairdresser insurer landlady landlord lawyer manager mechanic mentor
midwife
nurse optician painter physio physiotherapist plumber psychologist roofer roommate solicitor supervisor surgeon
teacher
trainer tutor vet
anwalt anwaltin arzt arztin chef chefin elektriker frisor frisorin gartner handwerker hausarzt hausarztin hebamme
klempner kollege kollegin lehrer lehrerin makler maler mitbewohner putzfrau steuerberater steuerberaterin tierarzt
tierarztin trainerin vermieter vermieterin zahnarztin
"""
# Words that also mean other things: they count only as a sentence of their own.
_LOOSE_KIN = (
    "partner partnerin ex friend neighbour neighbor therapist dentist prima primo mari fille compagnon spouse"
)
# Of these a note is personal by its title alone, also among those of the work.
_SENSITIVE_TITLES = """
salary salaries pay raise payslip payslips passwords password gossip rumours rumors resignation cv resume applications
gehalt gehalter lohn passworter passwort klatsch geruchte kundigung bewerbung bewerbungen lebenslauf
salaire salaires rumeurs ragots demission candidatures sueldo salario rumores chismes contrasenas curriculo boatos
stipendio pettegolezzi dimissioni 工资 密码
"""
# Beginnings of words that make a note about a person personal, whoever it is.
_SENSITIVE = """
pregnan divorc custody diagnos cancer chemo therap rehab hospital clinic surger depress liver dement alcohol addict
affair salary debt schwanger scheidung trennung sorgerecht krebs klinik krankenhaus pflegegrad demenz sucht gehalt
schulden enceinte grossesse hopital maladie dette embaraz divorcio enfermedad deuda gravid doenca divida incinta
ospedale malattia debito tumor
"""
# Whom a clinic treats that tells of nobody's health.
_ANIMALS = """
animals kleintiere kleintieren tiere tieren nutztiere heimtiere grosstiere wiederkauer wiederkauern pferde pferden
rinder rindern schweine schweinen vogel vogeln geflugel pets ruminants horses cattle cows swine pigs birds poultry
"""
_ADDRESS = re.compile(r"\S*(?:@|://|\bwww\.)\S+")
_MY = r"(?:my|our|meine?[nm]?|unsere?[nm]?|mon|ma|notre|mi|nuestr[oa]|minha|meu|nossa|nosso|la mia|il mio|我的?)"
# Several of them, as in "our children are Juno and Max".
_KIN_TOGETHER = """
kids children sons daughters brothers sisters kinder sohne tochter bruder schwestern enfants hijos filhos figli 孩子
"""
_NOT_LETTERS = re.compile(r"^[\W\d_]+|[\W_]+$")
_PARTS = re.compile(r"\s*(?:[&+,;|/]|\band\b|\bund\b|\bet\b|\by\b|\be\b|和)\s*")
_WORDS = re.compile(r"[^\W\d_]+")
_LISTED_NAMES = re.compile(r",? (?:and|und|et|y|e) |, ")
_LINES = 6  # a note says at its beginning who a person is


def plain(text: str) -> str:
    """Return a text in small letters without accents, for comparing names."""
    return text.lower() if text.isascii() else _without_accents(text.casefold())


def _without_accents(text: str) -> str:
    return "".join(one for one in normalize("NFKD", text) if not "\u0300" <= one <= "\u036f")


def is_personal_name(name: str) -> bool:
    """Return whether a folder, tag or heading of this name says that it is about somebody's own life: `03 Health`."""
    return _is_one(name, _PERSONAL)


def is_work_name(name: str) -> bool:
    """Return whether a folder of this name is of the work, with everything below it."""
    return _is_one(name, _WORK)


def is_personal_folder(folders: tuple[str, ...]) -> bool:
    """Return whether one of the folders is personal, and none above it is of the work."""
    for name in folders:
        if is_work_name(name):
            return False
        if is_personal_name(name):
            return True
    return False


def is_people_folder(folders: tuple[str, ...]) -> bool:
    return any(_is_one(name, _PEOPLE) for name in folders)


def is_people_tag(tag: str) -> bool:
    return _is_one(tag.rpartition("/")[2], _PEOPLE)


def is_family(title: str, lines: tuple[str, ...]) -> bool:
    """Return whether a note about a person is personal: family or a friend by its words, or an illness, or debts."""
    if plain(title).strip() in words_in(_KIN):
        return True
    said = [plain(line) for line in lines[:_LINES]]
    if any(map(_kin_pattern().search, said)):
        return True
    return any(map(_sensitive_pattern().search, said)) and any(
        map(_sensitive_pattern().search, _without_animal_clinics(said))
    )


def _without_animal_clinics(lines: list[str]) -> list[str]:
    """Leave out clinics for animals, and the addresses beside them: who works there is no patient.

    A clinic for people stays: the note may be of the owner's own doctor.
    """
    told = [_animal_clinic_pattern().sub(" ", line) for line in lines]
    return [_ADDRESS.sub(" ", line) for line in told] if told != lines else told


def people_called_mine(text: str) -> frozenset[str]:
    """Return the words by which a text calls people its writer's own: "my dentist", "unser Vermieter"."""
    return frozenset().union(*map(called_people, _mine_pattern().findall(plain(text))))


def called_people(text: str) -> frozenset[str]:
    """Return the words in a text for what people are to its writer, family or not: "Dentist, Hauptplatz 3"."""
    return frozenset(_WORDS.findall(plain(text))) & (words_in(_KIN) | words_in(_HELPERS))


def names_of_family(text: str) -> frozenset[str]:
    """Return the names that a text gives to its writer's family, in small letters: "our daughter is Juno"."""
    found = _named_kin_pattern().findall(_without_accents(text))
    listed = [name for names in found for part in names for name in _LISTED_NAMES.split(part)]
    return frozenset(plain(name) for name in listed if name)


def is_sensitive_title(title: str) -> bool:
    """Return whether a note is personal by its title alone: salary, passwords, gossip."""
    return _is_one(title, _SENSITIVE_TITLES)


@cache
def _sensitive_pattern() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(sorted(words_in(_SENSITIVE)))})")


@cache
def _animal_clinic_pattern() -> re.Pattern[str]:
    treated = "|".join(sorted(words_in(_ANIMALS), reverse=True))
    size = "kleine|grosse|small|large|farm|companion"
    return re.compile(
        rf"\b(?:kliniken|klinik|clinics?|hospitals?) (?:fur|for|of) (?:(?:{size}) )?(?:{treated})\b"
        r"|\b(?:veterinary|vet|animal|pet|equine|horse) (?:teaching )?(?:clinic|hospital)s?\b"
        r"|\b(?:clinique|clinica|hospital|hopital|ospedale) veterinari\w*"
    )


@cache
def _kin_pattern() -> re.Pattern[str]:
    close = "|".join(sorted(map(re.escape, words_in(_KIN) - words_in(_LOOSE_KIN)), reverse=True))
    loose = "|".join(sorted(map(re.escape, words_in(_KIN)), reverse=True))
    size = r"(?:(?:older|younger|elder|big|little|best|old|twin) )?(?:ex-?)?"
    return re.compile(
        rf"^[\W_]*(?:\w+: *)?(?:{_MY} )?{size}(?:{close})\b(?! (?:of|at|from|von|bei|de|du|des|di|da|do)\b)"
        rf"|^[\W_]*(?:\w+: *)?(?:{_MY} )?{size}(?:{loose})\s*(?:[.,;:!(–—]|$)"
        rf"|\b{_MY} (?:\w+ )?(?:{loose})\b"
    )


@cache
def _named_kin_pattern() -> re.Pattern[str]:
    kin = "|".join(sorted(map(re.escape, words_in(_KIN) | words_in(_KIN_TOGETHER)), reverse=True))
    own = rf"(?i:(?:\b{_MY} (?:\w+ )?|^[\W_]*|[,;] )(?:{kin})(?:-in-law)?\b)"
    name = r"[A-Z][\w'-]+"
    names = rf"{name}(?:(?:,| and| und| et| y| e|, and) {name})*"
    said = r"(?:,|:| \(|(?: is| are| ist| sind| est| es| sao|'s name is| called| named| heißt)?) ?"
    is_one = r"(?:, | \(| is | are | ist | sind | est | es )"
    return re.compile(
        rf"{own}{said}({names})|\b({names}){is_one}(?i:{_MY} (?:\w+ )?(?:{kin})\b)",
        re.MULTILINE,
    )


@cache
def _mine_pattern() -> re.Pattern[str]:
    return re.compile(rf"\b{_MY} ((?:\w+ )?\w+)")


@cache
def words_in(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


def _is_one(name: str, listed: str) -> bool:
    spelled = _NOT_LETTERS.sub("", plain(name))
    known = words_in(listed)
    return spelled in known or any(part in known for part in _PARTS.split(spelled))
