/* SPDX-License-Identifier: Apache-2.0 */
/* Output of `linkaged --check` for the section `cueing`, as text and as a table: the loss of cues
 * due to limited travel, which the parameters do not show directly. */
#include "config.h"
#include "cueing/transfer.h"
#include "linkage/file.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static const double frequencies[] = {0.1, 0.3, 1, 3, 10};
static const char *const axes[LK_TRANSFER_AXES] = {"surge", "sway",  "heave",
                                                   "roll",  "pitch", "yaw"};

#define FAINT         0.2  /* gain below which a warning is printed */
#define LOWEST        0.05 /* frequencies of the table [rad/s] */
#define HIGHEST       50.0
#define POINTS        400
#define N_FREQUENCIES (sizeof(frequencies) / sizeof(frequencies[0]))

static void print_axis(const struct lk_washout_set *set, int axis, FILE *f)
{
    bool sags = axis < 2;
    double at = sags ? lk_transfer_sag(set, axis) : lk_transfer_corner(set, axis);

    fprintf(f, "  %-8s", axes[axis]);
    for (size_t i = 0; i < N_FREQUENCIES; i++) {
        struct lk_transfer felt = lk_transfer_at(set, axis, frequencies[i]);

        fprintf(f, "%6.2f %+5.0f", felt.gain, felt.phase * 180 / M_PI);
    }
    if (sags)
        fprintf(f, "   lowest %.2f at %.2f rad/s\n", lk_transfer_at(set, axis, at).gain, at);
    else
        fprintf(f, "   less than 0.71 below %.2f rad/s\n", at);
}

static double lowest_with(struct lk_washout_set set, int axis, double coupled)
{
    set.coupled = coupled;
    return lk_transfer_at(&set, axis, lk_transfer_sag(&set, axis)).gain;
}

/* Print a warning if the washout removes nearly all of a cue. */
static void print_advice(const struct lk_washout_set *set, int axis, FILE *f)
{
    double now = lowest_with(*set, axis, set->coupled);

    if (now < FAINT && set->coupled > 0)
        fprintf(f,
                "  note: of %s near %.2f rad/s %.2f is left; %.2f with coupled: %g, %.2f with "
                "coupled: false\n",
                axes[axis], lk_transfer_sag(set, axis), now,
                lowest_with(*set, axis, set->coupled / 2), set->coupled / 2,
                lowest_with(*set, axis, 0));
}

void lkd_config_print_cueing(const struct lkd_cueing_config *cueing, FILE *f)
{
    if (!cueing->present)
        return;
    fprintf(f, "cueing: what is felt of a small cue, behind its scale [1, deg]\n  %-8s", "rad/s");
    for (size_t i = 0; i < N_FREQUENCIES; i++)
        fprintf(f, "%12g", frequencies[i]);
    fputc('\n', f);
    for (int axis = 0; axis < LK_TRANSFER_AXES; axis++)
        print_axis(&cueing->ride.set, axis, f);
    for (int axis = 0; axis < 2; axis++)
        print_advice(&cueing->ride.set, axis, f);
}

static void write_table(const struct lk_washout_set *set, FILE *f)
{
    fputs("frequency [rad/s]", f);
    for (int axis = 0; axis < LK_TRANSFER_AXES; axis++)
        fprintf(f, ",gain.%s [1],phase.%s [deg]", axes[axis], axes[axis]);
    for (int i = 0; i <= POINTS; i++) {
        double omega = LOWEST * pow(HIGHEST / LOWEST, (double)i / POINTS);

        fprintf(f, "\n%.9g", omega);
        for (int axis = 0; axis < LK_TRANSFER_AXES; axis++) {
            struct lk_transfer felt = lk_transfer_at(set, axis, omega);

            fprintf(f, ",%.9g,%.9g", felt.gain, felt.phase * 180 / M_PI);
        }
    }
    fputc('\n', f);
}

int lkd_config_tabulate_cueing(const struct lkd_cueing_config *cueing, const char *path,
                               struct lk_error *ret_error)
{
    FILE *f;
    int fd, failed;

    if (!cueing->present) {
        lk_error_set(ret_error, "%s: no transfer: the configuration has no section cueing", path);
        return LK_E_TEXT;
    }
    fd = lk_file_create(path, 0644);
    f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f) {
        lk_error_set(ret_error, "%s: %s", path, strerror(fd < 0 ? -fd : errno));
        if (fd >= 0)
            close(fd);
        return LK_E_TEXT;
    }
    write_table(&cueing->ride.set, f);
    failed = ferror(f);
    if (fclose(f) != 0 || failed) {
        lk_error_set(ret_error, "%s: cannot be written", path);
        return LK_E_TEXT;
    }
    return 0;
}
