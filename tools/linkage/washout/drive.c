/* SPDX-License-Identifier: Apache-2.0 */
#include "cueing/felt.h"
#include "washout.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define N       LK_PLATFORM_ACTUATORS
#define COLUMNS (1 + 6 + 6 + N + 1)
#define MOST    2.0 /* factor on all scales that drive_find_fit() tries */
#define CLOSE   0.005
#define JOINED  0.1 /* shorter times between two actions of the guard do not separate them [s] */

/* struct run - state of a drive. @pose: the last three poses;  @speed: of the step before
 * @demand: the actuators that the washout asks for
 * @square, @wrong: sums of squares of the cue, and of the error */
struct run {
    const struct drive *drive;
    struct drive_result *result;
    struct lk_ride ride;
    double pose[3][6];
    double speed[N];
    double demand[N];
    double square[3];
    double wrong[3];
    double ended;
    int n_felt;
};

const char *drive_unit(const struct lk_platform *platform, int actuator)
{
    bool turns = platform->kind == LK_PLATFORM_SIX_AXIS     ? actuator >= 3
                 : platform->kind == LK_PLATFORM_THREE_AXIS ? actuator < 2
                                                            : false;

    return turns ? "rad" : "m";
}

int drive_columns(struct lk_csv *csv, const struct lk_platform *platform)
{
    static const char *const axes[] = {"surge", "sway", "heave"};
    static const char *const pose[] = {"x", "y", "z", "roll", "pitch", "yaw"};
    static const char *const legs[] = {"a1", "a2", "a3", "a4", "a5", "a6"};

    lk_csv_add_column(csv, "time", NULL, "s");
    for (int k = 0; k < 3; k++) {
        lk_csv_add_column(csv, axes[k], "cue", "m/s^2");
        lk_csv_add_column(csv, axes[k], "felt", "m/s^2");
    }
    for (int k = 0; k < 6; k++)
        lk_csv_add_column(csv, "pose", pose[k], k < 3 ? "m" : "rad");
    for (int i = 0; i < platform->n; i++)
        lk_csv_add_column(csv, "actuators", legs[i], drive_unit(platform, i));
    return lk_csv_add_column(csv, "guard", NULL, "1");
}

static const double *row_of(const struct drive *d, int i)
{
    return d->table->value + (size_t)i * (size_t)d->table->n;
}

/* Step the ride with the values of row @i, as daemon/io/cueing.c does. */
static void step_ride(struct run *r, int i)
{
    const double *row = row_of(r->drive, i), *sensor = row + r->drive->sensor_at;
    struct lk_washout_state washed = r->ride.washed;
    double pose[6];

    for (int k = 0; k < LK_WASHOUT_VALUES; k++)
        if (r->drive->gain_at[k] >= 0)
            lk_gains_want(&r->ride.gains, k, row[r->drive->gain_at[k]]);
    memcpy(r->speed, r->ride.guard.speed, sizeof(r->speed));
    lk_ride_step(&r->ride, sensor);
    lk_washout_step(&r->ride.washout, &washed, sensor, pose);
    lk_platform_actuators(&r->ride.platform, pose, r->demand);
    memmove(r->pose[0], r->pose[1], 2 * sizeof(r->pose[0]));
    memcpy(r->pose[2], r->ride.pose, sizeof(r->pose[2]));
}

/* Return whether the platform follows the whole pose of the washout. */
static bool follows(const struct lk_ride *ride)
{
    return ride->state == LK_RIDE_FOLLOWING && (double)ride->step * ride->guard.h > ride->fade;
}

static void note_legs(struct run *r)
{
    const struct lk_leg_guard *guard = &r->ride.guard;

    for (int i = 0; i < guard->n; i++) {
        struct drive_leg *leg = &r->result->leg[i];

        leg->low = fmin(leg->low, guard->position[i]);
        leg->high = fmax(leg->high, guard->position[i]);
        leg->speed = fmax(leg->speed, fabs(guard->speed[i]));
        leg->acceleration = fmax(leg->acceleration, fabs(guard->speed[i] - r->speed[i]) / guard->h);
        leg->wanted_low = fmin(leg->wanted_low, r->demand[i]);
        leg->wanted_high = fmax(leg->wanted_high, r->demand[i]);
    }
}

/* Note that the guard acted in the step that ends at @t. */
static void note_guard(struct run *r, double t)
{
    struct drive_result *result = r->result;
    double h = r->ride.guard.h;

    if (result->n_spans == 0 || t - r->ended > JOINED) {
        if (result->n_spans < DRIVE_SPANS_MAX)
            result->span[result->n_spans][0] = t - h;
        result->n_spans++;
    }
    if (result->n_spans <= DRIVE_SPANS_MAX)
        result->span[result->n_spans - 1][1] = t;
    r->ended = t;
    result->limited += h;
}

/* Compute cue and felt force. @sensor: of the present step */
static void feel(struct run *r, const double *sensor, double cue[3], double felt[3])
{
    const struct lk_washout_set *set = &r->ride.washout.set;

    lk_felt_force((const double(*)[6])r->pose, set->head, r->ride.guard.h, felt);
    felt[2] -= LK_CUEING_GRAVITY;
    for (int k = 0; k < 3; k++) {
        cue[k] = set->force_scale[k] * (sensor[k] - (k == 2 ? LK_CUEING_GRAVITY : 0));
        r->square[k] += cue[k] * cue[k];
        r->wrong[k] += (felt[k] - cue[k]) * (felt[k] - cue[k]);
    }
    r->n_felt++;
}

static void write_row(struct run *r, double t, const double cue[3], const double felt[3],
                      bool acted)
{
    double row[COLUMNS];
    int n = 0;

    row[n++] = t;
    for (int k = 0; k < 3; k++) {
        row[n++] = cue[k];
        row[n++] = felt[k];
    }
    for (int k = 0; k < 6; k++)
        row[n++] = r->ride.pose[k];
    for (int i = 0; i < r->ride.platform.n; i++)
        row[n++] = r->ride.guard.position[i];
    row[n] = acted;
    lk_csv_write_row(r->drive->curves, row);
}

static void make_step(struct run *r, int row, double t)
{
    unsigned long long limited = r->ride.guard.limited;
    double cue[3], felt[3];
    bool acted;

    step_ride(r, row);
    acted = r->ride.guard.limited > limited;
    feel(r, row_of(r->drive, row) + r->drive->sensor_at, cue, felt);
    note_legs(r);
    if (acted)
        note_guard(r, t);
    if (r->drive->curves != NULL)
        write_row(r, t, cue, felt, acted);
}

static void begin(struct run *r)
{
    struct lk_ride_config config = r->drive->ride;

    for (int k = 0; k < 3; k++) {
        config.set.force_scale[k] *= r->drive->scale;
        config.set.rate_scale[k] *= r->drive->scale;
    }
    lk_ride_init(&r->ride, &config);
    lk_ride_engage(&r->ride);
    while (!follows(&r->ride))
        step_ride(r, 0);
    for (int i = 0; i < N; i++)
        r->result->leg[i] = (struct drive_leg){DBL_MAX, -DBL_MAX, 0, 0, DBL_MAX, -DBL_MAX};
}

void drive_run(const struct drive *drive, struct drive_result *ret)
{
    struct run r = {.drive = drive, .result = ret};
    const double *time = drive->table->time;
    int row = 0, last = drive->table->n_rows - 1;
    double h = drive->ride.h;

    *ret = (struct drive_result){.duration = time[last] - time[0]};
    begin(&r);
    for (long i = 1; time[0] + (double)i * h <= time[last] + h / 2; i++) {
        double t = time[0] + (double)i * h;

        /* the first row at the end of the step, but for round-off, or after it */
        while (row < last && time[row] < t - h / 2)
            row++;
        make_step(&r, row, t);
    }
    for (int k = 0; k < 3 && r.n_felt > 0; k++) {
        ret->cue[k] = sqrt(r.square[k] / r.n_felt);
        ret->error[k] = sqrt(r.wrong[k] / r.square[k]);
    }
}

double drive_find_fit(const struct drive *drive, struct drive_result *ret)
{
    struct drive trial = *drive;
    struct drive_result result;
    double low = 0, high = MOST;

    trial.curves = NULL;
    while (high - low > CLOSE) {
        trial.scale = (low + high) / 2;
        drive_run(&trial, &result);
        if (result.limited > 0) {
            high = trial.scale;
        } else {
            low = trial.scale;
            *ret = result;
        }
    }
    return low;
}
