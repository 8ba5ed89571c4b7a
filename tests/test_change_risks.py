"""Which settings the page and programs may change: each is decided on, and what risks something is refused."""

from __future__ import annotations

import pytest

from memoro.config import change_risks, keys
from memoro.config.change_risks import RISKS, check_safe, safe_to_change
from memoro.errors import NeedsCommandLine


def test_every_setting_is_decided_on_once() -> None:
    listed = [*change_risks.SAFE.split(), *" ".join(change_risks.RISKY.values()).split()]
    assert sorted(listed) == sorted(keys()), "decide on new settings in config/change_risks.py"


@pytest.mark.parametrize("table", ["embedding.", "llm.", "usage.", "providers.", "vault.", "privacy."])
def test_no_setting_of_a_table_that_sends_pays_reads_or_opens_is_safe(table: str) -> None:
    assert [key for key in keys() if key.startswith(table) and safe_to_change(key)] == []


def test_a_key_or_an_address_is_never_safe() -> None:
    assert [key for key in keys() if key.endswith((".key", ".url", ".path", ".folder")) and safe_to_change(key)] == []


def test_a_setting_that_nobody_decided_on_is_not_safe() -> None:
    assert not safe_to_change("query.not_yet_invented")


def test_a_risky_setting_is_refused_with_the_command_that_changes_it() -> None:
    check_safe("query.max_results")
    with pytest.raises(NeedsCommandLine, match=r"leaves this machine.*`memoro config set llm.url VALUE`"):
        check_safe("llm.url")


def test_every_risk_has_its_sentence() -> None:
    assert set(change_risks.SENTENCES) == set(RISKS) == set(change_risks.RISKY)
