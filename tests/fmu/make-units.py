#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Archives for test_fmu_bench: a controller of both versions, and what no unit is.
Usage: make-units.py CONTROLLER.so PLATFORM2 PLATFORM3 FOLDER"""
import sys
import zipfile
from pathlib import Path

binary, platforms, folder = Path(sys.argv[1]).read_bytes(), sys.argv[2:4], Path(sys.argv[4])
names = ["y", "u", "set", "kp", "ki", "mode"]
causality = {"y": "input", "u": "output", "set": "input"}


def describe(version):
    lines = []
    for i, name in enumerate(names):
        head = f'name="{name}" valueReference="{i}" causality="{causality.get(name, "parameter")}"'
        lines.append(f"<ScalarVariable {head}><Real/></ScalarVariable>" if version == 2 else f"<Float64 {head}/>")
    token = "guid" if version == 2 else "instantiationToken"
    return (f'<?xml version="1.0"?><fmiModelDescription fmiVersion="{version}.0" {token}="t"><CoSimulation modelIdentifier="pi"/>'
            f'<ModelVariables>{"".join(lines)}</ModelVariables></fmiModelDescription>')


def write(name, entries):
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, content in entries.items():
            archive.writestr(entry, content)


def unit(version):
    return {"modelDescription.xml": describe(version), f"binaries/{platforms[version - 2]}/pi.so": binary}


write("pi2.fmu", unit(2))
write("pi3.fmu", unit(3))
write("out.fmu", {**unit(3), "resources/../../../evil": b"x"})
write("root.fmu", {**unit(3), "/tmp/evil": b"x"})
write("bare.fmu", {"modelDescription.xml": describe(3)})
write("empty.fmu", {})
write("xml.fmu", {**unit(3), "modelDescription.xml": b"<a"})
write("exchange.fmu", {**unit(2), "modelDescription.xml": describe(2).replace("CoSimulation", "ModelExchange")})
write("identifier.fmu", {**unit(2), "modelDescription.xml": describe(2).replace('"pi"', '"../pi"')})
write("binary.fmu", {**unit(3), f"binaries/{platforms[1]}/pi.so": b"no library"})
write("large.fmu", {**unit(3), "modelDescription.xml": describe(3).replace("<ModelVariables>", "<a/>" * (16 << 18) + "<ModelVariables>")})
write("folders.fmu", {**unit(3), **{f"resources/{i}/" + "d/" * 200 + "x": b"" for i in range(500)}})
write("many.fmu", {**unit(3), **{f"resources/{i}": b"x" * 100 for i in range(19000)}})
(folder / "text.fmu").write_text("no archive")
good = (folder / "pi3.fmu").read_bytes()
(folder / "cut.fmu").write_bytes(good[:len(good) // 2])
# an absurd size in the list of the archive: of the first entry, 24 bytes into its record
at = good.index(b"PK\x01\x02") + 24
(folder / "size.fmu").write_bytes(good[:at] + b"\xff\xff\xff\x7f" + good[at + 4:])
