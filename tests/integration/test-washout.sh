#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage washout: the manoeuvres of tests/bench/felt, of whose table doc/reference/platforms.md consists.
# usage: test-washout.sh LINKAGE
linkage=$(realpath "$1")
. "$(dirname "$0")/checks.sh"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# drive FILE AX AY WZ: a CSV of 15 s at 1 kHz with a sensor; the first row is one of rest
drive() {
    awk -v ax="$2" -v ay="$3" -v wz="$4" 'function ramp(t, up, until) {
            r = t / up < (until + up - t) / up ? t / up : (until + up - t) / up
            return r > 1 ? 1 : r < 0 ? 0 : r }
        BEGIN { print "time [s],head.fx [m/s^2],head.fy [m/s^2],head.fz [m/s^2],head.wx [rad/s],head.wy [rad/s],head.wz [rad/s],strength [1]"
            for (i = 0; i <= 15000; i++) { t = (i - 1) * 1e-3
                y = ay == "swing" ? (t >= 0 && t < 2.5 ? 4 * sin(2 * 3.14159265358979 * 0.4 * t) : 0) : ay * ramp(t, 0.5, 8)
                printf "%.3f,%.15g,%.15g,9.81,0,0,%.15g,0.5\n", i * 1e-3, ax * ramp(t, 0.3, 4), y, wz * ramp(t, 0.5, 8) } }' \
        </dev/null >"$1"
}
drive swing.csv 0 swing 0
drive brake.csv -6 0 0
drive corner.csv 0 4 0.25

# rig SET COUPLED [MORE]: a configuration with the hexapod of the table
rig() {
    cat <<YAML
linkaged: 1
cueing:
  sensor: head
  set: $1
  coupled: $2
  fade: 0.1
  pace: 0.5
  platform: {type: hexapod, low: -0.3, high: 0.3, speed: 0.6, acceleration: 6, base_radius: 1.65,
             base_angle: 0.12217, platform_radius: 1.60, platform_angle: 0.92502, height: 1.70}
$3
YAML
}

rig tripod 0 >tripod.yaml
expect 0 "lane change" "$linkage" washout swing.csv -c tripod.yaml -o curves.csv
has "lane change: guard" "guard     acted for 2.72 s: 0.31 to 3.04 s" out
has "lane change: felt" "felt      sway error 0.81 of a cue of 1.15 m/s^2" out
has "lane change: fits" "fits      up to 0.48 of these scales" out
has "lane change: felt then" "  felt    sway error 0.50" out
has "lane change: a leg at its end" "a3     -0.298 ...  0.298 m     100 %     0.600     100 %          6.00     100 %" out
same "curves" 15001 "$(wc -l <curves.csv)"
same "curves: columns" "time [s],surge.cue [m/s^2],surge.felt [m/s^2]" "$(head -n 1 curves.csv | cut -d, -f1-3)"
same "curves: the guard" 2.72 "$(awk -F, 'NR > 1 { n += $NF } END { printf "%.2f", n / 1000 }' curves.csv)"
expect 1 "no file of ours" "$linkage" washout swing.csv -c tripod.yaml -o tripod.yaml

expect 0 "object" "$linkage" washout swing.csv -c tripod.yaml --json
same "object" "2.72 0.81 0.48 0.50 6 100 0.6" "$(python3 -c '
import json, sys
data = json.load(sys.stdin)
leg, fit = data["actuators"][2], data["fit"]
assert list(data["felt"]) == ["sway"] and data["guard"]["times"] == len(data["guard"]["first_times_s"])
print("%.2f %.2f %.2f %.2f %d %.0f %.3g" % (data["guard"]["limited_s"], data["felt"]["sway"]["error"], fit["factor"],
    fit["felt"]["sway"]["error"], len(data["actuators"]), 100 * leg["stroke"], leg["speed"]))' <out)"

rig reid-nahon 0.5 >reid.yaml
expect 0 "braking" "$linkage" washout brake.csv -c reid.yaml
has "braking: fits" "fits      up to 0.37 of these scales" out
has "braking: felt then" "  felt    surge error 0.49" out

rig delft 1 >delft.yaml
expect 0 "corner" "$linkage" washout corner.csv -c delft.yaml
has "corner: felt then" "sway error 0.37" out

# scales that leave room, a gain of the recording, another sensor, another platform
rig tripod 0 "  force_scale: [0.2, 0.2, 0.2]" >small.yaml
expect 0 "small" "$linkage" washout swing.csv -c small.yaml
has "small: guard" "guard     did not act" out
has "small: room" "room      up to 2.00 of these scales" out
rig tripod 0 "  gains: {force_scale: strength, leak: nowhere}" >gains.yaml
expect 0 "gains" "$linkage" washout swing.csv -c gains.yaml
has "gains: a half" "of a cue of 0.577 m/s^2" out
expect 0 "gains" "$linkage" washout swing.csv -c gains.yaml -j
has "gains: no factor" '"fit": null' out
has "gains: another" "no column 'nowhere': its gain stays" err
sed 's/head\./seat./g' swing.csv >seat.csv
expect 1 "sensor" "$linkage" washout seat.csv -c tripod.yaml
has "sensor" "no column 'head.fx' of an output of type inertial-sensor" err
expect 0 "--sensor" "$linkage" washout seat.csv -c tripod.yaml --sensor seat
has "--sensor" "sway error 0.81" out
printf 'linkaged: 1\ncueing: {sensor: head, platform: {type: three-axis, low: -0.2, high: 0.2, speed: 0.5, acceleration: 5}}\n' >three.yaml
expect 0 "three axes" "$linkage" washout swing.csv -c three.yaml
has "three axes" "a2      0.000 ...  0.000 rad     0 %" out

# what is wrong
expect 2 "no configuration" "$linkage" washout swing.csv
expect 1 "no section" "$linkage" washout swing.csv -c /dev/null
printf 'linkaged: 1\nrecord: {}\n' >none.yaml
expect 1 "no section" "$linkage" washout swing.csv -c none.yaml
has "no section" "none.yaml: there is no section cueing" err
sed 's/coupled: 0/coupled: 7/; s/tripod/tripot/' tripod.yaml >wrong.yaml
expect 1 "wrong" "$linkage" washout swing.csv -c wrong.yaml
has "wrong: set" "wrong.yaml:4:" err
has "wrong: coupled" "coupled: 7, expected 0 to 1" err
exit $failed
