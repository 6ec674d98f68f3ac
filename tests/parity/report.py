# SPDX-License-Identifier: Apache-2.0
"""What a comparison has found, printed, and as docs/parity.md."""

import collections

import judge
import schema

PAGE = schema.ROOT / "docs/parity.md"
README = schema.ROOT / "modules/apiserver/README.md"
MARKS = ("<!-- made by ./dev parity accept from tests/parity/deliberate.tsv -->\n", "<!-- until here -->\n")
MOST = 60  # causes that are printed unless all are wanted
VERBS = ("create", "get", "list", "watch", "update", "patch", "status", "scale", "delete", "other")


def print_causes(verdict, every):
    """The causes of accidental differences, the most frequent first, with a request of each."""
    totals, kinds, examples = collections.Counter(), collections.defaultdict(set), {}
    for (key, cause), count in verdict.by_cause.items():
        totals[cause] += count
        kinds[cause].add(key)
    for difference in verdict.differences:
        for cause in difference.causes:
            examples.setdefault(cause, f"{difference.key}: {difference.request}")
    shown = totals.most_common(None if every else MOST)
    for cause, count in shown:
        print(f"{count:6} in {len(kinds[cause])} kinds  {cause}\n         such as {examples[cause]}")
    if len(totals) > len(shown):
        print(f"... and {len(totals) - len(shown)} more causes; --all prints them")


def print_shares(verdict, totals_only=False):
    if not totals_only:
        print("\n".join(table(verdict)))
    whole = total(verdict)
    if whole["all"]:
        print(f"{whole['all']} requests: {whole['identical']} identical ({share(whole)}), {whole['deliberate']} differ on purpose, "
              f"{whole['accidental']} by accident")


def total(verdict):
    whole = collections.Counter()
    for count in verdict.totals.values():
        whole.update(count)
    return whole


def share(count):
    return f"{100 * count['identical'] / count['all']:.1f} %" if count["all"] else "-"


def table(verdict):
    """Rows of kinds, columns of verbs: identical of all."""
    found = ["| kind | all | " + " | ".join(VERBS) + " |", "| --- |" + " --- |" * (len(VERBS) + 1)]
    rows = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for (key, verb), count in verdict.totals.items():
        for column in ("all", verb if verb in VERBS else "other"):
            rows[key][column].update(count)
            rows["all"][column].update(count)
    for key, columns in sorted(rows.items(), key=lambda row: row[0] == "all"):
        cells = [cell(columns.get(verb)) for verb in ("all", *VERBS)]
        found.append(f"| {key} | " + " | ".join(cells) + " |")
    return found


def cell(count):
    return f"{count['identical']}/{count['all']}" if count else ""


def print_difference(difference):
    print(f"== {difference.key}: {difference.request}")
    print("\n".join(f"   cause: {cause}" for cause in difference.causes))
    only_order = sorted(difference.recorded) == sorted(difference.ours)
    for line in difference.recorded:
        if only_order or line not in difference.ours:
            print(f"  real {line}")
    for line in difference.ours:
        if only_order or line not in difference.recorded:
            print(f"  ours {line}")


def print_failures(verdict, deliberate, accidental=True):
    """Prints why a comparison fails; returns 1 if it does."""
    failed = 0
    for key in verdict.stale:
        print(f"parity: the recordings of {key} are of other requests: ./dev parity record {key}")
        failed = 1
    for row in verdict.unused if deliberate else ():
        print(f"parity: a row of {deliberate} matches nothing: {' '.join(row)}")
        failed = 1
    if accidental and verdict.by_cause:
        print(f"parity: {total(verdict)['accidental']} answers differ by accident")
        failed = 1
    return failed


def print_change(verdict):
    """What differs more or less than known.tsv says; returns 1 if something does."""
    more, fewer = judge.against_known(verdict)
    examples = {(difference.key, cause): difference.request for difference in verdict.differences for cause in difference.causes}
    for (key, cause), before, now in more[:MOST]:
        print(f"parity: {key}: {cause}: {now} requests, {before} are known; such as: {examples[key, cause]}")
    for (key, cause), before, now in fewer[:MOST]:
        print(f"parity: {key}: {cause}: {now} requests, {before} are known; take it out by ./dev parity accept")
    for name, found in (("more", more), ("fewer", fewer)):
        if len(found) > MOST:
            print(f"parity: and {len(found) - MOST} {name}")
    return 1 if more or fewer else 0


def write_page(verdict):
    whole = total(verdict)
    reasons = collections.Counter()
    for row, count in verdict.by_reason.items():
        reasons[row[3:]] += count
    lines = [
        "# The embedded server beside kube-apiserver", "",
        "Made by `./dev parity accept` from [tests/parity](../tests/parity/README.md); the gate holds it.", "",
        f"{whole['all']} requests have recorded answers of kube-apiserver. The embedded server gives {whole['identical']} of them the same "
        f"answer ({share(whole)}), {whole['deliberate']} another on purpose, {whole['accidental']} by accident. A cell is the number of "
        "identical answers, of all.", "",
        *table(verdict), "", "## On purpose", "", "| causes | not there | what happens instead |", "| --- | --- | --- |",
        *(f"| {count} | {absent} | {instead} |" for (absent, instead), count in reasons.most_common()),
    ]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def readme_parts():
    """The README of the embedded server: what is before its list of differences, the list, and what is after it."""
    before, rest = README.read_text(encoding="utf-8").split(MARKS[0])
    made, after = rest.split(MARKS[1])
    return before + MARKS[0], made, MARKS[1] + after


def readme_list():
    """What differs on purpose, as the README lists it."""
    pairs = dict.fromkeys(row[3:] for row in judge.rows(judge.DELIBERATE))
    lines = ["| not there | what happens instead |", "| --- | --- |", *(f"| {absent} | {instead} |" for absent, instead in pairs)]
    return "\n".join(lines) + "\n"


def write_readme():
    before, _, after = readme_parts()
    README.write_text(before + readme_list() + after, encoding="utf-8")


def print_readme():
    """Returns 1 if the list in the README is not that of deliberate.tsv."""
    if readme_parts()[1] == readme_list():
        return 0
    print(f"parity: the list in {README.relative_to(schema.ROOT)} is not that of deliberate.tsv: ./dev parity accept")
    return 1
