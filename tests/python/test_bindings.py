#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Python takes for the layout of the library's structures is what the compiler makes of the headers; each
function of the headers is there.

usage: test_bindings.py COMPILER [-I FOLDER]... HEADER...
"""
import subprocess
import sys
import unittest

from linkage._bindings import ffi
from linkage._library import core, get_analysis, get_client
from linkage.model import BodyState, Health, Summary

compiler, *arguments = sys.argv[1:]


def assertions():
    """Size and place of each field of each structure, value of each enumerator."""
    names, structures, unions = ffi.list_types()
    for kind, name in [('struct ', n) for n in structures] + [('', n) for n in names]:
        try:
            ctype = ffi.typeof(kind + name)
        except ffi.error:
            continue  # a function
        if ctype.kind == 'enum':
            for word, value in ctype.relements.items():
                yield f'{word} == {value}'
        if ctype.kind != 'struct' or not ctype.fields:
            continue
        yield f'sizeof({kind}{name}) == {ffi.sizeof(ctype)}'
        for field, place in ctype.fields:
            if not place.type.kind == 'struct' or place.type.fields:
                yield f'offsetof({kind}{name}, {field}) == {place.offset}'


class Bindings(unittest.TestCase):
    def test_layout(self):
        checks = list(assertions())
        self.assertGreater(len(checks), 500)
        text = '#include <stddef.h>\n' + ''.join(f'#include "{a}"\n' for a in arguments if not a.startswith('-'))
        text += ''.join(f'_Static_assert({check}, "{check}");\n' for check in checks)
        run = subprocess.run([*compiler.split(), '-std=gnu11', '-fsyntax-only', '-xc',
                              *[a for a in arguments if a.startswith('-')], '-'],
                             input=text, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr[:2000])

    def test_functions_are_in_the_libraries(self):
        n = 0
        for library in core, get_analysis(), get_client():
            for name in dir(library):
                if name.startswith('lk_'):
                    self.assertTrue(any(self.has(lib, name) for lib in (core, get_analysis(), get_client())), name)
                    n += 1
        self.assertGreater(n, 80)

    @staticmethod
    def has(library, name):
        try:
            return bool(getattr(library, name))
        except ffi.error:
            return False

    def test_names_of_fields(self):
        for ours, theirs in (BodyState, 'lk_body_state'), (Health, 'lk_health'), (Summary, 'lk_summary'):
            self.assertEqual(list(ours._fields), [name for name, _ in ffi.typeof('struct ' + theirs).fields])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
