#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs kube-bench and the same of client-go and kube-rs in turns, and writes docs/performance.md and its pictures (compare.sh)."""

import argparse
import atexit
import contextlib
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import report

ROOT = Path(__file__).resolve().parent.parent.parent


def say(text):
    print(text, file=sys.stderr, flush=True)


SERVERS = []


def end_servers():
    for server in SERVERS:
        server.kill()


@contextlib.contextmanager
def replay(program, pods, size):
    server = subprocess.Popen(
        [program, "replay", "--pods", str(pods), "--bytes", str(size)], stdout=subprocess.PIPE, text=True
    )
    SERVERS.append(server)
    try:
        url = server.stdout.readline().strip()
        if not url:
            raise SystemExit(f"compare: {program} replay ended")
        yield url
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def run(command):
    """Returns the lines of a command."""
    finished = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in finished.stdout.splitlines()]


def memory_of(process):
    try:
        fields = Path(f"/proc/{process.pid}/statm").read_text().split()
    except OSError:
        return None
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def run_sampled(command, period=0.05):
    """Returns the lines of a command, and its memory over time: (seconds, MB)."""
    samples = []
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    began = time.monotonic()

    def sample():
        while process.poll() is None:
            memory = memory_of(process)
            if memory:
                samples.append((time.monotonic() - began, memory))
            time.sleep(period)

    sampler = threading.Thread(target=sample)
    sampler.start()
    lines = [json.loads(line) for line in process.stdout]
    # What a process gives back while it ends is not of interest.
    ended = time.monotonic() - began
    sampler.join()
    process.stdout.close()
    if process.returncode != 0:
        raise RuntimeError(f"{command} failed")
    return lines, [point for point in samples if point[0] < ended - period]


def system_calls(command):
    """Returns the calls of one run by name, by strace; None without it."""
    if not shutil.which("strace"):
        return None
    with tempfile.NamedTemporaryFile("r") as counts:
        run(["strace", "-c", "-f", "-o", counts.name, *command])
        rows = [line.split() for line in counts]
    return {row[-1]: int(row[3]) for row in rows if len(row) >= 5 and row[3].isdigit()}


def add(results, side, lines, kind=""):
    """Files the numbers of lines by what they are of."""
    for line in lines:
        where = tuple(str(line[name]) for name in ("bench", "phase", "operation") if name in line)
        where = (where[0] + kind, *where[1:])
        for name, value in line.items():
            if isinstance(value, (int, float)):
                results.setdefault((where, name), {}).setdefault(side, []).append(value)


class Wedges(threading.Thread):
    """Both sides' wedge, beside all else: they wait, and need next to no processor."""

    def __init__(self, sides, limit):
        super().__init__(daemon=True)
        self.sides, self.limit, self.results = sides, limit, {}

    def one(self, side, program):
        with replay(self.sides["kube-cpp"], 200, 2000) as url:
            self.results[side] = run([program, "wedge", "--server", url, "--limit", self.limit])[0]

    def run(self):
        workers = [threading.Thread(target=self.one, args=side, daemon=True) for side in self.sides.items()]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()


def rounds(sides, url, options, results, loads):
    json_sides = sides | ({"kube-rs": options.kube_rs} if options.kube_rs else {})
    commands = (
        ("", sides, ["sync", "--events", options.storm]),
        (" JSON", json_sides, ["sync", "--json", "--events", options.storm]),
        ("", sides, ["lister", "--events-a-second", options.rate]),
        ("", sides, ["queue"]),
        ("", sides, ["informers", "--events", options.storm]),
    )
    for turn in range(options.rounds):
        for kind, runners, command in commands:
            # Each is the first one in every other round.
            for side, program in sorted(runners.items(), reverse=turn % 2 == 1):
                say(f"round {turn + 1} of {options.rounds}: {side} {' '.join(map(str, command))}")
                server = [] if command[0] == "queue" else ["--server", url]
                loads.append(os.getloadavg()[0])
                add(results, side, run([program, *command, *server]), kind)


def sizes(sides, options):
    """Returns {side: {pods: line}} of a sync of each size."""
    results = {side: {} for side in sides}
    for pods in options.sizes:
        with replay(sides["kube-cpp"], pods, options.bytes) as url:
            for side, program in sides.items():
                if side != "kube-cpp" and pods > options.peer_limit:
                    continue
                say(f"{side}: a sync of {pods:,} pods")
                results[side][pods] = run([program, "sync", "--server", url])[0]
    return results


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("rounds", nargs="?", type=int, default=3)
    parser.add_argument("--peer", help="client-go's program")
    parser.add_argument("--kube-rs", help="kube-rs' program, which has a sync in JSON alone")
    parser.add_argument("--pods", type=int, default=100_000)
    parser.add_argument("--bytes", type=int, default=8_500)
    parser.add_argument(
        "--sizes", type=lambda text: [int(word) for word in text.split(",")], default=[1_000, 10_000, 100_000, 500_000]
    )
    parser.add_argument("--peer-limit", type=int, default=200_000, help="client-go is left out above so many pods")
    parser.add_argument("--rate", type=int, default=10_000, help="events a second beside the reads")
    parser.add_argument("--storm", type=int, default=200_000, help="the events of a storm")
    parser.add_argument("--limit", type=int, default=120, help="the seconds of wedge")
    parser.add_argument("--to", type=Path, default=ROOT / "docs")
    return parser.parse_args()


def measure(options):
    """Returns everything that was measured."""
    sides = {"kube-cpp": options.program}
    if options.peer:
        sides["client-go"] = options.peer
    loads = []
    wedges = Wedges(sides, options.limit)
    wedges.start()
    results, calls, memory = {}, {}, {}
    with replay(options.program, options.pods, options.bytes) as url:
        rounds(sides, url, options, results, loads)
        for side, program in sides.items():
            say(f"{side}: memory over time")
            memory[side] = run_sampled([program, "sync", "--server", url, "--events", options.storm])
            say(f"{side}: system calls")
            calls[side] = system_calls([program, "sync", "--server", url])
    by_size = sizes(sides, options)
    wedges.join()
    medians = {key: {side: statistics.median(values) for side, values in of.items()} for key, of in results.items()}
    return {
        "medians": medians, "calls": calls, "memory": memory, "sizes": by_size, "wedge": wedges.results, "options": options,
        "loads": loads,
    }


def main():
    options = arguments()
    atexit.register(end_servers)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    measured = measure(options)
    (options.to).mkdir(parents=True, exist_ok=True)
    report.write(measured, ROOT, options.to)


if __name__ == "__main__":
    main()
