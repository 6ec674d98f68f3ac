# SPDX-License-Identifier: Apache-2.0
"""Which differences are deliberate, which are known, and which are new."""

import collections
import functools
import re
from dataclasses import dataclass, field
from pathlib import Path

import compare
import recording
import schema

HERE = Path(__file__).resolve().parent
RECORDINGS = HERE / "recordings"
DELIBERATE = HERE / "deliberate.tsv"
KNOWN = HERE / "known.tsv"


@functools.cache
def pattern(text):
    """What matches a text where * stands for anything."""
    return re.compile(".*".join(map(re.escape, text.split("*"))), re.DOTALL)


def rows(path):
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines if line and not line.startswith("#")]


@dataclass
class Difference:
    key: str
    request: str
    causes: list
    recorded: list
    ours: list
    deliberate: bool = False  # as a whole


@dataclass
class Verdict:
    """What a comparison has found."""

    totals: dict = field(default_factory=lambda: collections.defaultdict(collections.Counter))  # (kind, verb): counts
    differences: list = field(default_factory=list)
    by_cause: collections.Counter = field(default_factory=collections.Counter)  # of accidental ones: (kind, cause)
    by_reason: collections.Counter = field(default_factory=collections.Counter)
    stale: list = field(default_factory=list)  # kinds whose recordings are of other requests
    unused: list = field(default_factory=list)  # rows of deliberate.tsv that match nothing


def judge(suites, answers, others=None):
    """Compares what a server has answered with the recordings, or with what another has answered."""
    verdict = Verdict()
    deliberate = rows(DELIBERATE)
    for suite in suites:
        recorded = others[suite.key] if others else recorded_of(suite)
        own = answers[suite.key]
        if {name: entry[0] for name, entry in recorded.items()} != {name: entry[0] for name, entry in own.items()}:
            verdict.stale.append(suite.key)
            continue
        resource = schema.resource(suite.key.split(" ")[0])
        for name, (_, lines) in own.items():
            add(verdict, deliberate, resource, Difference(suite.key, name, [], recorded[name][1], list(lines)))
    verdict.unused = [row for row in deliberate if not verdict.by_reason[row]]
    return verdict


def recorded_of(suite):
    path = RECORDINGS / suite.file
    return recording.read(path).outcomes if path.exists() else {}


def add(verdict, deliberate, resource, difference):
    count = verdict.totals[difference.key, difference.request.split(" ", 1)[0]]
    count["all"] += 1
    causes = compare.causes(resource, difference.recorded, difference.ours)
    difference.causes = [compare.shortened(cause) for cause in causes]
    if not causes:
        count["identical"] += 1
        return
    verdict.differences.append(difference)
    accidental = []
    for cause in causes:
        row = next((row for row in deliberate if matches(row, difference, cause)), None)
        if row:
            verdict.by_reason[row] += 1
        else:
            accidental.append(compare.shortened(cause))
    difference.deliberate = not accidental
    count["deliberate" if difference.deliberate else "accidental"] += 1
    for cause in set(accidental):
        verdict.by_cause[difference.key, cause] += 1


def matches(row, difference, cause):
    texts = (difference.key, difference.request, cause)
    return all(pattern(wanted).fullmatch(text) for wanted, text in zip(row[:3], texts, strict=True))


def known():
    """The counts of known.tsv, by kind and cause."""
    return {(kind, cause): int(count) for cause, kinds in rows(KNOWN)
            for kind, _, count in (entry.rpartition("=") for entry in kinds.split(", "))}


def write_known(verdict):
    if not verdict.by_cause:
        KNOWN.unlink(missing_ok=True)
        return
    kinds = collections.defaultdict(list)
    for (key, cause), count in sorted(verdict.by_cause.items()):
        kinds[cause].append(f"{key}={count}")
    head = "# What differs by accident: the cause, and in how many requests of a kind. It may only shrink: ./dev parity accept.\n"
    lines = [f"{cause}\t{', '.join(entries)}\n" for cause, entries in sorted(kinds.items())]
    KNOWN.write_text(head + "".join(lines), encoding="utf-8")


def against_known(verdict):
    """Pairs of lists: causes that have more requests than the file says, and those that have fewer."""
    before, now = known(), verdict.by_cause
    more = [(pair, before.get(pair, 0), count) for pair, count in now.items() if count > before.get(pair, 0)]
    fewer = [(pair, count, now[pair]) for pair, count in before.items() if now[pair] < count]
    return more, fewer
