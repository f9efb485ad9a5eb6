# SPDX-License-Identifier: Apache-2.0
# What figures share. A figure sets paper and defines draw(), which makes runs with run(), numbers
# with the functions for columns, the picture with plot(), and ends with say().
set -euo pipefail
shopt -s inherit_errexit

models="$root/config/models"

# csv LABEL: the file of a run of this figure
csv() { printf '%s/%s-%s.csv' "$out" "$name" "$1"; }

# run LABEL MODEL OPTION...: linkage run, its rows to csv LABEL, its summary beside it. MODEL is a
# shipped model, or a file. It may take $limit seconds of processor time, whatever else the machine does.
run() {
    local label="$1" model="$2"
    shift 2
    [ -f "$model" ] || model="$models/$model.yaml"
    if ! (ulimit -t "${limit:-600}" && exec "$linkage" run "$model" -o "$(csv "$label")" "$@") \
        >"$out/$name-$label.txt" 2>"$out/$name-$label.err" &&
        # how wrong a method is, is what a figure shows
        ! grep -q 'the result is wrong' "$out/$name-$label.err"; then
        [ -s "$out/$name-$label.err" ] ||
            printf 'not done in %s s of processor time\n' "${limit:-600}" >"$out/$name-$label.err"
        printf 'figures: %s: linkage run %s %s: %s\n' "$name" "$model" "$*" \
            "$(head -n 1 "$out/$name-$label.err")" >&2
        rm "$out/$name-$label.err"
        return 1
    fi
    rm "$out/$name-$label.err"
}

# number_before, number_behind LABEL WORDS: the number beside WORDS in the summary of a run
number_before() { sed -n "s/.*[ :]\([0-9.e+-]*\) $2.*/\1/p" "$out/$name-$1.txt" | head -n 1; }
number_behind() { sed -n "s/.*$2 *\([0-9.e+-]*\).*/\1/p" "$out/$name-$1.txt" | head -n 1; }

# variant LABEL MODEL SED-EXPRESSION...: a shipped model with other texts; prints its file. An
# expression that changes nothing is an error: the model has moved on.
variant() {
    local file="$out/$name-$1.yaml" model="$models/$2.yaml" expression
    shift 2
    if grep -q '^parts:' "$model"; then # flat, an item a line
        "$linkage" flatten "$model" | sed -e ':a' -e 'N' -e '$!ba' -e 's/,\n    */, /g' >"$file"
    else
        cp "$model" "$file"
    fi
    for expression in "$@"; do
        sed "$expression" "$file" >"$file.new"
        if cmp -s "$file" "$file.new"; then
            rm "$file.new"
            printf 'figures: %s: nothing in %s for %s\n' "$name" "$model" "$expression" >&2
            return 1
        fi
        mv "$file.new" "$file"
    done
    printf '%s' "$file"
}

# columns FILE NAME...: these columns of a CSV file, by the names in its first row without unit, as
# words; the first row is left out
columns() {
    local file="$1"
    shift
    awk -F, -v wanted="$*" '
        NR == 1 {
            n = split(wanted, want, " ")
            for (i = 1; i <= NF; i++) {
                title = $i
                sub(/ \[.*/, "", title)
                at[title] = i
            }
            for (k = 1; k <= n; k++)
                if (!(want[k] in at)) {
                    print "figures: no column " want[k] " in " FILENAME > "/dev/stderr"
                    exit 1
                }
            next
        }
        {
            line = $at[want[1]]
            for (k = 2; k <= n; k++)
                line = line " " $at[want[k]]
            print line
        }' "$file"
}

# largest FILE COLUMN: by magnitude
largest() { columns "$1" "$2" | awk '{ v = $1 < 0 ? -$1 : $1; if (v > m) m = v } END { print m + 0 }'; }

# slope FILE: of log y over log x by least squares, from words "x y"
slope() {
    awk '$1 > 0 && $2 > 0 { x = log($1); y = log($2); n++; a += x; b += y; c += x * x; d += x * y }
        END { printf "%.2f", (n * d - a * b) / (n * c - a * a) }' "$1"
}

# number VALUE [FORMAT]: as a person writes it
number() { printf "${2:-%.3g}" "$1"; }

# plot WIDTH HEIGHT: gnuplot, its commands from the standard input, to NAME.png. Columns of CSV files
# by name: "energy.kinetic [J]"; file(LABEL) is the file of a run, rows(LABEL) one of words
# that a figure made, NAME-LABEL.dat. Whatever gnuplot has to complain
# about is an error.
plot() {
    {
        printf 'set terminal pngcairo size %d,%d font "sans,10" noenhanced\n' "$1" "$2"
        printf 'set output "%s/%s.png"\n' "$out" "$name"
        printf 'set datafile separator ","\nset grid lc rgb "#dddddd"\nset key below samplen 2\n'
        printf 'set style data lines\nset mxtics\nset mytics\n'
        printf 'file(label) = "%s/%s-" . label . ".csv"\n' "$out" "$name"
        printf 'rows(label) = "%s/%s-" . label . ".dat"\n' "$out" "$name"
        cat
    } >"$out/$name.gp"
    if ! gnuplot "$out/$name.gp" 2>"$out/$name.err" || [ -s "$out/$name.err" ]; then
        printf 'figures: %s: gnuplot: ' "$name" >&2
        cat "$out/$name.err" >&2
        return 1
    fi
    rm "$out/$name.err"
}

say() { printf '%s: %s: %s\n' "$name" "$paper" "$*"; }

# A table: row WHAT PAPER OURS [yes|partly|no [REASON]], and at its end verdict yes|partly|no TEXT, a line that says
# whether the paper's result is reproduced. Where the paper gives no number, its words are short. Rows with a verdict
# become rows of doc/comparison.md; a REASON names the command that shows the cause.
row() {
    printf '    %-40s %22s %26s\n' "$1" "$2" "$3"
    [ -z "${4:-}" ] || printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$1" "$2" "$3" "$4" "${5:-}" >>"$out/$name.rows"
}
heading() { row "${1:-}" "paper" "here"; }
verdict() {
    local outcome="$1"
    printf '%s\n' "$paper" >"$out/$name.paper"
    shift
    case "$outcome" in
    yes) say "reproduced: $*" ;;
    partly) say "reproduced in part: $*" ;;
    no) say "not reproduced: $*" ;;
    esac
}

# every check of a table: checks yes yes no: yes where all are, no where none is, else partly
checks() {
    local all=" $* "
    if [[ $all != *" no "* ]]; then
        echo yes
    elif [[ $all != *" yes "* ]]; then
        echo no
    else
        echo partly
    fi
}

# ratio A B: A / B as a person writes it
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2g", a / b }'; }

# check EXPRESSION: yes or no, of numbers, by awk
check() { awk "BEGIN { print ($1) ? \"yes\" : \"no\" }" || echo no; }

# worst FILE: largest second word by magnitude, of rows "time value"
worst() { awk '{ v = $2 < 0 ? -$2 : $2; if (v > m) m = v } END { print m + 0 }' "$1"; }

# order COARSE FINE: of errors with a step and half of it
order() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", log(a / b) / log(2) }'; }

# pendulum_errors RUN EXACT-RUN: the tension of the rod at every row of a run of pendulum-bottom or
# pendulum-aside, less the exact one; as words, time and error. It is 1 - 2 g - 3 g y at the exact
# height y, by the energy; y from a run with 1e-13.
pendulum_errors() {
    paste -d ' ' <(columns "$(csv "$1")" time rod_load.fx rod_load.fy) \
        <(columns "$(csv "$2")" mass_pose.y) |
        awk '{ print $1, 1 - 2 * 9.81 - 3 * 9.81 * $4 - sqrt($2 * $2 + $3 * $3) }'
}

# turned_strut MODEL: with the frames of its bodies turned, as Euler's angles z-x-z are singular in
# frames along the world axes; prints its file
turned_strut() {
    variant "$1" "$1" \
        's/\(inertia: \[0.1, 0.1, 0.1\]\)/\1\n    orientation: {axis: [1, 2, 0.5], angle: 1.2}/'
}

# energy_changes LABEL: time and change of kinetic and potential energy [J] at the rows of a run, as
# words, to NAME-LABEL.dat
energy_changes() {
    columns "$(csv "$1")" time energy.kinetic energy.potential |
        awk 'NR == 1 { start = $2 + $3 } { print $1, $2 + $3 - start }' >"$out/$name-$1.dat"
}

# energy_drift LABEL: largest change of kinetic and potential energy [J]
energy_drift() {
    columns "$(csv "$1")" energy.kinetic energy.potential | awk '
        { e = $1 + $2 }
        NR == 1 { start = e }
        { d = e - start; if (d < 0) d = -d; if (d > m) m = d }
        END { printf "%.3g", m }'
}
