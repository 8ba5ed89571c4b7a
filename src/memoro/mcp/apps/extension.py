"""The extension of the protocol that shows documents inside a host (SEP-1865), as far as it is used here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoro.mcp.apps.names import ViewName

if TYPE_CHECKING:
    from mcp_types import ClientCapabilities

EXTENSION = "io.modelcontextprotocol/ui"
MIME_TYPE = "text/html;profile=mcp-app"
ADDRESS = "ui://memoro/"

# The document loads nothing: a host is to allow no server at all.
RESOURCE_META: dict[str, Any] = {"ui": {"csp": {"connectDomains": [], "resourceDomains": []}, "prefersBorder": True}}


def shows_apps(client: ClientCapabilities | None) -> bool:
    """Return whether a client announces that it shows documents of our type."""
    settings = (client.extensions or {}).get(EXTENSION) if client is not None else None
    types = settings.get("mimeTypes") if isinstance(settings, dict) else None
    return isinstance(types, list) and MIME_TYPE in types


def address(view: ViewName) -> str:
    return f"{ADDRESS}{view}"


def shown_in(view: ViewName) -> dict[str, Any]:
    """The `_meta` of a tool whose answer a host shows in a view."""
    return {"ui": {"resourceUri": address(view)}}


def only_for_apps() -> dict[str, Any]:
    """The `_meta` of a tool that a host offers to the view and not to the model."""
    return {"ui": {"visibility": ["app"]}}
