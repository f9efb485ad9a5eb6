#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage plot -o FILE.html: curves as a page, which is used in a browser, where one is installed.
# usage: test-plot-page.sh LINKAGE MODELS HTML(true or false)
linkage=$(realpath "$1") models=$(realpath "$2") has_html=$3
check=$(realpath "$(dirname "$0")/check-plot-page.py")
# shellcheck source=tests/integration/checks.sh
. "$(dirname "$0")/checks.sh"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# a gap from 4 to 6 s
awk 'BEGIN { print "time [s],wave [m],twice [m],load.x [N],still [m]"
    for (i = 0; i <= 1000; i++) if (i <= 400 || i >= 600) printf "%.3f,%.9f,%.9f,%d,1\n", i / 100, sin(i / 100), 2 * sin(i / 100), 10 * i }' >rows.csv

if [ "$has_html" != true ]; then
    expect 1 'no page' "$linkage" plot rows.csv -o rows.html
    has 'no page' 'rows.html: this program was built without esbuild' err
    expect 1 'no page of a run' "$linkage" run "$models/four-bar.yaml" -d 0.1 --plot run.html
    has 'no page of a run' 'run.html: this program was built without esbuild' err
    exit "$failed"
fi

expect 0 'a page' "$linkage" plot rows.csv wave,twice load -o rows.html
has 'a page' 'rows.html: 2 panels of rows.csv' out
expect 0 'its data' python3 "$check" rows.html rows.csv 'wave,twice;load.x'
has 'its data' ', 1 gaps' out
if command -v chromium >/dev/null; then
    expect 0 'in a browser' python3 "$check" rows.html rows.csv 'wave,twice;load.x' chromium
else
    echo 'SKIP the browser: apt-get install chromium'
fi
expect 0 'all that changes' "$linkage" plot rows.csv -o rows.html
expect 0 'what changes' python3 "$check" rows.html rows.csv 'wave;twice;load.x'
expect 0 'some times' "$linkage" plot rows.csv wave --from 1 --to 3 -o some.html
awk -F, 'NR == 1 || ($1 >= 1 && $1 <= 3)' rows.csv >some.csv
expect 0 'these times' python3 "$check" some.html some.csv wave

# after a run: with the rows of its CSV, bit for bit
expect 0 'a run' "$linkage" run "$models/four-bar.yaml" -d 0.2 --set motor=3 -o run.csv --plot run.html
has 'a run' 'run.html, 9 panels' out
expect 0 'of a run' python3 "$check" run.html run.csv "$(python3 - run.html <<'PY'
import json, re, sys
data = json.loads(re.search('id="data">(.*?)</script>', open(sys.argv[1], encoding='utf-8').read()).group(1))
print(';'.join(','.join(data['channels'][i]['name'] for i in panel) for panel in data['panels']))
PY
)"

# too many numbers: rows are reduced, the extremes stay
awk 'BEGIN { print "time [s],x [m],y [N]"; for (i = 0; i < 2100000; i++) printf "%.3f,%d,%d\n", i / 1000, i == 777777 ? 5000 : i % 7, -i % 1000 }' >long.csv
expect 0 'a long table' "$linkage" plot long.csv x,y -o long.html
has 'a long table' 'Each 3 rows are drawn by their least and largest value' err
expect 0 'what is left of it' python3 "$check" long.html long.csv x,y

# names cannot end the script, and are text
printf 'time [s],</script><b>x [m],y\\ [N]\n0,1,2\n1,2,3\n' >names.csv
expect 0 'names' "$linkage" plot names.csv -o names.html
# shellcheck disable=SC1003 # a name that ends with a backslash
expect 0 'names in the page' python3 "$check" names.html names.csv '</script><b>x;y\'

# what a page cannot be made of, and where
printf 'case,outcome,mass [kg],max(rate) [rad/s],residual [m or rad],energy_error [J],reason\n1,passed,1,3,1e-12,0,\n2,passed,2,4,1e-12,0,\n' >study.csv
expect 1 'a study' "$linkage" plot study.csv -o study.html
has 'a study' 'study.html: a page is made of curves over time; expected .svg or .png' err
echo 'a letter' >letter.html
expect 1 'a file of others' "$linkage" plot rows.csv -o letter.html
same 'a file of others' 'a letter' "$(cat letter.html)"
expect 0 'by force' "$linkage" plot rows.csv -o letter.html --force
expect 1 'no such folder' "$linkage" plot rows.csv -o nowhere/x.html
exit "$failed"
