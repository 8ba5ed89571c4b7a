"""The matters of writing, teaching, trades and daily life, each with its words, as `software_topics` has them."""

LIFE_TOPICS = """
prose!:
    prose, text, texts, paragraph*, article*, post, posts, blog*, chapter*, essay*, section*, abstract, intro,
    introduction, story, stories, scene*, novel*, sentence*, tone, tense, voice, wording, jargon, adverb*,
    semicolon*, spelling, british, american, passive, active voice, first person, third person, style, word
    count, discussion, describe, essay, newsletter, manuscript, conclusion, draft, absatz, absätze, artikel,
    beitrag, kapitel, *kapitel, aufsatz, texte, szene, roman, satz, sätze, stil, ton, formulier*,
    rechtschreibung, bericht, parágrafo, párrafo, artigo, artículo, texto, capítulo, article, paragraphe,
    chapitre, rédige*, obituary, speech, bio, biography, sentences, rewrite my, page tighter, tighten
citation:
    cite, cites, cited, citing, citation*, reference*, bibliograph*, bibtex, doi, dois, apa, mla, chicago style,
    footnote*, literature, sources, zitier*, zitat*, quelle*, fußnote*, urteil*, entscheidung*, aktenzeichen,
    rechtsprechung, bgh, cita*, citar, citação, referência*
sample:
    sample*, specimen*, tube, tubes, relabel, label of, vial*, batch, lab book, reagent*, probe, proben
money:
    money, price*, amount*, payment*, pay, paid, invoice*, refund*, charge*, currenc*, exchange rate*, vat, tax,
    taxes, cost, costs, fee, fees, revenue, discount*, balance*, billing, budget, euro*, dollar*, €, minor
    units, cents, rechnung*, preis*, betrag, beträge, zahlung*, honorar*, kosten, gebühr*, vorschuss, angebot*,
    precio*, preço*, factura*, fatura*, prix, facture*, salary, tariff, subscription price, surcharge*,
    deposit*, zuschlag*, tarif*, mwst, anzahlung*
payment < money:
    idempoten*, refund*, payment*, transfer*, payout*, charge the, zahlung*, überweis*
invoice < money:
    invoice*, rechnung*, bestellnummer, zahlungsziel, factura*, fatura*, facture*, billing address, order number
fee < money:
    honorar*, vorschuss, angebot, angebote, retainer, fee, fees, quote for, offer for, hourly rate, stundensatz,
    beratung
fiction < prose:
    scene*, chapter*, story, stories, novel*, plot, narrator, dialogue, past tense, third person, fiction,
    protagonist*, szene*, kapitel, roman, erzähl*, figur, capítulo, escena, cena, scène, short story, describe
    the, main character, characters in the, sketch of a character
dialogue < fiction:
    dialogue*, conversation*, adverb*, says, speech marks, they talk, quarrel, argue, dialog zwischen, diálogo*
ending:
    ending, last line, conclusion, schluss, finale, end of the chapter, chapter ending, end of the, chapters
    end, last scene, last paragraph, finish chapter, finish the chapter
weather:
    weather, storm*, fog, wetter, sturm, regen, rain, rainy, snowy, the weather
synopsis < prose:
    synopsis, summary of the book, summarise the plot, summarize the plot, pitch, blurb, exposé, logline
proofreading < prose:
    proofread*, spelling, grammar, typo*, copy-edit*, copyedit*, polish, british, american english, oxford
    comma, quotes, korrekturles*, lektor*, rechtschreib*, zeichensetzung, -ise, korrigier*, corrig*, revisar,
    punctuation
blog post < prose:
    post, posts, blog*, article*, artikel, beitrag, artigo, newsletter, op-ed, write-up
social media < prose:
    tweet*, linkedin, instagram, hashtag*, thread, mastodon, bluesky, social media, facebook, tiktok, reel
paper < prose:
    paper, manuscript, abstract, discussion section, methods, results section, introduction, journal, reviewer*,
    active voice, thesis, dissertation
translation < prose:
    translat*, übersetz*, localis*, localiz*, anglizism*, terminolog*, glossary, glossar, source text, target
    language, traduc*, traduz*, tradui*, ausgangstext, ins deutsche, into german, into english, into french,
    into spanish
heading:
    heading*, headline*, title, titles, subject line, überschrift*, titel, título*, titre*
list:
    bullet*, enumerat*, aufzählung*, eine liste, numbered, checklist*, lista
warning:
    warning*, safety*, warnhinweis*, sicherheitshinweis*, hazard*, disclaimer*, danger
minutes:
    minutes, meeting notes, memo, memos, aktennotiz*, telefonat, call notes, notiz*, protokoll, gesprächsnotiz,
    list of participants, datum, teilnehmer, ergebnis
slides:
    slide*, deck, decks, presentation*, powerpoint, keynote, vortrag*, folie*, präsentation*, presentación,
    apresentação, présentation, give a talk, a talk about, short talk, conference talk
poster:
    poster*, flyer*, leaflet*, plakat*, brochure*
application < prose:
    cv, résumé, resume, job application*, bewerbung*, cover letter, lebenslauf, motivation letter
explanation:
    explain*, explanation*, erklär*, briefly, answer in, your answers, my questions
image:
    image, images, picture, pictures, photo*, thumbnail*, webp, jpeg, svg, bild, bilder, foto*, imagen, imagem
texture:
    texture*, material, materials, sprite*, power of two, atlas, textur*, mesh
effect:
    shader*, effect, effects, lightning, particle*, flash*, strobe, animation*, animate, glow, explosion*,
    transition*
balancing:
    balanc*, damage, health points, difficulty, stats, weapon*, buff, nerf, spawn rate
music:
    music, song*, audio, sound*, bpm, ogg, melody, chord*, playlist*, musik, lied, podcast*
video:
    video*, footage, subtitles, untertitel, youtube, film, clip, clips
exercise:
    worksheet*, exercise*, homework, practice problems, arbeitsblatt, arbeitsblätter, übung*, aufgaben,
    hausaufgabe*
exam:
    exam, exams, quiz*, multiple choice, midterm, klausur*, prüfung*, klassenarbeit*, final test, examen, prova,
    test on, written test, prepare the test, class test
grade:
    grade, grades, grading, noten, note für, report card, zeugnis*
lesson:
    lesson*, lecture*, syllabus, curriculum, unterricht*, stunde über, lesson plan*, teach, seminar, workshop,
    aula, clase
experiment:
    experiment*, demonstration*, lab session, risk assessment, mains voltage, versuch*, practical
parents:
    parent*, father, mother, eltern*, mutter, vater, guardian*
pleading:
    pleading*, lawsuit*, statement of claim, court filing*, motion to, schriftsatz, schriftsätze, klage*,
    *klage, erwiderung*, *erwiderung, berufung*, anlagenverzeichnis, replik
contract:
    contract*, agreement*, clause*, terms, nda, lease*, vertrag*, verträge, *vertrag, *verträge, vereinbarung*,
    gerichtsstand, contrato*, contrat*, subscription*, insurance*, anbieter, kündig*, versicherung*, insurance
    provider, phone provider
opinion:
    legal opinion, expert opinion, gutachten, einschätzung*, assessment, stellungnahme, appraisal, expertise
deadline:
    deadline*, due, due date*, frist*, bis wann, fällig*, by when, cut-off, plazo*, prazo*, délai*
client:
    client*, customer*, kunde, kunden, kundin*, mandant*, patient*, cliente*, document that leaves, case study,
    documents for clients
appointment:
    meeting*, appointment*, schedul*, calendar, slot, dentist, doctor, hairdresser, call with, termin*,
    zahnarzt, arzt, friseur, besprechung*, arrange a, reschedule*, cita, consulta médica, rendez-vous, reunión,
    reunião, book a call, mornings, afternoons, availability, vet, haircut, physio*, car service, book me, book
    a table, book an appointment
travel:
    flight*, train, trains, hotel*, trip*, travel*, holiday*, vacation*, airbnb, seat, seats, airport*,
    itinerary, week in, weekend in, days in, reise*, urlaub*, flug, flüge, bahn, zug, unterkunft, viaje*,
    viagem, voyage*, vuelo*, voo, vol pour, road trip, hostel*, camping, sightseeing, ferry, züge, bahnfahrt,
    ticket, tickets, aisle, window seat*, legroom, airline*, book me a, fliegen, fliege
food:
    recipe*, cook*, dinner*, lunch*, breakfast*, meal*, cake*, bake*, baking, restaurant*, eat, eats, eating,
    snack*, vegetarian*, vegan*, allergic, allergy, allergies, gluten, lactose, nut, nuts, hazelnut*, peanut*,
    egg, eggs, meat, fish, organic, groceries, supermarket, food, soup*, pasta, salad*, dessert*, rezept*,
    koch*, abendessen, mittagessen, frühstück*, essen, kuchen, allergi*, vegetarisch*, receta*, receita*,
    recette*, cena, jantar, dîner, picnic, barbecue, alcohol, wine, beer, drink, drinks, coffee, tea, party
    food, supper, noodle*, curry, sauce, bread, starter, ingredient*, spicy, sugar, butter, cheese, vegetables,
    tofu, nudel*, brot, käse, gemüse, zutat*
shopping:
    buy, buys, order a, order some, order me, order new, shop, shopping*, groceries, supermarket, purchase*, get
    me, replacement, kauf*, bestell*, einkauf*, einkaufsliste, compra*, achat*, amazon, second-hand, brand,
    online shop*
gift:
    gift*, present, presents, birthday*, christmas, wedding present, geschenk*, geburtstag*, weihnacht*,
    regalo*, presente*, cadeau*, anniversary
card:
    birthday card*, handwritten, karte, rhyme*, congratulat*, glückwunsch*, gratulier*, greeting card, thank-you
    card, wedding card
repair:
    repair*, broken, leak*, leaks, plumber, electrician, handyman, somebody to fix, craftsman, reparatur*,
    handwerker*, reparier*, kaputt, tropft, dishwasher, washing machine, boiler, heating
utility < contract:
    electricity, internet provider, mobile plan, phone plan, gas provider, gym membership, streaming,
    stromanbieter, subscription*, insurance*, electricity provider, cheaper
clothes < shopping:
    clothes, clothing, sweater*, shirt*, shoes, jacket*, dress, trousers, kleidung, pullover, hose, schuhe,
    ropa, roupa, vêtement*, fibre*, wool, cotton, size, coat
training:
    workout*, training plan, marathon, exercise plan, yoga, physiotherapy, trainingsplan, laufen, swim*
garden:
    garden*, plant, plants, roses, pruning, compost, lawn, garten, pflanze*, rasen, beet, seeds
reading:
    books, novel to read, e-book*, paperback*, audiobook*, buch, bücher, libro*, livro*, livre*, library book,
    read next, reading list, a book, the book, this book, good book, novel
children:
    kids, children, child, toddler, daycare, kinder, kita, screen time, son, daughter, nephew, niece, grandson,
    granddaughter, enkel*, tochter, sohn
event:
    concert*, theatre*, theater*, opera, cinema, festival*, ticket, tickets, exhibition*, museum*, konzert*,
    kino, oper, aisle seats
finance:
    stock, stocks, invest*, savings, fund, funds, etf*, pension*, bonus, shares, mortgage*, aktie*, sparplan,
    portfolio, geldanlage*, anlageberat*
receipts:
    receipt*, bill, bills, scan, scanned, expense*, filing, filed, belege, beleg, quittung*, tax return,
    paperwork
message:
    mail, mails, e-mail*, email*, letter*, reply, replies, respond, message*, invitation*, invite, newsletter*,
    salutation, greeting, sign off, signature, recipient*, write to, write him, write her, notify, briefe,
    *brief, nachricht*, antwort*, anrede, grußformel, einladung*, schreib herrn, schreib frau, schreiben an,
    carta*, correo, mensaje*, mensagem, lettre*, courriel, répond*, responde*, emoji*, thank-you note, cover
    letter, condolence*, tell the, tell him, tell her, tell them, answer the, answer him, answer her, schreib
    ihm, schreib ihr, schreib an, sag ihm, sag ihr, antworte, write back, follow up with, reminder to, remind
    him, remind her, slack message, whatsapp, sms
query letter:
    query letter*, literary agent*, comparable titles, represent me, publisher*, submission*
editor letter:
    editor, editors, letters to editors, cover letter, rebuttal, response to reviewer*
letter:
    letter, letters, brief, briefe, anrede, schreib professor, schreib herrn, schreib frau, schreiben an, carta,
    lettre, dear, salutation, schreib der, schreib dem
math:
    formula*, equation*, proof*, theorem*, derivation*, notation, symbol*, formel*, gleichung*, beweis*
chemistry:
    reaction*, solvent*, synthesis, molar*, concentration*, titration*, buffer, ph value, reagenz*, lösung,
    spectr*
design:
    mockup*, wireframe*, figma, sketch, prototype*, design system, typography, grid, brand*, logo*, icon set,
    style tile, corporate design, entwurf, moodboard*
photo:
    photo*, lightroom, raw file*, retouch*, crop, exposure, portrait*, wedding shoot, album, gallery, foto*,
    belichtung
print:
    print*, cmyk, bleed, dpi, layout, brochure*, catalogue*, flyer*, business card*, druck, beschnitt, indesign
headline:
    headline*, teaser*, subject line, title of, titles for, überschrift*, schlagzeile*, betreffzeile, title,
    titles, titel
interview:
    interview*, off the record, zitat*, gesprächspartner*
support:
    support, support ticket*, customer request, complaint*, complain*, help centre, help center, refund request,
    beschwerde*, reklamation*, kundenanfrage*, kundendienst
sales:
    offer, offers, proposal, proposals, quote for, quotation, angebot*, lead, leads, pitch, sales, discount*,
    kostenvoranschlag, estimate, rabatt*
job:
    job ad, job description, job posting, stellenanzeige*, candidate*, hiring, bewerber*, onboarding plan,
    reference letter, arbeitszeugnis*, performance review
report:
    report, reports, quarterly, monthly report, weekly report, status update, bericht*, wochenbericht,
    monatsbericht, kpi, kpis, relatório, informe, rapport
agenda:
    agenda*, tagesordnung, meeting plan, workshop plan, facilitat*, moderation
speech:
    speech, toast, eulogy, rede, ansprache, laudatio, wedding speech
lyrics:
    lyric*, poem*, rhyme*, verse*, stanza*, gedicht*, reim*, poema, limerick*, haiku*
recipe writing < food:
    recipe for, grams, servings, oven temperature, portion*, mengenangabe*
accessibility:
    accessib*, a11y, aria, screen reader*, alt text, contrast, dyslexia, easy language, plain language, leichte
    sprache, barrierefrei*, subtitles
language choice:
    in german, in english, in french, in spanish, auf deutsch, auf englisch, duzen, siezen, du-form, sie-form,
    formal, informal, bilingual, both languages, anrede, tutoyer, vouvoyer, en español, em português
construction:
    building permit, floor plan*, tender*, contractor*, cad, bim, bauantrag, ausschreibung*, baustelle*,
    grundriss*, statik, handwerker*, construction drawing*, building site
property:
    rent, tenant*, landlord*, lease*, flat, apartment*, viewing*, miete*, mieter*, vermieter*, wohnung*,
    nebenkosten*, inmobiliaria, alquiler, aluguel
tax:
    tax, taxes, tax return, deduct*, vat return, steuer*, umsatzsteuer*, finanzamt, accountant, bookkeeping,
    buchhaltung*, buchung*, ledger entry, impuesto*, imposto*
insurance:
    insurance*, claim form, policy, policies, versicherung*, schadensmeldung*, seguro*
logistics:
    shipment*, delivery, deliveries, warehouse*, stock level*, inventory, packaging, carrier*, lieferung*,
    lager*, versand*, spedition*, lieferschein*, pallet*
restaurant:
    menu card, guests, reservation*, kitchen, service, wine list, speisekarte*, tisch reservieren, allergen*,
    chef, course, courses
event planning:
    wedding*, party, parties, guest list, venue*, catering, seating plan, feier*, hochzeit*, gästeliste*,
    fiesta, festa
sport:
    match, training session*, team line-up, season, coach*, league, spielplan*, mannschaft*, race, pace,
    interval*
fitness:
    workout*, training plan*, gym, stretch*, knee, back pain, weights, cardio, übungen, trainingsplan*
music practice:
    practice, chord*, scale, tuning, setlist*, sheet music, rehears*, noten, probe der band, tempo, arrangement*
craft:
    knit*, sew*, crochet*, pattern, yarn, fabric, woodwork*, saw, drill*, screw*, stricken, nähen, häkeln,
    holz*, schnittmuster*
pets:
    dog, dogs, cat, cats, vet, pet, pets, hund*, katze*, tierarzt, leash, litter
car:
    car, cars, tyre*, tire*, oil, garage, inspection, fuel, auto, werkstatt, reifen, coche, carro, voiture
cleaning:
    clean the, cleaning, laundry, vacuum*, detergent*, putzen, putzplan, wäsche, waschmittel, haushalt
energy:
    solar, heating, thermostat*, electricity, battery storage, inverter, heizung*, strom*, wallbox, photovoltaik
school:
    essay for school, homework, hausaufgabe*, referat*, term paper, class, facharbeit*, hausarbeit*
press:
    press release*, the press, newspaper*, journalist*, announcement*, pressemitteilung*, zeitung*, media
    outlet*, communiqué*
competition:
    competitor*, rival*, competition, konkurren*, wettbewerber*, competidor*, concurrent*
units:
    unit, units, metric, imperial, si units, kelvin, celsius, fahrenheit, feet, miles, pounds, ounces, kg, grams
answer style:
    answer in, reply in, respond in, answer briefly, keep answers, short answers, bullet points, no emojis,
    emoji*, be blunt, no flattery, antworte auf, antworte kurz
study!:
    study, trial, participants, participant, questionnaire*, survey, surveys, follow-up, study protocol,
    protocol, amendment*, ethics, consent form*, recruit*, proband*, studie*, fragebogen*, umfrage*, ethikantrag
medicine!:
    patient*, dose, doses, dosage*, medication*, diagnos*, prescription*, discharge letter*, arztbrief*,
    anamnese*, befund*, therapy, therapie*, blood, symptom*, ward, nursing, care plan, pflegeplan*, referral*
marketing!:
    campaign*, ad, ads, advert*, slogan*, landing page, call to action, newsletter*, seo, keyword*, meta
    description, kampagne*, werbe*, claim*, product description*, produktbeschreibung*, werbeanzeige*,
    anzeigentext*
"""
