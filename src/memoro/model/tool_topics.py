"""Libraries and tools under the matters that they are for: a rule about one holds for a task of its kind.

The notation is that of `software_topics`; most entries add words to a topic of that table. A name that is a plain
word as well ("express", "arrow") is left out.
"""

TOOL_TOPICS = """
dataframe < data:
    data.table, duckdb, dask, vaex, modin, pyspark, average*, averaging, mean of, mean per, means of, means per,
    table of means, median, medians, sum per, sums per, totals per, count per, counts per, mittelwert*,
    durchschnitt*, mittlere, mittleren, mittlerer, summe je, summen je, tidyverse, pivot table*, rolling window
test < code:
    unittest, mocha, vitest, jasmine, junit, testng, rspec, minitest, phpunit, testify, selenium, puppeteer,
    end-to-end, mockito, wiremock
http client < code:
    urllib, urllib3, aiohttp, superagent, okhttp, retrofit, guzzle, httparty, reqwest, curl, use requests,
    of requests, no requests, fetches, download*
web scraping < code, http client:
    scrape*, scraping, scraper*, crawl*, beautifulsoup, bs4, scrapy, lxml, cheerio, parse the html
ui!:
    jquery, htmx, preact, alpine.js, solid.js, mootools
styling system < ui:
    bootstrap, bulma, material ui, chakra, stylesheet*, style the, restyle*, css framework*
date handling < code:
    moment.js, moment js, day.js, luxon, js-joda, dateutil, dates, days ago, relative date*, format the date,
    weekday*, date arithmetic
utility library < code:
    lodash, underscore.js, ramda, guava, apache commons
database < code:
    django orm, peewee, sequelize, typeorm, knex, mongoose, mybatis, dapper, entity framework, sqlx, orms
charts:
    altair, ggplot2, d3.js, chart.js, highcharts, apexcharts, gnuplot
figure:
    chart of, graph of, matplotlib, seaborn, plotly, altair, d3, d3.js, chart.js, recharts, echarts, highcharts,
    gnuplot
spreadsheet < data:
    openpyxl, xlsxwriter, xlrd, xlsx, xls, excel, libreoffice calc, apache poi, sheetjs, exceljs
pdf:
    reportlab, weasyprint, wkhtmltopdf, pypdf, pdfkit, fpdf, itext, pdfbox, latex
web framework < api, code:
    flask, django, fastapi, tornado, express.js, nestjs, sinatra, spring boot, laravel, symfony, actix, axum,
    web server, web service, web app
validation < code:
    marshmallow, yup, ajv, class-validator
logging < code:
    loguru, structlog, log4j, slf4j, winston, pino, bunyan, logrus, serilog
state management < code, ui:
    mobx, vuex, recoil, jotai, xstate
command line < code:
    argparse, typer, docopt, yargs, command-line, command line
image processing < code:
    opencv, imagemagick, scikit-image, resize the photos, resize images, thumbnail*
background job < code:
    celery, huey, dramatiq, sidekiq, bullmq, hangfire, background job*
formatter < code:
    prettier, yapf, autopep8, gofmt, rustfmt, clang-format, format the code, reformat*, formatter
model:
    scikit-learn, sklearn, pytorch, tensorflow, keras, lightgbm, catboost
"""
