"""Memoro in the places that agent frameworks have for a memory. Each module needs the extra of its name."""

from __future__ import annotations

from memoro.errors import ConfigError


def missing(package: str, extra: str) -> ConfigError:
    return ConfigError(f"{package} is not installed. Run `pip install 'memoro[{extra}]'`.")
