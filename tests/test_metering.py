"""What models cost: prices, estimated tokens, and the meter that counts and stops."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.errors import CapReached, StoreUnavailable
from memoro.providers.metering import Meter, MeteredModel, count_cached
from memoro.providers.ports import Prices, Space
from memoro.providers.prices import price_of_tokens, prices_of
from memoro.providers.records import Agreement, UsageRow
from memoro.providers.registry import ProviderContext
from memoro.providers.token_estimate import estimated_tokens
from memoro.store.plain.provider_records import PlainProviderRecords

SPACE = "openai/text-embedding-3-small/1536/plain"
MODEL = MeteredModel(provider="openai", model="text-embedding-3-small", prices=Prices(1.0, 0.5), space=SPACE)
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
TODAY = NOON.astimezone().date().isoformat()


@pytest.fixture
def records():
    return PlainProviderRecords()


@pytest.fixture
def context(records):
    return ProviderContext(environment={}, records=lambda: records, now=lambda: NOON)


def test_a_request_is_counted_with_its_price_and_its_purpose(context, records):
    meter = Meter(context, MODEL)

    meter.count("document", 3, 1_000)
    meter.count("document", 2, 500)
    meter.count("document", 1, 1_000, is_batch=True)
    meter.count("query", 1, 10)

    plain, batch, search = records.usage()
    assert plain == UsageRow(
        TODAY, "openai", "text-embedding-3-small", "index", requests=2, texts=5, tokens_in=1_500, dollars=0.0015
    )
    assert (batch.is_batch, batch.dollars) == (True, 0.0005)
    assert (search.purpose, search.tokens_in) == ("search", 10)


def test_a_run_with_a_purpose_of_its_own_is_counted_under_it(context, records):
    Meter(context._replace(purpose="calibration"), MODEL).count("query", 1, 10)

    assert [row.purpose for row in records.usage()] == ["calibration"]


def test_filling_a_space_spends_what_its_owner_agreed_to_and_searching_does_not(context, records):
    records.agree(SPACE, Agreement("2026-11-16T09:00:00.000Z", 1.0))
    meter = Meter(context, MODEL)

    meter.count("document", 1, 250_000)
    meter.count("query", 1, 250_000)

    assert records.agreement(SPACE).dollars == 0.75


def test_tokens_of_an_unknown_price_are_counted_as_unpriced(context, records):
    Meter(context, MODEL._replace(prices=None)).count("document", 1, 100)

    (row,) = records.usage()
    assert (row.tokens_in, row.unpriced, row.dollars) == (100, 100, 0.0)


def test_texts_from_the_cache_cost_nothing(context, records):
    count_cached(context.records(), Space.parse(SPACE), NOON, 7)

    (row,) = records.usage()
    assert (row.cached, row.requests, row.texts, row.dollars) == (7, 0, 0, 0.0)


def test_the_day_that_has_cost_its_cap_sends_no_more_and_the_next_day_does(context):
    meter = Meter(context, MODEL._replace(daily_cap=1.0))
    meter.admit(1_000_000)
    meter.count("document", 1, 900_000)
    meter.admit(100_000)

    with pytest.raises(CapReached, match=r"cost \$0\.90 today.*would cost \$0\.20.*daily_cap.*\$1\.00"):
        meter.admit(200_000)
    meter.admit(200_000, is_batch=True)
    tomorrow = context._replace(now=lambda: NOON.replace(day=17))
    Meter(tomorrow, MODEL._replace(daily_cap=1.0)).admit(200_000)


def test_a_cap_of_nothing_lets_only_free_models_through(context):
    with pytest.raises(CapReached):
        Meter(context, MODEL._replace(daily_cap=0.0)).admit(1)
    Meter(context, MODEL._replace(daily_cap=0.0, prices=Prices(0.0, 0.0))).admit(1_000_000)


def test_a_cap_on_a_model_of_unknown_price_says_which_setting_is_missing(context):
    with pytest.raises(CapReached, match=r"embedding\.price"):
        Meter(context, MODEL._replace(daily_cap=1.0, prices=None)).admit(1)


def test_without_a_cap_the_records_are_not_even_opened(context):
    def closed():
        raise AssertionError

    Meter(context._replace(records=closed), MODEL).admit(1_000_000)


def test_an_answer_that_was_paid_for_is_not_lost_where_nothing_can_be_counted(context):
    def read_only():
        raise StoreUnavailable("The folder can only be read.")

    meter = Meter(context._replace(records=read_only), MODEL._replace(daily_cap=1.0))

    meter.count("document", 1, 10)
    with pytest.raises(CapReached, match="can only be read"):
        meter.admit(1)


@given(spent=st.lists(st.integers(0, 1_000_000), max_size=6), cap=st.floats(0, 3), tokens=st.integers(1, 1_000_000))
def test_what_is_admitted_never_passes_the_cap(spent, cap, tokens):
    records = PlainProviderRecords()
    context = ProviderContext(environment={}, records=lambda: records, now=lambda: NOON)
    meter = Meter(context, MODEL._replace(daily_cap=cap))
    for some in (*spent, tokens):
        try:
            meter.admit(some)
        except CapReached:
            continue
        meter.count("document", 1, some)

    assert records.spent(TODAY) <= cap


def test_known_models_have_prices_and_batch_jobs_are_cheaper():
    assert prices_of("openai", "text-embedding-3-small") == Prices(0.02, 0.01)
    assert prices_of("gemini", "models/gemini-embedding-2") == Prices(0.2, 0.1)
    assert prices_of("voyage", "voyage-3-large") == Prices(0.18, 0.18), "Memoro makes no batch jobs at Voyage"


def test_an_unknown_price_is_said_to_be_unknown():
    assert prices_of("openai", "text-embedding-4") is None
    assert prices_of("compatible", "text-embedding-3-small") is None
    assert price_of_tokens(None, 10) is None


def test_models_on_this_machine_cost_nothing_and_the_owners_price_counts_before_all():
    assert prices_of("compatible", "nomic-embed-text", is_home=True) == Prices(0.0, 0.0)
    assert prices_of("fastembed", "bge-small") == prices_of("model2vec", "potion") == Prices(0.0, 0.0)
    assert prices_of("compatible", "nomic", is_home=True, own=0.4) == Prices(0.4, 0.4)
    assert prices_of("openai", "text-embedding-3-small", own=0.4) == Prices(0.4, 0.2)


# Counted with cl100k_base, the tokenizer of text-embedding-3-small and -large.
COUNTED = [
    ("The quick brown fox jumps over the lazy dog.", 10),
    ("Gestern habe ich mit Anna über den Umzug gesprochen; wir nehmen die größere Wohnung in der Gartenstraße.", 27),
    ("今天下午我们讨论了新的数据库架构,并决定使用复制和备份来保护用户的数据。", 34),
    ("關於繁體中文的測試,鑑於這個議題頗為複雜,我們需要謹慎處理。", 56),
    ("今日は新しいデータベースの設計について話し合い、来週までに決めることにしました。", 41),
    ("오늘 우리는 새로운 데이터베이스 설계에 대해 논의하고 다음 주까지 결정하기로 했습니다.", 43),
    ("Сегодня мы обсудили новую архитектуру базы данных и решили использовать репликацию.", 36),
    ("היום דנו בארכיטקטורה החדשה של מסד הנתונים והחלטנו להשתמש בשכפול.", 64),
    ("आज हमने नए डेटाबेस आर्किटेक्चर पर चर्चा की और प्रतिकृति का उपयोग करने का निर्णय लिया।", 85),
    ('{"id": 17, "name": "backup", "tags": ["home", "disk"], "size": 1024.5, "ok": true}', 35),
    ("https://github.com/example/project/issues/1234?tab=comments#issuecomment-987654", 20),
]


@pytest.mark.parametrize(("text", "counted"), COUNTED)
def test_an_estimate_is_not_below_what_a_tokenizer_counts_and_not_far_above(text, counted):
    assert counted * 0.85 <= estimated_tokens(text) <= counted * 2.2


@given(st.text(), st.text())
def test_estimates_of_parts_bound_the_estimate_of_the_whole(one, other):
    together = estimated_tokens(one + other)

    assert max(estimated_tokens(one), estimated_tokens(other)) <= together
    assert together <= estimated_tokens(one) + estimated_tokens(other)


@given(st.text())
def test_an_estimate_never_exceeds_the_bytes_and_is_zero_for_nothing_alone(text):
    assert (estimated_tokens(text) == 0) == (text == "")
    assert estimated_tokens(text) <= len(text.encode())


@given(st.text(alphabet="漢字かなカナ한국어中文", min_size=1))
def test_a_character_without_spaces_is_at_least_a_token(text):
    assert estimated_tokens(text) >= len(text)
