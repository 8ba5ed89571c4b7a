"""The matters of software and data, each with its words: English and German, some words of other languages.

The words of a topic stand below its name. `word*` is a beginning, `*word` an ending, and words with a space between
them stand one after the other. `!` marks a broad topic: many tasks have it, and by itself it says little. What
follows `<` holds for everything that has the topic.
"""

SOFTWARE_TOPICS = """
code!:
    code, coding, codebase, function, functions, class, classes, method, methods, module, modules, library,
    refactor*, implement*, algorithm*, compiler, linter, type hints, typed, immutable, singleton*, global state,
    globals, handler*, parser*, struct*, loop, loops, cache*, bug, bugs, bugfix, hotfix, cli, backend, frontend,
    programmier*, funktion, funktionen, klasse, klassen, código, función, fonction, importer, exporter, worker,
    daemon, plugin, sdk, feature for, new feature, port the, background job, data structure*, endpoint*, a
    service, new service, command-line tool, python tool, small tool, internal tool, dependency injection, pass
    dependencies, layer*, coupling, architecture, inheritance, composition, callback*, side effect*, service
    object*, named export*, default export*, exports, strict, typen, typannotation*, typing, types,
    comprehension*, logic, funktion*, class name*, utility, helper*, view model*
ui!:
    ui, page, pages, screen*, view, views, component*, widget*, layout, sidebar, header, footer, navigation,
    tab, tabs, dropdown, button*, menu*, panel*, banner, tooltip, checkout, wizard, frontend, badge, toolbar,
    seite, ansicht, maske, oberfläche, schaltfläche*, taste, knopf, pantalla, página, tela, écran, bouton,
    botón, botão, onboarding, settings page, landing page, profile page
infra!:
    infra*, terraform, tofu, opentofu, pulumi, ansible, cluster*, node, nodes, server*, aws, gcp, azure, vpc,
    subnet*, dns, kubernetes, k8s, namespace*, provision*, replica*, load balancer, ssm, ssm parameter*,
    remote_state, stack, stacks, cloudformation, cdk, bucket*, lambda, vm, vms, hetzner, nginx, ingress, gateway
data!:
    data, dataset*, csv, parquet, dataframe*, pandas, polars, spark, dask, spreadsheet*, excel, notebook*,
    jupyter, etl, export, exports, raw, survey, tabelle*, datensatz, daten, datos, dados, données, columns,
    cleaning, clean up, count, aggregate, ingest*
python < code:
    python, py, ruff, mypy, pytest, pip, django, flask, fastapi, pydantic, black, type hints
go < code:
    golang, gofmt, goroutine*, gomod, %w, go.mod, testify
rust < code:
    rust, cargo, clippy, crate*, unwrap
java < code:
    java, maven, gradle, junit, jvm, optional, lombok, spring boot
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
    shell, bash, zsh, shellcheck, pipefail, posix, shell script*
script < code:
    script, scripts, skript, skripte, scripting, one-liner, cron, cronjob, *skript, automation script, bash
    script, migration script
terraform < infra:
    terraform, tofu, opentofu, hcl, tfvars, remote_state, ssm, module, modules, stack, stacks, state file, tf
    state, remote state
container < infra:
    docker*, container*, image, images, registry, base image, podman, digest, latest tag*, compose, redis,
    postgres, rabbitmq, kafka, memcached, elasticsearch, minio, sidecar, latest tags, daemonset, statefulset
kubernetes < infra:
    kubernetes, k8s, helm, pod, pods, manifest*, kustomize, ingress, k8s deployment, statefulset, cronjob,
    autoscal*, helm chart*, the chart of
database < code:
    sql, query, queries, database*, table, tables, orm, sqlc, postgres*, mysql, sqlite, mongodb, prisma,
    sqlalchemy, hibernate, gorm, activerecord, jooq, join, joins, select, ctes, row, rows, transaction*, foreign
    key*, db, abfrage*, datenbank*, tabelle, consulta, base de datos, banco de dados, requête*, schema*, index,
    indexes, stored procedure*, column, columns, spalte, store, stored, persist*, persistence, repository layer,
    raw sql, upsert, paging, pagination, seed data, modell in sql, dbt, mart, subquer*, view, views, join*
migration < database:
    migration*, migrate, column, columns, alter table, schema*, rename the column, add a column, spalte*, down
api < code:
    api, apis, endpoint*, route, routes, rest, graphql, grpc, webhook*, http, openapi, swagger, controller*,
    response*, schnittstelle*, status code*, versioned, resolver*, rpc, proto*, api call, refund call, http
    request, rest call, json api, client library
error < code:
    error*, exception*, panic, panics, crash*, fail, fails, failing, failed, failure*, retry, retries,
    fallback*, timeout*, garbage, invalid, handle the case, handle, edge case*, stack trace*, malformed,
    corrupt*, unavailable, fehler*, ausnahme*, abstürz*, errores, erros, erreur*, can't be, cannot be, goes
    wrong, times out, raise, problem+json, result type*, robust, unreachable, bad input, wrong input,
    unexpected, recover*, graceful*, exit code*, validate, validation, null, missing value*
test < code:
    test, tests, testing, tested, unit test*, coverage, cover, fixture*, mock, mocks, mocking, snapshot*,
    pytest, jest, e2e, regression test*, testcontainer*, table test*, testing-library, test plan, teste, testen,
    pruebas, testes, assertion*, tdd, playwright, cypress, golden file*
logging < code:
    log, logs, logger*, logging, log line*, log message*, debug output, print, prints, stdout, trace,
    protokollier*
analytics:
    analytics, tracking, telemetry, usage statistics, how often, funnel, pixel, sdk
deploy:
    deploy*, roll out, rollout*, rolled out, ship, ship it, production, staging, go live, publish*, rollback,
    roll back, hotfix*, ausrollen, veröffentlich*, freigabe, desplieg*, déploi*, implanta*, release the, release
    to, release it, new release, to prod, push to production, rollouts
secret:
    secret, secrets, password*, passwort*, credential*, api key*, token, tokens, certificate*, private key*,
    external secrets, contraseña, senha, kennwort
config:
    config*, yaml, toml, ini, setting, settings, environment variable*, env, manifest*, values, anchors,
    konfiguration*, einstellung*, helm values
flag < code:
    feature flag*, flag, flags, toggle*, test group, beta, a/b, behind a, canary
dependency < code:
    dependency, dependencies, package, packages, npm, pnpm, yarn, pip, poetry, uv, cargo, third-party, library,
    libraries, install, upgrade, lockfile*, vendor*, abhängigkeit*, paket, pakete, bibliothek*, dependencia*,
    dépendance*, dependência*, licence*, license*, sdk, maintainer*, new package*, add-on, picker library
commit:
    commit, commits, commit message*, git log, squash, amend, committe*
review:
    merge request*, pull request*, mr, mrs, pr, prs, code review*, reviewer, test plan, diff
branch < review:
    branch*, push, rebase, force-push, main branch, trunk, hotfix, cherry-pick, zweig
docs:
    readme, documentation, docs, wiki, adr, adrs, user guide, tutorial, manual, how-to, dokumentation*,
    dokumentier*, documenta*, changelog, document the, handbook, document, documents
release notes < prose:
    release note*, changelog*, app store, play store, what's new, update text, version notes, änderungen
naming < code:
    name, names, naming, rename*, identifier*, snake_case, camelcase, kebab-case, prefix, suffix, benenn*,
    namen, bezeichner, variable name*, variables, in variable names
performance < code:
    cache, caching, performance, faster, slow, speed up, allocat*, latency, every frame, each frame, update
    loop*, hot path, optimi*, n+1, throughput, lazy, schneller, memory usage, out of memory, memory leak
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
    login, log in, sign in, auth*, permission*, oauth, csrf, encrypt*, anmeld*, berechtigung*
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
    button*, control, controls, slider*, switch, tap, accessib*, a11y, aria, screen reader*, alt text,
    barrierefrei*, every control
ui text:
    label, labels, string, strings, localis*, localiz*, i18n, l10n, t(), placeholder, hint, hints, tooltip text,
    button text, text for, microcopy, wording, text for the, beschriftung*, schaltfläche*, text für, taste,
    knopf, tell the user, error message*, players, notification text, sie-form, du-form, through t, translation
    key*, translatable, copy for, texts on screen, screen text*, on-screen text*, with its text, texte, wortlaut
input device:
    keyboard, gamepad, controller, touch, mouse, pad, shortcut*, menu, menus, controls
screen < ui:
    screen, screens, view model*, preview, previews, viewmodel
raw data < data:
    raw, data/raw, clean up, cleaning, clean the, interim, overwrite, original files, wrangl*, missing value*,
    imput*, gaps, fill the gaps, nan, outlier*, exclude*, excluded, duplicates, delete rows, never delete
dataset < data:
    dataset*, data card, new data, import the, survey, datensatz, datensätze
dataframe < data:
    pandas, polars, dataframe*, group by, csv, parquet, dplyr, pivot, aggregate*, load the, in pandas, with
    pandas, spreadsheet*
column < data:
    column, columns, spalte*, field name*, snake_case, feature, features
model:
    train, training, model, classifier*, regression, neural, gradient boosting, xgboost, auc, accuracy, recall,
    f1, baseline, hyperparameter*, evaluate, how good, loss, epoch*, fine-tun*, seed, seeds, benchmark*,
    embedding*
validation split < model:
    cross-validation, cross validation, split, splits, hold-out, holdout, fold, folds, leak, leakage, kfold
statistics:
    p value*, p-value*, significan*, confidence interval*, effect size*, anova, t-test, hypothesis, mean,
    median, correlation*, difference between the two, bootstrap, statisti*, sample size, compare the means,
    compare growth, compare groups, statistical comparison
figure:
    plot, plots, chart, charts, figure, figures, graph, diagram*, axis, axes, curve, histogram*, heatmap*,
    scatter*, visuali*, caption*, legend, abbildung*, grafik*, schaubild, gráfico*, figura*, graphique*, bar
    chart*
table:
    tabular, tabelle*, tabla, tabela, tableau, wide table*, table of, markdown table*, comparison table, in a
    table
latex:
    latex, tex, overleaf, beamer, bibtex, xelatex
number:
    number*, digit*, decimal*, unit, units, metric, imperial, inch*, metre*, meter, meters, temperature*,
    celsius, °c, distance*, length, calculat*, significant, rounding, measure*, measurement*, percent*, zahlen,
    zahl, maße, metrisch, zoll, einheit*, berechn*, rechne, kilomet*, weight, how far, how long is, números, how
    many, figures about, statistic about, rounded
coordinates < number:
    coordinate*, wgs84, latitude, longitude, gps, distance*, length of a, track, elevation, geo*, koordinate*,
    map projection
time:
    timestamp*, utc, timezone*, time zone*, iso 8601, date format, dates, created at, timestamptz, datetime,
    zeitstempel, zeitzone*, uhrzeit, last seen, date format*, every date, datumsformat, due dates, zeitpunkt*,
    messzeitpunkt, zeitstempel*, *zeitpunkt, ortszeit, localtime, local time, summer time, sommerzeit
build:
    makefile*, build system, bazel, gradle, cmake, docker build, ci build, build pipeline, compile, build step,
    set up a build, justfile
alert:
    alert*, alarm*, runbook*, on-call, pager*, slo, slos, paging policy, escalation, warn me when, notify me
    when
dashboard:
    dashboard*, grafana, datadog, kibana, panel, panels, graph of, chart of, metric, metrics, prometheus,
    telemetry, monitor*, tracing, uptime, healthcheck*
concurrency < code:
    thread*, async, await, mutex*, deadlock*, race condition*, lock, locks, locking, queue, queues, worker pool,
    parallel*, concurren*, nebenläufig*
messaging < code:
    kafka, rabbitmq, nats, sqs, event bus, broker*, topic, consumer*, producer*, publish an event, outbox,
    event-driven, pub/sub, webhook*
search feature < code:
    search index, full-text, elasticsearch, opensearch, autocomplete, ranking
import export < data:
    import the, import all, export the, export to, exporter, importer, csv import, csv export, upload*, bulk
mobile < code, ui:
    ios, android, mobile app, app store, push notification*, swiftui, jetpack, react native, flutter, tablet,
    widget
network:
    firewall*, vpn, port, ports, router*, vlan, subnet*, proxy, tls, ssl, dns, wifi, ip address*, ssh, bastion
backup:
    backup*, back up, restore, snapshot*, velero, borg, restic, datensicherung, sicherung*, disaster recovery
cost:
    cloud cost*, spending, cheaper instance*, reserved instance*, bill of the cloud, cost report
incident:
    incident*, outage*, postmortem*, post-mortem*, störung*, ausfall*, root cause*
ticket:
    ticket, tickets, jira, issue, issues, user story, user stories, backlog, acceptance criteria, story points,
    epic, epics
review comments:
    code review, review this, review the, feedback on, look over
gis < data:
    gis, qgis, geojson, shapefile*, projection*, raster, postgis, map layer*, crs, epsg, karte
bioinformatics < data:
    genome*, sequenc*, fasta, fastq, bam, vcf, alignment*, nextflow, snakemake, rna-seq, single-cell,
    annotation*
simulation:
    simulation*, simulate, mesh, solver*, boundary condition*, finite element*, cfd, time step*
sql < database:
    sql, sqlfluff, ctes, subquer*, select *, dbt
power:
    power consumption, battery, current, sleep mode, low-power, low power, watt*, energy budget, power
comments < code:
    comment, comments, commenting, docstring*, kommentar*, kommentier*, commentaire*, comentario*, comentário*,
    注释
validation < code:
    validat*, sanitiz*, sanitis*, schema validation, zod, pydantic, input check*, user input, eingabeprüfung*
authentication < code:
    auth, oauth, login, log in, sign in, sign-in, jwt, session cookie*, sso, passkey*, two-factor, anmeld*,
    single sign-on
email sending < code:
    send a mail, send an email, send mail*, mailer*, smtp, mail template*, transactional mail*, e-mail template*
scheduler < code:
    cron*, scheduled job*, background job*, nightly job, sidekiq, celery, worker*, timer job, every night, each
    night
date handling < code:
    date picker, calendar view, parse dates, moment.js, dayjs, date-fns, temporal, datetime, time zone*
http client < code:
    fetch, axios, http client, api client, retries, httpx, requests library, call their api, third-party api
state management < code, ui:
    redux, zustand, pinia, global store, store slice, signals, context provider, state management, usestate
routing < code:
    router, routing, url*, slug*, path parameter*, redirect*, deep link*
styling system < ui:
    tailwind, css modules, styled-components, utility class*, design tokens, inline style*, bem, sass, scss, css
icons < ui:
    icon, icons, lucide, emoji in the ui, svg icon*
animation < ui:
    animation*, animate, transition*, motion, prefers-reduced-motion
table view < ui:
    data grid, table view, sortable, list view, pagination, infinite scroll, filter bar, overview page
charts:
    charting, chart library, recharts, d3, plotly, echarts, matplotlib, seaborn, bar chart, line chart
pdf:
    pdf, pdfs, print view, invoice pdf, export as pdf
file upload < code:
    upload*, attachment*, file storage, s3 bucket, blob storage, dateiupload*
monorepo < code:
    monorepo, workspace*, turborepo, nx, package boundaries, shared package
ci:
    ci, pipeline, pipelines, github actions, gitlab ci, workflow file, build job, lint job, jenkins, runner,
    runners
versioning:
    semver, version number*, bump the version, version bump, tagging, tags, major version, minor version,
    release tag*
licence:
    licence*, license*, gpl, mit licence, copyright, lizenz*
prompt:
    prompt, prompts, llm, system prompt, model call, openai, anthropic, few-shot, temperature setting, eval set
notebook < data:
    notebook*, jupyter, colab, cell, cells, marimo
pipeline of data < data:
    etl, airflow, dagster, dbt, prefect, dag, backfill*, incremental, partition*, data pipeline, ingestion
warehouse < database:
    snowflake, bigquery, redshift, warehouse, mart, staging model, fact table, dimension table, star schema,
    materiali*
embedded! < code:
    firmware, embedded, microcontroller*, esp32, arduino, raspberry pi, interrupt*, rtos, gpio, uart, i2c,
    sensor*, heap allocation, malloc, mcu, pcb, schematic*, datasheet*, driver*, dynamic memory, heap, static
    allocation, timer*, watchdog*, led, leds, blink, main loop, delay, board, boards, register*, peripheral*,
    bootloader*
"""
