/* SPDX-License-Identifier: Apache-2.0 */
/* A program outside this source tree. It prints the degrees of freedom of a model and the modes
 * about its static equilibrium.
 *
 *     cc small_motions.c $(pkg-config --cflags --libs linkage-analysis) -o small_motions
 *     ./small_motions /usr/share/linkage/models/quarter-car.yaml */
#include <linkage/analysis.h>
#include <linkage/modes.h>
#include <stdio.h>

static int fail(const struct lk_error *error)
{
    fprintf(stderr, "small_motions: %s\n", error->text);
    return 1;
}

static int print_modes(const struct lk_linear *linear)
{
    struct lk_mode *mode;
    int n = lk_modes_find(linear, &mode);

    for (int i = 0; i < n; i++)
        printf("%.6g Hz, damping %.4g\n", mode[i].frequency, mode[i].damping);
    if (n >= 0)
        lk_modes_free(mode, n);
    return n < 0;
}

static int print_motions(struct lk_system *system)
{
    struct lk_error error = {"no rank: too many rows in loops"};
    struct lk_mobility mobility;
    struct lk_linear linear;
    int code = lk_mobility_init(system, &mobility);

    if (code != 0)
        return fail(&error);
    printf("degrees of freedom %d, redundant rows %d\n", mobility.dof, mobility.n_redundant);
    lk_mobility_fini(&mobility);
    if (lk_linear_init(system, false, &linear, &error) != 0)
        return fail(&error);
    code = print_modes(&linear);
    lk_linear_fini(&linear);
    return code;
}

int main(int argc, char **argv)
{
    const struct lk_options options = {.equilibrium = 1, .all_rows = 1};
    struct lk_error error;
    struct lk_model *model;
    struct lk_system *system;
    int code;

    if (argc != 2) {
        fprintf(stderr, "usage: small_motions MODEL\n");
        return 2;
    }
    if (lk_model_read_file(argv[1], &model, &error) != 0)
        return fail(&error);
    code = lk_system_new(model, &options, &system, &error);
    lk_model_free(model);
    if (code != 0)
        return fail(&error);
    code = print_motions(system);
    lk_system_free(system);
    return code;
}
