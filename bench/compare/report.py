# SPDX-License-Identifier: Apache-2.0
"""docs/performance.md and its pictures, of what compare.py has measured."""

import os
import platform
import re
import subprocess

import picture

SIDES = ("kube-cpp", "client-go")
JSON_SIDES = (*SIDES, "kube-rs")


def output_of(*command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def first_match(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    return found.group(1) if found else "unknown"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def facts(root, loads):
    """The versions, and the machine."""
    memory = int(first_match(r"^MemTotal: *(\d+)", read("/proc/meminfo"))) / 1024 / 1024
    rows = [
        ("kube-cpp", first_match(r"^  VERSION ([\d.]+)", read(root / "CMakeLists.txt"))
         + f", commit {output_of('git', '-C', str(root), 'rev-parse', '--short=12', 'HEAD')}"),
        ("GCC", output_of("g++", "-dumpfullversion") + ", the preset `release` (-O2)"),
        ("client-go", first_match(r"k8s.io/client-go (v[\d.]+)", read(root / "bench/peers/informers/go.mod"))),
        ("Go", output_of("go", "env", "GOVERSION").removeprefix("go") or "none"),
        ("kube-rs", first_match(r'^name = "kube"\nversion = "(.*)"', read(root / "bench/peers/kube-rs/Cargo.lock"))),
        ("Rust", output_of("rustc", "--version").removeprefix("rustc ").partition(" ")[0] or "none"),
        ("kernel", f"Linux {platform.release()}, {platform.machine()}"),
        ("processors", f"{os.cpu_count()}, {first_match(r'^model name[^:]*: (.*)', read('/proc/cpuinfo'))}"),
        ("memory", f"{memory:.0f} GiB"),
        ("load average while it ran", f"{min(loads):.1f} to {max(loads):.1f}"),
    ]
    return "\n".join(["| what | version |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in rows)])


def number(value):
    """Three digits."""
    if value is None:
        return "-"
    if value >= 1000:
        return f"{round(value, 3 - len(str(int(value)))):,.0f}"
    if value >= 100 or value == int(value):
        return f"{value:.0f}"
    return f"{value:.3g}" if value >= 0.001 else "0.001 or less"


def row(name, values, unit="", sides=SIDES):
    """A line of a table: our side, and each peer with how many times as much it has."""
    ours = values.get(sides[0])
    cells = [name, number(ours) + unit]
    for side in sides[1:]:
        peer = values.get(side)
        cells += ["-" if peer is None else number(peer) + unit, number(peer / ours) if ours and peer is not None else "-"]
    return f"| {' | '.join(cells)} |"


def time_row(name, values):
    """The same of nanoseconds, in the unit that fits ours."""
    ours = values.get(SIDES[0], 0)
    scale, unit = next((pair for pair in ((1e6, " ms"), (1e3, " us")) if ours >= pair[0]), (1, " ns"))
    return row(name, {side: value / scale for side, value in values.items()}, unit)


def table(what, rows, sides=SIDES):
    peers = "".join(f" {side} | ratio |" for side in sides[1:])
    return "\n".join([f"| {what} | {sides[0]} |{peers}", "| --- | ---: |" + " ---: | ---: |" * len(sides[1:]), *rows])


PHASE_FIELDS = (
    ("wall_s", "time", " s"), ("cpu_s", "processor time", " s"), ("kernel_s", "of it in the kernel", " s"),
    ("page_faults", "page faults", ""), ("rss_mb", "memory after it", " MB"), ("peak_mb", "peak of the memory", " MB"),
)


def phase_rows(medians, bench, phase, more=(), sides=SIDES):
    rows = []
    for field, name, unit in (*PHASE_FIELDS, *more):
        if ((bench, phase), field) in medians:
            rows.append(row(f"{phase}: {name}", medians[((bench, phase), field)], unit, sides))
    return rows


def sync_section(medians, kind, sides=SIDES):
    rows = [line for phase in ("sync", "storm") for line in phase_rows(medians, "sync" + kind, phase, sides=sides)]
    return table("phase: cost", rows, sides)


def sync_json_section(medians):
    if not any("kube-rs" in values for values in medians.values()):
        return "kube-rs is not measured.\n\n" + sync_section(medians, " JSON")
    return (
        "kube-rs, which has no protobuf, is measured only here (`bench/peers/kube-rs`): a reflector with its store, and the\n"
        "watcher's default, a list in pages of 500 pods. The others ask for a list at any version, which comes whole.\n\n"
        + sync_section(medians, " JSON", JSON_SIDES)
    )


LISTER = (
    ("get", "get"), ("two_loads", "what a get needs at least"), ("by_index", "by_index, {} pods of a namespace"),
    ("list", "list, {} pods"),
    ("selector", "a label, by an index, {} pods"), ("selector_scan", "a label without an index, {} pods"),
)


def lister_section(medians):
    rows = []
    for phase in ("idle", "storm"):
        for operation, name in LISTER:
            where = ("lister", phase, operation)
            found = medians.get((where, "found"), {}).get(SIDES[0])
            if found is None:
                continue
            for field, percentile in (("p50_ns", "median"), ("p99_ns", "p99"), ("p999_ns", "p99.9")):
                # Of some dozens of calls there is no such percentile.
                if percentile != "median" and medians[(where, "calls")][SIDES[0]] < 1000:
                    continue
                what = f"{phase}: {name.format(number(round(found)))}: {percentile}"
                rows.append(time_row(what, medians[(where, field)]))
    return table("read", rows)


def queue_section(medians):
    names = {
        "repeated": "1,000 keys, again and again, one thread", "burst": "1,000,000 keys added, then taken, one thread",
        "workers": "1,000,000 keys added by one thread, taken by four",
    }
    rows = []
    for phase, name in names.items():
        for field, what in (("cpu_ns_per_item", "processor time"), ("wall_ns_per_item", "time")):
            if (("queue", phase), field) in medians:
                rows.append(row(f"{name}: {what} a key", medians[(("queue", phase), field)], " ns"))
    return table("queue", rows)


def calls_section(calls):
    rows = []
    for name in ("futex", "mprotect", "mmap", "munmap", "madvise"):
        values = {side: float(of.get(name, 0)) for side, of in calls.items() if of}
        if values:
            rows.append(row(f"`{name}`", values))
    return table("calls", rows) if rows else "strace was not there."


def sizes_section(sizes):
    rows = []
    for pods in sorted({pods for of in sizes.values() for pods in of}):
        for field, name, unit in (("cpu_s", "processor time", " s"), ("rss_mb", "memory after it", " MB"), ("peak_mb", "peak", " MB")):
            rows.append(row(f"{pods:,} pods: {name}", {side: of[pods][field] for side, of in sizes.items() if pods in of}, unit))
    return table("sync of", rows)


def wedge_section(wedge):
    texts = []
    for side in SIDES:
        if side in wedge:
            result = wedge[side]
            came = f"{result['wall_s']:.1f} s" if result["result"] == "event" else result["result"]
            texts.append(f"| {side} | {came} |")
    return "\n".join(["| side | the event came after |", "| --- | ---: |", *texts])


def draw(measured, folder, options):
    styles = dict(zip(SIDES, ("a", "b")))
    lines = [(side, styles[side], points) for side, (_, points) in measured["memory"].items()]
    title = f"Memory of an informer of {options.pods:,} pods: sync, then a storm of {options.storm:,} events"
    text = picture.picture([(title, "seconds since the start of the process", "resident memory, MB", lines, False)], title)
    (folder / "performance-memory.svg").write_text(text)
    charts = []
    for title, field, unit in (("Processor time of a sync", "cpu_s", "seconds"), ("Memory after a sync", "rss_mb", "MB")):
        lines = [
            (side, styles[side], [(pods, line[field]) for pods, line in sorted(of.items())])
            for side, of in measured["sizes"].items() if of
        ]
        charts.append((title, "pods", unit, lines, True))
    (folder / "performance-objects.svg").write_text(picture.picture(charts, "Processor time and memory of a sync against the number of pods"))


PAGE = """# Performance

`./dev bench compare [ROUNDS]` runs `kube-bench` and the same program of client-go (`bench/peers/informers/bench`) in turns on
one server, and writes this page: the medians of the rounds ({rounds}), and as the ratio how many times as much the peer takes. The
server, `kube-bench replay`, has {pods:,} pods of {bytes:,} bytes in JSON in 200 namespaces, and sends them over HTTP/1.1 on a loopback port, in
a process of its own. Responses are in protobuf unless it says JSON. `kube-bench sync|lister|informers --kubeconfig FILE` measures the
same of a cluster of one's own, without storms; each prints lines of JSON.

The processors are shared with the server and with whatever else the machine does. Where the load average is above their number,
times on the clock and high percentiles are those of the scheduler as well, and processor times vary from run to run, too: then the
ratios are a first impression, to be measured again on a quiet machine.

{facts}

## Sync and storm

An informer with one handler, from its start until the handler has all pods, and then {storm:,} MODIFIED events as fast as the
informer takes them. "Memory after it" is that of 2.5 s later.

{sync}

In JSON. {sync_json}

![Memory over time](performance-memory.svg)

The system calls of one process with one sync, by `strace -c -f`:

{calls}

## Cost against the number of objects

One sync of each size.{left_out}

{sizes}

![Cost against the number of objects](performance-objects.svg)

## Reads

Reads of one thread on the informer's cache, each for a second, idle and beside a storm of {rate:,} events a second. What reading the
clock takes is taken off. "A label, by an index" is a selector of the lister on `index_by_label()`, and `ByIndex()` of an index function in
client-go. client-go's calls return pods that are decoded; ours return handles, and a pod is decoded at its first use. "What a get needs
at least" is a load from a table of four bytes an object, one from the object that it names, and a count there up and down: each object's
owner needs it ([decision 37](decisions/0037-a-cell-is-a-head-and-a-body.md)).

{lister}

## Queue

Keys are added, taken and done.

{queue}

## Many informers

{informers} informers in one process, one for each namespace, with a handler each. Over HTTP/1.1 a watch has a connection of its own; on a
server with HTTP/2 watches share some.

{many}

## A watch that falls silent

The server keeps the watch open and sends nothing more; then something changes. `InformerOptions::watch_idle_timeout` is 90 s;
client-go waits until the time is over that it has asked for, five to ten minutes.

{wedge}
"""


def write(measured, root, folder):
    options, medians = measured["options"], measured["medians"]
    more = (("threads", "threads", ""), ("connections", "connections", ""))
    peer_sizes = measured["sizes"].get("client-go")
    missing = [f"{pods:,}" for pods in options.sizes if peer_sizes is not None and pods not in peer_sizes]
    left_out = ""
    if missing and peer_sizes:
        largest = max(peer_sizes)
        needed = peer_sizes[largest]["rss_mb"] / 1000 * max(options.sizes) / largest
        left_out = (
            f" client-go was not run at {', '.join(missing)} pods: in proportion to its memory at {largest:,} it would hold about"
            f" {needed:.0f} GB there."
        )
    page = PAGE.format(
        rounds=options.rounds, pods=options.pods, bytes=options.bytes, facts=facts(root, measured["loads"]), sync=sync_section(medians, ""),
        sync_json=sync_json_section(medians), calls=calls_section(measured["calls"]), left_out=left_out,
        sizes=sizes_section(measured["sizes"]), rate=options.rate, storm=options.storm, lister=lister_section(medians), queue=queue_section(medians),
        informers=200, many=table("phase: cost", phase_rows(medians, "informers", "sync", more) + phase_rows(medians, "informers", "storm", more)),
        wedge=wedge_section(measured["wedge"]),
    )
    (folder / "performance.md").write_text(page)
    draw(measured, folder, options)
