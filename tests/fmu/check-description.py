#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the schemas of FMI cannot say about a modelDescription.xml: names, references, units, and that
dependencies are of what is there. Usage: check-description.py FILE VERSION"""
import sys
import xml.etree.ElementTree as ET

root = ET.parse(sys.argv[1]).getroot()
version = int(sys.argv[2])
failed = []


def check(good, what):
    if not good:
        failed.append(what)


check(root.get("fmiVersion") == f"{version}.0", "fmiVersion")
check(root.find("CoSimulation") is not None and root.find("ModelExchange") is None, "co-simulation alone")
units = [u.get("name") for u in root.find("UnitDefinitions")]
check(len(set(units)) == len(units), "units are unique")
variables = list(root.find("ModelVariables"))
names = [v.get("name") for v in variables]
check(len(set(names)) == len(names), "names are unique")
for i, v in enumerate(variables):
    real = v.find("Real") if version == 2 else v
    name, causality, variability = v.get("name"), v.get("causality"), v.get("variability")
    check(v.get("valueReference") == str(i), f"{name}: reference")
    check(real.get("unit") in [None, *units], f"{name}: unit")
    starts = causality in ("parameter", "input")
    check((real.get("start") is not None) == starts, f"{name}: start")
    check(v.get("initial") == {"parameter": "exact", "output": "calculated"}.get(causality), f"{name}: initial")
    check(causality != "parameter" or variability in ("fixed", "tunable"), f"{name}: variability")
    if starts:
        low, high = float(real.get("min", "-inf")), float(real.get("max", "inf"))
        check(low <= float(real.get("start")) <= high, f"{name}: limits")
check(sum(v.get("causality") == "independent" for v in variables) == 1, "one independent variable")

outputs = [i for i, v in enumerate(variables) if v.get("causality") == "output"]
parameters = {i for i, v in enumerate(variables) if v.get("causality") == "parameter"}
structure = root.find("ModelStructure")
if version == 2:
    known = [[(int(u.get("index")) - 1, u.get("dependencies")) for u in structure.find(kind)]
             for kind in ("Outputs", "InitialUnknowns")]
    parameters = {i + 1 for i in parameters}
else:
    known = [[(int(u.get("valueReference")), u.get("dependencies")) for u in structure.findall(kind)]
             for kind in ("Output", "InitialUnknown")]
check([i for i, _ in known[0]] == outputs and all(d == "" for _, d in known[0]), "outputs depend on no input")
check([i for i, _ in known[1]] == outputs and all({int(x) for x in d.split()} == parameters for _, d in known[1]),
      "initial unknowns depend on parameters")
for what in failed:
    print(f"FAIL {sys.argv[1]}: {what}")
sys.exit(bool(failed))
