#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the embedded API server with kube-apiserver, request by request; see README.md."""

import argparse
import sys
import time

import definitions
import judge
import kinds
import recording
import report
import rules
import sequences
import servers

MAX_FILE = 400_000  # bytes of a file of recordings


def suites_of(words):
    found = [suite for suite in [*kinds.suites(), *definitions.suites(), *sequences.suites()] if suite.cases]
    chosen = [suite for suite in found if not words or any(word in suite.key for word in words)]
    if not chosen:
        sys.exit(f"parity: no kind has one of {', '.join(words)} in its name")
    return chosen


def record(arguments):
    suites = suites_of(arguments.kinds)
    judge.RECORDINGS.mkdir(exist_ok=True)
    with servers.real() as server:
        version = servers.version(server)
        started = time.monotonic()

        def write(suite, found):
            path = judge.RECORDINGS / suite.file
            recording.write(path, suite.key, version, found)
            print(f"{time.monotonic() - started:5.0f} s  {suite.key}: {len(found)} requests, {path.stat().st_size} bytes", flush=True)

        answers = servers.run(server, suites, workers=4, progress=write)
    if not arguments.kinds:
        for path in judge.RECORDINGS.glob("*.txt"):
            if path.name not in {suite.file for suite in suites}:
                path.unlink()
    sizes = {path: path.stat().st_size for path in judge.RECORDINGS.glob("*.txt")}
    print(f"recorded {sum(map(len, answers.values()))} requests of {len(suites)} kinds; all recordings have {sum(sizes.values())} bytes")
    large = [path for path, size in sizes.items() if size > MAX_FILE]
    for path in large:
        print(f"parity: {path} has more than {MAX_FILE} bytes")
    return 1 if large else 0


def compared(arguments):
    """The verdict on the server that the arguments name."""
    suites = suites_of(arguments.kinds)
    started = time.monotonic()
    with servers.real() if arguments.real else servers.embedded(arguments.kubecpp) as server:
        answers = servers.run(server, suites)
    verdict = judge.judge(suites, answers)
    print(f"{sum(map(len, answers.values()))} requests in {time.monotonic() - started:.0f} s")
    return verdict


def diff(arguments):
    verdict = compared(arguments)
    report.print_causes(verdict, arguments.all)
    report.print_shares(verdict)
    return report.print_failures(verdict, judge.DELIBERATE if not arguments.real and not arguments.kinds else None)


def explore(arguments):
    """Changes of another seed, sent to both servers."""
    suites = [suite for suite in kinds.changes(arguments.seed, arguments.times)
              if not arguments.kinds or any(word in suite.key for word in arguments.kinds)]
    with servers.real() as server:
        expected = servers.run(server, suites, workers=4)
    with servers.embedded(arguments.kubecpp) as server:
        verdict = judge.judge(suites, servers.run(server, suites), expected)
    if arguments.show:
        for difference in verdict.differences:
            report.print_difference(difference)
    report.print_causes(verdict, every=True)
    print(f"seed {arguments.seed}: ", end="")
    report.print_shares(verdict, totals_only=True)
    return 1 if report.total(verdict)["accidental"] else 0


def show(arguments):
    """The requests whose names have the words, with what is recorded and what the embedded server answers."""
    arguments.real, wanted = False, arguments.request
    verdict = compared(arguments)
    for difference in verdict.differences:
        if wanted in difference.request or any(wanted in cause for cause in difference.causes):
            report.print_difference(difference)
    return 0


def check(arguments):
    """For the gate: the known differences, no more and no less."""
    arguments.kinds, arguments.real = [], False
    verdict = compared(arguments)
    report.print_shares(verdict, totals_only=True)
    failed = report.print_failures(verdict, judge.DELIBERATE, accidental=False)
    return max(report.print_change(verdict), report.print_readme(), failed)


def accept(arguments):
    arguments.kinds, arguments.real = [], False
    verdict = compared(arguments)
    if report.print_failures(verdict, judge.DELIBERATE, accidental=False):
        return 1
    more, _ = judge.against_known(verdict)
    if more and judge.KNOWN.exists() and not arguments.more:
        report.print_change(verdict)
        print("parity: these are more; --more writes them nevertheless")
        return 1
    judge.write_known(verdict)
    report.write_page(verdict)
    report.write_readme()
    return 0


def uncovered(arguments):
    found = list(rules.uncovered())
    for file, text in found:
        print(f"{file}: {text}")
    print(f"{len(found)} texts are in no recorded answer")
    return 0


def main():
    parser = argparse.ArgumentParser(prog="./dev parity", description=__doc__)
    parser.add_argument("--kubecpp", default=str(judge.schema.ROOT / "build/release/bin/kubecpp"))
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name, function, text):
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(function=function)
        return made

    for name, function, text in (
        ("record", record, "sends all requests to kube-apiserver and writes the recordings"),
        ("diff", diff, "sends all to the embedded server and prints what differs, by cause; fails when something differs by accident"),
        ("explore", explore, "sends changes that a seed draws to both servers; fails when an answer differs by accident"),
        ("show", show, "prints the recorded and the own answer of requests"),
        ("uncovered", uncovered, "prints the texts of the server's validation that no recorded answer has"),
        ("check", check, "as the gate: differences are those of known.tsv"),
        ("accept", accept, "writes known.tsv, docs/parity.md and the list in the README of the embedded server"),
    ):
        made = command(name, function, text)
        if name == "show":
            made.add_argument("request", help="a part of a request's name, or of a cause")
        if name == "explore":
            made.add_argument("seed", help="any text: the same one draws the same changes")
            made.add_argument("--times", type=int, default=1, help="how many times as many changes as are recorded")
            made.add_argument("--show", action="store_true", help="prints both answers of what differs")
        if name in ("record", "diff", "show", "explore"):
            made.add_argument("kinds", nargs="*", help="parts of the names of kinds, such as apps/v1/; all without")
        if name == "diff":
            made.add_argument("--real", action="store_true", help="compares kube-apiserver with its recordings")
            made.add_argument("--all", action="store_true", help="prints all causes, not only the most frequent ones")
        if name == "accept":
            made.add_argument("--more", action="store_true", help="also when more differs than before")
    arguments = parser.parse_args()
    sys.exit(arguments.function(arguments))


if __name__ == "__main__":
    main()
