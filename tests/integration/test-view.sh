#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage view on real files: every shipped model has a picture whose marks lie on its page; a place
# that is known; an assembly that does not close; refusals.
# usage: test-view.sh LINKAGE MODELS-DIRECTORY PNG HTML(each true or false)
set -u
# shellcheck source=tests/integration/checks.sh
. "$(dirname "$0")/checks.sh"

linkage=$(realpath "$1")
models=$(realpath "$2")
page=$(realpath "$(dirname "$0")/check-page.py")
offline=$(realpath "$(dirname "$0")/check-offline.py")
has_png=$3
has_html=$4
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

pages=
for model in "$models"/*.yaml; do
    name=$(basename "$model" .yaml).svg
    expect 0 "view $model" "$linkage" view "$model" --svg "$name" --size 360x240
    has "view $model" 'all closed' out
    pages=$pages${pages:+,}$name
done
expect 0 'pages of all models' python3 "$page" "$pages" 360 240

# every option at once, later
expect 0 'later' "$linkage" view "$models/four-bar.yaml" --svg later.svg --time 0.5 --set motor=3 \
    --param bodies.crank.mass=2 --names --frames --from 0,0,1
has 'later' 't = 0.5 s' out
expect 0 'page later' python3 "$page" later.svg 960 640 crank coupler rocker
same 'another time, another picture' 1 "$(cmp -s four-bar.svg later.svg && echo 0 || echo 1)"

# a bar of 1 m along x, seen along z: its ends in the picture are as far apart as the scale says
cat >bar.yaml <<'YAML'
linkage: 1
name: bar
gravity: [0, -9.81, 0]
bodies: {bar: {mass: 1, inertia: [0, 0, 0], position: [3, 4, 5]}}
joints: {rod: {type: fixed, bodies: [ground, bar], point: [3, 4, 5]}}
shapes:
  wire: {type: line, body: bar, points: [[2.5, 4, 5], [3.5, 4, 5]], color: [1, 0, 1]}
  post: {type: line, body: ground, points: [[2.5, 4, 5], [2.5, 4.5, 5]], color: [0, 1, 1]}
YAML
expect 0 'bar' "$linkage" view bar.yaml --svg bar.svg --from 0,0,1
expect 0 'bar in the picture' python3 "$page" bar.svg 960 640 --ratio ff00ff 00ffff 2

# a loop that does not close: refused, and shown where
cat >open.yaml <<'YAML'
linkage: 1
name: open
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}
  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}
joints:
  left: {type: spherical, bodies: [ground, a], point: [0, 0, 0]}
  middle: {type: spherical, bodies: [a, b], point: [1, 0, 0]}
  right: {type: spherical, bodies: [b, ground], points: [[2, 0, 0], [2.5, 0, 0]]}
YAML
expect 1 'open' "$linkage" view open.yaml --svg open.svg
has 'open' 'cannot be assembled' err
has 'open' "joint 'right' is open by" out
expect 0 'page of open' python3 "$page" open.svg 960 640 right:

# a page for a browser: the same motion as the simulation has, and what is open
if [ "$has_html" = true ]; then
    expect 0 'html' "$linkage" view "$models/four-bar.yaml" --html way.html --time 0.5 --set motor=3
    expect 0 'what is in it' python3 "$offline" way.html four-bar 0.5 0 crank
    expect 1 'html of open' "$linkage" view open.yaml --html open.html
    expect 0 'what is in open' python3 "$offline" open.html open 0 3 a right
    # a mode: a period, half of which later every place is on the other side of its rest
    expect 0 'a mode' "$linkage" modes "$models/quarter-car.yaml" --mode 2 --html mode.html --svg mode.svg
    expect 0 'a period' python3 - mode.html <<'PY'
import json, math, re, sys
data = json.loads(re.search('id="data">(.*?)</script>', open(sys.argv[1], encoding='utf-8').read()).group(1))
hz = float(re.search(r'mode 2: (\S+) Hz', data['name'])[1])
assert abs(data['times'][-1] * hz - 1) < 1e-3 and abs(data['speed'] * 2 * hz - 1) < 1e-3, data['speed']
poses, half = data['poses'], len(data['poses']) // 2
car = data['scene']['bodies'].index('car')
height = [pose[7 * car + 2] for pose in poses]
rest = (height[0] + height[half]) / 2
assert max(height) - min(height) > 1e-3 and height[-1] == height[0], height
for i in range(half):
    assert abs(height[i] + height[i + half] - 2 * rest) < 1e-5, i
assert all(abs(math.hypot(*pose[7 * car + 3:7 * car + 7]) - 1) < 1e-6 for pose in poses)
assert not any(data['open']) and not any(data['worst'])
PY
    expect 2 'a mode for no file' "$linkage" modes "$models/quarter-car.yaml" --mode 2
    expect 1 'no such folder for html' "$linkage" view bar.yaml --html nowhere/x.html
    has 'no such folder for html' 'nowhere/x.html' err
else
    expect 1 'no html' "$linkage" view bar.yaml --html bar.html
    has 'no html' 'bar.html: this program was built without' err
    expect 1 'no mode as html' "$linkage" modes "$models/quarter-car.yaml" --mode 2 --html mode.html
    has 'no mode as html' 'mode.html: this program was built without' err
fi

# PNG: the picture, or the reason
if [ "$has_png" = true ]; then
    expect 0 'png' "$linkage" view bar.yaml --png bar.png --size 400x300
    same 'png' '89504e470d0a1a0a0000000d49484452000001900000012c' \
        "$(od -An -tx1 -N24 bar.png | tr -d ' \n')"
else
    expect 1 'no png' "$linkage" view bar.yaml --png bar.png
    has 'no png' 'built without cairo' err
fi

# what makes no sense
printf '\211MCAP0\r\n' >cut.mcap
expect 2 'a picture of a recording' "$linkage" view cut.mcap --png cut.png
has 'a picture of a recording' 'cut.mcap is a recording, expected --html FILE alone' err
[ "$has_html" = false ] ||
    expect 2 'a later time of a recording' "$linkage" view cut.mcap --html cut.html --time 3
expect 1 'a recording of nothing' "$linkage" view cut.mcap --html cut.html
[ ! -e cut.html ] || { echo 'FAIL a recording of nothing: a page was written'; failed=1; }
expect 2 'no file' "$linkage" view bar.yaml
has 'no file' 'expected --png FILE, --svg FILE or --html FILE' err
expect 2 'no model' "$linkage" view --svg x.svg
for bad in '--time -1' '--time x' '--size 10x10' '--size 300' '--size 300x300x' '--from 1,2' \
    '--from 0,0,0' '--from 1,2,3,' '--from a,b,c'; do
    # shellcheck disable=SC2086
    expect 2 "view $bad" "$linkage" view bar.yaml --svg x.svg $bad
done
expect 1 'no such model' "$linkage" view nothing.yaml --svg x.svg
expect 1 'no such folder' "$linkage" view bar.yaml --svg nowhere/x.svg
has 'no such folder' 'nowhere/x.svg' err
rm -f x.svg
expect 1 'no such input' "$linkage" view bar.yaml --svg x.svg --set motor=1
[ ! -e x.svg ] || { echo 'FAIL no such input: a picture of another motion'; failed=1; }
exit "$failed"
