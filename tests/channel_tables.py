#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of channels in doc/models.md, as Markdown; check-documents.py holds the document to them.

usage: channel_tables.py LINKAGE MODELS"""
import json
import re
import subprocess
import sys

CARS = ("sedan", "strut-car", "iltis", "damper-rig", "four-post")
CORNER = re.compile(r"_(fl|fr|rl|rr|l|r)$")


def groups(channels):
    """Channels of the same kind at several corners stand in one line: names, and the first of them."""
    found = {}
    for channel in channels:
        is_at_corner = CORNER.search(channel["name"]) is not None
        kind = (CORNER.sub("", channel["name"]), is_at_corner,
                json.dumps({k: v for k, v in channel.items() if k not in ("name", "offset")}))
        found.setdefault(kind, []).append(channel)
    for alike in found.values():
        rest = [f"`{CORNER.search(c['name']).group(0)}`" for c in alike[1:]]
        yield ", ".join([f"`{alike[0]['name']}`"] + rest), alike[0]


def components(channel):
    """Those that follow each other in one unit share it, as linkage check prints them."""
    text, names, units = "", channel["components"], channel["units"]
    for i, name in enumerate(names):
        text += f"{name} " if name else ""
        if i + 1 == len(names) or units[i + 1] != units[i]:
            text += f"[{units[i]}] "
    return text.rstrip()


def number(value, free):
    return free if value is None else f"{value:g}"


def table(linkage, path):
    model = json.loads(subprocess.run([linkage, "check", "--json", path], check=True, capture_output=True).stdout)
    yield "| input | type | unit | limits | a second, at most | at the start |\n| --- | --- | --- | --- | --- | --- |"
    for name, c in groups(model["inputs"]):
        yield (f"| {name} | {c['type']} | {components(c)} | {number(c['low'], 'none')} to {number(c['high'], 'none')} | "
               f"{number(c['rate'], 'any')} | {c['initial']:g} |")
    yield "\n| output | type | components |\n| --- | --- | --- |"
    for name, c in groups(model["outputs"]):
        yield f"| {name} | {c['type']} | {components(c)} |"


def tables(linkage, models):
    return "\n".join(f"### {car}\n\n" + "\n".join(table(linkage, f"{models}/{car}.yaml")) + "\n" for car in CARS)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__), sys.exit(2)
    print(tables(*sys.argv[1:]), end="")
