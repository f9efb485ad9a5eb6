# SPDX-License-Identifier: Apache-2.0
paper="M. Pekal, J. Fraczek, Comparison of natural complement formulations (2016), Figs. 2 to 5"

struts=(strut strut-redundant)
stabilisations=(none baumgarte projection)
tolerances=(1e-3 1e-6 1e-8 1e-10)
methods=(zero-eigenvalue schur svd qr putd-h putd-g coordinate-partitioning wang-huston)
limit=30 # seconds that a run may take

# one MODEL STABILISATION METHOD TOLERANCE: a row of the table; nan where a run does not get through
one() {
    local label="run" alpha_beta=()
    [ "$2" != baumgarte ] || alpha_beta=(--baumgarte 10,10)
    if run "$label" "$1" --formulation "complement:$3" --integrator dormand-prince --tolerance "$4" \
        --orientation angles --stabilisation "$2" "${alpha_beta[@]}" -s 0.1 -d 10 2>/dev/null; then
        printf '%s,%s,%s,%s,%s,%s,%s,%s\n' "$1" "$2" "$3" "$4" \
            "$(number_behind "$label" 'processor time')" "$(number_before "$label" right-hand)" \
            "$(number_behind "$label" position)" "$(number_behind "$label" velocity)"
    else
        printf '%s,%s,%s,%s,nan,nan,nan,nan\n' "$1" "$2" "$3" "$4"
    fi
    rm -f "$(csv "$label")" "$out/$name-$label.txt" "$out/$name-$label.err"
}

draw() {
    local strut stabilisation method tolerance
    echo "model,stabilisation,method,tolerance,processor time [s],right-hand sides,position [m],velocity [m/s]" \
        >"$out/$name.csv"
    for strut in "${struts[@]}"; do
        for stabilisation in "${stabilisations[@]}"; do
            for method in "${methods[@]}"; do
                for tolerance in "${tolerances[@]}"; do
                    one "$strut" "$stabilisation" "$method" "$tolerance" >>"$out/$name.csv"
                done
                # one curve of the picture
                grep "^$strut,$stabilisation,$method," "$out/$name.csv" \
                    >"$out/$name-$strut-$stabilisation-$method.csv"
            done
        done
    done
    plot 1500 1000 <<'GP'
set multiplot layout 2,4
set logscale xy; set format "%.0e"
set xlabel "tolerance" offset 0,0.7
set xtics 100
set key font ",8"
methods = "zero-eigenvalue schur svd qr putd-h putd-g coordinate-partitioning wang-huston"
do for [model in "strut strut-redundant"] {
    do for [kind in "none baumgarte projection"] {
        set title sprintf("%s, stabilisation: %s: time [s]", model, kind)
        plot for [m in methods] file(model."-".kind."-".m) using 4:5 with linespoints title m
    }
    set title sprintf("%s, not stabilised: drift [m]", model)
    plot for [m in methods] file(model."-none-".m) using 4:7 with linespoints title m
}
GP
    rm -f "$out/$name"-strut*.csv
    heading "strut, 10 s"
    row "right-hand sides, all methods but Wang-Huston" "equal" "$(calls_alike)" "$(check "$(calls_alike) < 1.02")"
    row "right-hand sides at 1e-3, 1e-6 (QR, projected)" "rise" "$(calls 1e-3), $(calls 1e-6)" "$(check "$(calls 1e-3) < $(calls 1e-6)")"
    row "drift of positions without stabilisation [m]" "grows" "$(drift qr)" "$(check "$(drift qr | cut -d ' ' -f 2) > 1e-6")"
    verdict "$(checks "$(check "$(calls_alike) < 1.02")" "$(check "$(calls 1e-3) < $(calls 1e-6)")")" "processor time of 10 s at 1e-6, simplified and redundant strut, stabilised by projection:" \
        "$(times qr), $(times svd), $(times putd-h), $(times wang-huston); drift of the redundant one" \
        "without stabilisation: $(drift qr), $(drift svd), $(drift wang-huston)"
}

# calls TOLERANCE: right-hand sides of QR on the strut, projected
calls() {
    awk -F, -v t="$1" '$1 == "strut" && $2 == "projection" && $3 == "qr" && $4 == t { print $6 }' "$out/$name.csv"
}

# largest ratio of right-hand sides between two methods without Wang-Huston, same strut, stabilisation and tolerance
calls_alike() {
    awk -F, 'NR > 1 && $3 != "wang-huston" && $6 != "nan" { k = $1 $2 $4
        if (!(k in low) || $6 < low[k]) low[k] = $6
        if ($6 > high[k]) high[k] = $6 }
        END { for (k in low) if (high[k] / low[k] > m) m = high[k] / low[k]; printf "%.3g", m }' "$out/$name.csv"
}

times() {
    awk -F, -v m="$1" '$3 == m && $2 == "projection" && $4 == "1e-6" { t = t " " $5 }
        END { print m t " s" }' "$out/$name.csv"
}

drift() {
    awk -F, -v m="$1" '$1 == "strut-redundant" && $3 == m && $2 == "none" && $4 == "1e-6" {
        print m " " $7 " m" }' "$out/$name.csv"
}
