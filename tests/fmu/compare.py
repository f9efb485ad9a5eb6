#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A unit of FMI 3.0 without resources against linkage run: another compiler and engine, so to round-off.
Usage: compare.py UNIT.so modelDescription.xml LINKAGE MODEL"""
import csv
import ctypes
import os
import subprocess
import sys
import xml.etree.ElementTree as ET

library = ctypes.CDLL(os.path.abspath(sys.argv[1]))
root = ET.parse(sys.argv[2]).getroot()
outputs = [(v.get("name"), int(v.get("valueReference"))) for v in root.find("ModelVariables") if v.get("causality") == "output"]
step = float(root.find("CoSimulation").get("fixedInternalStepSize"))

LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
log = LOG(lambda environment, status, category, message: print(message.decode()))
library.fmi3InstantiateCoSimulation.restype = ctypes.c_void_p
library.fmi3InstantiateCoSimulation.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_bool] * 4 + [
    ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, LOG, ctypes.c_void_p]
unit = library.fmi3InstantiateCoSimulation(b"a", root.get("instantiationToken").encode(), None, False, False, False, False,
                                           None, 0, None, log, None)
if not unit:
    sys.exit("no instance")
unit = ctypes.c_void_p(unit)
number, flag = ctypes.c_double, ctypes.c_bool
library.fmi3EnterInitializationMode(unit, flag(False), number(0), number(0), flag(False), number(0))
library.fmi3ExitInitializationMode(unit)
references = (ctypes.c_uint32 * len(outputs))(*(r for _, r in outputs))
values = (ctypes.c_double * len(outputs))()
flags, reached = [flag() for _ in range(3)], number()
subprocess.run([sys.argv[3], "run", sys.argv[4], "-d", "0.2", "-o", "run.csv"], check=True, stdout=subprocess.DEVNULL)
worst = 0
with open("run.csv", encoding="utf-8") as file:
    for n, row in enumerate(list(csv.reader(file))[1:]):
        if n > 0 and library.fmi3DoStep(unit, number((n - 1) * step), number(step), flag(True),
                                        *(ctypes.byref(f) for f in flags), ctypes.byref(reached)) != 0:
            sys.exit("a step fails")
        if library.fmi3GetFloat64(unit, references, ctypes.c_size_t(len(outputs)), values, ctypes.c_size_t(len(outputs))) != 0:
            sys.exit("no values")
        worst = max([worst] + [abs(a - float(b)) / max(1, abs(a)) for a, b in zip(values, row[1:])])
library.fmi3FreeInstance(unit)
print(f"largest difference {worst:.3g}")
sys.exit(worst > 1e-9)
