/* SPDX-License-Identifier: Apache-2.0 */
/* linkage methods: the methods available for `run` and `compare`. */
#include "commands.h"
#include "linkage/laboratory.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char *traits_of(const struct lk_lab_name *name, bool is_integrator)
{
    if (!is_integrator)
        return name->is_own ? "own rule, daemon" : name->is_fixed ? "daemon" : "offline";
    if (name->constrained)
        return name->has_error_control ? "absolute, tolerance" : "absolute";
    return name->has_error_control ? "tolerance" : "";
}

/* Print one line per name. Description and source are printed once for all variants. */
static void print_names(const struct lk_lab_name *names, int n, bool are_integrators)
{
    const char *said = "";

    for (int i = 0; i < n; i++) {
        const char *traits = traits_of(&names[i], are_integrators);

        printf("  %-*s%s%s\n", *traits ? 34 : 0, names[i].name, *traits ? " " : "", traits);
        if (names[i].paper[0] != '\0' && strcmp(said, names[i].paper) != 0)
            printf("      %s\n", names[i].paper);
        said = names[i].paper;
    }
}

int command_methods(int argc, char *argv[])
{
    const struct lk_lab_name *names;
    char blas[256];
    int code = options_parse(argc, argv, &(const struct option_table){only_help}), n;

    if (code != EXIT_DONE)
        return code;
    if (optind != argc)
        return usage_error("methods takes no arguments");
    names = lk_laboratory_formulations(&n);
    printf("formulations (daemon: fixed work a step, so a model may ask for it; own rule: takes no "
           "integrator):\n");
    print_names(names, n, false);
    names = lk_laboratory_integrators(&n);
    printf("\nintegrators (tolerance: with error control; absolute: for formulation absolute "
           "only):\n");
    print_names(names, n, true);
    printf(
        "\norientations (of formulations in absolute coordinates)\n"
        "  lie           the rotation group itself; where y' = f is integrated the same as "
        "parameters\n"
        "  parameters    four Euler parameters a body\n"
        "  angles        yaw, pitch and roll (z-y-x), singular where a body is pitched by 90 "
        "degrees\n"
        "  euler         precession, nutation and spin (z-x-z), singular where the nutation is 0\n"
        "\nstabilisations\n"
        "  none          joints drift\n"
        "  baumgarte     Baumgarte's terms in the accelerations, see --baumgarte\n"
        "  projection    of positions and velocities, after each step\n"
        "  position      of positions alone, after each step; of complement\n");
    lk_laboratory_blas(blas, sizeof(blas));
    printf("\nBLAS and LAPACK\n  %s\n", blas);
    return EXIT_DONE;
}
