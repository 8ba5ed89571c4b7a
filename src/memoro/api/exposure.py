"""The decision about every operation: whether the HTTP API offers it, to which token, and what it leaves out.

The rules behind the decisions:

- A path needs the token of its operation's access: read, write or admin.
- The tokens for `read` and `write` act as an agent. What shows texts of every project and agent, private ones too, is
  for the owner, whose token is that for `admin`.
- No request names a file or a folder of this machine outside the vault, or an address to which text is sent.
- No request answers a question that belongs to a person at a terminal: what may be paid for, where text may go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from memoro.operations.operation import Access


class Offered(NamedTuple):
    """An operation that has a path."""

    scope: Access  # of the token that it needs
    why: str = ""  # why it needs more than its access says, or takes less than the command does
    without: tuple[str, ...] = ()  # fields of its request that no caller may set
    for_owner: tuple[str, ...] = ()  # fields that need the token for admin
    as_agent: bool = False  # it is called as an agent, whatever the token


class LeftOut(NamedTuple):
    """An operation that has no path."""

    why: str


Decision = Offered | LeftOut

UNDECIDED = LeftOut("Nobody has decided about it.")  # a test names an operation that has no row
_READ, _WRITE, _ADMIN = Offered("read"), Offered("write"), Offered("admin")
_OWNER = Offered("admin", why="It shows texts of every project and agent, private ones too.")
_SETTINGS = Offered("admin", why="Settings name folders of this machine, and where text is sent.")
_SET = Offered(
    "admin", why="The command line alone changes settings that send text, cost money, name files or open memory."
)
_FILES = "It reads or writes files of this machine outside the vault."

DECISIONS: Mapping[str, Decision] = {
    "search": _READ,
    "recall": _READ,
    "prompt": _READ,
    "get": _READ,
    "transcripts add": LeftOut("It makes a folder of this machine readable. Use `memoro transcripts add`."),
    "transcripts list": _READ,
    "transcripts remove": LeftOut("It changes which folders of this machine are read. Use the command."),
    "memory store": Offered(
        "write", why="`trust` needs the token for admin: agents are trusted as agents.", for_owner=("trust",)
    ),
    "memory reinforce": _WRITE,
    "memory demote": _WRITE,
    "memory update": _WRITE,
    "memory supersede": _WRITE,
    "memory trust": _ADMIN,
    "memory visibility": _ADMIN,
    "memory query": _READ,
    "memory show": Offered(
        "read", why="`used` needs the token for admin: it shows messages of all sessions.", for_owner=("used",)
    ),
    "memory history": _READ,
    "memory links": _READ,
    "memory list": _READ,
    "memory stats": _READ,
    "memory archive": _WRITE,
    "memory unarchive": _WRITE,
    "memory prune": _ADMIN,
    "memory remove": _WRITE,
    "memory forget": _ADMIN,
    "experience record": _WRITE,
    "experience use": _WRITE,
    "experience prefer": _WRITE,
    "experience trust": _ADMIN,
    "experience visibility": _ADMIN,
    "experience find": _READ,
    "experience show": _READ,
    "experience history": _OWNER,
    "experience list": _READ,
    "experience stats": _READ,
    "experience prune": _ADMIN,
    "experience remove": _WRITE,
    "narrative update": _WRITE,
    "narrative search": _READ,
    "narrative show": _OWNER,
    "session start": _WRITE,
    "session list": _OWNER,
    "session last": _OWNER,
    "session show": _OWNER,
    "session replay": _OWNER,
    "session archive": _WRITE,
    "session unarchive": _WRITE,
    "remember": _WRITE,
    "pin": _WRITE,
    "entries": _OWNER,
    "edit": _WRITE,
    "remove": _WRITE,
    "forget": _ADMIN,
    "daily": _WRITE,
    "note new": _WRITE,
    "note edit": _WRITE,
    "note move": _WRITE,
    "note delete": _WRITE,
    "note restore": _WRITE,
    "context stats": _READ,
    "context compact": _WRITE,
    "review": _ADMIN,
    "extract": Offered(
        "write", why="It finds conversations in the known folders alone, not any file.", as_agent=True
    ),
    "proposals": _READ,
    "accept": _ADMIN,
    "reject": _ADMIN,
    "wrong": _WRITE,
    "good": _WRITE,
    "given wrong": _WRITE,
    "given good": _WRITE,
    "given allow": _WRITE,
    "given day": _OWNER,
    "given muted": _OWNER,
    "tidy": _WRITE,
    "timeline": _OWNER,
    "log": _OWNER,
    "log show": _OWNER,
    "undo": _ADMIN,
    "export": LeftOut(f"{_FILES} Use `memoro export`, whose file only you can read."),
    "import": LeftOut(f"{_FILES} Use `memoro import`."),
    "backup create": _ADMIN,
    "backup list": _READ,
    "backup verify": _READ,
    "backup restore": _ADMIN,
    "backup adopt": _ADMIN,
    "outbox list": _OWNER,
    "outbox send": _ADMIN,
    "outbox drop": _ADMIN,
    "sync": Offered(
        "write",
        why="`force` and `accept_deletions` need the token for admin. What a model costs is agreed to at a terminal.",
        without=("yes",),
        for_owner=("force", "accept_deletions"),
    ),
    "status": _READ,
    "doctor": Offered("admin", why="It names the places of secrets in notes.", without=("selftest",)),
    "numbers": _READ,
    "usage": _READ,
    "space list": _READ,
    "space drop": _ADMIN,
    "provider test": LeftOut("It sends text to an address that the caller names. Use `memoro provider test`."),
    "provider jobs": _READ,
    "provider cancel": _ADMIN,
    "provider resume": _ADMIN,
    "config show": _SETTINGS,
    "config get": _SETTINGS,
    "move-ledger": LeftOut("It moves all that is stored to an address that the caller names. Use the command."),
    **{
        f"admin {name}": LeftOut("It acts as the owner of a database. Use the command.")
        for name in (
            "install",
            *("tenant add", "tenant list", "tenant remove"),
            *("person add", "person list", "person remove"),
            *("token add", "token list", "token revoke"),
            *("backup", "vacuum"),
        )
    },
    "config set": _SET._replace(without=("force",)),
    "config unset": _SET,
}
