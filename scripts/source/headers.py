# SPDX-License-Identifier: Apache-2.0
"""Declarations of C++ sources with the comments that belong to them.

Not a parser of C++: it knows the shapes that clang-format leaves in this repository. `declarations(text)` gives what a
header offers (public, and outside of namespaces called detail), `functions(text)` the bodies of functions.
"""
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Declaration:
    line: int  # of its first token
    kind: str  # "class", "function", "variable", "alias", "enum", "macro", "concept"
    name: str
    text: str  # without comments and bodies, in one line
    comment: str  # directly above it, and beside it in its own lines
    paragraph: str  # all comments of its group: the declarations around it without an empty line
    owner: "Declaration | None" = None  # the class it is a member of
    members: list = field(default_factory=list)
    last: int = 0  # the line of its last token
    defined: bool = False  # of a class: with its members

    def full_name(self):
        return f"{self.owner.full_name()}::{self.name}" if self.owner else self.name


def tokens(text):
    """(kind, text, line) of comments, preprocessor lines, strings, and other characters one by one."""
    pattern = re.compile(
        r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<directive>(?:^|(?<=\n))[ \t]*#(?:[^\n\\]|\\.|\\\n)*)'
        r'|(?P<raw>R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)")|(?P<string>"(?:[^"\\\n]|\\.)*")'
        r"|(?P<char>(?<![0-9A-Za-z_])'(?:[^'\\\n]|\\.)+')|(?P<word>[A-Za-z_0-9']+)|(?P<space>[ \t]+)|(?P<line>\n)|(?P<other>.)",
        re.DOTALL)
    line = 1
    for match in pattern.finditer(text):
        kind = match.lastgroup if match.lastgroup != "tag" else "raw"
        yield kind, match.group(), line
        line += match.group().count("\n")


def _classify(statement):
    """(kind, name) of a declaration."""
    bare = re.sub(r"^template ?<", "<", statement)
    while bare.startswith("<"):
        depth = 0
        for i, c in enumerate(bare):
            depth += (c == "<") - (c == ">" and bare[i - 1] != "-")
            if depth == 0:
                break
        bare = bare[i + 1:].strip()
        bare = re.sub(r"^requires ?\((?:[^()]|\([^()]*\))*\)(?:&&)?", "", bare).strip()
        bare = re.sub(r"^template ?<", "<", bare)
    bare = re.sub(r"\[\[[^\]]*\]\] ?", "", bare)
    if match := re.match(r"(?:class|struct|union) (?:KUBE_\w+(?:\([^)]*\))? )?([\w:]+)( ?<)?", bare):
        if not re.search(r"[)(]", bare.split(":")[0].replace(match.group(0), "")):
            return ("specialization" if match.group(2) else "class"), match.group(1)
    if match := re.match(r"enum (?:class )?(\w+)", bare):
        return "enum", match.group(1)
    if match := re.match(r"using (\w+) ?=", bare):
        return "alias", match.group(1)
    if match := re.match(r"concept (\w+)", bare):
        return "concept", match.group(1)
    if re.match(r"(using|typedef|friend class|friend struct|static_assert|template|extern template|namespace)\b", bare):
        return "other", ""
    for match in re.finditer(r"(~?[A-Za-z_]\w*|operator ?(?:\(\)|[^\s(\w]+|bool|[A-Z]\w*)) ?\(", bare):
        before = bare[:match.start()]
        if match.group(1).startswith("operator"):
            return ("definition" if before.endswith("::") else "function"), match.group(1).replace(" ", "")
        if before.replace("->", "").count("<") > before.replace("->", "").count(">"):
            continue  # the signature in std::function<void(int)>
        if "=" in before:
            break
        return ("definition" if before.endswith("::") else "function"), match.group(1)
    names = re.match(r"(.*?)[\s&*]([A-Za-z_]\w*)(?: KUBE_\w+\(\w+\))?\s*(?:\[[^\]]*\])?\s*(?:$|=|\{)", bare)
    return "variable", names.group(2) if names else ""


_FUNCTIONS = ("function", "definition")  # a definition is that of a member outside of its class
_OPENERS = {"(": ")", "[": "]", "{": "}"}


def declarations(text, everything=False):
    """The public declarations at namespace scope, classes with their public members.

    With `everything` also those in namespaces called detail and the private ones.
    """
    result = []
    flat = []  # in order, members too
    # Of each scope: kind ("namespace", "class", "hidden"), whether what is in it is public, the class.
    scopes = [("namespace", True, None)]
    comments = {}  # line -> text
    statement, start, previous = "", 0, 0
    nested = []  # brackets that are open inside of the statement
    skip = None  # depth of braces in a body
    skip_at = 0
    ends_after = False  # whether the statement ends with the body
    blank = set()
    code_lines = set()
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            blank.add(number)

    def finish(line):
        nonlocal statement, start
        words = re.sub(r"\s+", " ", statement).strip()
        statement = ""
        if words:
            kind, name = _classify(words)
            scope, public, owner = scopes[-1]
            if scope in ("namespace", "class") and (public or everything) and kind not in ("other", "definition"):
                declaration = Declaration(start, kind, name, words, "", "", owner, last=line)
                (owner.members if owner else result).append(declaration)
                flat.append(declaration)
                return declaration
        return None

    for kind, token, line in tokens(text):
        if kind == "comment":
            if skip is None:
                comments[line] = (comments.get(line, "") + " " + token).strip()
            continue
        if kind in ("line", "space"):
            if statement and skip is None:
                statement += " "
            continue
        if kind == "directive":
            if skip is None and (match := re.match(r"\s*#define (KUBE_\w+)", token)):
                declaration = Declaration(line, "macro", match.group(1), token, "", "", None, last=line)
                result.append(declaration)
                flat.append(declaration)
            continue
        if skip is not None:
            skip += (token == "{") - (token == "}")
            if skip == 0:
                skip = None
                if ends_after:
                    finish(line)
                else:
                    statement += "{}"
            continue
        code_lines.add(line)
        if not statement.strip():
            start = line
        if nested:
            statement += token
            if token in _OPENERS:
                nested.append(_OPENERS[token])
            elif token == nested[-1]:
                nested.pop()
            continue
        if token in "([" and len(token) == 1:
            statement += token
            nested.append(_OPENERS[token])
            continue
        if token == ";":
            finish(line)
            continue
        if token == ":" and statement.strip() in ("public", "private", "protected"):
            scope, _, owner = scopes[-1]
            outer = scopes[-2][1] if len(scopes) > 1 else True
            scopes[-1] = (scope, statement.strip() == "public" and outer, owner)
            statement = ""
            continue
        if token == "{":
            words = re.sub(r"\s+", " ", statement).strip()
            if re.match(r"(inline )?namespace\b", words):
                hidden = bool(re.search(r"\bdetail\b", words)) or words == "namespace"
                scopes.append(("namespace", scopes[-1][1] and not hidden, None))
                statement = ""
                continue
            declared, name = _classify(words) if words else ("", "")
            if declared in ("class", "specialization") and not re.search(r"[=(]\s*$", words):
                declaration = finish(line)
                is_struct = re.search(r"\b(struct|union)\b", words) is not None
                hidden = declaration is None
                if declaration:
                    declaration.defined = True
                public = scopes[-1][1] and not hidden
                scopes.append(("class" if not hidden else "hidden", public and is_struct, declaration))
                if everything:
                    scopes[-1] = ("class", True, declaration)
                statement = ""
                continue
            if declared == "enum":
                skip, ends_after = 1, False
                continue
            # The body of a function comes behind a space, a brace initializer behind what it initializes.
            is_body = declared in _FUNCTIONS and re.search(r"(\)|\b\w+|[>}&*])$", words) and statement.endswith(" ")
            skip, ends_after = 1, bool(is_body)
            continue
        if token == "}":
            if statement.strip():
                finish(line)
            if len(scopes) > 1:
                scopes.pop()
            statement = ""
            continue
        statement += token

    _attach(flat, comments, code_lines, blank)
    return result if not everything else flat


def _attach(flat, comments, code_lines, blank):
    """Gives declarations their comments: a comment alone in its line belongs to what is below."""
    starts = {}
    for declaration in flat:
        starts.setdefault(declaration.line, declaration)
    for declaration in flat:
        above = []
        line = declaration.line - 1
        while line in comments and line not in code_lines:
            above.insert(0, comments[line])
            line -= 1
        beside = [comments[n] for n in range(declaration.line, declaration.last + 1) if n in comments and n in code_lines]
        following = declaration.last + 1
        while following in comments and following not in code_lines and comments[following].startswith("///<"):
            beside.append(comments[following])
            following += 1
        declaration.comment = "\n".join(above + beside if declaration.kind != "class" else above)
        first = declaration.line
        while first - 1 > (declaration.owner.last if declaration.owner else 0) and first - 1 not in blank:
            first -= 1
        declaration.paragraph = "\n".join(comments[n] for n in range(first, declaration.last + 1) if n in comments)


def functions(text):
    """(name, first line, number of lines) of each function with a body, from its head to its end."""
    found = []
    stack = []  # (is function, first line, name)
    statement, start = "", 0
    nested = []
    for kind, token, line in tokens(text):
        if kind in ("comment", "directive"):
            continue
        if kind in ("line", "space"):
            statement += " " if statement else ""
            continue
        if not statement.strip():
            start = line
        inside = any(entry[0] for entry in stack)
        if not inside and token in ("(", "["):
            nested.append(token)
        elif not inside and token in (")", "]") and nested:
            nested.pop()
        if nested:
            statement += token
            continue
        if token == "{":
            words = re.sub(r"\s+", " ", statement).strip()
            declared, name = ("", "")
            if not inside and not re.match(r"(inline )?namespace\b", words) and words:
                declared, name = _classify(words)
            body = declared in _FUNCTIONS and statement.endswith(" ") and not re.search(r"=\s*$", words)
            stack.append((body, start, name))
            if not inside:
                if declared in _FUNCTIONS and not body or declared == "variable":
                    statement += "{"  # an initializer: the declaration goes on
                else:
                    statement = ""
            continue
        if token == "}":
            if stack:
                body, first, name = stack.pop()
                if body:
                    found.append((name, first, line - first + 1))
                    statement = ""
                elif not inside and statement.strip().endswith("{"):
                    statement += "}"
                    continue
            if not inside:
                statement = ""
            continue
        if inside:
            continue
        if token == ";":
            statement = ""
            continue
        statement += token
    return found


def our_files(*patterns):
    """Files of the repository by git's patterns, those not yet added included."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
                            check=True, capture_output=True, text=True).stdout.split("\n")
    return sorted({name for name in listed if name and Path(name).is_file()})


LISTS = Path("scripts/source")


def entries(name):
    """The lines of a list beside the scripts: {first column: the rest}; comments and empty lines left out."""
    path = LISTS / name
    found = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.strip() and not line.startswith("#"):
            key, _, reason = line.partition("\t")
            found[key.strip()] = reason.strip()
    return found


def module_of(path):
    return path.split("/")[1] if path.startswith("modules/") else ""


def public_headers():
    """Headers that users may include one by one: not those in detail/."""
    return [name for name in our_files("modules/*/include/*.hpp") if "/detail/" not in name]


def all_members(found):
    for declaration in found:
        yield declaration
        yield from all_members(declaration.members)
