"""The words for attributes of people: questions, statements, values.

`model.attribute_cues` reads the table and says what its marks mean.
"""

TABLE = """
[home]
both: residence, hometown, apartment+, flat, neighbourhood, neighborhood, wohnort, wohnung, wohnhaft, home town
asks: where live*, where based, where home, where move*, where moving, where settle*, where stay*, where house,
  which city, what city, which town, what town, which country, what country, which part of town, find at home, wo
  wohn~, wo leb~, wo zuhause, wo daheim, wohin gezogen, wohin zieh~, welche~ stadt, welche~ land, welche~ ort, where
  now live, in welche~ stadt, which place call home
says: live* in, live* at, live* near, live* on, live* by, live* with, live* next, living in, relocate*, moving in,
  move* into, settled in, settled down, based in, based out of, reside*, new place in, a house in, our house, my
  house, move* away, moved back, moving back, new house, wohn~ in, lebt in, leben in, gezogen, umgezogen, zieht um,
  zieht nach, zieht in, umzug, hingezogen, neue~ wohnung, moved in with, moved into, found a flat, found an
  apartment, found a house, new flat, new apartment, lives, nach .. gezogen, nach .. umgezogen, zog nach, zogen
  nach, new place is in, moving .. to live, moving house, house hunting
maybe: moved to, moving to, move to, moves to, moved from, moving from, back in, new place, zieht aus

[address]
both: address+, street address, postcode, postal code, zip code, adresse, anschrift, postleitzahl, hausnummer
asks: where send parcel, where send package, where ship to, where deliver*, which street, what street, which house,
  which floor, welche~ straße, wohin schick~, wohin liefer~
says: street, avenue, house number, apt, straße, strasse, allee

[origin]
both: nationality, citizenship, passport, native of, staatsangehörigkeit, heimat, herkunft
asks: where from, where born, where grow up, where grew up, where raised, where originally, woher, wo geboren, wo
  aufgewachsen
says: grew up in, come* from, originally from, raised in, stamm~ aus, komm~ aus, aufgewachsen, geboren in, born in

[job]
both: job+, profession, occupation, career, job title, beruf, tätigkeit, beruflich
asks: what do for a living, what do for work, what do professionally, what work as, what kind of work, what line of
  work, what does he do, what does she do, als was arbeit~, was arbeit~, womit geld
says: works as, work as, working as, worked as, retrained, trained as, is a nurse, freelance*, self employed, makes
  a living, promoted to, became a, arbeitet als, ausbildung zu~, selbständig, selbstständig, now a nurse, retrain*,
  makes a living as, living as, earns .. living
values: teacher+, nurse+, engineer+, developer+, programmer+, designer+, lawyer+, accountant+, architect+,
  physiotherapist, therapist+, electrician, plumber, carpenter, journalist+, photographer+, paramedic, pilot, data
  scientist, consultant+, barista, librarian, researcher+, lecturer, professor, analyst, pharmacist, translator,
  chef!, baker, tutor, surgeon, midwife, bookkeeper, recruiter, intern, apprentice, lehrer, lehrerin, ingenieur,
  ingenieurin, entwickler, entwicklerin, krankenpfleger, krankenschwester, anwalt, anwältin, architektin, tischler,
  bäcker, köchin, elektriker, ärztin, hebamme, beraterin, product manager, software engineer, driver, waiter,
  waitress, gardener, farmer, florist, hairdresser, mechanic, musician, actor, actress, biologist, chemist,
  physicist, psychologist, social worker, firefighter, police officer, veterinarian, salesperson, cashier,
  receptionist, secretary, butcher, civil servant, sysadmin, student, kellner, kellnerin, gärtner, gärtnerin,
  mechaniker, schauspieler, schauspielerin, studentin, verkäufer, verkäuferin, polizist, polizistin, arzthelferin,
  buchhalter, buchhalterin, pfleger, pflegerin, erzieher, erzieherin, friseur, friseurin

[employer]
both: employer+, workplace, arbeitgeber, arbeitsplatz, employed
asks: where work*, who work* for, which company, what company, which firm, what firm, work* at, works for, hired by,
  what employer, new job at, wo arbeit~, bei wem arbeit~, welche~ firma, welche~ unternehmen, wo angestellt, who
  employ*, employed by, employed at
says: works for, work for, working for, works at, work at, working at, worked at, worked for, joined, hired by,
  hired at, started at, starts at, starting at, employed, got a job, left .. for, quit .. for, new job, signed with,
  laid off, offer from, resigned, handed in .. notice, last day at, arbeitet bei, arbeitet für, angefangen bei,
  angefangen, fängt .. an, gekündigt, wechselt zu, gewechselt zu, angestellt, eingestellt, neuer job, started .. at,
  fängt .. bei, fing .. bei, left .. to join, works with, signed on with, startet bei, beginnt bei, contract with,
  hat .. bei .. angefangen, neue stelle, accepted an offer, accepted a job, switched jobs, changed jobs, started a
  new job, new employer, on board at, job at, job with, neuer arbeitgeber

[role]
both: role, job title, funktion, rolle
asks: what position, which role, what role, what rank, seniority, welche~ position, welche~ rolle, what position
  hold, which position, what title, job title
says: promoted, became head, head of, director of, vice president, vp of, manager of, appointed, cto, ceo, cfo, team
  lead, befördert, abteilungsleiter, abteilungsleiterin, made .. head, made .. director, now head

[birthday]
both: birthday+, birth date, date of birth, geburtstag, geburtsdatum
asks: when born, how old, what age, what year born, which year born, star sign, wann geboren, wie alt, welche~
  jahrgang
says: was born, born on, years old, year old, geboren, jahre alt, jahrgang, feiert .. geburtstag, wird .. jahre,
  turn* 0, is 0 now, 0 years old, 0th birthday, born in 0, wird 0

[age]
both: age, alter
asks: how old, what age, wie alt
says: years old, year old, was born, born on, jahre alt, geboren, turn* 0, is 0 now

[partner]
both: partner, husband, wife, spouse, girlfriend, boyfriend, fiancé, fiancée, fiance, fiancee, ehemann, ehefrau,
  freundin, lebensgefährte, lebensgefährtin, partnerin, marriage
asks: who married, who dating, married to, who with romantically, relationship, single or, who live with, who
  seeing, other half, mit wem verheiratet, mit wem zusammen, wer frau, wer mann, verlobt
says: married, engaged to, got engaged, wedding, dating, divorce*, split up, broke up, separated, in a relationship,
  is single, wedding anniversary, anniversary, heirat~, geheiratet, verheiratet, verlobt, geschieden, getrennt, frau
  heißt, mann heißt, seine frau, ihr mann, hochzeit

[children]
both: child, children, kid+, son+, daughter+, baby, toddler, twins, kinder, kind, sohn, tochter, söhne, töchter,
  zwillinge, newborn, godchild
asks: how many kids, wie viele kinder
says: expecting, pregnant, gave birth, became a father, became a mother, little one, little ones, first steps,
  schwanger, nachwuchs, entbindung, wurde vater, wurde mutter, teenager+

[parents]
both: parent+, mother, father, mum, mom, dad, mutter, vater, eltern, grandmother, grandfather, grandparents,
  grandma, grandpa, oma, opa, großeltern, in laws, schwiegereltern, stepfather, stepmother

[siblings]
both: sibling+, brother+, sister+, bruder, brüder, schwester+, schwestern, geschwister, twin brother, twin sister,
  half brother, half sister

[relatives]
both: relative+, cousin+, uncle+, aunt+, nephew+, niece+, familie, verwandte, verwandten, onkel, tante, neffe,
  nichte, cousine

[friends]
both: friend+, best friend, buddy, roommate+, flatmate+, housemate+, neighbour+, neighbor+, freund, freunde,
  mitbewohner, mitbewohnerin, nachbar, nachbarin, nachbarn
asks: who share flat, who share house, who hang out with, who live with
says: shares a flat, shares a house, met through, moved in with

[pet]
both: pet+, animal+, haustier+, haustiere, dog+, cat+, hund, hunde, katze+, katzen, kitten+, puppy, puppies, breed,
  welpe
asks: which animal, what animal, what breed, what feed, walkies
says: adopted a, from the shelter, vet, walks the dog, aus dem tierheim, gassi, got a dog, got a cat, new puppy
values: greyhound, labrador, retriever, poodle, dachshund, dackel, beagle, terrier, spaniel, collie, shepherd, pug,
  husky, corgi, hamster+, rabbit+, guinea pig+, parrot, budgie+, budgerigar, canary, tortoise, turtle, goldfish,
  ferret, gecko, hedgehog, hens, kaninchen, meerschweinchen, wellensittich, papagei, schildkröte, kater, pudel,
  schäferhund, tabby, siamese, maine coon, cockatiel, aquarium, iguana, pony, horse, pferd, cockapoo, dalmatian,
  chihuahua, rottweiler, bulldog, schnauzer, whippet, ragdoll, bengal cat, chickens, fish tank, chinchilla, lizard,
  hühner, fische

[spoken language]
both: language+, mother tongue, native speaker, sprache+, sprachen, muttersprache, fremdsprache
asks: which language speak, what language speak, languages speak, language talk, what speak, language write to,
  welche~ sprache sprech~, spricht welche, sprich~ welche
says: fluent, bilingual, trilingual, learning spanish, learning french, language course, language class, spricht,
  sprachkurs, fließend
values: english, german, french, spanish, portuguese, italian, dutch, polish, czech, russian, ukrainian, turkish,
  arabic, hindi, mandarin, japanese, korean, swedish, norwegian, danish, finnish, greek, hungarian, romanian,
  croatian, serbian, catalan, welsh, esperanto, deutsch, englisch, französisch, spanisch, portugiesisch,
  italienisch, niederländisch, polnisch, tschechisch, russisch, türkisch, arabisch, schwedisch, dänisch
maybe: speaks, lernt, learning

[diet]
both: diet, diets, dietary, ernährung, diät
asks: what eat, can eat, not eat, can not eat, can t eat, cannot eat, avoid eating, serve dinner, serve for dinner,
  cook for, eat meat, food restrictions, what leave out, was isst, darf essen, nicht essen, koch~ für
says: no longer eats, stopped eating, does not eat, doesn t eat, don t eat, eats no, gave up meat, gave up dairy,
  gave up sugar, eats meat, eating meat, went vegan, cut out, off sugar, isst kein~, verzichtet auf, isst wieder
values: vegan, vegetarian, pescatarian, pescetarian, flexitarian, gluten free, gluten, keto, paleo, low carb, halal,
  kosher, lactose, dairy free, plant based, fasting, vegetarisch, veganer, veganerin, vegetarier, vegetarierin,
  glutenfrei, laktosefrei, fleisch, schweinefleisch, meat, pork, sugar free, vegans, vegetarians

[allergy]
both: allergic, allergy, allergies, allergen+, intolerance, intolerant, allergie, allergien, allergisch,
  unverträglichkeit, verträgt
asks: react* badly, react* to, must avoid, not tolerate, can t tolerate, sensitive to, verträgt nicht, reagiert auf
says: epipen, epi pen, hay fever, anaphylaxis, anaphylactic, breaks out in, hives, rash from, swells up, reacts to,
  heuschnupfen, antihistamine+, celiac, coeliac, zöliakie, can t have, cannot have, steer clear of, from shellfish,
  nuts, peanut+, shellfish, pollen, lactose intolerant, bee stings, penicillin, erdnüsse, nüsse

[food]
both: dish+, meal+, cuisine, recipe+, breakfast, lunch, dinner, snack+, dessert, essen, gericht, lieblingsessen,
  lieblingsgericht, frühstück, mittagessen, abendessen, rezept
asks: like eat*, love* to eat, enjoy eating, what cook*, where eat*, which restaurant, favourite restaurant,
  favorite restaurant, what order at, what have for, isst gern~, isst am liebsten, lieblingsrestaurant
says: could eat, loves to eat, cooks, cooking, bakes, baking, isst gern~, kocht, backt, restaurant
values: pizza, pasta, sushi, ramen, curry, burger+, salad+, soup, tacos, lasagna, lasagne, risotto, pancakes,
  dumplings, pho, noodles, oatmeal, porridge, muesli, chocolate, ice cream, croissant+, bread, cheese, schnitzel,
  spaghetti, kuchen, suppe, nudeln, käse, fish and chips, steak, paella, falafel, hummus, pierogi, kimchi, biryani,
  goulash, stew, sandwich, sandwiches, omelette, pie, cake, cakes, cookies, gnocchi, carbonara, gyros, kebab, döner,
  tapas, burritos, burrito, fondue, raclette, waffles, tofu, pad thai, tiramisu, brownies, baguette, pommes,
  kartoffeln, bratwurst, pfannkuchen, eis
maybe: eats, food

[drink]
both: drink+, beverage, getränk, lieblingsgetränk, trinkt, trinken
asks: what drink*, what order at the bar, order at the bar, take coffee, take tea, like coffee, like tea, what pour,
  sugar in, milk in, was trink~
says: drinks, drinking, takes .. coffee, takes .. black, trinkt, kein~ alkohol, stopped drinking, cut down on
  caffeine, takes .. sugar, takes it with
values: coffee, tea, espresso, cappuccino, latte, flat white, americano, macchiato, oolong, matcha, chai, earl grey,
  decaf, cocoa, hot chocolate, beer, wine, whisky, whiskey, gin!, lager, stout, cider, lemonade, kombucha, juice,
  sparkling water, oat milk, kaffee, tee, bier, wein, wasser, saft, limonade, rooibos, caffeine, alcohol, teetotal,
  sober, cortado, mocha, cold brew, filter coffee, prosecco, champagne, smoothie, milkshake, yerba mate, vodka, rum,
  cola, coke, ginger ale, aperol, milch, sekt, kakao

[health]
both: health, illness, disease, injury, injuries, diagnose*, diagnosis, gesundheit, krankheit, verletzung, diagnose,
  symptoms
asks: what is wrong with, what s wrong with, how recovering, what suffer* from, is ill, is sick, sick with, was
  fehlt, krank
says: diagnosed, surgery, operation on, hospital, broke .. arm, broke .. leg, broke .. wrist, sprained, twisted,
  injured, recovering, suffers from, blood pressure, in a cast, on crutches, physiotherapy, krankenhaus, operiert,
  gebrochen, verletzt, leidet, krankgeschrieben, off sick, 0 mmhg
values: asthma, diabetes, migraine+, arthritis, flu, covid, pneumonia, anemia, hypertension, eczema, back pain,
  concussion, slipped disc, grippe, migräne, rückenschmerzen, bluthochdruck

[medication]
both: medication+, medicine+, medicament, pill+, tablet+, prescription+, prescribe*, dose, dosage, medikament+,
  medikamente, tabletten, rezeptpflichtig, dosis, meds, supplement+, vaccine+, vaccinated, impfung
asks: what take against, what take for, which pills, was nimmt gegen, welche~ tabletten
says: prescribed, mg of, milligrams, inhaler, on antibiotics, nimmt .. täglich, verschrieben, 0 mg, dr prescribed
values: ibuprofen, paracetamol, aspirin, metformin, omeprazole, insulin, antibiotic+, levothyroxine, statin+,
  atorvastatin, ramipril, sertraline, cetirizine, loratadine, vitamin d, iron tablets, melatonin, antidepressants

[doctor]
both: doctor+, physician, gp, dentist, therapist, pediatrician, paediatrician, optician, dermatologist,
  cardiologist, surgery hours, clinic, arzt, ärztin, hausarzt, hausärztin, zahnarzt, zahnärztin, kinderarzt, praxis
asks: who treat*, which clinic, welche~ arzt, bei welchem arzt
says: registered with dr, dr

[hobby]
both: hobby, hobbies, pastime, free time, spare time, leisure, hobbys, freizeit
asks: what do for fun, what do on weekends, what do at the weekend, what into, what enjoy* doing, what like* to do,
  after work, was macht gern~, womit beschäftigt
says: took up, taken up, started learning, signed up for .. class, is into, got into, spends .. weekends, evening
  class, in the choir, im chor, im verein, angefangen zu, sammelt, collects, in a club, is learning to, goes to ..
  class, spielt .. im verein, joined .. club
values: chess, knitting, gardening, pottery, painting, photography, birdwatching, board games, crochet, sewing,
  woodworking, origami, astronomy, sudoku, baking, fishing, camping, calligraphy, sketching, dungeons and dragons,
  video games, schach, stricken, gärtnern, töpfern, malen, fotografieren, angeln, brettspiele, beekeeping, bees,
  quilting, embroidery, model trains, puzzles, jigsaw, scrapbooking, home brewing, genealogy, geocaching, stamps,
  cosplay, improv, theatre, theater, juggling, lego, warhammer, drawing, watercolour, watercolor, ceramics, wood
  carving, foraging, mushrooms, bird watching, stargazing, bonsai, modelleisenbahn, puzzeln, nähen, zeichnen,
  imkern, pilze, briefmarken, theatergruppe

[sport]
both: sport+, exercise, workout+, training plan, fitness, gym, sportart, fitnessstudio, sportverein, marathon
asks: keep* fit, stay* in shape, work* out, what train for, where train*, how active, exercise, was für sport,
  welche~ sport
says: goes .. running, goes swimming, training for, signed up for the, joined the gym, gym membership, jogs,
  trainiert, joggt, personal best, season ticket, goes running, running club, started running, runs every, went
  running, out running, swims, plays tennis, plays football, spielt fußball, schwimmt, klettert, läuft jeden
values: jogging, bouldering, climbing, swimming, yoga, pilates, tennis, football, soccer, basketball, volleyball,
  rowing, hiking, skiing, snowboarding, cycling, badminton, squash!, karate, judo, boxing, triathlon, half marathon,
  crossfit, rugby, cricket, handball, golf!, surfing, sailing, kayaking, fencing, padel, table tennis, klettern,
  schwimmen, laufen, joggen, fußball, wandern, rudern, turnen, climbing hall, kletterhalle, dancing, salsa, ballet,
  zumba, aerobics, hockey, baseball, softball, lacrosse, archery, ice skating, frisbee, weightlifting, gymnastics,
  water polo, wrestling, taekwondo, aikido, muay thai, bowling, darts, horse riding, scuba diving, paragliding,
  parkour, trail running, nordic walking, tanzen, reiten, eishockey, ringen, tischtennis, kegeln, rowing club
maybe: trains

[music]
both: music, instrument+, band, song+, musik, lied, concert+, konzert
asks: which instrument, what instrument, what listen* to, what play, which band, was hört, was spielt, welche~
  instrument
says: plays the, lessons since, listens to, practises the, practices the, spielt .. instrument, in an orchestra,
  orchestra, choir, chor, unterricht, cello lessons, piano lessons, guitar lessons, violin lessons, singing lessons,
  drum lessons, gesangsunterricht
values: piano, guitar, violin, cello, drums, flute, clarinet, saxophone, trumpet, ukulele, viola, harp, bass guitar,
  banjo, accordion, jazz, techno, hip hop, opera!, indie, klavier, gitarre, geige, schlagzeug, flöte, trompete,
  oboe, bassoon, trombone, mandolin, synthesizer, bagpipes, harmonica, posaune, saxophon, schlager

[reading]
both: book+, novel+, author+, podcast+, buch, bücher, roman, autor, lektüre
asks: what read*, which book, currently reading, was liest
says: is reading, audiobook+, kindle, bookshelf, library card, liest, gelesen

[film]
both: film+, movie+, tv show+, serie, kino, kinofilm
asks: what watch*, which show, was schaut
says: watches, watching, binge*, season two, schaut, watched

[favourite]
both: favourite+, favorite+, lieblings, liebling, favourite colour, favorite color, colour, color, lieblingsfarbe
asks: like best, like most, prefer* most, am liebsten
says: adores, is a fan of, can t get enough, is crazy about, liebt, schwärmt
maybe: loves, enjoys, love, likes

[dislike]
asks: what hate*, what dislike*, not like, can t stand, doesn t like, don t like, was mag nicht, was hasst, not
  stand, can not stand, annoy*
says: hates, hate, dislikes, can t stand, cannot stand, doesn t like, is afraid of, scared of, hasst, mag kein~, mag
  nicht, angst vor, annoyed by, bugs .. when, nervt
"""
