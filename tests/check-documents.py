#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documents and the tree agree.

Every *.md: the links that it has lead to a file of the tree, and to a heading where they name one; so do paths in
backquotes that begin with a folder of the tree. README.md has at most 180 lines. Models and configurations in
README.md and config/README.md are good. Commands of our programs, in blocks and in backquotes, have commands and options
that the program's --help has. doc/models.md has the channels that its models have.

usage: check-documents.py ROOT PROGRAM...
"""
import functools
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import channel_tables

FOLDERS = ("config", "core", "daemon", "doc", "proto", "systemd", "tests", "tools")
README_LINES_MAX = 180

root, *programs = sys.argv[1:]
programs = {os.path.basename(path): path for path in programs}
linkage, linkaged = programs["linkage"], programs["linkaged"]
faults = []


def documents():
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith((".", "build")) and f != "node_modules"
                      and (folder != root or f in FOLDERS)]
        for name in files:
            if name.endswith(".md"):
                yield os.path.join(folder, name)


def headings(path):
    with open(path, encoding="utf-8") as file:
        titles = re.findall(r"^#+ +(.*)$", file.read(), re.M)
    return {re.sub(r"[^\w\- ]", "", t.lower()).replace(" ", "-") for t in titles}


def check_links(path, text):
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, heading = target.partition("#")
        file = os.path.join(os.path.dirname(path), name) if name else path
        if not os.path.exists(file):
            faults.append(f"{os.path.relpath(path, root)}: no file {target}")
        elif heading and heading not in headings(file):
            faults.append(f"{os.path.relpath(path, root)}: no heading {target}")


def check_paths(path, text):
    for name in re.findall(r"`((?:%s)/[\w./-]*)[` ]" % "|".join(FOLDERS), text):
        if not os.path.exists(os.path.join(root, name)):
            faults.append(f"{os.path.relpath(path, root)}: no file {name}")


@functools.cache
def help_of(program, command=None):
    said = subprocess.run([programs[program], *([command] if command else []), "--help"], capture_output=True, text=True)
    return said.stdout if said.returncode == 0 else ""


def commands(text):
    """Command lines of our programs, joined where a line goes on, without comments and what follows a pipe."""
    blocks = re.findall(r"^(?:    .*\n)+|^```(?:sh)?\n.*?^```$", text, re.M | re.S)
    lines = [line.strip() for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    lines += re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))
    for line in lines:
        match = re.match(r"(?:\S*/)?(%s) +([^#|&;<>]*)" % "|".join(sorted(programs, key=len, reverse=True)), line)
        if match:
            yield match.group(1), match.group(2).split()


def check_commands(path, text):
    for program, words in commands(text):
        page = help_of(program)
        if program in ("linkage", "linkagectl") and words and re.fullmatch(r"[a-z]+", words[0]):
            if not re.search(r"^ +(?:linkage )?%s\b" % words[0], page, re.M) and f"usage: {program} {words[0]} " not in page:
                faults.append(f"{os.path.relpath(path, root)}: {program} has no command {words[0]}")
                continue
            # a part that the build lacks has no help of its own
            page = program == "linkage" and help_of(program, words[0]) or page
        for option in words:
            option = re.match(r"--[a-z][\w-]*", option)
            if option and not re.search(r"(?<![\w-])%s(?![\w-])" % option.group(0), page):
                faults.append(f"{os.path.relpath(path, root)}: {program} {' '.join(words)}: no option {option.group(0)}")


def check_block(document, command, file):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        faults.append(f"{document}: {os.path.basename(file)}: {result.stdout}{result.stderr}")


def check_blocks(document):
    """Models first: a configuration may name one."""
    with open(os.path.join(root, document), encoding="utf-8") as file:
        blocks = re.findall(r"^(linkaged?: 1\b.*?)^(?:```|YAML)$", file.read(), re.M | re.S)
    if not blocks:
        faults.append(f"{document}: no model to paste")
    with tempfile.TemporaryDirectory() as work:
        for block in sorted(blocks, key=lambda b: b.startswith("linkaged")):
            is_model = block.startswith("linkage:")
            name = re.search(r"^name: (\S+)", block, re.M).group(1) if is_model else "rig"
            file = os.path.join(work, name + ".yaml")
            with open(file, "w", encoding="utf-8") as out:
                out.write(block)
            check_block(document, [linkage, "check", "--strict", file] if is_model
                        else [linkaged, "--config", file, "--check"], file)


def check_channels(document):
    with open(os.path.join(root, document), encoding="utf-8") as file:
        text = file.read()
    tables = channel_tables.tables(linkage, os.path.join(root, "config/models"))
    if tables not in text:
        odd = next((line for line in tables.splitlines() if line not in text), "all lines, and more")
        faults.append(f"{document}: tables other than tests/channel_tables.py prints them: {odd}")


def check_verdicts(document):
    """Rows of ./tools/figures table: each figure exists, and a verdict other than "reproduced" has a cause with a command."""
    with open(os.path.join(root, document), encoding="utf-8") as file:
        rows = [[cell.strip() for cell in line.strip().strip("|").split(" | ")] for line in file
                if re.search(r"\| (reproduced|in part|not reproduced) \|", line)]
    if len(rows) < 50:
        faults.append(f"{document}: {len(rows)} rows of the papers' numbers, expected the table of ./tools/figures table")
    for row in rows:
        figure, verdict, cause = row[0].strip("`"), row[5], row[6] if len(row) > 6 else ""
        if not os.path.exists(os.path.join(root, "tools/figures.d", figure + ".bash")):
            faults.append(f"{document}: no figure {figure}")
        if verdict != "reproduced" and not re.search(r"`[^`]+ [^`]+`", cause):
            faults.append(f"{document}: {figure}: {row[2]}: {verdict}, expected a cause with its command")


for path in documents():
    with open(path, encoding="utf-8") as file:
        text = file.read()
    check_links(path, text)
    check_paths(path, text)
    if os.path.basename(path) != "CHANGELOG.md":  # what was
        check_commands(path, text)
    if os.path.relpath(path, root) == "README.md" and text.count("\n") > README_LINES_MAX:
        faults.append(f"README.md: {text.count(chr(10))} lines, at most {README_LINES_MAX}")
for document in ("README.md", "config/README.md"):
    check_blocks(document)
check_channels("doc/models.md")
check_verdicts("doc/comparison.md")
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
