"""Verdicts of a soak: did anything grow? Pure functions over samples."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

_HOUR = 3600.0


class Verdict(NamedTuple):
    name: str
    is_good: bool
    detail: str


class Slope(NamedTuple):
    """A straight line through samples: its rise in an hour, and two standard errors of it."""

    hourly: float
    uncertainty: float


class Quarters(NamedTuple):
    """The medians of the second and of the last quarter. The first is left out: caches fill in it."""

    second: float
    last: float


Series = Sequence[tuple[float, float]]  # seconds since the start, and a value


def slope(samples: Series) -> Slope:
    """Fit a line by least squares. With fewer than three samples nothing can be said: the uncertainty is infinite."""
    if len(samples) < 3:
        return Slope(0.0, math.inf)
    times, values = [at / _HOUR for at, _ in samples], [value for _, value in samples]
    middle, mean = statistics.fmean(times), statistics.fmean(values)
    spread = sum((at - middle) ** 2 for at in times)
    if spread == 0:
        return Slope(0.0, math.inf)
    rise = sum((at - middle) * (value - mean) for at, value in zip(times, values, strict=True)) / spread
    rest = sum((value - mean - rise * (at - middle)) ** 2 for at, value in zip(times, values, strict=True))
    return Slope(rise, 2 * math.sqrt(rest / (len(samples) - 2) / spread))


def quarters(samples: Series) -> Quarters | None:
    """The medians of two quarters of the time; None where one has no sample."""
    if not samples:
        return None
    end = max(at for at, _ in samples)
    second = [value for at, value in samples if end / 4 <= at < end / 2]
    last = [value for at, value in samples if at >= 3 * end / 4]
    return Quarters(statistics.median(second), statistics.median(last)) if second and last else None


def lowest(samples: Series, of: int) -> Series:
    """The lowest of each so many samples in a row: what is left where garbage comes and goes."""
    groups = [samples[first : first + of] for first in range(0, len(samples), of)]
    return [min(group, key=lambda one: one[1]) for group in groups]


def flat(name: str, samples: Series, *, share: float, least: float, unit: str = "") -> Verdict:
    """Good if the last quarter is at most `share` above the second, or `least` of the unit where that is more."""
    found = quarters(samples)
    if found is None:
        return Verdict(name, False, "too few samples")
    allowed = found.second + max(share * abs(found.second), least)
    line = slope([one for one in samples if one[0] >= samples[-1][0] / 4])
    detail = (
        f"{_number(found.second)} → {_number(found.last)}{unit} (at most {_number(allowed)}); "
        f"{line.hourly:+.2f} ± {line.uncertainty:.2f}{unit} an hour"
    )
    return Verdict(name, found.last <= allowed, detail)


def bounded(name: str, values: Sequence[float], most: float, unit: str = "") -> Verdict:
    """Good if no value is above the bound."""
    highest = max(values, default=0.0)
    detail = f"at most {_number(highest)}{unit} (allowed {_number(most)})"
    return Verdict(name, bool(values) and highest <= most, detail)


def empty(name: str, faults: Sequence[str], good: str) -> Verdict:
    """Good if there is no fault; else the first few are told."""
    return Verdict(name, not faults, good if not faults else f"{len(faults)}: " + "; ".join(faults[:3]))


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
