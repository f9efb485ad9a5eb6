# SPDX-License-Identifier: Apache-2.0
# The picture of a demo run: crank angle and torque over time, latencies over logarithmic classes.
#
#     gnuplot -e "directory='demo-output'" tools/demo/plot.gp
#
# Reads recording.csv and latency.csv, writes plot.png, all in `directory`.
if (!exists("directory")) directory = "."

set datafile separator ","
set datafile columnheaders
set terminal pngcairo size 1400,1200 font "DejaVu Sans,15" linewidth 1.4 background "white"
set output directory . "/plot.png"

recording = directory . "/recording.csv"
latency = directory . "/latency.csv"

# Colours that stay apart for the colour-blind and in grey.
blue = "#0060a8"
orange = "#d06000"
green = "#007a5a"
grey = "#c8c8c8"

set border 3 linecolor rgb "#404040"
set tics nomirror out
set grid linecolor rgb grey linewidth 0.6 dashtype 3
set lmargin at screen 0.085
set rmargin at screen 0.965

set multiplot

# --- over time ---
stats recording using "time [s]" nooutput
set xrange [0:STATS_max]
set key off

set tmargin at screen 0.955
set bmargin at screen 0.70
set title "Crank angle" offset 0,-0.6
set ylabel "angle [rad]" offset 1,0
set format x ""
plot recording using "time [s]":"crank_angle [rad]" with lines linecolor rgb blue linewidth 1.6

set tmargin at screen 0.645
set bmargin at screen 0.485
set title "Motor torque, as it acted in the daemon"
set ylabel "torque [N m]"
set xlabel "simulated time [s]" offset 0,0.4
set format x "%g"
set ytics 2
set offsets 0, 0, 0.3, 0.3
plot recording using "time [s]":"motor [N m]" with lines linecolor rgb orange linewidth 1.6
unset offsets
set ytics autofreq

# --- latencies ---
set tmargin at screen 0.34
set bmargin at screen 0.075
set title "How long things take: share of cycles, of round trips" offset 0,1.3
set xlabel "time, logarithmic"
set ylabel "share in class [%], logarithmic"
set logscale xy
set xrange [0.3:100000]
set yrange [0.005:150]
set xtics ("1 us" 1, "10 us" 10, "100 us" 100, "1 ms" 1000, "10 ms" 10000, "100 ms" 100000, \
           "" 2 1, "" 5 1, "" 20 1, "" 50 1, "" 200 1, "" 500 1, "" 2000 1, "" 5000 1, \
           "" 20000 1, "" 50000 1)
set ytics ("0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100)
set key at graph 0.5, 1.075 center horizontal maxrows 1 samplen 2 width 1
set style fill transparent solid 0.35
mid(from, to) = sqrt(from * to)
share(x) = x > 0 ? x : NaN
plot latency using (mid(column("from [us]"), column("to [us]"))):(share(column("wakeup [%]"))):"from [us]":"to [us]":(0.005):(share(column("wakeup [%]"))) \
         with boxxyerror linecolor rgb blue title "wake-up latency", \
     latency using (mid(column("from [us]"), column("to [us]"))):(share(column("compute [%]"))):"from [us]":"to [us]":(0.005):(share(column("compute [%]"))) \
         with boxxyerror linecolor rgb orange title "step time", \
     latency using (mid(column("from [us]"), column("to [us]"))):(share(column("round_trip [%]"))):"from [us]":"to [us]":(0.005):(share(column("round_trip [%]"))) \
         with boxxyerror linecolor rgb green title "bench round trip"
unset multiplot
