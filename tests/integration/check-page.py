#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are pictures of linkage view good? Well-formed, of their size, faces and lines on the page.

usage: check-page.py FILE[,FILE...] WIDTH HEIGHT [WORD...] [--ratio COLOUR COLOUR RATIO]
WORDS are written in each. Of the lines of the two colours the one is RATIO times as long.
"""
import math
import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
file, width, height, *rest = sys.argv[1:]
width, height = float(width), float(height)
words, ratio = (rest[:rest.index("--ratio")], rest[rest.index("--ratio") + 1:]) if "--ratio" in rest else (rest, None)
for name in file.split(","):
    root = tree.parse(name).getroot()
    assert (float(root.get("width")), float(root.get("height"))) == (width, height), root.attrib
    lengths, n = {}, 0
    for path in root.iter(SVG + "path"):
        numbers = [float(x) for x in re.findall(r"-?[0-9.]+", path.get("d"))]
        places = list(zip(numbers[::2], numbers[1::2]))
        for x, y in places:
            assert -0.1 <= x <= width + 0.1 and -0.1 <= y <= height + 0.1, f"{x} {y} is not on the page"
        n += 1
        if len(places) == 2:
            colour = path.get("stroke")[1:]
            lengths[colour] = lengths.get(colour, 0) + math.dist(*places)
    assert n >= 5, f"{n} marks"
    texts = [text.text for text in root.iter(SVG + "text")]
    for word in words:
        assert any(word in text for text in texts), f"{word} is not among {texts}"
if ratio:
    found = lengths[ratio[0]] / lengths[ratio[1]]
    assert abs(found - float(ratio[2])) < 0.01, f"{found}, expected {ratio[2]}"
    assert lengths[ratio[0]] > 0.7 * width, "it does not fill the page"
