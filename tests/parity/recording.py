# SPDX-License-Identifier: Apache-2.0
"""Recordings as text: one file a kind, equal outcomes once, each with the requests that had it.

    # apps/v1/Deployment, kube-apiserver v1.37.1
    base
      201
      /spec/replicas: 1
    outcome
      - /spec/replicas: 1
      + /spec/replicas gone
      : 1f00ba create spec.replicas=null

The outcome of `create minimal` is the base. One with lines that begin with + and - is the base with these lines and without
those; one without is as it stands. What follows a colon is the hash of a request, and its name.
"""

from dataclasses import dataclass

from outcome import in_order


BASE = "create minimal"


@dataclass
class Recording:
    version: str
    outcomes: dict  # the name of a request: (hash, lines)


def write(path, key, version, outcomes):
    groups = {}
    for name, (digest, lines) in outcomes.items():
        groups.setdefault(tuple(lines), []).append((digest, name))
    base = tuple(outcomes[BASE][1]) if BASE in outcomes else ()
    text = [f"# {key}, kube-apiserver {version}"]
    groups = {folded(lines): requests for lines, requests in groups.items()}
    base = folded(base)
    for lines, requests in sorted(groups.items(), key=lambda group: group[0] != base):
        if lines == base:
            text += ["base", *("  " + line for line in lines)]
        else:
            text += ["outcome", *("  " + line for line in shorter(base, lines))]
        text += [f"  : {digest} {name}" for digest, name in requests]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")


def folded(lines):
    """Code and reason of an error in one line."""
    return (f"{lines[0]} {lines[1][7:]}", *lines[2:]) if len(lines) > 1 and lines[1].startswith("reason ") else tuple(lines)


def unfolded(lines):
    code, _, reason = lines[0].partition(" ") if lines else ("", "", "")
    return [code, f"reason {reason}", *lines[1:]] if code.isdigit() and int(code) >= 400 and " " in lines[0] else lines


def shorter(base, lines):
    """The lines as they are, or as a change of those of the base, whichever is less."""
    change = [f"- {line}" for line in base if line not in lines] + [f"+ {line}" for line in lines if line not in base]
    if change and sum(map(len, change)) < sum(map(len, lines)) and applied(base, change) == list(lines):
        return change
    return list(lines)


def applied(base, change):
    gone = {line[2:] for line in change if line.startswith("- ")}
    return in_order([line for line in base if line not in gone] + [line[2:] for line in change if line.startswith("+ ")])


def read(path):
    head, *rest = path.read_text(encoding="utf-8").split("\n")
    recording = Recording(head.rsplit(" ", 1)[1], {})
    base, lines, names, heading = [], [], [], ""

    def close():
        nonlocal base
        whole = list(lines)
        if whole and all(line.startswith(("- ", "+ ")) for line in whole):
            whole = applied(base, whole)
        base = whole if heading == "base" else base
        whole = unfolded(whole)
        for digest, name in names:
            recording.outcomes[name] = (digest, whole)

    for line in rest:
        if line in ("base", "outcome"):
            close()
            lines, names, heading = [], [], line
        elif line.startswith("  : "):
            digest, name = line[4:].split(" ", 1)
            names.append((digest, name))
        elif line:
            lines.append(line[2:])
    close()
    return recording
