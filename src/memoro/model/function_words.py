"""Words that build sentences and carry no topic, in languages other than English: for judging what a message says.

A search keeps them: it weighs them by how often they occur. A message of a few words needs a list, because in a small
vault a German "wann" is as rare as a name.
"""

from memoro.model.words import STOP_WORDS

_GERMAN = """
ab aber alle allem allen aller alles als also am an andere anderen anders ans auch auf aufs aus bald bei beim
beide bin bis bist bitte brauche brauchen braucht da dabei dadurch dafür dagegen daher damals damit danach daneben
dann daran darauf daraus darf darüber darum das dass davon davor dazu dein deine dem den denen denn der deren des
deshalb dessen dich die dies diese diesem diesen dieser dieses dir doch dort drei du durch dürfen eben eigentlich
ein eine einem einen einer eines einfach einige einmal eins er erst es etwas euch euer für ganz gar geben gegen
gehen geht genau gerade gern gibt gilt gleich hab habe haben habt hallo halt hast hat hatte hatten heißen heißt
her hier hin hinter ich ihm ihn ihnen ihr ihre im immer in indem ins irgendwie ist ja jede jedem jeden jeder jedes
jetzt kam kann kannst kein keine keinen klappt kommen kommt könnte können krieg kriege kriegen lang lange lass
lasse lassen läuft liegt liegen mach mache machen macht mal man mehr mein meine meinem meinen meiner mich mir mit
möchte muss müssen nach nachdem nehmen nein neu neue neuen neuer nicht nichts noch nochmal nun nur ob oben oder
ohne schon sehr sein seine seit selbst setz setzen sich sie sind so sobald soll sollen sollte solche sonst soweit
sowie sondern statt über überhaupt um und uns unser unsere unserem unseren unserer unter viel viele vielen
vielleicht vom von vor wann war waren wäre warum was weg wegen weil weiter welche welchem welchen welcher welches
wem wen wende wenden wenig wenn wer werde werden weshalb wie wieder wieso will wir wird wo wobei wofür wohin womit
woran worauf woraus wurde wurden zu zum zur zuletzt zwar zwei zwischen zwo gestern heute morgen
"""
_FRENCH = """
à afin ai ainsi alors après as au aucun aucune aussi autre autres aux avait avant avec avez avoir avons beaucoup
bien car ce ceci cela celle celles celui ces cet cette ceux chaque chez ci combien comme comment dans de déjà
depuis des donc dont du elle elles en encore entre est et était étaient être eu eux fait faire fallait faut fois
font ici il ils je jusque la là laquelle le lequel les leur leurs lui ma mais me même mes mettre mis moi moins mon
ne ni non nos notre nous on ont ou où par parce pas peu peut peux plus pour pourquoi pourrait presque puis quand
que quel quelle quelles quels qui quoi sa sans se sera ses si son sont sous suis sur ta te tes toi ton toujours
tous tout toute toutes très trop tu un une va vais vers veut veux vont vos votre vous y hier aujourd'hui demain
dois doit doivent devons met utilise utiliser
"""
_SPANISH = """
a al algo alguna algunas alguno algunos ante antes aquí así aún aunque bien cada como cómo con cuál cuáles cuando
cuándo cuánto cuántos de debe deben debemos del desde donde dónde dos durante e el él ella ellas ellos en entonces
entre era eran es esa esas ese eso esos está estaba están estar este esto estos esta estas fue fueron ha hace
hacer haces hacia hago han hasta hay he hemos hoy la las le les lo los luego más mañana me mi mí mis mismo mucho
muy nada ni no nos nosotros nuestra nuestro nuestros o os otra otro otros para pero poco podemos poner por porque
puede pueden puedo pues que qué quién quiénes quiero se sea según ser si sí siempre sin sobre solo son soy su sus
también tan tanto te tenemos tener tengo ti tiene tienen todo todos tu tú un una unas uno unos usamos va vamos ver
vez ya yo ayer
"""
_PORTUGUESE = """
ao aos as até com como da das de dela dele deles depois do dos duas é e ela elas ele eles em entre era essa esse
esta está estamos este eu faz fazer foi foram há hoje isso isto já lhe mais mas me mesmo meu meus minha muito na
não nas nem no nos nós nossa nosso num numa o onde os ou para pela pelo por porque posso pode quais qual quando
quanto que quem são se sem ser seu seus só sua também te tem temos ter um uma usamos vai você vocês ontem amanhã
"""
_ITALIAN = """
abbiamo ai al alla alle anche ancora che chi ci come con cosa cui da dal dalla de dei del della delle di dobbiamo
dopo dove due e è ed era fa fare già gli ha hai hanno ho i il in io la le lei li lo loro lui ma me mi mia mio
molto ne nei nel nella no noi non nostra nostro o ora per perché però più poi possiamo può qual quale quali quando
quanto questa queste questi questo qui se sei si sì sono su sua sul sulla suo ti tra tu tutti tutto un una uno
usiamo va voi ieri oggi domani
"""
_DUTCH = """
aan al alle als altijd andere ben bij dan dat de deze die dit doe doen doet door dus een en er ga gaan gaat geen
had heb hebben heeft hem het hier hij hoe hoeveel hun ik in is ja je jij jou jullie kan kunnen maar maken me meer
mee met mij mijn moet moeten na naar niet nog nu of om omdat ons onze ook op over te toch toen tot u uit uw van
veel voor waar waarom wanneer was wat we weer wel welk welke werd wie wij wil worden wordt zal ze zei zich zij
zijn zo zou gisteren vandaag morgen
"""
# Words of English messages that ask or order without a topic, beside the stop words of a search.
_ENGLISH = """
need needs needed want wants wanted get gets getting got give gives given take takes taken tell tells told know
knows make makes made use uses used using let lets please thing things way lot bit one ones two still yet already
again now today yesterday tomorrow currently actually really just also even ever always much many somebody someone
something anything everything anyone whom whose whether per via etc
"""
FUNCTION_WORDS = STOP_WORDS | frozenset(
    " ".join((_GERMAN, _FRENCH, _SPANISH, _PORTUGUESE, _ITALIAN, _DUTCH, _ENGLISH)).split()
)
