"""The words for attributes of daily life, from cars and calls to money and sleep: questions, statements, values.

`model.attribute_cues` reads the table and says what its marks mean.
"""

TABLE = """
[car]
both: car+, vehicle+, fahrzeug, motorbike, motorcycle, motorrad, number plate, licence plate, license plate,
  kennzeichen
asks: what drive*, which brand drive*, was fährt, fährt welche~
says: bought a used, test drive, leases a, electric car, fährt einen, e auto, neuen wagen
values: volvo, skoda, toyota, honda, ford!, tesla, bmw, audi, mercedes, volkswagen, vw, golf!, renault, peugeot,
  citroen, fiat, mazda, nissan, hyundai, kia, subaru, opel, seat leon, porsche, jeep!, mini cooper, chevrolet,
  camper van, campervan, hatchback, estate car, suv, dacia, polestar, vespa, škoda, prius, corolla, civic, model 0,
  fiesta, corsa, passat, clio, yaris, minivan, pickup truck, convertible, alfa romeo, land rover, jaguar, lexus,
  suzuki, mitsubishi, kombi, cabrio, wohnmobil, e golf, vw golf, golf 0, einen golf

[commute]
both: commute*, way to work, arbeitsweg, pendelt, pendeln
asks: how get to work, how get to the office, how get to office, get into work, how travel* to work, how come to
  work, which train, which bus, which tram, which line, wie zur arbeit, wie ins büro, welche~ bus, welche~ zug,
  welche~ bahn
says: cycles to, cycles in, bikes to, walks to work, takes the train, takes the bus, takes the tram, takes the bike,
  catches the, catch the, drives to work, by bike, by train, by bus, on foot, carpool*, rides .. bike, work from
  home, works from home, working from home, nimmt das fahrrad, nimmt den bus, nimmt die bahn, nimmt die u, mit dem
  rad, mit dem fahrrad, mit dem auto, mit der bahn, mit dem zug, mit dem bus, zu fuß, radelt, home office,
  homeoffice, catch* the 0
values: s bahn, u bahn, subway, tram, e bike, ebike, scooter, fahrrad, straßenbahn, deutschlandticket, bahncard,
  season ticket, ferry, metro, moped
maybe: takes the, nimmt das, nimmt den, nimmt die

[phone]
both: phone, phones, phone number, mobile number, cellphone, mobile, telefon, telefonnummer, handynummer, whatsapp
asks: what number reach*, number reach*, number call*, how reach, how contact, ring up, unter welcher nummer, wie
  erreich~, how reach by phone
says: reach .. at, call .. on, new number, erreichbar unter, neue nummer, reach .. under, calls .. under, +0

[email]
both: email, emails, e mail, mail address, email address, mailadresse, e mail adresse, inbox
asks: address send, which address send, where email, where mail, how contact, write to, wohin mail, an welche
  adresse
says: write to, gmail, outlook, protonmail, new email, schreib an, @
values: gmail com, outlook com, proton me, icloud com

[contact]
both: contact, contact person, emergency contact, point of contact, kontakt, notfallkontakt, ansprechpartner,
  ansprechpartnerin
asks: how get hold of, how get in touch, who call in emergency, how reach, how contact, who notify, best way to
  reach
says: reach .. via, call .. first, get in touch through, prefers a call, message .. on, ping .. on, in case of
  emergency

[time zone]
both: time zone+, timezone+, zeitzone, local time, ortszeit
asks: hours ahead, hours behind, what time is it for, time difference, zeitunterschied
says: utc, gmt, cet, cest, pst, pdt, est, edt, hours ahead, hours behind, stunden voraus, stunden hinterher, time in
  winter, time in summer, hours before london
maybe: is on .. time

[holiday]
both: holiday+, vacation+, trip+, travel*, urlaub, reise, reisen, ferien, getaway, honeymoon, journey, time off
asks: where go* on, where fly*, where travel*, when away, when off, when back, out of office, wohin fahr~, wohin
  flieg~, wohin reis~, when out of office, wohin .. urlaub
says: flights to, flies to, flying to, off until, out of office, back on, on leave, annual leave, going to visit,
  hotel in, airbnb, cruise, gebucht, fliegt nach, fährt nach, verreist, parental leave, elternzeit, sabbatical,
  booked .. weeks, booked a trip, booked flights, weeks in, week in, booked two, booked .. hotel, fliegt .. nach,
  fährt .. nach, flies .. to, off to, spends .. in, is on leave, on leave from, is away, back from

[school]
both: school+, kindergarten, nursery, daycare, kita, schule, grundschule, gymnasium, klasse, teacher
asks: which school, what school, where kids go to school, welche~ schule, what grade, which class
says: starts school, primary school, secondary, high school, enrolled, eingeschult, schulbeginn, first grade, third
  grade, year three, kinderkrippe, at .. primary, at .. school, attends, goes to .. school, geht .. zur schule, geht
  .. in die

[study]
both: degree, university, college, thesis, phd, studium, uni, universität, abschluss, studienfach, education,
  dissertation, alma mater
asks: what study*, where study*, what studied, what subject, what majored, graduate* from, qualification+, was
  studier~, wo studier~, was studiert
says: studied, studying, graduated, degree in, master s in, masters in, bachelor, enrolled in, majored in, did ..
  master, doctorate, studiert, studierte, eingeschrieben, promoviert, promotion in, diplom, certificate in,
  bootcamp, took a course, takes a course, course in, studying at, has a degree, finished .. degree, at university

[clothing]
both: size+, clothes, clothing, shoe+, shirt+, größe, schuhgröße, kleidergröße, konfektionsgröße, dress size, ring
  size, outfit
asks: what size, which size, what wear*, what fits, welche~ größe, was trägt
says: wears, takes a medium, takes a large, size, trägt größe, waist, wears 0, size 0
values: medium!, xl, xs, extra large, trainers, sneakers, jeans

[gift]
both: gift+, present for, wish list, wishlist, geschenk+, geschenke, wunschliste
asks: what give for birthday, what get for birthday, what get for christmas, what buy for, what would like for, was
  schenk~, was wünscht
says: would love a, has been wanting, always wanted, has an eye on, wishes for, wünscht sich, hätte gern~, eye on,
  has wanted, wants a new, would be happy about

[shopping]
both: groceries, grocery, supermarket, shopping, shop+, einkauf, einkaufen, supermarkt, laden, shopping list,
  einkaufsliste
asks: where buy*, where shop*, where get bread, wo kauf~, what buy*, need to buy
says: buys .. at, shops at, bought at, orders from, out of milk, need* to buy, kauft bei, bestellt bei
values: lidl, aldi, tesco, rewe, edeka, whole foods, trader joe s, costco, ikea, amazon, ebay, farmers market,
  wochenmarkt

[subscription]
both: subscription+, subscribe*, membership+, abo, abos, abonnement, mitgliedschaft, streaming
asks: which streaming, what pay for monthly, signed up to, which services pay, welche~ abo
says: subscribed to, signed up for, renewed, free trial, kündigt .. abo, abonniert, monthly plan, annual plan,
  cancelled .. subscription
values: netflix, spotify, disney!, hbo, mubi, prime video, apple music, youtube premium, deezer!, tidal!, audible!,
  new york times, economist!, dazn, patreon, crunchyroll, apple tv, paramount

[bank]
both: bank+, bank account, iban, account number, credit card+, debit card, konto, bankkonto, girokonto, kreditkarte,
  broker, depot
asks: which bank, where account, which card, bei welcher bank
says: opened an account, closed .. account, current account, savings account, konto bei, konto eröffnet, overdraft
values: n26, revolut, ing!, sparkasse, commerzbank, deutsche bank, monzo, barclays, hsbc, chase!, wise!, paypal,
  santander, volksbank, postbank, dkb, visa!, mastercard, trade republic, amex, lloyds, starling!

[salary]
both: salary, salaries, wage+, income, pay, paycheck, earnings, bonus, gehalt, lohn, einkommen, verdienst, hourly
  rate, stundensatz, gehaltserhöhung, compensation
asks: how much earn*, how much make*, what earn*, how much paid, what paid, day rate, was verdien~, wie viel
  verdien~, how much money make, how much get paid
says: earns, earn, pays .. a year, a year before tax, per hour, an hour, gross, before tax, after tax, verdient,
  brutto, netto, got a raise, paid .. a month, 0 a month before tax, 0 k a year, 0 a year, 0 per year

[rent]
both: rent, mortgage, landlord, landlady, tenancy, miete, kaltmiete, warmmiete, vermieter, vermieterin, hypothek,
  deposit, utilities, nebenkosten
asks: how much rent, pay for flat, pay for apartment, cost* of flat, was kostet wohnung, pay for place, how much
  flat cost, how much apartment
says: a month for the flat, per month for, raised the rent, monthly payment, rented, 0 euros a month, 0 a month,
  rent* the, landlord wants, landlady wants, landlord raised

[savings]
both: saving+, savings, invest*, investment+, pension, loan+, debt+, ersparnisse, rente, kredit, darlehen, schulden,
  sparplan, etf, emergency fund
asks: how much saved, how much owe*, wie viel gespart
says: saved up, puts aside, paid off, owes, borrowed, set aside, spart, abbezahlt, index fund, put .. aside, puts ..
  aside, putting .. aside

[insurance]
both: insure*, insurance, insured, policy, versicher~, versicherung, krankenkasse, versichert, coverage
asks: who insured, which insurer, insured with, bei wem versichert
says: health policy, covered by, premium, deductible, versichert bei, police
values: allianz, techniker, aok, barmer, axa!, huk coburg, ergo!, geico, bupa, aetna, kaiser permanente

[tax]
both: tax, taxes, tax return, tax id, accountant, steuer, steuern, steuererklärung, steuerberater, steuerberaterin,
  finanzamt, vat, umsatzsteuer, invoice+, rechnung

[appointment]
both: appointment+, calendar, termin, termine, checkup, check up, kalender, interview
asks: when see the, when dentist, when doctor, when meet* with, next appointment, when scheduled, wann termin, wann
  beim
says: slot on, slot at, scheduled for, rescheduled, postponed, moved .. to monday, moved .. to tuesday, pushed back,
  pencilled in, verschoben, verlegt, booked for, appointment on, vereinbart
maybe: 0 am, 0 pm

[event]
both: party, wedding, concert, festival, conference, anniversary, reunion, christening, feier, hochzeit, konferenz,
  exhibition
asks: when party, when wedding, where is the party, what happens on, when festival, when conference, when concert
says: takes place, will be held, invited to, findet statt, findet .. statt, eingeladen, tickets for, rsvp

[sleep]
both: sleep*, bedtime, schlaf, schlafenszeit, insomnia, nap+
asks: when go* to bed, when bed, when get* up, when wake*, early bird, night owl, wann aufsteh~, wann schlaf~, wann
  ins bett, wann steht auf
says: goes to bed, go to bed, gets up, get up, wakes up, wake up, lights off, lights out, turns in, early riser,
  night owl, alarm at, steht .. auf, schläft, geht .. ins bett, asleep by, up at 0, asleep by 0, in bed by, alarm
  rings, alarm goes, alarm is, alarm clock, wecker

[habit]
both: habit+, routine+, ritual+, gewohnheit+, gewohnheiten, morning routine, tagesablauf
asks: what do every, what usually do, how start the day, every morning, every evening, was macht jeden
says: every morning, every evening, every sunday, each morning, jeden morgen, jeden abend, stopped smoking, quit
  smoking, gave up smoking, meditate*, journaling
maybe: every day, usually, jeden tag, every morning

[work hours]
both: working hours, office hours, schedule, shift+, arbeitszeit, arbeitszeiten, schicht, bürozeiten, opening hours,
  part time, full time, teilzeit, vollzeit
asks: when work*, when available, when free, when in the office, which days work*, which days in, what hours, when
  start* work, wann arbeit~, wann im büro, wann erreichbar, wann frei, wann verfügbar
says: works from .. to, day week, four day week, three days a week, night shift, fridays off, mondays off, available
  from, leaves at, in the office on, office days, four days, vier tage, freitags frei, arbeitet .. tage, works
  mornings, works nights, only works, off on fridays, off on mondays

[personality]
both: personality, introvert, extrovert, shy, charakter
asks: what is like as a person, describe, character

[device]
both: laptop+, computer+, smartphone, headphones, monitor, keyboard, camera+, kamera, tastatur, kopfhörer, gerät,
  notebook, hardware, printer
asks: which laptop, which phone, what phone, which camera, which computer, what computer, was für ein handy, welche~
  laptop
says: bought a new, upgraded to, switched .. phone
values: macbook, thinkpad, iphone, pixel!, galaxy s, dell xps, ipad, framework laptop, surface!, fairphone, imac,
  mac mini, airpods, fujifilm, nikon, kindle, nvidia, rtx

[wifi]
both: wifi, wi fi, wlan, router, ssid, internet provider, broadband, hotspot
asks: which network, network called, internet password
says: network shows up, netzwerk heißt
values: fritzbox, fibre, fiber

[place of things]
both: spare key, schlüssel, ersatzschlüssel, storage unit, garage, cellar, keller, attic, dachboden, parking
asks: where keep*, where put, where park*, where is my, where are my, where did i, wo liegt, wo liegen, wo steht
says: is in the drawer, in the drawer, on the shelf, under the, in the cupboard, parked, liegt in, liegt im, in der
  schublade
maybe: keys

[name]
both: nickname, surname, last name, first name, full name, middle name, pronoun+, spitzname, nachname, vorname,
  maiden name
asks: what call, what name, how spell, how pronounce*, wie heißt, wie nenn~, how should address, how do i address,
  how address .., called by, what should i call
says: goes by, is named, call me, prefers to be called, pronounced, spelled, nennt sich, renamed, she her, he him,
  they them
maybe: is called, heißt

[goal]
both: goal+, resolution+, dream, ambition, ziel, ziele, vorsatz, vorsätze, bucket list, life goal
asks: what want* to achieve, what plan* to, what aim*, what hope*, what working towards
says: plans to, aims to, hopes to, is saving for, will .. by the end of, hat vor
maybe: wants to, would like to, möchte, plans to
"""
