"""The areas whose rules are mutated: their files, their tests, and the places where no edit can matter."""

from __future__ import annotations

from typing import NamedTuple


class Area(NamedTuple):
    rules: str  # patterns of files below src/memoro, or a file and one of its functions
    tests: str  # test files without `test_` and `.py`: of the quick lanes, or `slow` where no other test is near


AREAS = {
    "ranking": Area(
        rules="""
            search/rank.py search/signals.py search/weights.py search/newest.py search/relevance.py
            search/same_thing.py search/answer_kind.py search/attribute.py search/candidate_signals.py
            search/candidates.py search/compared_statements.py search/copies.py search/coverage.py
            search/grouping.py search/hybrid.py search/hybrid_query.py search/item_words.py
            search/linked.py search/pairs.py search/past.py search/phrasing.py search/query.py
            search/retrieve.py search/slots.py search/standing.py search/subjects.py search/times.py
            search/turns.py search/unfinished.py search/used_in.py memories/rank.py
        """,
        tests="""
            asked_time attributes calibration dates engine figures highlight hybrid item_index
            kept_answers kept_days kept_ranking kept_readings kept_searches memories memory_meaning newest
            newest_pairs passage_vectors phrases prompt query rank relevance same_thing slots subjects turns snippet
            sources superseded unfinished used_in validity weighing words
        """,
    ),
    "recall": Area(
        rules="recall/*.py unasked/[!a]*.py unasked/actions.py unasked/answering.py",
        tests="""
            action_warnings admission always_loaded continuity continuity_phrases exchanges failed_experiences fence
            follow_ups given_ratings given_today hook_message judged kept_answers kept_blocks kept_days kept_errors
            kept_sessions kept_unasked message_kinds page_today private_hooks private_notes private_sessions prompt
            prompt_material recall scope sessions sessions_recall shortening switched_off unasked unasked_answers
            unasked_errors unasked_rules weighing
        """,
    ),
    "scope": Area(
        rules="""
            model/belonging.py model/privacy.py model/personal_names.py model/projects.py model/scope.py
            model/agents.py unasked/admission.py search/retrieve.py:usable search/filters.py
            vault/daily_lines.py
        """,
        tests="""
            admission given_today hybrid index_contract kept_answers kept_days kept_scope mcp_reach privacy
            private_hooks private_notes project_names projects scope sources unasked unasked_rules visibility
        """,
    ),
    "curation": Area(
        rules="""
            curate/*/*.py model/fact_rules.py model/fact_clauses.py model/fact_exclusions.py
            model/fact_statements.py model/same_fact.py model/rewording.py model/worth_loading.py
            model/extracted_lines.py
        """,
        tests="""
            carried_out confirmed_memories contradicted_answers corrected_items curation_model curation_rounds
            excluding_statements extracted_lines extraction fact_history fact_rules feedback feedback_files gate
            given_ratings judge judge_validation kept_curation kept_feedback kept_plans kept_reviews kept_verdicts
            kept_weeks planners_on_any_state poisoned_logs project_names proposals restatements review_dialogue
            review_planners rewording round_planning same_fact scope snapshot storing tidy_planners worth_loading
        """,
    ),
    "ledger": Area(
        rules="""
            ledger/apply.py ledger/revert.py ledger/undo.py ledger/forget.py ledger/erasure.py
            ledger/carried_out.py ledger/ended_facts.py ledger/narrative_forgetting.py ledger/proposals.py
            ledger/housekeeping.py ledger/archive.py memories/adding.py memories/superseding.py
            memories/lifecycle.py memories/editing.py memories/links.py memories/narratives.py
            model/memories.py model/experiences.py experiences/fading.py experiences/lifecycle.py
            experiences/retiring.py experiences/forget.py
        """,
        tests="""
            carried_out changes confirmed_memories experiences failed_experiences forgotten_traces kept_ledger
            ledger_admin ledger_contract ledger_edges ledger_limits ledger_model lists logs memories memory_sources
            proposals schedules sessions storing superseded triggers upkeep_rules validity
        """,
    ),
}

# file -> {part of a line: why no test can tell an edit of that line from the right program}
EQUIVALENT: dict[str, dict[str, str]] = {
    "src/memoro/curate/gating/gate.py": {
        "builtin().embed([text[:_TEXT]])[0]": "of one text there is one vector, the first and the last",
        "if text not in self._known:": "saves time: a text that is read again has the same vector",
    },
    "src/memoro/curate/judging/rules.py": {
        "said=said, total=0.0)": "any number will do: totals are compared with each other, and all are this one",
        "path=str(one.place), line=0,": "any line will do: no other statement has this path",
    },
    "src/memoro/curate/planners/budget.py": {
        "if not kept:": "saves time: where nothing is kept, no entry says the same as what is kept",
    },
    "src/memoro/curate/planners/contradictions.py": {
        'said=Moment(day=None, path="", line=0),': "any line will do: both that are compared have it",
        "total=0.0,": "any number will do: nothing that is asked here looks at it",
    },
    "src/memoro/curate/planners/demotion.py": {
        "why_excluded(note, text, 0.0) is not None": "what repeats an entry has its words: no reason is left to see",
    },
    "src/memoro/curate/rounds/tidying.py": {
        "for one in offered.queued if one.new": "the gate withholds what waits already, so all that it queues is new",
    },
    "src/memoro/curate/snapshot/reader.py": {
        "removeprefix(MEMORY).isdecimal() else 0": "what was given as a memory has a number: the rest is not reached",
    },
    "src/memoro/experiences/lifecycle.py": {
        "return Preferred(recorded, held[0])": "of one category there is one preference, the first and the last",
    },
    "src/memoro/ledger/archive.py": {
        "LastPruning(*json.loads(kept)) if kept": "for the type: what was never kept cannot be read either",
        "_SLICE = 200": "so that nobody waits long: slices of any size move the same memories",
        "if size > limits.max_bytes else ())": "saves time: of what fits nothing is archived, whatever it weighs",
    },
    "src/memoro/ledger/ended_facts.py": {
        'origin=memory.origin or "",': "the caller puts the message in its place that was asked for",
        "ended_facts(origins) if origins else []": "saves time: of no message there is no fact",
    },
    "src/memoro/ledger/erasure.py": {
        "if erased != recall:": "saves a write: what is unchanged is written as it was",
    },
    "src/memoro/ledger/housekeeping.py": {
        "if is_noted:": "saves a write: what is not noted cannot be deleted",
    },
    "src/memoro/ledger/proposals.py": {
        "            id=0,": "`add` gives the number, and does not look at this one",
        "proposal._replace(id=0, at=": "`add` gives the number, and does not look at this one",
    },
    "src/memoro/ledger/revert.py": {
        'raise self._conflict("it is not a change of rows")': "for the type: no such change is sent here",
        "elif now is not None:": "for the type: what was put first is there, or the undo was refused",
        'raise self._conflict("its text was forgotten")': "for the type: it is refused before",
    },
    "src/memoro/ledger/undo.py": {
        "if by is not None else []": "for the type: no proposal is without a maker",
        "if number is not None]": "for the type: only of items a number may be None",
        "if undo is not None:": "for the type: what was just reverted names the change that did so",
        "        if key is None:": "saves a write: without a key nothing is kept, and the same is chosen",
    },
    "src/memoro/memories/adding.py": {
        "if supersedes else {}": "saves time: for none of them a proposal can wait",
        "elif trusted.session:": "saves a query: no narrative belongs to no session",
    },
    "src/memoro/memories/links.py": {
        "if session is None:": "saves a query: nobody gave anything to no session",
    },
    "src/memoro/memories/narratives.py": {
        "_ALL = 2**31 - 1": "any number will do that is larger than their count",
    },
    "src/memoro/memories/superseding.py": {
        "        check_chain(self.tx, old, new)": "what is stored is current: nothing has superseded it",
    },
    "src/memoro/model/personal_names.py": {
        "if text.isascii():": "saves time: such a text has no accents, and both ways make its letters small",
    },
    "src/memoro/model/privacy.py": {
        'if "`" in line else line': "saves time: without a backtick there is no code to take out",
        'if not phrases and "#" not in text:': "saves time: no line of such a text is private",
    },
    "src/memoro/model/projects.py": {
        "if text.isascii():": "saves time: of such a text the other way makes the same letters small",
    },
    "src/memoro/search/copies.py": {
        "if not any(one.match.passage.tier": "saves time: without an extracted line there is no copy",
    },
    "src/memoro/search/coverage.py": {
        "total = math.fsum(weights) or 1.0": "any number will do: what weighs nothing has no share of it",
    },
    "src/memoro/search/filters.py": {
        "if since or until:": "saves an import that only days need",
    },
    "src/memoro/search/past.py": {
        "if not (may_name_time(question)": "saves an import and its patterns: such a question names no time",
    },
    "src/memoro/search/same_thing.py": {
        "if past_words(one.text) or past_words(other.text):": "saves time: without past words nothing is ended",
        "if start in seen:": "saves time: a group that is looked at again gives the same",
        "seen |= group": "saves time: a group that is looked at again gives the same",
    },
    "src/memoro/search/signals.py": {
        "total = sum(weights) or 1.0": "any number will do: what weighs nothing has no share of it",
    },
    "src/memoro/unasked/admission.py": {
        "kept = of_project(passage, own) if own else None": "for the type: whoever judges has a project",
        "for one in (projects.own, *projects.others) if one]": "for the type: whoever judges has a project",
    },
    "src/memoro/vault/daily_lines.py": {
        'if "#project/" in line.lower()': "saves time: the pattern finds nothing in another line",
    },
}
