#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lines_test.py PROGRAM: each command of kube-bench, on kube-bench replay, prints lines that parse and have the counts.

No time and no memory is judged.
"""

import json
import subprocess
import sys
import urllib.request

PODS, NAMESPACES, EVENTS = 200, 4, 100
LIMIT = 120  # seconds, which only a broken program needs


def lines_of(program, *words):
    finished = subprocess.run(
        [program, *map(str, words)], stdout=subprocess.PIPE, text=True, check=True, timeout=LIMIT
    )
    return [json.loads(line) for line in finished.stdout.splitlines()]


def expect(what, expected, found):
    if found != expected:
        sys.exit(f"{what}: expected {expected}, found {found}")
    print(f"{what}: {found}")


def counts(lines, *names):
    return [tuple(line[name] for name in names) for line in lines]


def check_sync(program, url):
    for flags in ([], ["--json"]):
        lines = lines_of(program, "sync", "--server", url, "--events", EVENTS, "--storms", 2, *flags)
        storm = ("kube-cpp", "storm", PODS, EVENTS)
        expect(f"sync {flags}", [("kube-cpp", "sync", PODS, 0), storm, storm], counts(lines, "client", "phase", "objects", "events"))


def check_lister(program, url):
    lines = lines_of(program, "lister", "--server", url, "--milliseconds", 20, "--events-a-second", 1000)
    # Each pod has a value of its own of the label.
    one_phase = [("get", 1), ("two_loads", 1), ("by_index", PODS / NAMESPACES), ("list", PODS), ("selector", 1), ("selector_scan", 0)]
    expect("lister", one_phase * 2, counts(lines, "operation", "found"))
    expect("lister, phases", ["idle"] * 6 + ["storm"] * 6, [line["phase"] for line in lines])
    for line in lines:
        expect("lister, in order", True, line["p50_ns"] <= line["p99_ns"] <= line["p999_ns"] and line["calls"] >= 10)


def check_queue(program):
    lines = lines_of(program, "queue", "--items", 3000, "--workers", 2)
    expect("queue", [("repeated", 3000), ("burst", 3000), ("workers", 3000)], counts(lines, "phase", "items"))


def check_informers(program, url):
    lines = lines_of(program, "informers", "--server", url, "--informers", 2 * NAMESPACES, "--events", EVENTS)
    expected = [("sync", 8, 2 * PODS, 0), ("storm", 8, 2 * PODS, 2 * EVENTS)]
    expect("informers", expected, counts(lines, "phase", "informers", "objects", "events"))
    for line in lines:
        # A watch has a connection of its own.
        expect("informers, connections", True, line["connections"] >= 8 and line["threads"] >= 1)
    refused = subprocess.run(
        [program, "informers", "--server", url, "--informers", "3", "--events", "1"], stderr=subprocess.PIPE, text=True,
        timeout=LIMIT,
    )
    expect("informers, a number that is not a multiple", 1, refused.returncode)


def check_pages(url):
    def page(query):
        with urllib.request.urlopen(f"{url}/api/v1/pods?{query}", timeout=LIMIT) as response:
            return json.load(response)

    first = page("limit=150")
    rest = page(f"limit=150&continue={first['metadata']['continue']}")
    names = {item["metadata"]["name"] for item in first["items"] + rest["items"]}
    expect("replay, pages", (150, PODS, ""), (len(first["items"]), len(names), rest["metadata"]["continue"]))
    expect("replay, a limit at any version", PODS, len(page("limit=150&resourceVersion=0")["items"]))


def check_wedge(program, url):
    (found,) = lines_of(program, "wedge", "--server", url, "--idle-timeout", 0.2)
    expect("wedge", "event", found["result"])
    (missed,) = lines_of(program, "wedge", "--server", url, "--idle-timeout", 0, "--limit", 1)
    expect("wedge that is not noticed", "not within 1 s", missed["result"])


def check_mistakes(program):
    def fails(*words):
        return subprocess.run([program, *map(str, words)], stderr=subprocess.PIPE, stdout=subprocess.PIPE, timeout=LIMIT).returncode != 0

    nowhere = ("--server", "http://127.0.0.1:9")
    for words in (("sync", *nowhere), ("lister", *nowhere), ("wedge", *nowhere), ("informers", *nowhere), ("sync", "--server", ""),
                  ("replay", "--pods", 0), ("wedge", *nowhere, "--limit", -5), ("queue", "--items", 0)):
        expect(f"{' '.join(map(str, words))} fails", True, fails(*words))


def main():
    program = sys.argv[1]
    server = subprocess.Popen(
        [program, "replay", "--pods", str(PODS), "--bytes", "2000", "--namespaces", str(NAMESPACES)],
        stdout=subprocess.PIPE, text=True,
    )
    try:
        url = server.stdout.readline().strip()
        check_sync(program, url)
        check_lister(program, url)
        check_queue(program)
        check_informers(program, url)
        check_pages(url)
        check_wedge(program, url)
        check_mistakes(program)
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
