#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes linkage/_bindings.py: the public headers as cffi sees them (out of line, ABI mode), so that an import parses
nothing and a user needs no compiler.

usage: make-bindings.py OUTPUT COMPILER [-I FOLDER]... HEADER...
"""
import re
import subprocess
import sys

import cffi

# what our headers and protobuf-c's take from the system's is known to cffi, but for these
BEFORE = 'typedef int protobuf_c_boolean;\nvoid free(void *pointer);\n'
# of other folders than ours: all else comes from the system
OURS = re.compile(r'(^|/)(linkage/\w+|linkage\.pb-c|wire|names|client|bench|protobuf-c)\.h$')


def preprocess(compiler, arguments):
    """the headers without comments and macros, and nothing of the system's"""
    folders = [a for a in arguments if a.startswith('-')]
    text = ''.join(f'#include "{a}"\n' for a in arguments if not a.startswith('-'))
    run = subprocess.run([*compiler, '-E', '-xc', *folders, '-'], input=text, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    kept, is_ours = [], False
    for line in run.stdout.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            is_ours = bool(OURS.search(marker.group(1)))
        elif is_ours and line.strip():
            kept.append(line)
    return '\n'.join(kept)


def simplify(text):
    """what cffi's parser does not know and the layout does not need"""
    text = re.sub(r'__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)', '', text)
    text = re.sub(r'\b_Bool\b', 'bool', text)
    text = re.sub(r'typedef int protobuf_c_boolean;', '', text)
    # functions with a body: none of them is a symbol
    text = re.sub(r'static\s+inline[^;{]*\{[^}]*\}', '', text)
    # the variables that a library exports are read, never written
    return BEFORE + text


def main():
    output, compiler, *arguments = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef(simplify(preprocess(compiler.split(), arguments)))
    ffi.set_source('linkage._bindings', None)
    ffi.emit_python_code(output)


if __name__ == '__main__':
    main()
