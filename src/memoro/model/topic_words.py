"""The matters that rules and tasks are about, each with its words: English, German, some of other languages.

The words of a topic stand below its name. `word*` is a beginning, `*word` an ending, and words with a space between
them stand one after the other. `!` marks a broad topic: many tasks have it, and by itself it says little. What
follows `<` holds for everything that has the topic.
"""

TOPIC_WORDS = """
code!:
    code, coding, codebase, function, functions, class, classes, method, methods, module, modules, library,
    refactor*, implement*, algorithm*, compiler, linter, type hints, typed, immutable, singleton*, global state,
    globals, service, services, handler*, job, parser*, struct*, loop, loops, cache*, port, feature, features,
    bug, bugs, bugfix, hotfix, tool, cli, backend, frontend, programmier*, funktion, funktionen, klasse,
    klassen, código, función, fonction, importer, exporter, worker, daemon, plugin, sdk, system
prose!:
    prose, text, texts, paragraph*, article*, post, posts, blog*, chapter*, essay*, section*, abstract, intro,
    introduction, story, stories, scene*, novel*, sentence*, tone, tense, voice, wording, jargon, adverb*,
    semicolon*, spelling, british, american, passive, active voice, first person, third person, style, word
    count, discussion, report, description, describe, essay, column, newsletter, manuscript, conclusion, draft,
    copy, absatz, absätze, artikel, beitrag, kapitel, *kapitel, aufsatz, texte, szene, roman, satz, sätze, stil,
    ton, formulier*, rechtschreibung, bericht, parágrafo, párrafo, artigo, artículo, texto, capítulo, article,
    paragraphe, chapitre, rédige*, review, obituary, speech, bio, biography, press release
message!:
    mail, mails, e-mail*, email*, letter*, reply, replies, respond, answer, message*, invitation*, invite,
    newsletter*, salutation, greeting, sign off, signature, recipient*, write to, write him, write her, inform,
    tell, notify, brief, briefe, *brief, nachricht*, antwort*, anrede, grußformel, einladung*, schreib herrn,
    schreib frau, schreiben an, carta*, correo, mensaje*, mensagem, lettre*, courriel, répond*, responde*,
    emoji*, thank-you note, cover letter, condolence*
ui!:
    ui, page, pages, screen*, view, views, component*, widget*, layout, sidebar, header, footer, navigation,
    tab, tabs, dropdown, button*, menu*, panel*, banner, tooltip, checkout, dashboard, wizard, frontend, badge,
    toolbar, card, cards, seite, ansicht, maske, oberfläche, schaltfläche*, taste, knopf, pantalla, página,
    tela, écran, bouton, botón, botão, onboarding
infra!:
    infra*, terraform, tofu, opentofu, pulumi, ansible, cluster*, node, nodes, server*, aws, gcp, azure, vpc,
    subnet*, dns, kubernetes, k8s, namespace*, provision*, replica*, load balancer, ssm, ssm parameter*,
    remote_state, stack, stacks, cloudformation, cdk, bucket*, lambda, vm, vms, hetzner, nginx, ingress, gateway
data!:
    data, dataset*, csv, parquet, dataframe*, pandas, polars, spark, dask, spreadsheet*, excel, notebook*,
    jupyter, etl, export, exports, raw, survey, tabelle*, datensatz, daten, datos, dados, données, records,
    load, import, columns, cleaning, clean up, count, aggregate, join, joins, ingest*
python < code:
    python, py, ruff, mypy, pytest, pip, django, flask, fastapi, pydantic, black, type hints
go < code:
    golang, gofmt, goroutine*, gomod, %w, go.mod, testify
rust < code:
    rust, cargo, clippy, crate*, unwrap
java < code:
    java, maven, gradle, spring, junit, jvm, optional, lombok
kotlin < code:
    kotlin, coroutine*, rxjava, jetpack, compose, android
swift < code:
    swift, swiftui, uikit, xcode, ios, force unwrap*
csharp < code:
    c#, csharp, linq, dotnet, unity, nuget
cpp < code:
    c++, cpp, cmake, clang-format, raii
javascript < code:
    javascript, typescript, js, ts, node.js, eslint, prettier, react, vue, angular, svelte, hook, hooks, npm,
    pnpm, yarn, jsx, tsx, vite, webpack, next.js
ruby < code:
    ruby, rails, rubocop, rspec, gem, gems
php < code:
    php, laravel, symfony, composer, phpstan
r < code:
    tidyverse, ggplot*, renv, dplyr, rstudio, cran, r script*, rscript
elixir < code:
    elixir, phoenix, erlang, otp, dialyzer
shell < code, script:
    shell, bash, zsh, shellcheck, pipefail, posix, shell script*, set -euo, makefile
script < code:
    script, scripts, skript, skripte, scripting, one-liner, cron, cronjob, *skript
terraform < infra:
    terraform, tofu, opentofu, hcl, tfvars, remote_state, ssm, module, modules, stack, stacks, state
container < infra:
    docker*, container*, image, images, registry, base image, podman, digest, latest tag*, compose
kubernetes < infra:
    kubernetes, k8s, helm, chart, charts, pod, pods, deployment, manifest*, operator, kustomize, ingress
container deployment < infra:
    redis, postgres, rabbitmq, kafka, memcached, elasticsearch, minio, sidecar, latest tags, daemonset,
    statefulset
database < code:
    sql, query, queries, database*, table, tables, orm, sqlc, postgres*, mysql, sqlite, mongodb, prisma,
    sqlalchemy, hibernate, gorm, activerecord, jooq, join, joins, select, ctes, row, rows, transaction*, foreign
    key*, db, abfrage*, datenbank*, tabelle, consulta, base de datos, banco de dados, requête*, schema*, index,
    indexes, stored procedure*, column, columns, spalte, store, stored, persist*
migration < database:
    migration*, migrate, column, columns, alter table, schema*, rename the column, add a column, spalte*, down
api < code:
    api, apis, endpoint*, route, routes, rest, graphql, grpc, webhook*, http, openapi, swagger, controller*,
    request, requests, response*, call, schnittstelle*, json, status code*, versioned, resolver*, rpc, proto*
error < code:
    error*, exception*, panic, panics, crash*, fail, fails, failing, failed, failure*, retry, retries,
    fallback*, timeout*, garbage, invalid, handle the case, handle, edge case*, stack trace*, malformed,
    corrupt*, unavailable, fehler*, ausnahme*, abstürz*, errores, erros, erreur*, can't be, cannot be, goes
    wrong, times out, raise, problem+json, result type*
test < code:
    test, tests, testing, tested, unit test*, coverage, cover, fixture*, mock, mocks, mocking, snapshot*,
    pytest, jest, e2e, regression test*, testcontainer*, table test*, testing-library, test plan, teste, testen,
    pruebas, testes, assertion*, tdd, playwright, cypress, golden file*
logging < code:
    log, logs, logger*, logging, log line*, log message*, debug output, print, prints, stdout, trace,
    protokollier*
monitoring:
    alert*, alarm*, metric, metrics, dashboard*, monitor*, grafana, prometheus, runbook*, on-call, slo, slos,
    datadog, tracing, telemetry, pager*, uptime, healthcheck*
analytics:
    analytics, tracking, telemetry, usage statistics, how often, funnel, pixel, sdk
deploy:
    deploy*, release, releases, roll out, rollout*, rolled out, ship, ship it, production, staging, go live,
    publish*, rollback, roll back, hotfix*, ausrollen, veröffentlich*, freigabe, desplieg*, déploi*, implanta*,
    prod, on fridays
secret:
    secret, secrets, password*, passwort*, credential*, api key*, token, tokens, certificate*, private key*,
    external secrets, contraseña, senha, kennwort
config:
    config*, yaml, toml, ini, setting, settings, environment variable*, env, manifest*, values, pipeline, ci,
    gitlab-ci, github actions, workflow, anchors, konfiguration*, einstellung*, helm values
flag < code:
    feature flag*, flag, flags, toggle*, test group, beta, a/b, behind a, canary
dependency < code:
    dependency, dependencies, package, packages, npm, pnpm, yarn, pip, poetry, uv, cargo, third-party, library,
    libraries, install, upgrade, lockfile*, vendor*, abhängigkeit*, paket, pakete, bibliothek*, dependencia*,
    dépendance*, dependência*, licence*, license*, sdk, maintainer*
commit:
    commit, commits, commit message*, git log, squash, amend, committe*
review:
    merge request*, pull request*, mr, mrs, pr, prs, code review*, reviewer, test plan, diff
branch < review:
    branch*, push, rebase, force-push, main branch, trunk, hotfix, cherry-pick, zweig
docs:
    readme, documentation, docs, docstring*, comment, comments, wiki, adr, adrs, user guide, runbook, tutorial,
    manual, how-to, dokumentation*, dokumentier*, kommentar*, documenta*, changelog, document the, handbook
release notes < prose:
    release note*, changelog*, app store, play store, what's new, update text, version notes, änderungen
naming < code:
    name, names, naming, rename*, identifier*, snake_case, camelcase, kebab-case, prefix, suffix, benenn*,
    namen, bezeichner
architecture < code:
    singleton*, global state, globals, dependency injection, pass dependencies, layer*, coupling, architecture,
    inheritance, composition, service, services, available to, state, structure
performance < code:
    cache, caching, performance, faster, slow, speed up, memory, allocat*, latency, every frame, each frame,
    update loop*, hot path, optimi*, n+1, throughput, lazy, schneller
delete:
    delete*, deletion*, remove a, remove the, remove their, drop, purge, soft delete*, erase, lösch*, entfern*,
    borrar, apagar, supprim*
save:
    save file*, save game*, savegame*, persist*, between sessions, store the, inventory, versioned, serializ*,
    serialis*, file format, speicher*, backup*, archive
offline:
    offline, cached data, no network, without network, connection, downloaded, download*, airplane mode, sync,
    connectivity
security:
    login, log in, sign in, auth*, permission*, role, roles, access, oauth, session, csrf, encrypt*, anmeld*,
    berechtigung*
privacy:
    privacy, personal data, e-mail address*, gdpr, dsgvo, pii, anonym*, initials, initialen, confidential*,
    customer names, client names, sign-up, signup, datenschutz, vertraulich, track, analytics, tracking, consent
form < ui:
    form, forms, field, fields, input, inputs, validation, checkbox*, date picker, sign-up form, address form,
    settings page, formular*, feld, felder, formulario
colour < ui:
    css, colour*, color*, theme*, dark mode, light and dark, palette, hex, font, fonts, spacing, margin*,
    padding, red, blue, green, yellow, orange, purple, grey, gray, black, white, bigger, smaller, rounded,
    shadow*, contrast, design tokens, tailwind, sass, scss, styling, farbe*, schrift*, rot, blau, grün,
    couleur*, cor, cores
dialog < ui:
    modal*, dialog, dialogs, popup*, pop-up*, overlay*, confirm before, confirm, confirmation, toast*, bestätig*
control < ui:
    button*, control, controls, slider*, switch, link, links, tap, label, accessib*, a11y, aria, screen reader*,
    alt text, barrierefrei*
ui text:
    label, labels, string, strings, localis*, localiz*, i18n, l10n, t(), placeholder, hint, hints, tooltip text,
    button text, text for, microcopy, wording, text for the, beschriftung*, schaltfläche*, text für, taste,
    knopf, tell the user, error message*, players, notification text, sie-form, du-form
input device:
    keyboard, gamepad, controller, touch, mouse, pad, shortcut*, menu, menus, controls
screen < ui:
    screen, screens, view model*, preview, previews, viewmodel
raw data < data:
    raw, data/raw, clean up, cleaning, clean the, interim, overwrite, original files, wrangl*
dataset < data:
    dataset*, data card, new data, import the, survey, datensatz, datensätze
dataframe < data:
    pandas, polars, dataframe*, load the, count, group by, export, csv, parquet, dplyr, pivot, aggregate*
column < data:
    column, columns, spalte*, field name*, snake_case, feature, features
model:
    train, training, model, classifier*, regression, neural, gradient boosting, xgboost, auc, accuracy, recall,
    f1, baseline, hyperparameter*, evaluate, how good, loss, epoch*, fine-tun*, seed, seeds, benchmark*,
    embedding*
validation split < model:
    cross-validation, cross validation, split, splits, hold-out, holdout, fold, folds, leak, leakage, kfold
statistics:
    p value*, p-value*, significan*, confidence interval*, effect size*, anova, t-test, hypothesis, compare,
    comparison, mean, median, correlation*, regression, difference between the two, bootstrap, statisti*, sample
    size
figure:
    plot, plots, chart, charts, figure, figures, graph, diagram*, axis, axes, curve, histogram*, heatmap*,
    scatter*, visuali*, caption*, legend, abbildung*, grafik*, schaubild, gráfico*, figura*, graphique*, draw
    the, bar chart*
table:
    table, tables, tabular, tabelle*, tabla, tabela, tableau
citation:
    cite, cites, cited, citing, citation*, reference*, bibliograph*, bibtex, doi, dois, apa, mla, chicago style,
    footnote*, literature, sources, zitier*, zitat*, quelle*, fußnote*, urteil*, entscheidung*, aktenzeichen,
    rechtsprechung, bgh, cita*, citar, citação, referência*
latex:
    latex, tex, overleaf, beamer, bibtex, xelatex
sample:
    sample*, specimen*, tube, tubes, relabel, label of, vial*, batch, lab book, protocol, reagent*, probe,
    proben
number:
    number*, digit*, decimal*, unit, units, metric, imperial, inch*, metre*, meter, meters, temperature*,
    celsius, °c, distance*, length, calculat*, significant, rounding, measure*, measurement*, percent*, zahlen,
    zahl, maße, metrisch, zoll, einheit*, berechn*, rechne, kilomet*, weight, value, values, how far, how long
    is, números
coordinates < number:
    coordinate*, wgs84, latitude, longitude, gps, distance*, length of a, track, elevation, geo*, koordinate*,
    map projection
time:
    timestamp*, utc, timezone*, time zone*, iso 8601, date format, dates, created at, timestamptz, datetime,
    zeitstempel, zeitzone*, uhrzeit, last seen, date, datum
money:
    money, price*, amount*, payment*, pay, paid, invoice*, refund*, charge*, currenc*, exchange rate*, vat, tax,
    taxes, cost, costs, fee, fees, revenue, discount*, balance*, billing, budget, euro*, dollar*, €, minor
    units, cents, rechnung*, preis*, betrag, beträge, zahlung*, honorar*, kosten, gebühr*, vorschuss, angebot*,
    precio*, preço*, factura*, fatura*, prix, facture*, quote, quotes, salary, total, totals, tariff,
    subscription price
payment < money:
    idempoten*, refund*, payment*, transfer*, payout*, charge the, zahlung*, überweis*
invoice < money:
    invoice*, rechnung*, bestellnummer, zahlungsziel, factura*, fatura*, facture*, billing address, order number
fee < money:
    honorar*, vorschuss, angebot, angebote, retainer, fee, fees, quote for, offer for, hourly rate, stundensatz,
    beratung
fiction < prose:
    scene*, chapter*, story, stories, novel*, plot, character*, narrator, dialogue, past tense, third person,
    fiction, protagonist*, szene*, kapitel, roman, erzähl*, figur, capítulo, escena, cena, scène, short story,
    describe the
dialogue < fiction:
    dialogue*, conversation*, adverb*, says, speech marks, they talk, quarrel, argue, dialog zwischen, diálogo*
ending:
    end, ends, ending, finish, finishes, last line, conclusion, schluss, finale, end of the chapter
weather:
    weather, storm*, rain*, snow, fog, wind, wetter, sturm, regen
synopsis < prose:
    synopsis, plot for, summary of the book, summarise the plot, summarize the plot, pitch, blurb, exposé,
    logline
query letter < message:
    query letter*, literary agent*, comparable titles, represent me, publisher*, submission*
proofreading < prose:
    proofread*, spelling, grammar, typo*, copy-edit*, copyedit*, polish, british, american english, oxford
    comma, quotes, korrekturles*, lektor*, rechtschreib*, zeichensetzung, -ise, korrigier*, corrig*, revisar,
    punctuation
blog post < prose:
    post, posts, blog*, article*, artikel, beitrag, artigo, newsletter, column, op-ed, write-up
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
    bullet*, list of, enumerat*, aufzählung*, liste, listen, eine liste, numbered, checklist*, lista
warning:
    warning*, safety*, warnhinweis*, sicherheitshinweis*, hazard*, disclaimer*, danger
minutes:
    minutes, meeting notes, memo, memos, aktennotiz*, telefonat, call notes, notiz*, protokoll, gesprächsnotiz,
    participants, teilnehmer
slides:
    slide*, deck, decks, presentation*, powerpoint, keynote, talk, vortrag*, folie*, präsentation*,
    presentación, apresentação, présentation
poster:
    poster*, flyer*, leaflet*, plakat*, brochure*
editor letter < message:
    editor, editors, letters to editors, cover letter, rebuttal, response to reviewer*
application < prose:
    cv, résumé, resume, job application*, bewerbung*, cover letter, lebenslauf, motivation letter
explanation:
    explain*, explanation*, sentences unless, short answers, answers, erklär*, at most three sentences, briefly
image:
    image, images, picture, pictures, photo*, thumbnail*, webp, jpeg, svg, icon, icons, logo, logos, bild,
    bilder, foto*, imagen, imagem, alt text
texture:
    texture*, material, materials, sprite*, power of two, atlas, textur*, mesh
effect:
    shader*, effect, effects, lightning, particle*, flash*, strobe, animation*, animate, glow, explosion*,
    blink*, transition*
balancing:
    balanc*, damage, health points, difficulty, stats, weapon*, buff, nerf, spawn rate
music:
    music, song*, audio, sound*, bpm, loop, ogg, melody, chord*, playlist*, musik, lied, podcast*
video:
    video*, footage, subtitles, untertitel, youtube, film, clip, clips
exercise:
    worksheet*, exercise*, homework, practice problems, arbeitsblatt, arbeitsblätter, übung*, aufgaben,
    hausaufgabe*
exam:
    exam, exams, quiz*, multiple choice, midterm, klausur*, prüfung*, klassenarbeit*, final test, examen, prova
grade:
    grade, grades, grading, mark, marks, noten, note für, report card, zeugnis*, score
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
    gerichtsstand, contrato*, contrat*, subscription*, provider*, tariff, insurance*, anbieter, kündig*,
    versicherung*
opinion:
    legal opinion, expert opinion, gutachten, einschätzung*, assessment, stellungnahme, appraisal, expertise
deadline:
    deadline*, due, due date*, frist*, bis wann, fällig*, by when, cut-off, plazo*, prazo*, délai*
letter < message:
    letter, letters, brief, briefe, anrede, schreib professor, schreib herrn, schreib frau, schreiben an, carta,
    lettre, dear, salutation
client:
    client*, customer*, kunde, kunden, kundin*, mandant*, patient*, cliente*, guests
appointment:
    meeting*, appointment*, schedul*, calendar, slot, dentist, doctor, hairdresser, call with, termin*,
    zahnarzt, arzt, friseur, besprechung*, arrange a, reschedule*, cita, consulta médica, rendez-vous, reunión,
    reunião, book the, book a call, mornings, afternoons, availability, vet, haircut, physio*, car service,
    phone call
travel:
    flight*, train, trains, hotel*, trip*, travel*, holiday*, vacation*, airbnb, seat, seats, airport*,
    itinerary, week in, weekend in, days in, reise*, urlaub*, flug, flüge, bahn, zug, unterkunft, viaje*,
    viagem, voyage*, vuelo*, voo, vol pour, road trip, hostel*, camping, sightseeing, ferry
food:
    recipe*, cook*, dinner*, lunch*, breakfast*, meal*, menu, cake*, bake*, baking, restaurant*, eat, eats,
    eating, snack*, vegetarian*, vegan*, allergic, allergy, allergies, gluten, lactose, nut, nuts, hazelnut*,
    peanut*, egg, eggs, meat, fish, organic, groceries, supermarket, food, soup*, pasta, salad*, dessert*,
    rezept*, koch*, abendessen, mittagessen, frühstück*, essen, kuchen, allergi*, vegetarisch*, receta*,
    receita*, recette*, cena, jantar, dîner, picnic, barbecue, alcohol, wine, beer, drink, drinks, coffee, tea,
    party food, supper
shopping:
    buy, buys, order a, order some, order me, order new, shop, shopping*, groceries, supermarket, purchase*, get
    me, replacement, kauf*, bestell*, einkauf*, einkaufsliste, compra*, achat*, amazon, second-hand, brand,
    online shop*
gift:
    gift*, present, presents, birthday*, christmas, wedding present, geschenk*, geburtstag*, weihnacht*,
    regalo*, presente*, cadeau*, anniversary
card:
    card, cards, birthday card*, handwritten, birthday, karte, rhyme*, congratulat*, glückwunsch*, gratulier*
repair:
    repair*, broken, leak*, leaks, plumber, electrician, handyman, somebody to fix, craftsman, reparatur*,
    handwerker*, reparier*, kaputt, tropft, dishwasher, washing machine, boiler, heating
utility < contract:
    electricity, internet provider, mobile plan, phone plan, gas provider, gym membership, streaming,
    stromanbieter, subscription*, provider, insurance*
clothes < shopping:
    clothes, clothing, sweater*, shirt*, shoes, jacket*, dress, trousers, kleidung, pullover, hose, schuhe,
    ropa, roupa, vêtement*, fibre*, wool, cotton, size, coat
training:
    workout*, training plan, running, marathon, gym, exercise plan, yoga, physiotherapy, trainingsplan, laufen,
    long run*, swim*
garden:
    garden*, plant, plants, roses, pruning, compost, lawn, garten, pflanze*, rasen, beet, seeds
reading:
    book, books, novel to read, e-book*, paperback*, audiobook*, buch, bücher, libro*, livro*, livre*, library
    book
children:
    kids, children, child, toddler, daycare, kinder, kita, screen time
"""
