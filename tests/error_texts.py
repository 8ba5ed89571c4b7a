"""Errors of many programs. Each group is one error, met several times: elsewhere, with other numbers, or told in a sentence.

The second half is for checking: no rule was made by it.
"""
# ruff: noqa: E501

BUILT_BY: tuple[tuple[str, ...], ...] = (
    (
        """Traceback (most recent call last):
  File "/home/ana/shop/api/orders.py", line 88, in create
    customer = payload["customer"]["vat_id"]
KeyError: 'vat_id'""",
        """  File "C:\\\\work\\\\shop\\\\api\\\\orders.py", line 112, in create
KeyError: 'vat_id'""",
        "orders import died again: KeyError: 'vat_id' in row 4012",
    ),
    (
        """Traceback (most recent call last):
  File "/srv/app/main.py", line 3, in <module>
    import psycopg2
ModuleNotFoundError: No module named 'psycopg2'""",
        "ModuleNotFoundError: No module named 'psycopg2' (worker-3, python 3.12)",
    ),
    (
        "ModuleNotFoundError: No module named 'osgeo'",
        "from osgeo import gdal\nModuleNotFoundError: No module named 'osgeo'",
    ),
    (
        "TypeError: Cannot read properties of undefined (reading 'map')\n    at Gallery (gallery.tsx:41:22)\n    at renderWithHooks (react-dom.js:1)",
        "Uncaught TypeError: Cannot read properties of undefined (reading 'map')\n    at Gallery (http://localhost:5173/src/gallery.tsx:57:30)",
    ),
    (
        "TypeError: Cannot read properties of null (reading 'getContext')\n    at setup (canvas.js:12:30)",
        "canvas.js:19 Uncaught TypeError: Cannot read properties of null (reading 'getContext')",
    ),
    (
        """java.lang.IllegalStateException: Failed to load ApplicationContext
Caused by: org.springframework.beans.factory.NoSuchBeanDefinitionException: No qualifying bean of type 'com.acme.MailSender' available""",
        "Caused by: org.springframework.beans.factory.NoSuchBeanDefinitionException: No qualifying bean of type 'com.acme.MailSender' available: expected at least 1 bean",
    ),
    (
        "panic: runtime error: index out of range [7] with length 7\n\ngoroutine 18 [running]:\nmain.window(0xc00011a000)",
        "goroutine 1 [running]:\npanic: runtime error: index out of range [3] with length 2\nmain.window(0xc0000b2000)",
    ),
    (
        "panic: assignment to entry in nil map\n\ngoroutine 7 [running]:",
        "panic: assignment to entry in nil map [recovered]",
        "the scraper panics with \"assignment to entry in nil map\" again",
    ),
    (
        "error[E0382]: borrow of moved value: `config`\n  --> src/main.rs:14:20",
        "error[E0382]: borrow of moved value: `settings`\n  --> src/bin/run.rs:41:9\nFor more information about this error, try `rustc --explain E0382`.",
        "rustc complains with E0382 again in the parser",
    ),
    (
        "error[E0499]: cannot borrow `*self` as mutable more than once at a time\n  --> src/tree.rs:88:9",
        "error[E0499]: cannot borrow `*self` as mutable more than once at a time\n   --> src/arena.rs:132:13",
    ),
    (
        "src/form.ts(14,9): error TS2345: Argument of type 'string | undefined' is not assignable to parameter of type 'string'.",
        "src/api/client.ts:201:17 - error TS2345: Argument of type 'string | undefined' is not assignable to parameter of type 'string'.",
    ),
    (
        "error TS2339: Property 'dataset' does not exist on type 'EventTarget'.",
        "ui/menu.ts:9:11 - error TS2339: Property 'dataset' does not exist on type 'EventTarget'.",
    ),
    (
        "/usr/bin/ld: main.o: in function `main':\nmain.c:(.text+0x1b): undefined reference to `sqrt'\ncollect2: error: ld returned 1 exit status",
        "calc.c:(.text+0x5d): undefined reference to `sqrt'\ncollect2: error: ld returned 1 exit status",
    ),
    (
        "fatal: refusing to merge unrelated histories",
        "$ git pull upstream main\nfatal: refusing to merge unrelated histories",
    ),
    (
        "error: failed to push some refs to 'git@github.com:acme/site.git'\nhint: Updates were rejected because the tip of your current branch is behind",
        " ! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs to 'https://gitlab.com/acme/infra.git'\nhint: Updates were rejected because the tip of your current branch is behind",
    ),
    (
        "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! Found: react@19.0.0",
        "npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\nnpm error While resolving: shop@0.4.1",
        "npm install stops with ERESOLVE again",
    ),
    (
        "ERROR: deadlock detected (SQLSTATE 40P01)\nDETAIL: Process 71 waits for ShareLock on transaction 5512",
        "pq: deadlock detected (SQLSTATE 40P01) while updating tuple (0,7) in relation \"stock\"",
        "we get the deadlock again",
    ),
    (
        "ERROR:  duplicate key value violates unique constraint \"users_email_key\"\nDETAIL:  Key (email)=(a@b.c) already exists.",
        "sqlalchemy.exc.IntegrityError: (psycopg2.errors.UniqueViolation) duplicate key value violates unique constraint \"users_email_key\"",
    ),
    (
        "docker: Error response from daemon: driver failed programming external connectivity on endpoint web: Bind for 0.0.0.0:8080 failed: port is already allocated.",
        "Error response from daemon: driver failed programming external connectivity on endpoint api: Bind for 0.0.0.0:5432 failed: port is already allocated",
    ),
    (
        "  Warning  Failed  3s (x4 over 90s)  kubelet  Failed to pull image \"registry.acme.dev/web:1.9\": rpc error: code = NotFound desc = manifest unknown\n  Warning  Failed  ImagePullBackOff",
        "web-6d5f7 0/1 ImagePullBackOff\nFailed to pull image \"registry.acme.dev/web:2.0\": rpc error: code = NotFound desc = manifest unknown",
        "web is in ImagePullBackOff again",
    ),
    (
        "! LaTeX Error: File `siunitx.sty' not found.",
        "./thesis.tex:14: LaTeX Error: File `siunitx.sty' not found.\nType X to quit or <RETURN> to proceed",
    ),
    (
        "! Undefined control sequence.\nl.212 \\SI\n          {3}{\\metre}",
        "! Undefined control sequence.\nl.88 \\SI",
    ),
    (
        "Error in library(sf) : there is no package called ‘sf’",
        "Error in library(sf) : there is no package called ‘sf’\nExecution halted",
    ),
    (
        "Error in eval(predvars, data, env) : object 'treatment' not found",
        "Error in eval(predvars, data, env) : object 'treatment' not found\nCalls: lm -> eval -> eval",
    ),
    (
        "zsh: command not found: poetry",
        "bash: poetry: command not found",
        "/bin/sh: 1: poetry: not found",
    ),
    (
        "bash: hugo: command not found",
        "zsh: command not found: hugo",
    ),
    (
        "[Errno 28] No space left on device: '/var/lib/docker/tmp/x.tar'",
        "the nightly build fails with ENOSPC again",
        "write /var/log/syslog: no space left on device",
    ),
    (
        "Laufzeitfehler '1004': Die PasteSpecial-Methode des Range-Objektes konnte nicht ausgeführt werden",
        "Excel meldet wieder Laufzeitfehler 1004",
    ),
    (
        "Fehler: Die Zeichnung enthält keine geschlossene Kontur (Werkzeug 6)",
        "FEHLER: Die Zeichnung enthält keine geschlossene Kontur (Werkzeug 3)",
    ),
    (
        "MCU 'mcu' shutdown: Timer too close",
        "The printer says \"Timer too close\" again",
    ),
)  # fmt: skip

CHECKED_BY: tuple[tuple[str, ...], ...] = (
    (
        """Traceback (most recent call last):
  File "etl/load.py", line 31, in load
    df["amount"] = df["amount"].astype(int)
ValueError: invalid literal for int() with base 10: '12,50'""",
        "ValueError: invalid literal for int() with base 10: '7,90'\n(row 118 of october.csv)",
    ),
    (
        "ValueError: could not convert string to float: 'n/a'",
        "  File \"train.py\", line 8\nValueError: could not convert string to float: 'n/a'",
    ),
    (
        "AttributeError: 'NoneType' object has no attribute 'group'\n  File \"parse.py\", line 51",
        "parse.py:77: AttributeError: 'NoneType' object has no attribute 'group'",
    ),
    (
        "Error: listen EADDRINUSE: address already in use :::3000\n    at Server.setupListenHandle (node:net:1904:16)",
        "Error: listen EADDRINUSE: address already in use 127.0.0.1:8787",
        "dev server won't start, EADDRINUSE again",
    ),
    (
        "Error: connect ECONNREFUSED 127.0.0.1:6379\n    at TCPConnectWrap.afterConnect",
        "[ioredis] Unhandled error event: Error: connect ECONNREFUSED 10.0.3.7:6379",
    ),
    (
        "e: file:///home/kim/app/src/Main.kt:12:9 Unresolved reference: viewModelScope",
        "e: /builds/app/src/List.kt: (40, 13): Unresolved reference: viewModelScope",
    ),
    (
        "Execution failed for task ':app:mergeDebugResources'.\n> Could not resolve com.github.acme:charts:2.1.",
        "FAILURE: Build failed with an exception.\nExecution failed for task ':app:mergeDebugResources'.\n> Could not resolve com.github.acme:charts:2.1.",
    ),
    (
        "thread 'main' panicked at src/main.rs:9:40:\ncalled `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: \"No such file or directory\" }",
        "thread 'worker' panicked at src/pool.rs:71:12:\ncalled `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: \"No such file or directory\" }",
    ),
    (
        "main.cpp:14:5: error: 'optional' is not a member of 'std'",
        "src/cfg.cpp:3:12: error: 'optional' is not a member of 'std'\n    3 | std::optional<int> x;",
    ),
    (
        "main.cpp:20:3: error: expected ';' before '}' token",
        "util.cpp:7:18: error: expected ';' before '}' token",
    ),
    (
        "Undefined symbols for architecture arm64:\n  \"_OBJC_CLASS_$_StoreKit\", referenced from:\nld: symbol(s) not found for architecture arm64\nclang: error: linker command failed with exit code 1",
        "ld: symbol(s) not found for architecture arm64\n\"_OBJC_CLASS_$_StoreKit\", referenced from: objc-class-ref in Shop.o",
    ),
    (
        "Fatal error: Unexpectedly found nil while unwrapping an Optional value: file Cart/CartView.swift, line 44",
        "Cart/Checkout.swift:19: Fatal error: Unexpectedly found nil while unwrapping an Optional value",
    ),
    (
        "error CS0246: The type or namespace name 'Newtonsoft' could not be found (are you missing a using directive or an assembly reference?)",
        "Assets/Scripts/Save.cs(3,7): error CS0246: The type or namespace name 'Newtonsoft' could not be found",
    ),
    (
        "NullReferenceException: Object reference not set to an instance of an object\nPlayerController.Update () (at Assets/Scripts/PlayerController.cs:38)",
        "NullReferenceException: Object reference not set to an instance of an object\nPlayerController.FixedUpdate () (at Assets/Scripts/PlayerController.cs:52)",
    ),
    (
        "app/models/invoice.rb:12:in `total': undefined method `sum' for nil (NoMethodError)",
        "NoMethodError: undefined method `sum' for nil\n  app/models/invoice.rb:19:in `total'",
    ),
    (
        "PHP Fatal error:  Uncaught Error: Call to undefined function mb_strlen() in /var/www/wp/x.php:12",
        "PHP Fatal error:  Uncaught Error: Call to undefined function mb_strlen() in /srv/site/wp-includes/y.php on line 903",
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement torch==1.9.0 (from versions: 2.2.0, 2.3.1)\nERROR: No matching distribution found for torch==1.9.0",
        "ERROR: No matching distribution found for torch==1.9.0",
    ),
    (
        "HTTP/1.1 502 Bad Gateway\nserver: nginx",
        "the webshop returns 502 Bad Gateway again",
        "upstream said: status code 502",
    ),
    (
        "nginx[812]: nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)",
        "nginx: [emerg] bind() to [::]:80 failed (98: Address already in use)",
    ),
    (
        "systemd[1]: backup.service: Main process exited, code=exited, status=203/EXEC\nsystemd[1]: backup.service: Failed with result 'exit-code'.",
        "backup.service: Main process exited, code=exited, status=203/EXEC",
    ),
    (
        "Error: Error creating S3 bucket: BucketAlreadyExists: The requested bucket name is not available.",
        "│ Error: Error creating S3 bucket: BucketAlreadyExists: The requested bucket name is not available. Please select a different name\n│   with aws_s3_bucket.logs,",
    ),
    (
        "An error occurred (AccessDenied) when calling the PutObject operation: Access Denied",
        "botocore.exceptions.ClientError: An error occurred (AccessDenied) when calling the PutObject operation: Access Denied",
    ),
    (
        "Error from server (Forbidden): pods is forbidden: User \"ci\" cannot list resource \"pods\" in API group \"\" in the namespace \"shop\"",
        "Error from server (Forbidden): pods is forbidden: User \"ci\" cannot list resource \"pods\" in API group \"\" in the namespace \"pay\"",
    ),
    (
        "x509: certificate signed by unknown authority",
        "Get \"https://registry.local/v2/\": x509: certificate signed by unknown authority",
    ),
    (
        "psql: FATAL:  password authentication failed for user \"reporting\"",
        "FATAL:  password authentication failed for user \"reporting\"\nconnection to server at \"10.1.0.4\", port 5432 failed",
    ),
    (
        "ERROR 1213 (40001): Deadlock found when trying to get lock; try restarting transaction",
        "MySQL ERROR 1213 (40001) at line 8: Deadlock found when trying to get lock; try restarting transaction",
    ),
    (
        "[in#0 @ 0x5581] Error opening input: Invalid data found when processing input\nError opening input file take3.wav.",
        "Error opening input: Invalid data found when processing input\nError opening input file mix-final.flac.",
    ),
    (
        "RuntimeError: CUDA out of memory. Tried to allocate 2.20 GiB (GPU 0; 8.00 GiB total capacity)",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB",
        "training dies with CUDA out of memory again",
    ),
    (
        "Erreur : impossible d'ouvrir le fichier de configuration « serveur.conf »",
        "Erreur : impossible d'ouvrir le fichier de configuration « serveur.conf » (essai 2)",
    ),
    (
        "Error: G28 homing failed: endstop x still triggered after retract",
        "Klipper says \"endstop x still triggered after retract\" again",
    ),
)  # fmt: skip

NO_ERRORS = (
    "add error handling to the upload page",
    "the error messages should be in German",
    "handle the case where the rate provider returns garbage",
    "what did we decide about error budgets?",
    "how do we report errors to Sentry?",
    "write a test that fails when the file is missing",
    "Rename ErrorPage to NotFoundPage please",
    "ok, thanks, that works",
    "when is the production upgrade?",
    "draft a mail to Ana about the invoice",
    "which port does the api listen on?",
    "zeig mir die Fehlerseite im neuen Design",
    "refactor the exception hierarchy into one module",
    "let's move on to the next topic",
    "where were we?",
    "schreib die Einleitung noch mal, kürzer",
)
