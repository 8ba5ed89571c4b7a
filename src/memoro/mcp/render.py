"""The texts that models read as the answers of tools: ids first, whole sentences, and the next step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from memoro.model.agents import HOST_NAMES
from memoro.model.experiences import CONFIRMED, caution, is_confirmed, outcome_of
from memoro.model.held_days import held
from memoro.model.memories import dated
from memoro.model.notes import MEMORY, count_in_words, counted, locator_of
from memoro.model.projects import short_name
from memoro.model.replaced import mark

if TYPE_CHECKING:
    from memoro.curate.extraction.runs import ConversationFacts, ExtractionRun
    from memoro.curate.feedback.marking import MarkedAnswer
    from memoro.curate.reviewing.preview import ProposalPreview
    from memoro.experiences.results import Preference, RecordedExperience, SimilarExperiences
    from memoro.health import Status
    from memoro.mcp.apps.values import TodayView
    from memoro.memories.rank import RankedMemory
    from memoro.memories.results import ChangedMemory, NearMemory, Recollection, Stored
    from memoro.model.answers import Answer, Hit, Text
    from memoro.model.memories import Memory, Narrative
    from memoro.model.recall import Recalled
    from memoro.notes.entry_files import Remembered
    from memoro.operations.experiences import Preferences
    from memoro.page.shown_difference import LineKind

# A long note would fill a model's context; this is about 6,000 tokens, and the rest can be asked for.
MOST = 24_000
_ONE_LINE = 160  # characters of a text that is only named
_SIGNS: dict[LineKind, str] = {"same": " ", "removed": "-", "added": "+", "gap": "…"}


def answer(found: Answer) -> str:
    lines = [f"{number}. {_hit(hit)}" for number, hit in enumerate(found.results, 1)]
    if not lines:
        lines = ["Nothing found. Try other words and synonyms or fewer filters; after 3 rounds continue without it."]
    return "\n".join([*lines, *_notes(found.degraded)])


def _hit(hit: Hit) -> str:
    place = f"{hit.path}:{hit.start_line}-{hit.end_line}" if hit.kind == "note" else ""
    if hit.kind == "transcript":
        place = f"{hit.path} {locator_of(hit.path)} {hit.start_line}"
    about = (
        *(place, " > ".join(hit.heading), hit.speaker, _when(hit), hit.title),
        *(_owner(hit), f"score {hit.score:.2f}"),
    )
    older = f"   {mark(hit.replaced_by)}\n" if hit.replaced_by else ""
    return f"{hit.id}  ({'; '.join(part for part in about if part)})\n{older}{_indented(hit.snippet)}"


def _when(hit: Hit) -> str | None:
    return held(hit.since, hit.until) or hit.date or (f"changed {hit.changed}" if hit.changed else None)


def cut(found: Text) -> tuple[str, str | None]:
    """The part of a text that a model should read at once, and how to ask for the rest."""
    if len(found.text) <= MOST:
        return found.text, None
    shown = found.text[:MOST]
    if found.kind != "note" or "\n" not in shown:
        return shown, f"{len(found.text) - len(shown):,} more characters are not shown."
    shown = shown.rpartition("\n")[0]
    following = found.start_line + shown.count("\n") + 1
    return shown, f"{found.path}:{following}-{found.end_line}"


def text(found: Text, shown: str, rest: str | None) -> str:
    about = [found.title, found.date, ", ".join(found.tags), _owner(found)]
    if found.kind == "note":
        about.insert(0, f"{found.path}:{found.start_line}-{found.end_line}")
    headline = "  ".join(part for part in about if part)
    if found.around:
        turns = [
            f"{'>' if found.start_line <= turn.line <= found.end_line else ' '} {turn.speaker}: {turn.text}"
            for turn in found.around
        ]
        shown = "\n".join(turns)[:MOST]
    after = [] if rest is None else [f"[Cut off. The rest: {rest}]"]
    if found.kind == "memory" and found.links:
        after.append(f"Linked with {', '.join(f'[id:{one.removeprefix(MEMORY)}]' for one in found.links)}.")
    return "\n".join([part for part in (headline,) if part] + [shown, *after])


def recalled(found: Recalled) -> str:
    block = found.block or "Nothing relevant found. Continue without it, or search with other words."
    return "\n".join([block, *_notes(found.degraded)])


def memory(one: Memory) -> str:
    tags = f" (tags: {', '.join(one.tags)})" if one.tags else ""
    return f"[id:{one.id}] {one.content}{tags}"


def stored(done: Stored) -> str:
    lines = [f"{'Stored' if done.new else 'Known already, word for word'}: {memory(done.memory)}"]
    lines += [f"Superseded [id:{one.id}]." for one in done.superseded]
    lines += [
        f"Both stay: [id:{one.memory.id}] has a higher trust level, and the user decides on proposal {one.proposal}."
        for one in done.waiting
    ]
    if done.nearest:
        lines += ["Nearest:", *(f"[id:{one.memory.id}] {_said(one)}" for one in done.nearest)]
        lines.append(
            "If the new one replaces any of these, call memory_store again with the same content and "
            "supersedes=[their ids]. Otherwise do nothing."
        )
    return "\n".join([*lines, *_redacted(done.redacted), *_notes(done.degraded)])


def _said(one: NearMemory) -> str:
    shown = _short(one.memory.content)
    return f"(says the same) {shown}" if one.says_the_same else shown


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _ONE_LINE else f"{line[:_ONE_LINE].rstrip()} …"


def updated(done: ChangedMemory) -> str:
    if done.proposal is None:
        return f"Updated {memory(done.memory)}"
    return (
        f"Not changed: {memory(done.memory)}\n{done.why} Your change waits as proposal {done.proposal}; it takes "
        f"effect when the user accepts it with `memoro accept {done.proposal}`. Tell them."
    )


def recollection(found: Recollection) -> str:
    lines = [_recollected(one) for one in found.results]
    if not lines and found.only_archived:
        lines = [f"No present memories; {found.only_archived} archived match. Only the owner can bring them back."]
    if not lines:
        lines = ["No memories. Try other keywords and synonyms, 3 rounds at most; then continue without it."]
    return "\n".join([*lines, *_notes(found.degraded)])


def _recollected(one: RankedMemory) -> str:
    when = held(one.since, one.until) if one.until else dated(one.memory)[:10]
    linked = f"; linked with [id:{one.linked_to}]" if one.linked_to is not None else ""
    older = f"\n   {mark(one.replaced_by)}" if one.replaced_by else ""
    return (
        f"{memory(one.memory)}  ({when}; {one.memory.trust.replace('_', ' ')}; "
        f"{_owner(one.memory, '; ')}feedback {one.memory.feedback:+d}; score {one.score:.2f}{linked}){older}"
    )


def rated(one: Memory, what: str) -> str:
    return f"{what} [id:{one.id}]; its feedback is {one.feedback:+d} now."


def marked(made: MarkedAnswer) -> str:
    entry = made.entry
    about = f'the answer to "{entry.question}"' if entry.question else "the last answer"
    lines = [f"{'Marked' if made.new else 'Already marked'} as {entry.kind}: {about} (session {made.session})."]
    if made.session is None:
        lines = [f"{'Kept' if made.new else 'Already kept'}: {entry.note}"]
    return "\n".join([*lines, *(f"{one.change}: {one.id}" for one in made.items), *_notes(made.notices)])


def removed(made: Remembered) -> str:
    if made.proposal is not None:
        what = made.path if made.id == made.path else f"it from {made.path}"
        return f"Proposal {made.proposal}: to remove {what}. The user will decide."
    return f"Removed {made.id}: {made.text}\nThe user can undo this with `memoro undo`."


def remembered(made: Remembered) -> str:
    if made.proposal is None:
        said = [f"{'Written' if made.new else 'Already'} in {made.path}: {made.text} ^{made.id}"]
    else:
        known = "" if made.new else " (made before)"
        said = [
            f"Proposal {made.proposal}{known} for {made.path}: {made.text}",
            f"It takes effect when the user accepts it with `memoro accept {made.proposal}`. Tell them.",
        ]
    return "\n".join([*said, *_redacted(made.redacted)])


def recorded(done: RecordedExperience) -> str:
    one = done.experience
    what = "Recorded" if done.new else f"Known, and counted as use {one.uses}"
    return "\n".join(
        [f"{what}: experience:{one.id} {one.intent} (success {one.success:.2f})", *_redacted(done.redacted)]
    )


def preferences(found: Preferences) -> str:
    lines = [_preference(one) for one in found.preferences]
    done = found.recorded
    if done is not None:
        one = done.experience
        value = one.solution if isinstance(one.solution, str) else one.solution_json
        held = found.preferences[0].experience.id == one.id
        noted = f"Noted: experience:{one.id} {one.intent}: {value} (confidence {one.success:.2f})."
        lines = [noted, *([] if held else ["Another value holds for now:", *lines]), *_redacted(done.redacted)]
    return "\n".join(lines) or "No preference is known."


def _preference(one: Preference) -> str:
    kept = one.experience
    value = kept.solution if isinstance(kept.solution, str) else kept.solution_json
    confirmed = "; the user confirmed it" if kept.trust == CONFIRMED else ""
    return f"experience:{kept.id} {one.category}: {value} (confidence {one.confidence:.2f}{confirmed})"


def similar(found: SimilarExperiences) -> str:
    lines = []
    for one in found.results:
        kept = one.experience
        done = kept.solution if isinstance(kept.solution, str) else kept.solution_json
        said = caution(kept) if outcome_of(kept) is not None else ""
        solution = f"{said}\n{done}" if said else done
        sure = "confirmed by the user; " if is_confirmed(kept) else ""
        about = f"{kept.type}; {sure}success {kept.success:.2f}; weight {one.weight:.2f}; score {one.score:.2f}"
        about = f"{_owner(kept, '; ')}{about}"
        lines.append(f"{one.id} {kept.intent}  ({about})\n{_indented(solution)}")
    if not lines:
        lines = ["Nothing similar was done before."]
    return "\n".join([*lines, *_notes(found.degraded)])


def extracted(run: ExtractionRun) -> str:
    lines = [line for one in run.conversations for line in _facts(one, dry_run=run.dry_run)]
    if left_out := run.left_out_in_words():
        lines.append(left_out if lines else f"Nothing to extract. {left_out}")
    return "\n".join(lines) or "There is no conversation to extract facts from. Continue without it."


def _facts(found: ConversationFacts, *, dry_run: bool) -> list[str]:
    count = counted(len(found.facts), "fact") if found.facts else "no new fact" if found.known else "no fact"
    lines = [f"{found.path}: {count}{' would be written' if dry_run and found.facts else ''}"]
    places = {kept.fact: kept for kept in found.kept}
    for fact in found.facts:
        kept = places.get(fact)
        memory = f" and {MEMORY}{kept.memory}" if kept and kept.memory else ""
        lines.append(f"- {fact.kind}: {fact.text}{f' (in {kept.note}{memory})' if kept else ''}")
    lines += [f"- extracted before: {fact.text}" for fact in found.known]
    lines += [f"- left out: {one.text or 'a sentence'}: {one.why}" for one in found.omitted]
    if found.proposals:
        waits = "1 proposal waits" if len(found.proposals) == 1 else f"{len(found.proposals)} proposals wait"
        lines.append(f"{waits} for the user, about what this may replace (`memoro review`).")
    return [*lines, *_notes(found.notices)]


def narrative(one: Narrative) -> str:
    rests = f" (based on {', '.join(f'[id:{number}]' for number in one.memories)})" if one.memories else ""
    return f"{one.id}. {one.created_at[:10]} {_owner(one, ': ')}{one.summary}{rests}"


def narratives(found: Sequence[Narrative]) -> str:
    return "\n".join(map(narrative, found)) or "No narrative found."


def _memories(number: int | None) -> str:
    return "1 memory" if number == 1 else f"{'unreadable' if number is None else number} memories"


def status(found: Status, proposals: int) -> str:
    lines = [
        f"{count_in_words(found.files, found.transcripts)} in {counted(found.chunks, 'passage')}; "
        f"{_memories(found.memories)}, {found.archived or 0} archived.",
        f"Search mode {found.mode}; model {found.model or 'none'}; last sync {found.synced_at}."
        if found.synced_at
        else "Nothing is indexed yet; the first search builds the index.",
    ]
    if found.dirty:
        changed = "1 file has" if len(found.dirty) == 1 else f"{len(found.dirty)} files have"
        lines.append(f"{changed} changed since; the next search reads {'it' if len(found.dirty) == 1 else 'them'}.")
    if proposals:
        waits = "proposal waits" if proposals == 1 else "proposals wait"
        lines.append(f"{proposals} {waits} for the user (`memoro review`).")
    problems = [f"{one.path}: {one.sentence}" for one in found.problems[:20]]
    return "\n".join([*lines, *_notes(found.notices), *_notes(problems)])


def proposals(found: Sequence[ProposalPreview]) -> str:
    from memoro.page.proposal_words import wish_in_words
    from memoro.page.shown_difference import shown_difference
    from memoro.page.texts import texts

    if not found:
        return texts()("today.nothing_waits")
    waits = "1 proposal waits" if len(found) == 1 else f"{len(found)} proposals wait"
    lines = [f"{waits} for the user, who decides with `memoro review`."]
    for one in found:
        shown = shown_difference(one.before, one.after)
        lines.append(f"{one.proposal.id}. {wish_in_words(one.proposal.change)}")
        lines += [f"   {_SIGNS[line.kind]} {line.text}" for line in shown.lines if line.kind != "gap"]
        lines += [f"   … {counted(shown.left_out, 'more line')}"] if shown.left_out else []
        lines += [f"   Why: {one.proposal.reason}"] if one.proposal.reason else []
        lines += [f"   Outdated: {one.outdated}"] if one.outdated else []
    return "\n".join(lines)


def today(found: TodayView) -> str:
    lines = [
        f"{found.day}: {', '.join(f'{one.label} {one.value}' for one in found.figures)}.",
        f"{found.waiting.removesuffix('.')}."
        + (" The user decides with `memoro review`." if found.proposals else ""),
        *(f"- {one.kind}: {one.text}" for one in found.proposals),
        f"Health: {'; '.join(one.text for one in found.health)}.",
    ]
    for session in found.sessions:
        lines.append(f"{session.agent}, {session.project}: {session.about} ({session.tokens})")
        for prompt in session.prompts:
            lines.append(f"- {prompt.at} {_short(prompt.message)} ({prompt.summary})")
            lines += [f"  {prompt.reason}"] if prompt.reason else []
            lines += [f"  * {one.kind} {one.place}: {_short(one.text)} ({one.facts})" for one in prompt.items]
    if found.nothing is not None:
        lines.append(f"{found.nothing.title}.")
    return "\n".join([*lines, *([f"… {found.more}"] if found.more else [])])


class _Owned(Protocol):
    @property
    def agent(self) -> str | None: ...

    @property
    def project(self) -> str | None: ...


def _owner(item: _Owned, after: str = "") -> str:
    """Name the project of an item, and an agent that shares with no other: what is theirs must not pass for ours."""
    agent = f"agent {item.agent}" if item.agent and item.agent not in HOST_NAMES else ""
    project = f"project {short_name(item.project)}" if item.project else ""
    named = "; ".join(part for part in (agent, project) if part)
    return f"{named}{after}" if named else ""


def _indented(snippet: str) -> str:
    return "\n".join(f"   {line}" for line in snippet.split("\n"))


def _notes(sentences: Iterable[str]) -> list[str]:
    return [f"Note: {sentence}" for sentence in sentences]


def _redacted(kinds: Sequence[str]) -> list[str]:
    return [f"Removed before it was stored, because secrets do not belong here: {', '.join(kinds)}."] if kinds else []
