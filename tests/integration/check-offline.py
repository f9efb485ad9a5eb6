#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is a page of linkage view --html good? Its data are whole, it asks nobody for anything.

usage: check-offline.py FILE MODEL END-TIME OPEN BODY [JOINT]
So many joints are OPEN at the end, one of them JOINT; BODY is among the bodies and moves if the END-TIME is not 0.
"""
import html.parser
import json
import re
import sys

file, model, end, n_open, body, *joint = sys.argv[1:]


class Page(html.parser.HTMLParser):
    """what stands in the element of the data, and what others would be asked for"""
    data, inside, asked = "", False, []

    def handle_starttag(self, tag, attrs):
        self.inside = dict(attrs).get("id") == "data"
        self.asked += [value for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        self.data += data if self.inside else ""


page = Page()
with open(file, encoding="utf-8") as opened:
    text = opened.read()
page.feed(text)
data = json.loads(page.data)
assert page.asked == [] and "@" + "DATA@" not in text and "@" + "SCRIPT@" not in text, page.asked
assert re.search(r"\nthree [0-9]+\n\nThe MIT License", text), "no license of three"
assert not re.search(r"\bimport\s*[({'\"]|\bfrom\s*['\"]", text.split('<script type="module">')[1]), "it is not whole"
assert data["name"] == model
times, poses, scene = data["times"], data["poses"], data["scene"]
assert times[0] == 0 and abs(times[-1] - float(end)) < 1e-9 and times == sorted(set(times)), times
assert len(times) == len(poses) == len(data["open"]) == len(data["worst"])
assert all(len(pose) == 7 * len(scene["bodies"]) for pose in poses)
b = scene["bodies"].index(body)
assert (poses[0][7 * b:7 * b + 7] != poses[-1][7 * b:7 * b + 7]) == (float(end) > 0)
assert len(data["open"][-1]) == int(n_open), data["open"][-1]
assert data["worst"][-1]["joint"] in [joint["name"] for joint in scene["joints"]]
for name in joint:
    gap = next(gap for gap in data["open"][-1] if gap["joint"] == name)
    assert abs(gap["shift"] - sum((p - q) ** 2 for p, q in zip(gap["from"], gap["to"])) ** 0.5) < 1e-6, gap
