"""Clients to check the stand-in with: a plain one, and OpenAI's own."""

from __future__ import annotations

from typing import Any

import httpx
import openai

from tests.standin.server import Standin


def new_client(timeout: float = 5, follow_redirects: bool = False) -> httpx.Client:
    """Without certificates, which take longer to load than a test should last."""
    return httpx.Client(trust_env=False, verify=False, timeout=timeout, follow_redirects=follow_redirects)


def official(server: Standin, key: str = "right") -> Any:
    return openai.OpenAI(api_key=key, base_url=server.url, max_retries=0, http_client=new_client())
