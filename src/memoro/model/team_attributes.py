"""The words for attributes of projects, teams and preferences: questions, statements, values.

`model.attribute_cues` reads the table and says what its marks mean.
"""

TABLE = """
[lead]
both: leader, project lead, tech lead, owns, ownership, in charge, responsible, maintainer+, maintains, product
  owner, project manager, leiter, leiterin, leitung, leitet, verantwortlich, zuständig, projektleitung,
  projektleiter, projektleiterin, stakeholder+, sponsor
asks: who lead*, who own*, who run*, who manage*, who head*, who charge, who responsible, who maintain*, who look*
  after, who behind, who ask about, who talk to, who decide*, who drive*, who boss, who take* care, who turn to, who
  coordinate*, who steer*, who go to person, who final say, who accountable, who oversee*, wer leitet, wer
  verantwort~, wer zuständig, wer kümmert, wer führt, wer entscheidet, wem gehört, wen frag~, an wen, owner, owner+,
  manager of, the lead, is lead, project lead, lead of
says: take* over, took over, taken over, taking over, hand* over, handed .. to, took .. over, steps down, stepped
  down, stepping down, in the hands of, run* by, led by, headed by, heads up, responsible for, looks after, passes
  .. to, passed .. on to, new boss, calls the shots, inherits, inherited, step* in for, accountable for, at the
  helm, managed by, oversees, takes charge, has the final say, übernimmt, übernahm, übernommen, gibt .. ab,
  abgegeben, führt, leitet, kümmert sich, verantwortet, ist zuständig, hat den hut auf, hand off, handed off, is the
  lead, is lead, new lead, lead of, lead on, leads, is leading, the lead, leading the, owner of, new owner, is
  owner, owner is, lead is, lead for, hand* .. over, handing .. over, gave .. to, transferred to, kümmert .. um,
  taken on, now belongs to, took .. on, replaces .. as, is now in charge, steps up, leitet .. jetzt, ist jetzt ..
  verantwortlich, belongs to, ask .. about, contact .. about, heads the, heads our, runs the project, manages the,
  is managing, steps in, stands in for, fills in for, covers for, deputy, is now responsible, new head
maybe: manages, lead, owner

[boss]
both: boss, supervisor, line manager, chefin, vorgesetzte, vorgesetzter, mentor+
asks: who report* to, who manager, who boss, reports to whom, an wen berichtet
says: berichtet an, new manager
maybe: reports to, report to

[reviewer]
both: review*, reviewer+, code review+, approve*, approval, approver, sign off, signs off, freigabe, freigeben
asks: who approve*, who review*, who merge*, who sign*, who check*, who look over, who may merge, who allowed to
  merge, how many approvals, wer prüft, wer gibt frei, wer freigibt, wer reviewt
says: to approve, has to approve, must approve, green light, signs off, second pair of eyes, two approvals,
  codeowners, gibt frei, prüft

[team]
both: team member+, squad, headcount, teammate+, kollege, kollegen, kollegin, mitglied, mitglieder, mannschaft
asks: who work* on, who is on, who part of, who else, how many people, who belong* to, who join*, who involved, who
  developing, wer arbeitet an, wer gehört, wer ist im, wer macht mit, team, members, staff, crew
says: joined the, left the team, people work on, people on, developers on, onboarded, hired two, stößt zu,
  verstärkt, verlässt, people strong, rolls off, rolled off, joined the team, joins the team, works on, working on,
  new to the team, added to the team, on the team, leaves the team, team of 0, people on the team
maybe: team, members

[on call]
both: on call, oncall, pager, rota, rotation, bereitschaft, rufbereitschaft, standby, escalation, notdienst
asks: who woken, who call at night, who fix at night, who gets paged, outside office hours, after hours, wer hat
  bereitschaft, incident contact
says: carries the pager, has the pager, rotates weekly, out of hours

[customer]
both: client+, customer+, kunde, kunden, kundin, auftraggeber, target audience, zielgruppe, target group, account
  manager, buyer, pays for
asks: who building for, build* for, who pay*, who ordered, who commissioned, für wen, who buys, wer bezahlt, wer
  nutzt, who is .. for, who uses
says: commissioned, ordered by, on behalf of, pilot customer, signed the contract, im auftrag

[vendor]
both: vendor+, supplier+, contractor+, agency, freelancer+, lieferant, lieferanten, dienstleister, agentur,
  subcontractor
asks: who supply, who supplies, who delivers, where order*, from whom buy, wer liefert
says: supplied by, delivers the, contracted, outsourced, wird geliefert

[budget]
both: budget+, funding, funds, grant, kostenrahmen, finanzierung, etat
asks: how much spend*, how much money, how much may cost, afford, how much left, wie viel ausgeben, wie teuer darf,
  how expensive may, was darf kosten, wie viel geld, budget
says: allocated, got .. euros, granted, spend up to, for the quarter, freigegeben, bewilligt, genehmigt, ceiling of,
  funded with, cut to, tops out, 0 euros for, 0 dollars for, euro für
maybe: 0 euros, 0 dollars, 0 eur, 0 usd, 0 euro, 0 k, 0k

[price]
both: price+, pricing, fee+, fees, tariff, discount, preis, preise, kosten, kostet, gebühr, gebühren, rabatt, bill+
asks: how much cost*, how much pay, how much charge*, how much is, what cost*, what charge*, how expensive, was
  kostet, wie viel kostet, wie teuer, cost+, cost*, how much cost, price, how much, what price
says: a seat, per seat, per month, per user, charges, charged, went up to, raised to, lowered to, cheaper, kostet,
  pro monat, pro nutzer, costs 0, cost 0, for 0 euros, 0 dollars, 0 euros per, costs us, charges 0, price is, cost
  us
maybe: cost+, 0 euros, 0 dollars, 0 eur, 0 usd, 0 euro

[deadline]
both: deadline+, due date, cutoff, abgabe, abgabetermin, frist, stichtag, fällig, target date, timeline, zeitplan
asks: when due, when finished, when done, when ready, by when, until when, when complete*, how long have, when hand
  in, when deliver*, bis wann, wann fertig, wann abgabe, wann fällig, how much time left, due
says: has to be finished, must be finished, must be done, needs to be done, has to be done, due by, due on, due in,
  finished by, done by, ready by, hand in by, no later than, extended to, extended until, pushed to, slipped to,
  slips to, brought forward, fertig sein, spätestens, bis zum, muss bis, verlängert bis, delayed until, postponed
  to, due 0, by 0, until 0, deadline is, by the end of, by friday, by monday, by tuesday, by wednesday, by thursday,
  needs to be finished, to be finished, by end of, bis ende, bis freitag, bis montag

[launch]
both: launch*, launch date, go live, release date, premiere, kick off, start date, beta, milestone+, meilenstein,
  meilensteine, roadmap, starttermin
asks: when launch*, when start*, when public, when come* out, when open*, when customers use, next milestone, wann
  startet, wann start, wann online, was kommt als nächstes
says: opens to the public, goes public, goes live, comes out, kicks off, public beta, general availability, startet
  am, startet im, erscheint, starts on 0
maybe: starts on

[status]
both: status, progress, state of, current state, zustand, fortschritt
asks: how far, how going, how is coming, where do we stand, is still active, still running, is it done, is finished,
  what happened to, is alive, wie weit, wie läuft, wie steht, noch aktiv, is it still, what phase, state
says: on hold, paused, in progress, cancelled, canceled, abandoned, archived, deprecated, blocked, halfway, in beta,
  shut down, sunset, discontinued, resumed, on track, behind schedule, wrapped up, eingestellt, pausiert,
  abgeschlossen, gestoppt, auf eis, liegt auf eis, percent done, retired, in review, put on ice, called off,
  scrapped, in production, stalled, unterbrochen, frozen, is done, is finished, is complete, completed, ist fertig,
  was finished, is live, live now, shut .. down, shutting .. down, winding down, killed, is dead, in maintenance
  mode, feature complete, noch aktiv, läuft noch
maybe: finished, fertig, done with, completed

[meeting]
both: meeting+, standup+, retro, retrospective, one on one, besprechung, sitzung, jour fixe, teamrunde, catch up,
  all hands
asks: when meet*, what time meet*, when team meet*, how often meet*, when come together, where meet*, wann treff~,
  wann besprechung, wie oft treff~, daily, weekly, sync, planning, the call, weekly call, team call, our call
says: meet on, meets on, meets every, meet every, we meet, the daily, the weekly, moved to .. am, moved to .. pm,
  every monday at, every tuesday at, every thursday at, biweekly, fortnightly, trifft sich, treffen uns, daily at,
  weekly at, the daily is, at 0 every, every day at 0, meet at, sync at, call at, standup at, stand up at, we sync,
  meets at, weekly on, weekly is, weekly for, daily for
values: zoom, google meet, microsoft teams, jitsi, webex
maybe: daily, weekly, call, sync

[chat]
both: channel+, chat, chat room, slack channel, mailing list, kanal, messenger, group chat
asks: where discuss*, where talk about, where ask questions, which channel, where announce*, where post*, how
  communicate*, wo besprech~, wo diskutier~, where chat, where conversation+, where questions, ask about
says: goes to the channel, posted in, discuss .. in, announce .. in, questions .. belong, questions .. go
values: slack, discord, mattermost, teams channel, ms teams, microsoft teams, matrix!, irc, rocket chat, zulip,
  telegram, element!, google chat
maybe: #

[tickets]
both: ticket+, issue tracker, bug tracker, backlog, kanban, task board, sprint board, aufgaben, aufgabenliste,
  tracker, to do list, todo list, task manager
asks: where report*, where file*, where track*, where bugs, where tasks, track work, plan work, where todo+, report
  bugs, wo aufgaben, wo melde~, keep track, issue+, bugs, board
says: backlog is, backlog lives, track .. in, tracked in, file bugs, tasks are in, report .. in
values: jira, linear!, trello, asana, youtrack, github issues, gitlab issues, clickup, monday com, basecamp!,
  shortcut!, todoist, redmine, height!, things 3, bugzilla, plane so, github projects, ticktick, openproject

[docs]
both: docs, documentation, documented, wiki, handbook, runbook+, readme, dokumentation, dokumentiert, handbuch,
  anleitung, spec, specification, knowledge base, meeting notes
asks: where documented, where read about, where find instructions, where written down, where look up, how learn
  about, where notes, wo steht, wo nachlesen, wo dokumentiert, where explained, doc, notes, manual, spec
says: written up in, is documented, described in, wrote it down, steht im wiki, beschrieben, notes are in, notes go,
  notes in, doc in, docs in
values: notion!, confluence, gitbook, read the docs, readthedocs, mkdocs, sphinx!, docusaurus, obsidian, outline
  wiki, google docs, coda!, swimm, mediawiki, bookstack, logseq, roam!, hugo!, evernote, dokuwiki, slite, vitepress

[design tool]
both: mockup+, wireframe+, prototype+, design tool, design system, entwurf, entwürfe, drawings, logo, brand color+,
  brand colour+, font+, typeface, schriftart, farbschema, theme, dark mode, light mode
asks: where mockups, where screens, what drawn in, how draw, which colour, which color, which font, wo entwürfe,
  what look like, design+
says: drawn in, designed in, sketched in, mocked up, designt in, designs are, designs live, designs in
values: figma, sketch app, adobe xd, penpot, canva, photoshop, illustrator, invision, miro!, excalidraw, whimsical!,
  framer!, balsamiq, affinity, inkscape, gimp, draw io, blender, lucidchart, inter font, helvetica, roboto
maybe: design+

[data source]
both: data source, data feed, input data, dataset+, datenquelle, datensatz
asks: where data from, where get data, data come from, woher daten
says: imports from, scraped from, fed by, pulls data, pulls from, ingest*, nightly import, datenimport

[analytics]
both: analytics, business intelligence, reporting, statistik, auswertung, usage numbers, kpi+
asks: how measure usage, count visitors, who visits, how many users, tracking, report+
values: google analytics, plausible!, matomo, amplitude!, mixpanel, posthog, tableau, power bi, metabase, looker!,
  superset, segment!, umami, fathom!

[payment]
both: payment+, checkout, billing, invoicing, zahlung, zahlungen, bezahlung, bezahlen, rechnungsstellung, payment
  provider, abrechnung
asks: how customers pay, how collect money, wie bezahl~, wie zahl~
says: charged through, payments go, pays by, paid by invoice, direct debit, lastschrift
values: stripe, adyen, paddle!, braintree, mollie, klarna, square!, lemon squeezy, sepa, chargebee, gocardless,
  apple pay

[email service]
both: email provider, transactional email, newsletter, mail server, mailserver, smtp
asks: how send mail, how send emails, send notifications, mails sent, who sends our mail, wie mails, mails
  verschick~
says: emails go out, mails go out, notifications go, verschickt
values: sendgrid, mailgun, postmark, ses!, mailchimp, resend!, brevo, sparkpost, postfix, fastmail, buttondown,
  twilio, proton mail, mandrill, listmonk

[llm]
both: llm+, language model+, ai model, model provider, sprachmodell, ki modell, embedding model, embeddings,
  chatbot, modell, ai assistant, coding assistant, copilot
asks: which model, what model, which ai, which llm, welche~ modell, welche~ ki, model, models
says: prompts go, fine tuned, inference, tokens per, model is, default model
values: gpt, gpt 4, gpt 4o, gpt 5, chatgpt, claude, sonnet!, opus!, haiku!, gemini, llama!, mistral, mixtral, qwen,
  deepseek, ollama, openai, anthropic, bedrock, vertex ai, groq, cohere, phi 3, gemma, grok!, huggingface, hugging
  face, vllm, openrouter, minilm, whisper!, perplexity, lm studio, llama cpp, o3, command r

[architecture]
both: architecture, microservice+, monolith, serverless, event driven, design pattern, architektur, hexagonal
asks: how structured, how organised, how organized, how split, consist* of, wie aufgebaut
says: split into, consists of, made up of, single binary, besteht aus, aufgeteilt in, merged into one service

[purpose]
both: zweck, mission, use case, problem it solves
asks: what is it for, why exist*, why build*, what is about, wofür, wozu, worum geht, purpose
says: is meant to, allows users, is a tool, is an app, is a service
maybe: helps, lets people, is for, soll, dient

[codename]
both: code name, codename, renamed, project name, arbeitstitel, former name
asks: called now, known as, new name, used to be called, früher, what called
says: renamed to, is now called, now known as, goes by, rebranded, umbenannt, now called, called now
maybe: is called, formerly

[error handling]
both: exception+, error handling, error message+, fehlerbehandlung, fehlermeldung, error code+, exit code+
asks: how errors handled, what when fails, how handle errors, how report errors
says: returns an error, swallow*, falls back, fall back, wirft
maybe: crash*, raise*

[security rule]
both: encryption, encrypt*, compliance, gdpr, dsgvo, privacy, sicherheit, datenschutz, verschlüssel~,
  verschlüsselung, vpn, firewall, penetration test, certificate, zertifikat
asks: how protected, how secured, who has access, allowed to see, wie geschützt, security
says: encrypted at rest, only accessible, behind the vpn, must never leave, access only, personal data
values: tls, wireguard, tailscale, letsencrypt, let s encrypt, openvpn, soc 2, iso 27001, hipaa, aes 256

[data retention]
both: retention, data retention, aufbewahrung, löschfrist, archiving
asks: how long keep*, how long stored, when deleted, wie lange aufbewahr~, wann gelöscht
says: kept for, deleted after, purged after, retained for, wiped after, gelöscht nach, nach .. tagen gelöscht,
  erased

[environment]
both: environment variable+, env var+, virtualenv, venv, virtual environment, devcontainer, umgebung,
  umgebungsvariable, dev environment, python interpreter
asks: how set up, how start locally, run locally, which python, how develop locally, wie einricht~, setup
says: source .. env, direnv, run .. dev, asdf, mise
values: direnv, asdf, mise, pyenv, nvm, devbox, vagrant, codespaces, docker compose

[preference]
both: preference+, prefer*, preferred, vorliebe, bevorzugt, bevorzug~, convention+, guideline+
asks: how should, would rather, what style, how answer*, how reply, how respond, wie soll~, wie möchte, wie hätte,
  which tone, what tone, how long should, how detailed, how like*, how want*, how write*, how should answers, how
  answers written, how replies, how talk to me
says: prefers, prefer, would rather, likes .. better, please keep, keep answers, be concise, no emojis, in bullet
  points, lieber, am liebsten, kurz halten, duzen, siezen, bullet points, short answers, step by step, plain
  language, no small talk, straight to the point, instead of, concise, be brief, keep .. short, ohne floskeln, kurz
  und knapp
maybe: please, bitte, rather than, instead of, keep it

[rule]
both: rule+, policies, regel, regeln, forbidden, verboten, erlaubt, vorschrift
asks: what never, what always, are we allowed, should i ever, is it ok to, is it okay to, darf ich, darf man, dürfen
  wir, was muss, allowed, never, always
says: don t ever, only ever, no exceptions, under no circumstances, without asking, niemals, muss immer, darf nicht,
  auf keinen fall, ask before, hands off, off limits, never push, always use, never use, must never, must always,
  always run, never commit, always ask, nie ohne, immer mit, always write, never deploy
maybe: always, never, must, must not, do not, make sure, immer, nie, niemals

[units]
both: unit+, metric, imperial, measurement+, maßeinheit, einheiten, currency, währung, temperature unit
asks: which units, date format, time format, kilometres or, celsius or, welche~ einheiten, metric or
says: kilometres, kilometers, celsius, fahrenheit, 24 hour, 24h, in euros, in dollars, in metres, iso 8601, day
  first, kilometer, iso dates
values: kilometres, kilometers, miles, celsius, fahrenheit, pounds, kilograms

[equipment]
both: equipment, printer+, meeting room+, büro, raum, drucker, etage
asks: which room, where office, where sit*, which floor, where desk, wo sitzt, welche~ raum, wo büro, where printer,
  office, room, desk, floor
says: sits on, sits in, third floor, second floor, first floor, ground floor, next to the kitchen, sitzt im, open
  plan, stock werk, obergeschoss, erdgeschoss, office is, sits at, desk is, meeting room, room 0, our office, floor
maybe: office, room, desk
"""
