# SPDX-License-Identifier: Apache-2.0
# The picture of a measurement by linkage-latency: for each load the distributions of the wake-up
# latencies, and the share of wake-ups and round trips that took longer.
#
#     gnuplot -e "directory='latency-output'" latency-output/plot.gp
#
# Reads distribution-LOAD.csv, writes plot.png, both in `directory`.
if (!exists("directory")) directory = "."
if (!exists("loads")) loads = "none"
n_loads = words(loads)

set datafile separator ","
set terminal pngcairo size 1600,40+460*n_loads font "DejaVu Sans,13" linewidth 1.3 background "white"
set output directory . "/plot.png"

# Colours that stay apart for the colour-blind and in grey.
colour(name) = name eq "cyclictest" ? 0x404040 : name eq "sleep" ? 0x0060a8 : \
               name eq "hybrid" ? 0xd06000 : name eq "spin" ? 0xa0307a : \
               name eq "round trip" ? 0x007a5a : 0x60b040
dash(name) = name eq "round trip" || name eq "ping-pong" ? 2 : 1

set border 3 linecolor rgb "#404040"
set tics nomirror out
set grid linecolor rgb "#c8c8c8" linewidth 0.6 dashtype 3
set logscale xy
set format x ""
set xtics ("1 ns" 0.001, "10 ns" 0.01, "0.1 us" 0.1, "1 us" 1, "10 us" 10, "100 us" 100, "1 ms" 1000, \
           "10 ms" 10000, "100 ms" 100000)
set ytics ("0.001" 0.001, "0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100)
set xrange [0.001:100000]
set yrange [0.0008:130]
set key samplen 2 width -1
# an empty class lies below the axis; a tail ends where there is nothing above
floor_of(x) = x > 1e-6 ? x : 1e-6
positive(x) = x > 0 ? x : NaN

set multiplot
do for [i=1:n_loads] {
    load_name = word(loads, i)
    file = directory . "/distribution-" . load_name . ".csv"
    # columns: from, to, then two for each distribution, the first one named after it
    header = system("head -n 1 '" . file . "' | tr -d '\"' | sed 's/ \\[[^]]*\\]//g; s/ /_/g; s/,/ /g'")
    n = (words(header) - 2) / 2
    name(k) = system("echo '" . word(header, 3 + 2 * k) . "' | tr _ ' '")
    # trips come last, and only on the right
    n_wakes = n
    do for [k=0:n-1] { if (dash(name(k)) == 2) { n_wakes = n_wakes - 1 } }
    top = 1.0 - (i - 1.0) / n_loads
    high = 1.0 / n_loads
    set tmargin at screen top - 0.12 * high
    set bmargin at screen top - 0.86 * high

    set lmargin at screen 0.07
    set rmargin at screen 0.475
    set key top right
    set title "load " . load_name . ": wake-up latencies, share in class"
    set ylabel "share in class [%], logarithmic" offset 1,0
    plot for [k=0:n_wakes-1] file every ::1 \
         using (sqrt($1 * $2)):(floor_of(column(3 + 2 * k))) \
         with histeps linecolor rgb colour(name(k)) linewidth 1.8 title name(k)

    set lmargin at screen 0.57
    set rmargin at screen 0.97
    set key bottom left
    set title "load " . load_name . ": share that took longer"
    set ylabel "share above [%], logarithmic" offset 1,0
    plot for [k=0:n-1] file every ::1 using 1:(positive(column(4 + 2 * k))) \
         with lines linecolor rgb colour(name(k)) linewidth 1.8 dashtype dash(name(k)) \
         title name(k)
}
unset multiplot
