#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage plot: curves of tables and models, as gnuplot draws them.
# usage: test-plot.sh LINKAGE MODELS
linkage=$(realpath "$1") models=$2
. "$(dirname "$0")/checks.sh"
command -v gnuplot >/dev/null || { echo "SKIP: gnuplot is not installed"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# curves FILE: names in the key of an SVG, in their order
curves() { sed -nE 's/^.*<g id="gnuplot_plot_[^>]*><title>(.*)<\/title>$/\1/p' "$1" | tr '\n' ' '; }

"$linkage" run "$models/four-bar.yaml" -d 1 --set motor=3 -o run.csv >/dev/null || failed=1
expect 0 "default" "$linkage" plot run.csv
has "default" "plot.svg: 9 panels of run.csv" out
expect 0 "after a run" "$linkage" run "$models/four-bar.yaml" -d 0.1 --plot after.svg
has "after a run" "after.svg, 9 panels" out
if [ -x "$(dirname "$linkage")/linkage-laboratory" ]; then
    expect 0 "after a method" "$linkage" run "$models/four-bar.yaml" -d 0.1 --formulation absolute --integrator rk4 --plot after.svg
    has "after a method" "after.svg, 10 panels" out
fi
expect 1 "a table is kept" "$linkage" run "$models/four-bar.yaml" -d 0.1 --plot run.csv
expect 2 "no rows to draw" "$linkage" run "$models/four-bar.yaml" -d 0.1 --plot after.svg -o -
expect 0 "two panels" "$linkage" plot run.csv crank_angle energy.kinetic,energy.potential -o two.svg
same "two panels" "crank_angle energy.kinetic energy.potential " "$(curves two.svg)"
has "two panels" "crank_angle [rad]" two.svg
has "two panels" "time [s]" two.svg
expect 0 "png" "$linkage" plot run.csv crank_angle --from 0.2 --to 0.4 --size 400x300 -o one.png
same "png" "89504e47" "$(head -c 4 one.png | od -An -tx1 | tr -d ' \n')"

# what is not there, and where there is nothing
expect 1 "no column" "$linkage" plot run.csv crank_angel
has "no column" "no column 'crank_angel', expected crank_angle" err
expect 1 "no rows" "$linkage" plot run.csv --from 7
has "no rows" "no rows from 7" err
expect 1 "no ending" "$linkage" plot run.csv -o picture.pdf
has "no ending" ".svg, .png or .html" err
expect 1 "no file" "$linkage" plot nowhere.csv
expect 2 "no words" "$linkage" plot
printf 'time [s],x [m]\n0,1\n1,1\n' >still.csv
expect 1 "nothing changes" "$linkage" plot still.csv
has "nothing changes" "no column changes" err

# a gap in the rows is a gap in the curve: two pieces
printf 'time [s],x [m]\n0,0\n1,1\n2,4\n3,9\n7,1\n8,2\n9,3\n' >gap.csv
expect 0 "a gap" "$linkage" plot gap.csv -o gap.svg
same "a gap" 2 "$(tr '\n' ' ' <gap.svg | grep -oE "<path stroke='rgb\(  0, 114, 178\)' [^/]*" | grep -o M | wc -l | awk '{print $1 - 1}')" # one is in the key

# rows that become rarer are no gap
awk 'BEGIN { print "time [s],x [m]"; for (i = 0; i <= 1000; i++) print i / 1000 "," i; for (i = 1; i <= 900; i++) print 1 + i / 100 "," i }' >rarer.csv
expect 0 "rarer rows" "$linkage" plot rarer.csv -o rarer.svg
same "rarer rows" 1 "$(tr '\n' ' ' <rarer.svg | grep -oE "<path stroke='rgb\(  0, 114, 178\)' [^/]*" | grep -o M | wc -l | awk '{print $1 - 1}')"

# the extreme beside a gap of a long curve
awk 'BEGIN { print "time [s],x [m]"; for (i = 0; i < 40000; i++) if (i != 20010) print i / 1000 "," (i == 20005 ? 100 : i % 7) }' >spike.csv
expect 0 "a spike" "$linkage" plot spike.csv -o spike.svg
has "a spike" "> 100</" spike.svg

# units differ: each curve has its own
printf 'time [s],angle [rad],force [N]\n0,1,2\n1,2,3\n2,3,5\n' >units.csv
expect 0 "two units" "$linkage" plot units.csv angle,force -o units.svg
same "two units" "angle [rad] force [N] " "$(curves units.svg)"

# names that are no text, or are cut off within a character: the picture is XML all the same
long=$(printf '\303\251%.0s' $(seq 100))
printf 'time [s],a\377b [m],c\302 <&'"'"'> [N],\357\277\277d [J],x%s [W]\n0,1,2,3,4\n1,2,3,4,5\n' "$long" >bytes.csv
expect 0 "bytes" "$linkage" plot bytes.csv -o bytes.svg
expect 0 "bytes are XML" python3 -c "
import xml.dom.minidom
titles = [t.firstChild.data for t in xml.dom.minidom.parse('bytes.svg').getElementsByTagName('title') if t.firstChild]
assert 'a\ufffdb' in titles and any(t.startswith('c\ufffd <&') for t in titles), titles"

# of a study
cat >study.csv <<'CSV'
case,outcome,mass [kg],motor [N m],max(rate) [rad/s],residual [m or rad],energy_error [J],reason
1,passed,1,0,3,1e-12,0,
2,bound,2,0,9,1e-12,0,"a, b"
3,fault,3,1,,,,"gone"
CSV
expect 0 "a study" "$linkage" plot study.csv -o study.svg
has "a study" "2 panels" out
same "a study" "passed not passed passed not passed " "$(curves study.svg)"
expect 0 "one of it" "$linkage" plot study.csv 'max(rate):motor' -o study.svg
has "one of it" "motor [N m]" study.svg
expect 1 "none of it" "$linkage" plot study.csv 'min(rate)'
has "none of it" "no column 'min(rate)', expected mass, motor, max(rate)" err

# of models
expect 0 "responses" "$linkage" plot "$models/bicycle.yaml" --pose --bode torque:steer --bode push.y:steer -o bode.svg
has "responses" "steer / torque [rad/(N m)]" bode.svg
has "responses" "phase [degrees]" bode.svg
expect 1 "a drive" "$linkage" plot "$models/quarter-car.yaml" --bode road:car.z
has "a drive" "drives do not move" err
expect 1 "no input" "$linkage" plot "$models/bicycle.yaml" --bode steer:steer
has "no input" "no input 'steer', expected torque, push.x" err
expect 1 "no pair" "$linkage" plot "$models/bicycle.yaml" --bode torque
expect 0 "a locus" "$linkage" plot "$models/quarter-car.yaml" --locus bodies.car.mass=200:400:5 -o locus.svg
has "a locus" "bodies.car.mass" locus.svg
expect 1 "no range" "$linkage" plot "$models/quarter-car.yaml" --locus bodies.car.mass=200
expect 1 "no parameter" "$linkage" plot "$models/quarter-car.yaml" --locus mas=200:300
has "no parameter" "there is no parameter 'mas'" err
expect 2 "both" "$linkage" plot "$models/quarter-car.yaml" --locus bodies.car.mass=2:3 --bode road:car.z

# frequencies and classes: logarithmic axes; a curve without a point is in the legend
printf 'frequency [rad/s],gain.x [1],gain.y [1]\n0.1,1,0.5\n1,0.5,1\n10,0.1,2\n' >gain.csv
expect 0 "frequencies" "$linkage" plot gain.csv -o gain.svg
same "frequencies" "gain.x gain.y " "$(curves gain.svg)"
has "frequencies" "frequency [rad/s]" gain.svg
printf 'from [us],wakeup [%%],compute [%%]\n1,0,0\n2,100,0\n4,0,0\n' >classes.csv
expect 0 "classes" "$linkage" plot classes.csv wakeup,compute -o classes.svg
same "classes" "wakeup compute " "$(curves classes.svg)"
expect 0 "no point" "$linkage" plot classes.csv compute -o classes.svg
same "no point: messages" "" "$(cat err)"

# without gnuplot
expect 1 "no gnuplot" env PATH=/nowhere "$linkage" plot run.csv crank_angle -o none.svg
has "no gnuplot" "gnuplot-nox" err
same "no gnuplot" "" "$(ls none.svg 2>/dev/null)"
exit $failed
