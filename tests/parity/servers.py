# SPDX-License-Identifier: Apache-2.0
"""The two servers: kube-apiserver of `./dev cluster`, and the embedded one of kubecpp."""

import contextlib
import itertools
import json
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import client
import kinds
import schema
from cases import Case

DEV = schema.ROOT / "dev"
FLAGS = ["--allow-privileged=true"]


@contextlib.contextmanager
def embedded(kubecpp):
    """One that is started for this and stopped after it."""
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = Path(folder) / "kubeconfig"
        command = [kubecpp, "apiserver", "--listen", "127.0.0.1:0", "--kubeconfig-out", str(kubeconfig)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + client.LIMIT
            while not (kubeconfig.exists() and kubeconfig.stat().st_size):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"parity: {' '.join(command)} did not start")
                time.sleep(0.01)
            yield client.Server(kubeconfig)
        finally:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def real():
    """The one of `./dev cluster`, which is started, and stopped after it, when it does not run. Pods may be privileged on
    it, as on most clusters."""
    running = subprocess.run([DEV, "cluster", "status"], stdout=subprocess.DEVNULL, check=False).returncode == 0
    up = subprocess.run([DEV, "cluster", "up", "--", *FLAGS], stdout=subprocess.PIPE, text=True, check=True)
    kubeconfig = up.stdout.strip()
    flags = Path(kubeconfig).with_name("apiserver.flags")
    if not flags.exists() or flags.read_text().split() != FLAGS:
        raise SystemExit(f"parity: the cluster runs without {' '.join(FLAGS)}; ./dev cluster down")
    try:
        yield client.Server(kubeconfig)
    finally:
        if not running:
            subprocess.run([DEV, "cluster", "down"], check=True)


def version(server):
    return json.loads(server.send("GET", "/version", None, {}).body)["gitVersion"]


def make_namespaces(server):
    """Each kind has a namespace of its own, so that what one makes does not meet another's requests."""
    for resource in schema.resources():
        body = json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": kinds.namespace_of(resource)}})
        answer = server.send("POST", "/api/v1/namespaces", body, {"Content-Type": "application/json"})
        if answer.code not in (201, 409):
            raise SystemExit(f"parity: the namespace of {resource.key}: {answer.code} {answer.body.decode()}")


def run(server, suites, workers=2, progress=None):
    """What each suite's requests are answered: {key: {name: (hash, lines)}}."""
    started = time.time()
    make_namespaces(server)

    def run_suite(suite):
        # What a run that was ended has left.
        client.Runner(server.clone(), started).run(Case(tuple(suite.sweep)))
        runner = client.Runner(server.clone(), started)
        found = {}
        for case in suite.cases:
            for request, lines in runner.run(case):
                found[request.name] = (request.hash(), lines)
        if progress:
            progress(suite, found)
        return suite.key, found

    def run_kind(parts):
        # One after the other: they share a namespace.
        return [run_suite(part) for part in parts]

    kinds_of = [list(parts) for _, parts in itertools.groupby(suites, lambda suite: suite.key.partition(" ")[0])]
    with ThreadPoolExecutor(workers) as pool:
        return dict(itertools.chain.from_iterable(pool.map(run_kind, kinds_of)))
