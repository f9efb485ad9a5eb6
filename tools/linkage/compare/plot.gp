# SPDX-License-Identifier: Apache-2.0
# The pictures of `linkage compare`: how much work an error costs, and how far each method drifts.
#
#     gnuplot -e "directory='compare-output'" compare-output/plot.gp
#
# Reads compare.csv and drift.csv, writes work-precision.png and drift.png, all in `directory`.
if (!exists("directory")) directory = "."
if (!exists("n")) n = 0
if (!exists("trust")) trust = 0

set datafile separator ","
runs = directory . "/compare.csv"
drift = directory . "/drift.csv"

# Eight colours that stay apart for the colour-blind and in grey; then other marks and dashes.
array colour[8] = [0x0060a8, 0xd06000, 0x007a5a, 0xa0307a, 0x404040, 0x40a0e0, 0xb09000, 0x802020]
ink(k) = colour[1 + (k - 1) % 8]
mark(k) = 4 + (k - 1) % 9
dash(k) = 1 + ((k - 1) / 8) % 4
rows = n > 24 ? n : 24

set border 3 linecolor rgb "#404040"
set tics nomirror out
set grid linecolor rgb "#c8c8c8" linewidth 0.6 dashtype 3
set logscale y
set format y "10^{%L}"
# what is exactly zero has no place on the axis
positive(x) = x > 0 ? x : NaN
# a clock of processor time may stand still over a short run
took(x) = x > 1e-9 ? x : 1e-9

# where all is zero there is nothing to scale an axis by
unset logscale y
LARGEST_max = 0
stats runs every ::1 using 11 nooutput name "LARGEST"
set logscale y
if (!(LARGEST_max > 0)) { set yrange [1e-18:1e-12] }

# --- work and precision: columns 11 error, 20 right-hand sides, 26 processor time ---
set terminal pngcairo size 1600,(120 + 24 * rows) font "DejaVu Sans,14" linewidth 1.3 background "white"
set output directory . "/work-precision.png"
set logscale x
set format x "10^{%L}"
# below the dashed line the reference itself is not known
if (trust > 0) { set arrow from graph 0, first trust to graph 1, first trust nohead dashtype 2 linecolor rgb "#808080" }
set multiplot
set tmargin at screen 0.93
set bmargin at screen 0.11
set ylabel "largest error of positions [m]"
set lmargin at screen 0.07
set rmargin at screen 0.38
set xlabel "evaluations of the right-hand side"
set title model . ": error against work" noenhanced
set key off
plot for [k=1:n] runs every ::1 using \
     (column(1) == number[k] && strcol(6) eq "done" ? positive(column(20)) : NaN):(positive(column(11))) \
     with linespoints linecolor rgb ink(k) dashtype dash(k) pointtype mark(k) linewidth 1.5 notitle
set lmargin at screen 0.46
set rmargin at screen 0.76
set xlabel "processor time [s]"
set title model . ": error against processor time" noenhanced
set key at screen 0.775, screen 0.94 left top Left reverse vertical samplen 2.5 noenhanced font ",11"
plot for [k=1:n] runs every ::1 using \
     (column(1) == number[k] && strcol(6) eq "done" ? took(column(26)) : NaN):(positive(column(11))) \
     with linespoints linecolor rgb ink(k) dashtype dash(k) pointtype mark(k) linewidth 1.5 title name[k]
unset multiplot
unset arrow
set autoscale y

# --- drift over time: the finest run of each method ---
set terminal pngcairo size 1600,(100 + 24 * rows > 1000 ? 100 + 24 * rows : 1000) font "DejaVu Sans,14" linewidth 1.3 background "white"
set output directory . "/drift.png"
unset logscale x
set format x "%g"
array what[4] = ["joints [m, rad]", "their rates [m/s, rad/s]", "their accelerations [m/s^2, rad/s^2]", "energy [J]"]
set multiplot
do for [p=1:4] {
    unset logscale y
    set autoscale y
    LARGEST_max = 0
    stats drift every ::1 using (column(4 + p)) nooutput name "LARGEST"
    set logscale y
    if (!(LARGEST_max > 0)) { set yrange [1e-18:1e-12] }
    set tmargin at screen (p <= 2 ? 0.95 : 0.46)
    set bmargin at screen (p <= 2 ? 0.58 : 0.08)
    set lmargin at screen (p % 2 == 1 ? 0.07 : 0.45)
    set rmargin at screen (p % 2 == 1 ? 0.37 : 0.755)
    set title model . ": drift of " . what[p] noenhanced
    set ylabel "largest so far"
    set xlabel (p > 2 ? "simulated time [s]" : "")
    if (p == 4) { set key at screen 0.77, screen 0.96 left top Left reverse vertical samplen 2.5 noenhanced font ",11" } else { set key off }
    plot for [k=1:n] drift every ::1 using \
         (column(1) == number[k] ? column(3) : NaN):(positive(column(4 + p))) \
         with lines linecolor rgb ink(k) dashtype dash(k) linewidth 1.6 title name[k]
}
unset multiplot
