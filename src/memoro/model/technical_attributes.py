"""The words for attributes of software and its tools: questions, statements, values.

`model.attribute_cues` reads the table and says what its marks mean.
"""

TABLE = """
[database]
both: database+, db, data store, datastore, datenbank+, datenbanken, dbms
asks: where data stored, where data kept, where records, where rows, store data in, persist*, which sql, wo daten
  gespeichert, wo daten liegen, where store* data, where data, what store* data, where keep* data, how data stored,
  which data store
says: persists, schema lives, tables in, primary database, daten liegen
values: postgres, postgresql, mysql, mariadb, sqlite, mongodb, mongo, cockroachdb, dynamodb, cassandra, duckdb,
  clickhouse, mssql, sql server, oracle database, firestore, supabase, neo4j, couchdb, timescaledb, planetscale,
  neon!, snowflake, bigquery, redshift, pgvector, scylladb, turso, libsql, spanner!, aurora!

[storage]
both: object storage, file storage, bucket+, blob storage, attachments, uploads, speicherort, dateiablage, nas
asks: where files, where uploads, where attachments, where images, where pictures, where photos, files kept, wo
  dateien
says: uploads go, files go, files are kept, gespeichert in, landen in
values: s3, minio, gcs, google cloud storage, azure blob, backblaze, r2, dropbox, google drive, onedrive, nextcloud,
  synology, ceph, icloud

[backup]
both: backup+, back up, backs up, snapshot+, sicherung, sicherungen, datensicherung, replica, restore*
asks: how often copy, how safeguard, wie oft gesichert
says: nightly dump, dumped, gesichert, wird gesichert
values: restic, borg, borgbackup, time machine, rsync, pg dump, velero, rclone, duplicity

[hosting]
both: hoster, gehostet, vps, hosted, hosting, hosted with
asks: where run*, where running, which cloud, what cloud, where deployed, wo läuft, wo gehostet, worauf läuft, what
  server, which server, host* where, where host*, which host*, where server+, where server, where deploy* to, server
  location
says: runs on, running on, deployed on, deployed to, moved to the cloud, migrated to, self hosted, on premises, on
  prem, läuft auf, läuft bei, läuft in, hosted on, hosted by, hosted at, hosted in, server in, server at, servers
  in, cloud provider, liegt .. bei, läuft .. bei, runs .. on, moved .. to the cloud, vm at, vm on, servers at, moved
  off
values: aws, azure, gcp, google cloud, hetzner, digitalocean, digital ocean, heroku, fly io, flyio, vercel, netlify,
  render com, railway!, linode, ovh, scaleway, cloudflare, cloudflare workers, ec2, lambda!, fargate, ecs, app
  engine, cloud run, raspberry pi, bare metal, ionos, kubernetes, k8s, nomad, eks, gke, openshift, proxmox

[region]
both: region+, data center, data centre, datacenter, availability zone, rechenzentrum, standort
asks: which region, where physically, which location, welche~ region, wo rechenzentrum
says: relocated to eu, shifted to eu, shifted to us
values: eu west, eu central, eu north, eu south, us east, us west, ap south, ap southeast, ap northeast, sa east,
  europe west, europe north, westeurope, northeurope, fsn1, nbg1, us central, frankfurt region, ca central

[container]
both: docker image, base image, dockerfile, orchestrate*
asks: how packaged, which base image, container+
says: based on alpine, slim image
values: docker, podman, kubernetes, k8s, helm, docker compose, distroless, alpine, containerd, buildah
maybe: container+

[infrastructure code]
both: infrastructure as code, provision*, iac, configuration management
asks: how provision*, how servers set up, wie server eingerichtet
values: terraform, opentofu, pulumi, ansible, cloudformation, cdk, chef!, puppet!, saltstack, nixos

[programming language]
both: programming language, programmiersprache, codebase, implementation language
asks: language written, language code*, which language in, language implement*, coded in, what coded, welche~
  sprache geschrieben, worin geschrieben, worin programmiert
says: rewrote .. in, rewritten in, ported to, port to, implemented in, coded in, geschrieben in, neu geschrieben,
  umgeschrieben, portiert, rewrote, rewritten
values: python, rust!, golang, go!, typescript, javascript, java, kotlin, swift!, ruby!, php, elixir, haskell,
  scala!, c++, c#, clojure, ocaml, zig!, erlang, dart!, perl, fortran, cobol, lua, julia!, gleam!, f#

[framework]
both: framework+, web framework, frontend, front end, backend, back end, ui library, component library, css
  framework, oberfläche
asks: built on, build* on, built with, what frontend, which ui, frontend made, baut auf, gebaut mit
says: sits on top of, built on, built with, basiert auf, baut auf, rebuilt in, rebuilt with
values: react!, vue, svelte, sveltekit, angular, next js, nextjs, nuxt, remix!, astro!, solidjs, htmx, django,
  flask!, fastapi, starlette, rails!, ruby on rails, laravel, symfony, spring boot, spring!, express!, nestjs, axum,
  actix, gin!, phoenix!, dotnet, asp net, tailwind, bootstrap!, material ui, shadcn, electron, tauri, flutter, react
  native, swiftui, qt, litestar, quarkus, ktor, hono, fastify, alpine js, jquery, streamlit

[library]
both: library, libraries, dependency, dependencies, orm, sdk, bibliothek, bibliotheken, abhängigkeit+,
  abhängigkeiten, paket, pakete
asks: which library, what library, which package, which orm, welche~ bibliothek, package+, module+
says: depends on, added a dependency, dropped the dependency, replaced .. with
values: sqlalchemy, pydantic, requests!, httpx, aiohttp, axios, lodash, zod, prisma, drizzle, typeorm, hibernate,
  numpy, pandas, polars, pytorch, tensorflow, celery!, diesel!, sqlx, tokio, serde, redux, zustand, tanstack, d3,
  click!, typer, argparse, structlog, moment js, dayjs, date fns, langchain, llamaindex, jackson
maybe: package+

[version]
both: version+, release number, minimum version, python version, node version, fassung
asks: which version, what version, how new, which release, welche~ version, version+, how up to date
says: upgraded to, bumped to, pinned to, downgraded to, requires python, requires node, supports python,
  aktualisiert auf, at least version, lts, tagged, version 0, python 0, node 0, v0, requires 0

[package manager]
both: package manager+, paketmanager, paketverwaltung, lockfile, lock file
asks: install* dependencies, install* packages, manage* dependencies, add dependency, add a package, install with,
  install dependencies with, how install*, wie installier~, womit installier~, manage* packages
says: install with, installs with, installed with, pip install, npm install, installier~ mit
values: npm, pnpm, yarn!, bun!, uv, pip, poetry!, pipenv, conda, mamba!, pixi, pdm, rye!, cargo!, maven, gradle!,
  composer!, bundler, homebrew, brew!, apt!, nuget, hatch!, pip tools, deno, go modules, scoop, chocolatey, winget,
  cocoapods, nix!

[build]
both: build system, build tool, compile*, bundler, makefile, bauen, kompilier~
asks: how build*, how compile*, what bundle*, build with, command build*, womit gebaut, wie baut man, what build*
says: builds with, built by, bundled with, compiles with, make build, build takes, built with make, build with
values: vite, webpack, esbuild, rollup, parcel!, turbopack, cmake, bazel, make!, justfile, just!, meson!, ninja!,
  gradle!, maven, turborepo, nx!, babel!, swc, rspack, setuptools, hatchling, buck2!, scons, sbt, earthly!, tsc
maybe: build*

[tests]
both: test+, testing, tested, test suite, test runner, test framework, unit test+, test coverage, coverage, testen,
  testet, testabdeckung, e2e, tests
asks: how test*, run test+, tested with, wie getestet, womit getestet, verify before, what use for testing, tests
  written, womit getest~
says: tests run, tested with, test with, run the suite, suite, specs, getestet
values: jest, vitest, pytest, mocha, cypress!, playwright!, selenium, junit, rspec, unittest, nose!, testng,
  jasmine, karma!, hypothesis!, cargo test, nextest, phpunit, go test, xunit, storybook!, puppeteer!, k6, locust,
  tox, nox, testcontainers, ava!, minitest, catch2, gtest

[linter]
both: lint*, linter+, linting, static analysis, type check*, type checker, typchecker, statische analyse
asks: which linter, check* style, check types, catch style, find type errors, code quality
says: linted with, no warnings, warnings as errors, linting with, all warnings
values: eslint, ruff!, flake8, pylint, mypy, pyright, clippy, biome!, golangci, rubocop, shellcheck, sonarqube,
  stylelint, checkstyle, oxlint, tslint, basedpyright, ty!, detekt, ktlint, bandit!, semgrep, spotbugs

[formatter]
both: format code, formatter+, code format*, code style, coding style, style guide, indent*, indentation, line
  length, semicolon+, einrück~, einrückung, formatierung, codestil, zeilenlänge
asks: how format*, format code, tabs or spaces, code look, wie formatier~, how long lines, how wide, how many
  spaces, tabs, spaces
says: two spaces, four spaces, 2 spaces, 4 spaces, single quotes, double quotes, trailing comma+, formatted with,
  columns wide, characters per line, formatiert mit, leerzeichen, 0 spaces, 0 columns, 0 characters, tabs not
  spaces, tabs instead of spaces
values: prettier, black!, gofmt, rustfmt, clang format, autopep8, yapf, isort, dprint, editorconfig, pep 8, pep8,
  google style, airbnb

[naming]
both: naming convention+, naming, camelcase, camel case, snake case, kebab case, pascalcase, pascal case, prefix+,
  namenskonvention, benennung, bezeichner, commit message+, conventional commits, commit format
asks: how name*, how call files, how call branches, naming of, how write commits, wie benenn~, wie heißen dateien
says: are named, is named after, names are, snake case, must start with, prefixed with, imperative mood, benannt
  nach

[ci]
both: ci, ci cd, continuous integration, pipeline+, build server, runner+, workflow+
asks: which ci, builds where, where builds run, where tests run, what runs the checks, checks run, wo laufen tests
says: pipelines are, pipelines run, builds run on, checks run on, on every push, on each pull request
values: github actions, jenkins, gitlab ci, circleci, travis, travis ci, buildkite, drone!, teamcity, azure
  pipelines, bitbucket pipelines, woodpecker!, concourse!, dagger!, bamboo!, appveyor, tekton, forgejo actions

[deploy]
both: deploy*, deployment+, rollout+, roll out, release+, release*, ship*, go live, goes live, auslieferung,
  veröffentlich~, veröffentlichung, ausgerollt, ausrollen, release train
asks: when deploy*, how deploy*, when release*, when ship*, how often release*, when go live, when rolled out, push
  to production, get into production, how publish*, wann ausgerollt, wie ausgerollt, wann veröffentlich~, wie oft
  veröffentlich~
says: ships every, ships on, released every, released on, releases on, deploys on, deployed every, goes out, go out,
  cut a release, goes live, geht live, geht .. live, wird .. ausgerollt, rolled out, release day, every two weeks,
  every other week, to production, into production, blue green, canary
values: argocd, argo cd, flux!, spinnaker!, octopus!, capistrano!, kamal!, ansible playbook, release please,
  fastlane, feature flag+, launchdarkly

[branch]
both: branch+, branching, default branch, zweig, hauptzweig, merge strategy
asks: merge* into, where merge*, push* to, where commit*, pull request against, base of pull, start from, wohin
  gemergt, squash or rebase, how merge*, trunk, pull requests against, open pull requests, which branch, branch off
says: trunk is, merge into, merges into, merged into, branch off, squash, rebase, push directly, gitflow, release
  branch, feature branch+, force push, develops on, merged to, squashed, rebased, squash merge
values: main branch, master branch, trunk based, develop branch, trunk is develop, called develop, is called develop

[repository]
both: repository, repositories, repo, repos, monorepo, source code, code lives, quellcode, git remote
asks: where code, where source, clone from, where check out, where find the code, wo code, wo liegt der code
says: code is on, code lives, moved to github, moved to gitlab, mirrored to, liegt auf github, liegt auf gitlab,
  submodule
values: github, gitlab, bitbucket, codeberg, gitea, forgejo, sourcehut, github com, gitlab com, azure devops

[license]
both: license, licence, licensed, licensing, copyright, lizenz, lizenziert, open source, proprietary, relicensed,
  terms of use
asks: allowed to reuse, may others use, legal terms
says: released under, under the mit
values: apache 2, mit license, gpl, gplv3, agpl, lgpl, bsd, mpl, creative commons, cc by, unlicense, isc, eupl, bsl,
  mit lizenz, public domain, sspl

[port]
both: port+, port number, portnummer
asks: which port, what port, listen* on, where listen*, localhost, reach locally, open locally, open in the browser,
  lauscht, hört auf, port
says: listens on, listening on, binds to, bound to, localhost, 127 0 0 1, 0 0 0 0, lauscht auf, port 0, localhost 0,
  listens on 0, on 0
maybe: port

[url]
both: url+, link+, domain+, hostname+, endpoint+, website, web address, webadresse, homepage, domäne, base url, dns,
  subdomain, staging, staging environment, production url, ip address
asks: where reach*, where find online, where staging, where production, address of the, under which address, where
  dashboard, unter welcher adresse, wo erreich~, where open .. browser
says: available at, reachable at, lives at, https, http, www, erreichbar unter, points to, served at, served from

[timeout]
both: timeout+, time out, times out, timed out, deadline exceeded, latency, zeitüberschreitung, zeitlimit
asks: how long wait*, wait before, give up after, wie lange wart~, after how many seconds
says: gives up after, waits .. seconds, waits at most, within .. seconds, aborts after, milliseconds, ms, bricht ..
  ab, wartet, sekunden, after 0 seconds, 0 seconds, 0 ms, 0 milliseconds, 0 sekunden, 0 minutes before
maybe: seconds

[limit]
both: rate limit+, quota+, max size, threshold, upper bound, obergrenze, grenze, grenzwert, höchstens, kontingent,
  throttle*
asks: how many requests, how big can, how large can, how many allowed, how many may, largest allowed, maximal, wie
  viele erlaubt, wie groß darf, wie viele anfragen, what limit, which limit, limit+, maximum
says: at most, no more than, up to .. per, requests per, per minute, per second, capped at, pro minute, pro sekunde,
  limited to, mb, gb, megabytes, gigabytes, concurrent, limited to 0, limit is, limit of, at most 0, max 0, 0 mb, 0
  gb, up to 0, maximum of, limit 0, 0 requests, 0 anfragen, höchstens 0
maybe: limit+

[retry]
both: retry, retries, retried, backoff, attempt+, wiederhol~, versuche, versuch
asks: how often try, how often tries, how many tries, try again, fails how, wie oft versuch~
says: tries again, times before, exponential, tries .. times, attempts, versucht es, gives up after .. attempts, 0
  times, 0 attempts, three times, five times, twice before

[cache]
both: cache*, cache, caches, cached, caching, cdn, memoize*, zwischenspeicher, zwischengespeichert, ttl
asks: how speed up reads, keep hot, invalidate*
says: keeps hot, kept warm, invalidated, stays for an hour, expires after, evict*, cached for
values: redis, memcached, varnish, valkey, cloudfront, fastly!, dragonfly!, keydb, lru

[queue]
both: queue+, message broker, job queue, background job+, event bus, message bus, message queue, task queue,
  warteschlange, nachrichten, cron, cronjob
asks: how jobs processed, jobs run, how events, events sent, send messages, how async, background work, publish
  events, wie jobs, messages passed, services talk, services communicate, worker+, which broker, broker, scheduler
says: publishes, consumes, enqueue*, subscribed to topic, background tasks, events go
values: kafka, rabbitmq, sqs, nats, pub sub, pubsub, celery!, sidekiq, activemq, zeromq, redpanda, pulsar, bullmq,
  temporal!, airflow, mqtt, resque, kinesis, eventbridge, service bus, rq!, dramatiq, amqp

[search engine]
both: search engine, full text search, search index, volltextsuche, suchmaschine, vector store, vector database
asks: how search implemented, search powered, which search
values: elasticsearch, opensearch, meilisearch, typesense, solr!, algolia, lucene, fts5, tantivy, qdrant, weaviate,
  pinecone!, milvus, chroma!, faiss

[auth]
both: auth, authenticate*, authentication, authorize*, authorization, login, log in, logs in, sign in, sign on, sso,
  single sign on, session token, anmeld~, anmeldung, authentifizierung, einloggen, two factor, 2fa, mfa, identity
  provider
asks: how users log, how users sign, how log in, how sign in, who may access, access control, permission+, wie
  anmeld~, wie loggt, prove who they are, logging in, log* in, sign* in, signing in
says: authenticates, signs in with, logs in with, passkeys, passkey, magic link+, token based, session cookies,
  meldet sich
values: oauth, oauth2, oidc, openid, saml, okta, auth0, keycloak, cognito, jwt, clerk!, ldap, kerberos, entra,
  active directory, firebase auth, authentik, basic auth, webauthn, mtls, workos, zitadel

[secrets]
both: secret+, credential+, api key+, password+, passwords, key management, geheimnis, geheimnisse, zugangsdaten,
  passwort, passwörter, schlüsselverwaltung, env file, password manager
asks: where keys, where tokens, where passwords, where credentials, find the password, where secrets, wo passwörter,
  wo schlüssel, wo zugangsdaten
says: reads its keys, keys are in, keys live in, tokens are in, stored encrypted, rotated, its tokens, tokens from,
  keys from, secrets from, pulls .. tokens, api keys, credentials in
values: 1password, bitwarden, hashicorp vault, vault!, aws secrets manager, secrets manager, sops, doppler!,
  keepass, lastpass, parameter store, infisical, keychain, key vault, age!, dashlane!, keepassxc, vaultwarden,
  dotenv

[monitoring]
both: monitoring, metric+, dashboard+, alert*, alerts, alerting, observability, tracing, traces, uptime, überwach~,
  überwachung, error tracking, telemetry, health check
asks: how know it is down, how notice, who gets alerted, where errors, where see errors, how watch*, when breaks,
  wie überwacht, where graphs, how see load, monitor*, how monitor*
says: sends metrics, reports errors, errors go to, alerts go to, paged, traces go, reports to sentry, reports to
  datadog, errors show up, errors land
values: grafana, prometheus, datadog, sentry!, new relic, honeycomb!, opentelemetry, pagerduty, opsgenie,
  cloudwatch, nagios, zabbix, uptime kuma, statuspage, rollbar, bugsnag, jaeger, betterstack, dynatrace, icinga,
  checkmk, appsignal, glitchtip, netdata, victoriametrics

[logs]
both: logging, log level, log file+, protokolle, logdatei, protokollierung, audit log
asks: where logs, how log, how long logs, where output, how verbose, wo logs, logs, which log, log file+
says: logs go, logs to, logged to, log at, kept for .. days, debug level, logs are, log to
values: loki, splunk, logstash, kibana, papertrail, fluentd, graylog, elk, syslog, journald, vector dev, fluent bit,
  logtail, seq!
maybe: logs

[api]
both: apis, api format, schnittstelle+, schnittstellen, protocol, payload, serialize*, schema, data format,
  datenformat, webhook+
asks: how talk to, how clients talk, which protocol, which format, how call the service, what format, wie sprechen,
  wie reden, endpoints return, dates formatted, api, what interface, which api
says: speaks json, speaks rest, returns json, exposes, responds with, json over, versioned, pagination, cursor based
values: rest!, graphql, grpc, json, xml, protobuf, soap, openapi, swagger, websocket+, trpc, msgpack, json rpc,
  yaml, toml, csv, parquet, avro, thrift, sse, odata, ndjson
maybe: api

[editor]
both: editor+, ide, code editor, texteditor
asks: which editor, write code in, edit code, what write in, womit programmier~
says: edits in, writes code in, codes in
values: vim, neovim, nvim, emacs, vs code, vscode, visual studio code, visual studio, pycharm, intellij, webstorm,
  zed!, sublime, sublime text, helix!, nano!, cursor!, jetbrains, goland, rider!, xcode, android studio, notepad,
  kate!, windsurf, eclipse!, doom emacs, rstudio, clion

[operating system]
both: operating system+, os, distro, betriebssystem, desktop environment
asks: which os, which operating, mac or windows, mac or linux, welche~ betriebssystem
says: installed linux, reinstalled, runs linux, dual boot
values: ubuntu, debian, fedora, arch!, arch linux, macos, windows 11, windows 10, windows, nixos, mint!, opensuse,
  freebsd, wsl, wsl2, alpine linux, rhel, red hat, centos, rocky linux, manjaro, pop os, gnome, kde, ios, android,
  chromeos, asahi, sonoma!, sequoia!, raspbian, openbsd, suse, almalinux

[shell]
both: shell+, command line, kommandozeile, prompt theme
asks: which shell, what shell, command line use
values: bash, zsh, fish!, nushell, powershell, oh my zsh, starship, ksh, xonsh, cmd exe, elvish, tcsh

[terminal]
both: terminal+, terminal emulator, multiplexer, konsole
asks: which terminal, what terminal
values: iterm, iterm2, alacritty, kitty!, wezterm, ghostty, tmux, warp!, gnome terminal, windows terminal, zellij,
  konsole!, foot!, screen!, tilix!, hyper!

[browser]
both: browser+, search provider
asks: which browser, surf*
values: firefox, chrome!, safari!, brave!, vivaldi, microsoft edge, edge!, chromium, arc browser, librewolf, opera!,
  duckduckgo, kagi, zen browser, tor browser
"""
