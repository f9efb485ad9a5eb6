#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The source form of a unit: all of the core that steps a model, in one folder, includes by plain
names, so that a compiler needs no include path. One engine, `portable`; no parser of YAML.

Usage: make-sources.py ROOT OUTPUT.zip [DEPFILE]
"""
import hashlib
import re
import sys
import zipfile
from pathlib import Path

PARTS = ["core/base", "core/maths", "core/tyre", "core/rows", "core/solve", "core/step", "core/step/elements",
         "core/step/one", "core/step/lanes", "core/step/outputs", "core/step/scripts", "core/model",
         "core/compile", "core/compile/passes", "core/compile/tree", "core/compile/batch", "core/methods",
         "core/methods/formulations", "core/methods/mechanics", "core/methods/relative", "core/build-info", "tools/fmu"]
# files of them that a unit does not have: other engines, readers of texts, and what writes files
LEFT_OUT = {"core/step/lanes/engine_avx2.c", "core/step/lanes/engine_avx512.c", "core/step/lanes/engine_scalar.c",
            "core/model/document_yaml.c", "core/model/pack.c", "core/model/texts.c", "core/model/crg.c",
            "core/model/crg_surface.c", "core/model/tir.c", "core/model/road_build.c", "core/base/json.c",
            "core/build-info/commit.c", "tools/fmu/resource.c"}
HEADERS = ["core/include", "core/private", "core"]
CONFIG = "linkage_unit.h"
INCLUDE = re.compile(r'^(\s*#\s*include\s+)"([^"]+)"', re.M)


def flat(path):
    """The plain name of a file of the tree."""
    for prefix in ("core/include/", "core/private/", "core/", "tools/"):
        if path.startswith(prefix):
            path = path[len(prefix):]
            break
    return path.replace("/", "_").replace("-", "_")


class Collection:
    def __init__(self, root):
        self.root = root
        self.texts = {}  # by plain name
        self.read = []

    def find(self, name, folder):
        for base in [folder, *(self.root / h for h in HEADERS)]:
            if (base / name).is_file():
                return (base / name).resolve()
        return None

    def add(self, path):
        relative = path.relative_to(self.root).as_posix()
        name = flat(relative)
        if name in self.texts:
            return name
        self.texts[name] = ""  # headers may include each other
        self.read.append(path)

        def plain(match):
            if match[2] == "build-id.h":
                return f'{match[1]}"build_id.h"'
            found = self.find(match[2], path.parent)
            if found is None:
                sys.exit(f"{relative}: {match[2]} is nowhere")
            return f'{match[1]}"{self.add(found)}"'

        text = INCLUDE.sub(plain, path.read_text(encoding="utf-8"))
        self.texts[name] = f'#include "{CONFIG}"\n' * name.endswith(".c") + text
        return name


def main():
    root, output = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    c = Collection(root)
    for part in PARTS:
        for path in sorted((root / part).glob("*.c")):
            if path.relative_to(root).as_posix() not in LEFT_OUT:
                c.add(path)
    c.texts[CONFIG] = ("/* SPDX-License-Identifier: Apache-2.0 */\n"
                       "/* Before all else in each file of a unit in source form. */\n"
                       "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n#define LK_BUILT_PORTABLE\n"
                       "#if defined(__GNUC__) && !defined(__clang__)\n"
                       "#pragma GCC diagnostic ignored \"-Wpsabi\" /* vectors stay within the unit */\n#endif\n")
    digest = hashlib.sha256("".join(f"{n}\0{c.texts[n]}\0" for n in sorted(c.texts)).encode()).hexdigest()
    c.texts["build_id.h"] = (f'#define LK_BUILD_ID "{digest[:16]}"\n'
                             "#define LK_BUILD_COMPILER __VERSION__\n#define LK_BUILD_FLAGS \"of the importer\"\n")
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(c.texts):
            archive.writestr(zipfile.ZipInfo(name), c.texts[name])
    if len(sys.argv) > 3:
        Path(sys.argv[3]).write_text(f"{output}: " + " ".join(str(p) for p in c.read) + "\n")


main()
