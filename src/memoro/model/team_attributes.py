"""The words for attributes of projects, teams and preferences: questions, statements, values.

`model.attributes` reads the table and says what its marks mean.
"""

TABLE = """
[lead]
both: lead, leader, leads, leading, project lead, tech lead, owner+, owns, ownership, in charge, responsible,
  maintainer+, maintains, product owner, project manager, leiter, leiterin, leitung, leitet, verantwortlich,
  zuständig, projektleitung, projektleiter, projektleiterin, stakeholder+, sponsor
asks: who lead*, who own*, who run*, who manage*, who head*, who charge, who responsible, who maintain*, who look*
  after, who behind, who ask about, who talk to, who decide*, who drive*, who boss, who take* care, whose, who turn
  to, who coordinate*, who steer*, who go to person, who final say, who accountable, who contact about, who
  oversee*, wer leitet, wer verantwort~, wer zuständig, wer kümmert, wer führt, wer entscheidet, wem gehört, wen
  frag~, an wen
says: take* over, took over, taken over, taking over, hand* over, handed .. to, took .. over, steps down, stepped
  down, stepping down, in the hands of, runs the, run* by, led by, heads, headed by, heads up, responsible for,
  looks after, took on, passes .. to, passed .. on to, new boss, calls the shots, picks up, inherits, inherited,
  step* in for, accountable for, at the helm, managed by, manages, oversees, takes charge, has the final say,
  übernimmt, übernahm, übernommen, gibt .. ab, abgegeben, führt, leitet, kümmert sich, verantwortet, ist zuständig,
  hat den hut auf, hand off, handed off

[boss]
both: boss, supervisor, line manager, chef, chefin, vorgesetzte, vorgesetzter, manager, mentor+, report to
asks: who report* to, who manager, who boss, reports to whom, an wen berichtet
says: reports to, report to, berichtet an, new manager

[reviewer]
both: review*, reviewer+, code review+, approve*, approval, approver, sign off, signs off, freigabe, freigeben
asks: who approve*, who review*, who merge*, who sign*, who check*, who look over, who may merge, who allowed to
  merge, how many approvals, wer prüft, wer gibt frei, wer freigibt, wer reviewt
says: to approve, has to approve, must approve, green light, signs off, second pair of eyes, two approvals,
  codeowners, gibt frei, prüft

[team]
both: team+, team member+, members, crew, squad, staff, headcount, colleague+, teammate+, kollege, kollegen,
  kollegin, mitglied, mitglieder, mannschaft
asks: who work* on, who is on, who part of, who else, how many people, who belong* to, who join*, who involved, who
  help*, who developing, wer arbeitet an, wer gehört, wer ist im, wer macht mit
says: joined the, joins the, left the team, works on, working on, people work on, people on, developers on,
  onboarded, is on the, moved to the, hired two, stößt zu, verstärkt, verlässt, people strong, rolls off, rolled off

[on call]
both: on call, oncall, pager, rota, rotation, bereitschaft, rufbereitschaft, standby, escalation, notdienst
asks: who woken, who call at night, who fix at night, who gets paged, outside office hours, after hours, wer hat
  bereitschaft, incident contact
says: carries the pager, has the pager, rotates weekly, gets paged, out of hours

[customer]
both: client+, customer+, kunde, kunden, kundin, auftraggeber, target audience, zielgruppe, target group, account
  manager, buyer, pays for
asks: who building for, build* for, who for, who pay*, who use*, who ordered, who commissioned, für wen, who buys,
  wer bezahlt, wer nutzt
says: commissioned, ordered by, on behalf of, pilot customer, signed the contract, im auftrag

[vendor]
both: vendor+, supplier+, contractor+, agency, freelancer+, lieferant, lieferanten, dienstleister, agentur,
  subcontractor
asks: who supply, who supplies, who delivers, where order*, from whom buy, wer liefert
says: supplied by, delivers the, contracted, outsourced, wird geliefert

[budget]
both: budget+, funding, funds, grant, kostenrahmen, finanzierung, etat
asks: how much spend*, how much money, how much may cost, afford, how much left, wie viel ausgeben, wie teuer darf,
  how expensive may, was darf kosten, wie viel geld
says: allocated, got .. euros, granted, spend up to, for the quarter, freigegeben, bewilligt, genehmigt, ceiling of,
  funded with, cut to, tops out

[price]
both: price+, pricing, cost+, costs, fee+, fees, tariff, discount, preis, preise, kosten, kostet, gebühr, gebühren,
  rabatt, expensive, cheap, bill+
asks: how much cost*, how much pay, how much charge*, how much is, what cost*, what charge*, how expensive, was
  kostet, wie viel kostet, wie teuer
says: costs, a seat, per seat, per month, per user, charges, charged, went up to, raised to, lowered to, cheaper,
  kostet, pro monat, pro nutzer

[deadline]
both: deadline+, due, due date, cutoff, abgabe, abgabetermin, frist, stichtag, fällig, target date, timeline,
  zeitplan
asks: when due, when finished, when done, when ready, by when, until when, when complete*, how long have, when hand
  in, when deliver*, bis wann, wann fertig, wann abgabe, wann fällig, how much time left
says: has to be finished, must be finished, must be done, needs to be done, has to be done, due by, due on, due in,
  finished by, done by, ready by, hand in by, no later than, extended to, extended until, pushed to, slipped to,
  slips to, brought forward, fertig sein, spätestens, bis zum, muss bis, verlängert bis, delayed until, postponed to

[launch]
both: launch*, launch date, go live, release date, premiere, kickoff, kick off, start date, beta, milestone+,
  meilenstein, meilensteine, roadmap, starttermin
asks: when launch*, when start*, when public, when come* out, when open*, when customers use, next milestone, wann
  startet, wann start, wann online, was kommt als nächstes
says: opens to the public, goes public, goes live, comes out, kicks off, starts on, public beta, general
  availability, startet am, startet im, erscheint

[status]
both: status, progress, state, state of, current state, zustand, fortschritt, stand
asks: how far, how going, how is coming, where do we stand, is still active, still running, is it done, is finished,
  what happened to, is alive, wie weit, wie läuft, wie steht, noch aktiv, is it still, what phase
says: on hold, paused, in progress, finished, completed, done with, cancelled, canceled, abandoned, archived,
  deprecated, blocked, halfway, in beta, shut down, sunset, discontinued, resumed, on track, behind schedule,
  wrapped up, eingestellt, pausiert, abgeschlossen, fertig, gestoppt, auf eis, liegt auf eis, percent done, retired,
  in review, put on ice, called off, scrapped, in production, stalled, unterbrochen, frozen, live now

[meeting]
both: meeting+, standup+, stand up, retro, retrospective, sync, daily, weekly, demo, planning, one on one, 1 1,
  call, besprechung, sitzung, jour fixe, kickoff, treffen, teamrunde, catch up, all hands
asks: when meet*, what time meet*, when team meet*, how often meet*, when come together, where meet*, wann treff~,
  wann besprechung, wie oft treff~
says: meet on, meets on, meets every, meet every, we meet, the daily, the weekly, moved to .. am, moved to .. pm,
  every monday at, every tuesday at, every thursday at, biweekly, fortnightly, trifft sich, treffen uns
values: zoom, google meet, microsoft teams, jitsi, webex

[chat]
both: channel+, chat, chat room, slack channel, mailing list, kanal, messenger, group chat, forum
asks: where discuss*, where talk about, where ask questions, which channel, where announce*, where post*, how
  communicate*, wo besprech~, wo diskutier~, where chat, where conversation+
says: goes to the channel, posted in, discuss .. in, ask in, ask on, announce .. in, write in
values: slack, discord, mattermost, teams channel, ms teams, microsoft teams, matrix, irc, rocket chat, zulip,
  telegram, element, google chat

[tickets]
both: ticket+, issue tracker, issue+, bug tracker, bugs, backlog, kanban, board, task board, sprint board, aufgaben,
  aufgabenliste, tracker, to do list, todo list, task manager
asks: where report*, where file*, where track*, where bugs, where tasks, track work, plan work, where todo+, report
  bugs, wo aufgaben, wo melde~, keep track
says: backlog is, backlog lives, track .. in, tracked in, file bugs, tasks are in, report .. in
values: jira, linear, trello, asana, youtrack, github issues, gitlab issues, clickup, monday com, basecamp,
  shortcut, todoist, redmine, height, things 3, bugzilla, plane so, github projects, ticktick, openproject

[docs]
both: doc, docs, documentation, documented, wiki, handbook, manual, runbook+, readme, dokumentation, dokumentiert,
  handbuch, anleitung, spec, specification, knowledge base, meeting notes, notes
asks: where documented, where read about, where find instructions, where written down, where look up, how learn
  about, where notes, wo steht, wo nachlesen, wo dokumentiert, where explained
says: written up in, is documented, described in, wrote it down, steht im wiki, beschrieben, notes are in, notes go
values: notion, confluence, gitbook, read the docs, readthedocs, mkdocs, sphinx, docusaurus, obsidian, outline wiki,
  google docs, coda, swimm, mediawiki, bookstack, logseq, roam, hugo, evernote, dokuwiki, slite, vitepress

[design tool]
both: design+, mockup+, wireframe+, prototype+, design tool, design system, entwurf, entwürfe, drawings, logo, brand
  color+, brand colour+, font+, typeface, schriftart, farbschema, theme, dark mode, light mode
asks: where mockups, where screens, what drawn in, how draw, which colour, which color, which font, wo entwürfe,
  what look like
says: drawn in, designed in, sketched in, mocked up, designt in
values: figma, sketch app, adobe xd, penpot, canva, photoshop, illustrator, invision, miro, excalidraw, whimsical,
  framer, balsamiq, affinity, inkscape, gimp, draw io, blender, lucidchart, inter font, helvetica, roboto

[data source]
both: data source, data feed, input data, dataset+, feed, datenquelle, datensatz
asks: where data from, where get data, data come from, woher daten
says: imports from, scraped from, fed by, pulls data, pulls from, ingest*, nightly import, datenimport

[analytics]
both: analytics, tracking, business intelligence, reporting, report+, statistik, auswertung, usage numbers, kpi+
asks: how measure usage, count visitors, who visits, how many users
values: google analytics, plausible, matomo, amplitude, mixpanel, posthog, tableau, power bi, metabase, looker,
  superset, segment, umami, fathom

[payment]
both: payment+, checkout, billing, invoicing, zahlung, zahlungen, bezahlung, bezahlen, rechnungsstellung, payment
  provider, abrechnung
asks: how customers pay, how charge, how pay, how collect money, wie bezahl~, wie zahl~
says: charged through, payments go, pays by, paid by invoice, direct debit, lastschrift
values: stripe, adyen, paddle, braintree, mollie, klarna, square, lemon squeezy, sepa, chargebee, gocardless, apple
  pay

[email service]
both: email provider, transactional email, newsletter, mail server, mailserver, smtp
asks: how send mail, how send emails, send notifications, mails sent, who sends our mail, wie mails, mails
  verschick~
says: emails go out, mails go out, notifications go, verschickt
values: sendgrid, mailgun, postmark, ses, mailchimp, resend, brevo, sparkpost, postfix, fastmail, buttondown,
  twilio, proton mail, mandrill, listmonk

[llm]
both: llm+, language model+, ai model, model provider, sprachmodell, ki modell, embedding model, embeddings,
  chatbot, model+, modell, ai assistant, coding assistant, copilot
asks: which model, what model, which ai, which llm, welche~ modell, welche~ ki, model call*
says: prompts go, fine tuned, inference, tokens per, temperature
values: gpt, gpt 4, gpt 4o, gpt 5, chatgpt, claude, sonnet, opus, haiku, gemini, llama, mistral, mixtral, qwen,
  deepseek, ollama, openai, anthropic, bedrock, vertex ai, groq, cohere, phi 3, gemma, grok, huggingface, hugging
  face, vllm, openrouter, minilm, whisper, perplexity, lm studio, llama cpp, o3, command r

[architecture]
both: architecture, microservice+, monolith, serverless, event driven, design pattern, architektur, hexagonal,
  modular, modules, layers
asks: how structured, how organised, how organized, how split, consist* of, wie aufgebaut, parts of
says: split into, consists of, made up of, single binary, besteht aus, aufgeteilt in, merged into one service

[purpose]
both: purpose, zweck, mission, use case, problem it solves
asks: what is it for, what for, what does do, why exist*, why build*, what is about, wofür, wozu, worum geht
says: is meant to, is for, helps, lets people, allows users, is a tool, is an app, is a service, dient, soll

[codename]
both: code name, codename, renamed, project name, arbeitstitel, former name, formerly
asks: what called, called now, known as, new name, used to be called, wie heißt, heißt jetzt, früher
says: renamed to, is now called, is called, now known as, goes by, formerly, rebranded, umbenannt, heißt jetzt

[error handling]
both: exception+, error handling, error message+, fehlerbehandlung, fehlermeldung, error code+, exit code+
asks: how errors handled, what when fails, how handle errors, how report errors
says: raise*, returns an error, swallow*, crash*, falls back, fall back, wirft

[security rule]
both: security, encryption, encrypt*, compliance, gdpr, dsgvo, privacy, sicherheit, datenschutz, verschlüssel~,
  verschlüsselung, vpn, firewall, penetration test, certificate, zertifikat
asks: how protected, how secured, who has access, allowed to see, wie geschützt
says: encrypted at rest, only accessible, behind the vpn, must never leave, access only, personal data
values: tls, wireguard, tailscale, letsencrypt, let s encrypt, openvpn, soc 2, iso 27001, hipaa, aes 256

[data retention]
both: retention, data retention, aufbewahrung, löschfrist, archiving
asks: how long keep*, how long stored, when deleted, wie lange aufbewahr~, wann gelöscht
says: kept for, deleted after, purged after, retained for, wiped after, gelöscht nach, nach .. tagen gelöscht,
  erased

[environment]
both: environment variable+, env var+, virtualenv, venv, virtual environment, devcontainer, umgebung,
  umgebungsvariable, dev environment, setup, python interpreter
asks: how set up, how start locally, run locally, which python, how develop locally, wie einricht~
says: activate, source .. env, direnv, run .. dev, starts with, asdf, mise
values: direnv, asdf, mise, pyenv, nvm, devbox, vagrant, codespaces, docker compose

[preference]
both: preference+, prefer*, preferred, vorliebe, bevorzugt, bevorzug~, convention+, guideline+
asks: how should, how like*, would rather, what style, how want*, how write*, how answer*, how reply, how respond,
  wie soll~, wie möchte, wie hätte, which tone, what tone, how long should, how detailed
says: prefers, prefer, would rather, rather than, instead of, likes .. better, please keep, please use, keep it,
  keep answers, be concise, no emojis, in bullet points, lieber, bitte, am liebsten, statt, kurz halten, duzen,
  siezen, bullet points, short answers, step by step, plain language, no small talk, straight to the point

[rule]
both: rule+, policy, policies, regel, regeln, forbidden, allowed, verboten, erlaubt, vorschrift, must not
asks: what never, what always, may we, are we allowed, should i ever, what must, is it ok to, is it okay to, darf
  ich, darf man, dürfen wir, was muss
says: always, never, must, must not, do not, don t ever, only ever, no exceptions, make sure, is not allowed, under
  no circumstances, without asking, immer, nie, niemals, muss immer, darf nicht, auf keinen fall, ask before, hands
  off, off limits

[units]
both: unit+, metric, imperial, measurement+, maßeinheit, einheiten, currency, währung, temperature unit
asks: which units, date format, time format, kilometres or, celsius or, welche~ einheiten, metric or
says: kilometres, kilometers, celsius, fahrenheit, 24 hour, 24h, in euros, in dollars, in metres, iso 8601, day
  first, kilometer, iso dates
values: kilometres, kilometers, miles, celsius, fahrenheit, pounds, kilograms

[equipment]
both: equipment, printer+, meeting room+, room, office, büro, raum, desk, drucker, floor, etage, stock
asks: which room, where office, where sit*, which floor, where desk, wo sitzt, welche~ raum, wo büro, where printer
says: sits on, sits in, third floor, second floor, first floor, ground floor, next to the kitchen, sitzt im, open
  plan, stock werk, obergeschoss, erdgeschoss
"""
