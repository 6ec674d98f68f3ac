# SPDX-License-Identifier: Apache-2.0
"""What differs from run to run is replaced by tokens: <uid1>, <rv2>, <time>. Within a case equal values have equal tokens,
in the order in which they appear first, so that one sees whether a version has changed."""

import re
import time

UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b")
TIME = re.compile(r"\b2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
AGE = re.compile(r"^(\d+[smhdy]){1,2}$|^<unknown>$")
ADDRESS = re.compile(r"^\d+\.\d+\.\d+\.\d+$")
TOKEN = re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+")  # of a service account
VERSION = re.compile(r"(ResourceVersion in record \()(\d+)")
QUOTED_VERSION = re.compile(r'(resourceVersion\\":\\"|ResourceVersion in object meta: )\d+')  # of an object that an error shows
QUOTED_ADDRESS = re.compile(r'(clusterIPs?(?:\\":\[?\\"|(?:\[\d\])?: Invalid value: "))(\d+\.\d+\.\d+\.\d+)')
OLD_VERSION = re.compile(r"(too old resource version: )\d+ \(\d+\)")
QUOTED_PORT = re.compile(r'([nN]odePort\\":)(3\d{4})')
QUOTED_MANAGED_FIELDS = re.compile(r'(,?)\\"managedFields\\":\[[^\]]*\](,?)')
PORT_NAMES = ("nodePort", "healthCheckNodePort")
PORT = re.compile(r"(?<=:)3\d{4}(?=/)")  # in a cell


class Tokens:
    """The tokens of one case."""

    def __init__(self, started, versioned=True):
        # Times of the recording and of later ones are the server's; those that are sent are older.
        self.started = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(started - 300))
        self.versioned = versioned  # whether two versions of an object can be told apart
        self.given = {}
        self.sent = set()

    def token(self, kind, value):
        if kind == "rv" and not self.versioned:
            return "<rv>"
        if (kind, value) not in self.given:
            number = 1 + len({given for (known, _), given in self.given.items() if known == kind})
            self.given[kind, value] = f"<{kind}{number}>"
        return self.given[kind, value]

    def alias(self, kind, value, known):
        """What stands for one value stands for the other."""
        self.given.setdefault((kind, value), self.token(kind, known))

    def note_sent(self, value):
        """Addresses, ports and names that a client chose stay what they are."""
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            for item in value:
                self.note_sent(item)
        elif isinstance(value, (str, int)):
            self.sent.add(value)

    def text(self, value):
        value = UID.sub(lambda found: self.token("uid", found.group()), value)
        value = TOKEN.sub("<jwt>", value)
        value = QUOTED_MANAGED_FIELDS.sub(lambda found: "," if all(found.groups()) else "", value)
        value = QUOTED_VERSION.sub(r"\1<rv>", value)
        value = QUOTED_ADDRESS.sub(lambda found: found.group(1) + self.address(found.group(2)), value)
        value = QUOTED_PORT.sub(lambda found: found.group(1) + str(self.port(int(found.group(2)))), value)
        value = OLD_VERSION.sub(r"\1<rv> (<rv>)", value)
        value = VERSION.sub(lambda found: found.group(1) + self.token("rv", found.group(2)), value)
        return self.without_times(value)

    def without_times(self, text):
        def of_server(found):
            if found.group() < self.started:
                return found.group()
            return "<microtime>" if found.group(1) else "<time>"

        return TIME.sub(of_server, text)

    def lasting(self, value):
        """A copy of a JSON value without managedFields and the server's times."""
        if isinstance(value, dict):
            return {name: self.lasting(inner) for name, inner in value.items() if name != "managedFields"}
        if isinstance(value, list):
            return [self.lasting(item) for item in value]
        return self.without_times(value) if isinstance(value, str) else value

    def value(self, value, name="", parent=""):
        """A copy of a JSON value with tokens. `name` is the member that holds it, `parent` the one that holds that."""
        if isinstance(value, dict):
            inner = {key: self.value(item, key, name) for key, item in value.items() if key != "managedFields"}
            generated = value.get("generateName") if name == "metadata" else None
            if generated and str(value.get("name", "")).startswith(generated) and value["name"] not in self.sent:
                inner["name"] = generated + "<random>"
            if name == "metadata" and value.get("continue"):
                inner["continue"] = "<continue>"
            return inner
        if isinstance(value, list):
            return [self.value(item, name, parent) for item in value]
        if isinstance(value, str):
            return self.string(value, name, parent)
        if name in PORT_NAMES and isinstance(value, int) and value >= 30000:
            return self.port(value)
        return value

    def port(self, value):
        return value if value in self.sent else self.token("port", value)

    def address(self, value):
        return value if value in self.sent else self.token("ip", value)

    def string(self, value, name, parent):
        if name == "resourceVersion" and parent == "metadata" and value and value != "<rv>" and value not in self.sent:
            return self.token("rv", value)
        if name in ("clusterIP", "clusterIPs", "cells") and ADDRESS.match(value):
            return self.address(value)
        if name == "serverAddress":
            return "<address>"
        if name == "cells" and AGE.match(value):
            return "<age>"
        if name == "cells" and PORT.search(value):
            return PORT.sub(lambda found: str(self.port(int(found.group()))), value)
        return self.text(value)

