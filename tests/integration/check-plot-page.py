#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is a page of linkage plot good? Its data are those of the CSV it was made of, and it asks nobody for anything.

usage: check-plot-page.py PAGE.html ROWS.csv PANELS [BROWSER]
PANELS: names of its curves, apart by commas, panels by semicolons. With BROWSER (chromium) the page is used in it as well, in
the light and in the dark, see check-plot-page.js."""
import base64
import csv
import html.parser
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

# a browser whose time is virtual draws few frames by itself
FRAMES = 'window.requestAnimationFrame = (call) => setTimeout(() => call(performance.now()), 16);'
file, rows_file, wanted, *browser = sys.argv[1:]


class Page(html.parser.HTMLParser):
    """what stands in the element of the data, and what others would be asked for"""
    data, inside, asked = '', False, []

    def handle_starttag(self, tag, attrs):
        self.inside = dict(attrs).get('id') == 'data'
        self.asked += [value for name, value in attrs if name in ('src', 'href')]

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        self.data += data if self.inside else ''


def numbers(text):
    data = base64.b64decode(text, validate=True)
    return struct.unpack(f'<{len(data) // 8}d', data)


def use(text, *options):
    """what the page has found about itself"""
    script = pathlib.Path(__file__).with_name('check-plot-page.js').read_text(encoding='utf-8')
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, 'page.html')
        copy.write_text(text.replace('<body>', f'<body><script>{FRAMES}</script>')
                        .replace('</body>', f'<script type="module">{script}</script></body>'), encoding='utf-8')
        dump = subprocess.run([browser[0], '--headless', '--no-sandbox', '--disable-gpu', '--window-size=1000,800', *options,
                               '--virtual-time-budget=20000', '--dump-dom', copy.as_uri()], capture_output=True, text=True,
                              timeout=120, check=True).stdout
    return (re.findall(r'<pre id="found">(.*?)</pre>', dump) or [f'nothing: {dump[-500:]}'])[-1]


page = Page()
text = pathlib.Path(file).read_text(encoding='utf-8')
page.feed(text)
data = json.loads(page.data)
assert page.asked == [] and not re.search('@(DATA|SCRIPT|STYLE)@', text), page.asked
assert re.search(r'\ndygraphs [0-9.]+\n\nThe MIT License', text), 'no license of dygraphs'
assert not re.search(r'\bimport\s*[({\'"]|\bfrom\s*[\'"]', text.split('<script type="module">')[1]), 'it is not whole'
with open(rows_file, encoding='utf-8') as opened:
    (_, *header), *rows = csv.reader(opened)
names = [re.fullmatch(r'(.*?)(?: \[(.*)\])?', name).groups('') for name in header]
channels = data['channels']
assert [(c['name'], c['unit']) for c in channels] == [(name, '' if unit == '1' else unit) for name, unit in names], channels
assert ';'.join(','.join(channels[i]['name'] for i in panel) for panel in data['panels']) == wanted, data['panels']
times = numbers(data['times'])
columns = [numbers(c['values']) for c in channels]
kept = [i for i in range(len(times)) if not all(math.isnan(column[i]) for column in columns)]
assert all(len(column) == len(times) for column in columns)
if data['note'] == '':
    assert [times[i] for i in kept] == [float(row[0]) for row in rows]
    for c, column in enumerate(columns):
        assert [column[i] for i in kept] == [float(row[c + 1]) for row in rows], channels[c]['name']
else:
    assert len(kept) < len(rows)
    for c, column in enumerate(columns):
        values = [float(row[c + 1]) for row in rows]
        assert (min(column), max(column)) == (min(values), max(values)), channels[c]['name']
for expected, options in (('light', []), ('dark', ['--force-dark-mode'])) if browser else ():
    said = use(text, *options)
    assert said == f'good, {expected}', said
print(f'{len(times)} rows, {len(times) - len(kept)} gaps')
