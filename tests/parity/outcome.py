# SPDX-License-Identifier: Apache-2.0
"""An answer as lines of text: its code, and how its object differs from what was sent or from what was known; of a table
its columns and rows; of an error its reason, message and causes."""

import json

import cases
import protobuf

# Groups whose errors come in the order of Go's maps, another one each time.
OF_SCHEMAS = ("apiextensions.k8s.io", "parity.example.com")


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def escaped(name):
    return str(name).replace("~", "~0").replace("/", "~1")


def leaves(value, pointer):
    if isinstance(value, dict) and value:
        for name, inner in sorted(value.items()):
            yield from leaves(inner, f"{pointer}/{escaped(name)}")
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{pointer}/{index}")
    else:
        yield f"{pointer}: {compact(value)}"


def difference(base, value, pointer=""):
    """Lines that make value of base: `pointer: value` and `pointer gone`."""
    if isinstance(base, dict) and isinstance(value, dict) and (value or not base):
        for name in sorted(base.keys() | value.keys()):
            inner = f"{pointer}/{escaped(name)}"
            if name not in value:
                yield f"{inner} gone"
            elif name not in base:
                yield from leaves(value[name], inner)
            else:
                yield from difference(base[name], value[name], inner)
    elif isinstance(base, list) and isinstance(value, list) and (value or not base):
        for index in range(max(len(base), len(value))):
            inner = f"{pointer}/{index}"
            if index >= len(value):
                yield f"{inner} gone"
            elif index >= len(base):
                yield from leaves(value[index], inner)
            else:
                yield from difference(base[index], value[index], inner)
    elif type(base) is not type(value) or base != value:
        yield from leaves(value, pointer)


def in_order(lines):
    """Lines of pointers in their order, after the others, which stay as they are."""
    lines = list(lines)
    return [line for line in lines if not line.startswith("/")] + sorted(
        (line for line in lines if line.startswith("/")), key=pointer_order)


def pointer_order(line):
    pointer = line.split(": ", 1)[0].removesuffix(" gone")
    return [(0, int(step), "") if step.isdigit() else (1, 0, step) for step in pointer.split("/")]


class Seen:
    """What a case has seen so far."""

    def __init__(self, tokens, resource=None):
        self.tokens = tokens
        self.resource = resource
        self.objects = {}  # by kind, namespace and name, with tokens
        self.last = None  # the object that was seen last, as the server gave it
        self.first_version = ""
        self.columns = None
        self.bytes = b""

    def note(self, raw):
        """An object came."""
        self.last = raw
        value = self.tokens.value(raw)
        self.objects[identity(value)] = value
        self.first_version = self.first_version or raw.get("metadata", {}).get("resourceVersion", "")

    def known(self, value):
        return self.objects.get(identity(value))


def identity(value):
    metadata = value.get("metadata") or {}
    return (value.get("kind"), metadata.get("namespace"), metadata.get("name"))


def lines(request, answer, sent, seen):
    """The lines of an answer. `sent` is the value of the body, if it is one."""
    text = [str(answer.code)]
    text += [f"warning {seen.tokens.text(warning)}" for warning in answer.warnings]
    expected = request.accept.split(";")[0]
    if answer.type != expected and answer.code < 400:
        text.append(f"type {answer.type}")
    if request.events and answer.code < 400:
        return text + events(answer, seen)
    if answer.type == cases.YAML and answer.code < 400:
        return text + yaml(answer.body.decode(), seen)
    if answer.type == cases.PROTOBUF:
        return text + message(answer.body, seen)
    try:
        value = json.loads(answer.body)
    except ValueError:
        return text + [f"text {compact(answer.body.decode(errors='replace'))}"]
    if not isinstance(value, dict):
        return text + [f"text {compact(value)}"]
    if value.get("kind") == "Status" and answer.code >= 400:
        return text + status(value, seen, sent)
    if value.get("kind") == "Table":
        return text + table(value, seen)
    if "items" in value and str(value.get("kind", "")).endswith("List"):
        return text + listed(value, seen)
    return text + one(request, value, sent, seen)


def one(request, value, sent, seen):
    if value.get("kind") == "SelfSubjectRulesReview":
        # The rules come in the order of Go's maps, another one each time.
        for rules in ("resourceRules", "nonResourceRules"):
            value["status"][rules] = sorted(value["status"].get(rules) or [], key=compact)
    if is_written_for_nothing(value, seen):
        # A version of its own on a server that manages fields, and no write where none are; or of a time, which the server
        # writes anew and which is another one only in another second.
        seen.tokens.alias("rv", value["metadata"]["resourceVersion"], seen.last["metadata"]["resourceVersion"])
    normal = seen.tokens.value(value)
    base = seen.tokens.value(sent) if request.against == "sent" and isinstance(sent, dict) else seen.known(normal)
    if value.get("kind") == "PartialObjectMetadata":
        base = partial(seen, normal)
    elif value.get("kind") != "Status" and "dryRun" not in request.query:
        seen.note(value)
    return in_order(difference(base or {}, normal))


def is_written_for_nothing(value, seen):
    """Whether two states of one object differ in the version, and otherwise in managedFields and the server's times alone."""
    last = seen.last
    if last is None or not value.get("metadata") or identity(value) != identity(last):
        return False
    now, before = ({**state, "metadata": {**state["metadata"], "resourceVersion": ""}} for state in (value, last))
    return now != before and seen.tokens.lasting(now) == seen.tokens.lasting(before)


def partial(seen, normal):
    """The metadata of a known object of any kind, as an object."""
    wanted = identity(normal)[1:]
    for key, known in seen.objects.items():
        if key[1:] == wanted:
            return {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": known["metadata"]}
    return None


def status(value, seen, sent=None):
    """An error. Its message is left out where it only repeats the causes, its details where they only name the object."""
    normal = seen.tokens.value(value)
    details = normal.get("details") or {}
    causes = details.get("causes") or []
    found = [f"reason {normal.get('reason', '')}"]
    described = {name: inner for name, inner in details.items() if name not in ("causes", "uid")}
    if described and not only_names(described, seen, sent):
        found.append(f"details {compact(described)}")
    said = [f"cause {cause.get('reason', '')} {cause.get('field', '')}: {cause.get('message', '')}" for cause in causes]
    found += sorted(said) if described.get("group") in OF_SCHEMAS else said
    texts = [f"{cause.get('field', '')}: {cause.get('message', '')}" for cause in causes]
    whole = texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"
    head, _, rest = normal.get("message", "").partition(" is invalid: ")
    if not causes or rest != whole or head != f"{kind_and_group(details)} \"{details.get('name', '')}\"":
        found.append(f"message {normal.get('message', '')}")
    return [line.replace("\n", "\\n") for line in found]


def only_names(described, seen, sent):
    resource = seen.resource
    named = [value["metadata"].get("name") for value in (sent, seen.last) if isinstance(value, dict) and value.get("metadata")]
    group = {"group": resource.group} if resource and resource.group else {}
    return resource and any(described == {"name": name, **group, "kind": resource.kind} for name in named if isinstance(name, str))


def kind_and_group(details):
    return ".".join(part for part in (details.get("kind", ""), details.get("group", "")) if part)


def without_version(value):
    """The version of a collection counts what others write, too."""
    metadata = dict(value.get("metadata") or {})
    if metadata.get("resourceVersion"):
        metadata["resourceVersion"] = "<rv>"
    return {**value, "metadata": metadata}


def listed(value, seen):
    found = [f"list {value.get('apiVersion')} {value.get('kind')}"]
    metadata = seen.tokens.value(without_version(value)["metadata"], "metadata")
    found += difference({"resourceVersion": "<rv>"}, metadata, "/metadata")
    for index, item in enumerate(value["items"] or []):
        # Items of built-in kinds have no kind and no apiVersion of their own.
        whole = {"kind": value["kind"].removesuffix("List"), "apiVersion": value["apiVersion"], **item}
        normal = seen.tokens.value(whole)
        base = partial(seen, normal) if normal["kind"] == "PartialObjectMetadata" else seen.known(normal)
        found.append(f"item {normal['metadata'].get('name')}" + (" with its kind" if "kind" in item else ""))
        found += difference(base or {}, normal, f"/items/{index}")
    return found


def table(value, seen):
    found = [f"table {value.get('apiVersion')}"]
    metadata = seen.tokens.value(without_version(value)["metadata"], "metadata")
    found += difference({"resourceVersion": "<rv>"}, metadata, "/metadata")
    columns = value.get("columnDefinitions")
    if columns == seen.columns:
        found.append("columns as before")
    else:
        seen.columns = columns
        for column in columns or []:
            found.append("column " + "|".join(str(column.get(name, "")) for name in ("name", "type", "format", "priority")))
            if (text := column.get("description", "")) and of_definition(text, seen):
                found.append(f"description of {column.get('name')}: {text}")
    for row in value.get("rows") or []:
        normal = seen.tokens.value(row)
        inside = normal.pop("object", None)
        found.append(f"row {compact(normal)}")
        found += difference((partial(seen, inside) if inside else None) or {}, inside or {}, "/object")
    return found


def of_definition(text, seen):
    """Whether a definition has given a column its description; those of built-in kinds are documentation."""
    return text in seen.tokens.sent or text.startswith("Custom resource definition column")


def yaml(text, seen):
    """YAML by its text, without managedFields."""
    found, skipping = [], False
    for line in text.splitlines():
        skipping = line == "  managedFields:" or (skipping and line.startswith(("  - ", "   ")))
        if skipping:
            continue
        if line.startswith("  resourceVersion: "):
            version = line.split('"')[1] if '"' in line else line.split(": ")[1]
            line = f'  resourceVersion: "{seen.tokens.token("rv", version)}"'
        elif line.lstrip("- ").startswith(("clusterIP: ", "10.0.0.")) and line.split()[-1] not in seen.tokens.sent:
            address = line.split()[-1]
            line = line.replace(address, seen.tokens.token("ip", address)) if address[0].isdigit() else line
        found.append("| " + seen.tokens.text(line))
    return found


def message(body, seen):
    """Protobuf by the value that it decodes to, and by the numbers of its fields in their order."""
    try:
        value, shape = protobuf.decode(body)
    except (ValueError, KeyError, IndexError, StopIteration) as problem:
        return [f"protobuf that is none: {problem!r}"]
    if value.get("kind") == "Status":
        return status(value, seen)
    normal = seen.tokens.value(value)
    return [f"shape {shape}", *difference(seen.known(normal) or {}, normal)]


def events(answer, seen):
    found = []
    for line in answer.body.splitlines():
        event = json.loads(line)
        inside = event.get("object") or {}
        found.append(f"event {event.get('type')} {inside.get('kind')}")
        if inside.get("kind") == "Status":
            found += status(inside, seen)
        elif inside.get("kind") == "Table":
            found += table(inside, seen)
        else:
            normal = seen.tokens.value(inside)
            found += difference(seen.known(normal) or {}, normal, "/object")
    return found
