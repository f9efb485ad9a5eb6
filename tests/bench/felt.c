/* SPDX-License-Identifier: Apache-2.0 */
/* Specific force that a driver feels in three manoeuvres, for each parameter set of the washout,
 * with the attitude in the loop of the translation and without. The platform is one without end
 * stops, and a hexapod of 0.6 m.
 *
 * error: RMS of the difference between felt and scaled specific force, relative to the RMS of the
 * scaled one
 * travel: largest excursion along the manoeuvre's axis
 * guard: time in which a leg was not at its commanded length
 * fits: the largest scale at which the guard never acts, and the error at this scale */
#include "cueing/felt.h"
#include "cueing/ride.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define H      1e-3
#define G      LK_CUEING_GRAVITY
#define STEPS  15000
#define RISING 10000

/* Return a ramp that rises from 0 to 1 within @up, and falls from @until on. */
static double ramp(double t, double up, double until)
{
    return fmin(fmax(fmin(t / up, (until + up - t) / up), 0), 1);
}

static void sense_lane_change(double t, double sensor[6])
{
    sensor[1] = t < 2.5 ? 4 * sin(2 * M_PI * 0.4 * t) : 0;
}

static void sense_brake(double t, double sensor[6])
{
    sensor[0] = -6 * ramp(t, 0.3, 4);
}

static void sense_corner(double t, double sensor[6])
{
    sensor[1] = 4 * ramp(t, 0.5, 8);
    sensor[5] = 0.25 * ramp(t, 0.5, 8);
}

static const struct manoeuvre {
    const char *name;
    int axis;
    void (*sense)(double t, double sensor[6]);
} manoeuvres[] = {
    {"lane change, 4 m/s^2 at 0.4 Hz", 1, sense_lane_change},
    {"braking, 6 m/s^2 for 4 s", 0, sense_brake},
    {"corner, 4 m/s^2 for 8 s", 1, sense_corner},
};

/* struct felt - sums of squares of the error and of the cue
 * @travel: largest excursion */
struct felt {
    double error;
    double cue;
    double travel;
};

/* Add the specific force at the middle of three poses to @felt. */
static void add_felt(struct felt *felt, double pose[3][6], int axis, double cue)
{
    static const double head[3] = {0};
    double f[3];

    lk_felt_force((const double(*)[6])pose, head, H, f);
    felt->error += (f[axis] - cue) * (f[axis] - cue);
    felt->cue += cue * cue;
    felt->travel = fmax(felt->travel, fabs(pose[2][axis]));
}

/* Prepare a ride with a raised platform.
 * @scale: scale of all cues, 0 for that of the set */
static int begin(struct lk_ride *ride, int set, double coupled, double scale)
{
    const struct lk_hexapod hexapod = {1.65, 0.12217, 1.60, 0.92502, 1.70};
    struct lk_ride_config config = {.set = lk_washout_named(set), .h = H, .fade = 0.1, .pace = 0.5};
    struct lk_actuator_limits limits[LK_PLATFORM_ACTUATORS];

    for (int i = 0; i < LK_PLATFORM_ACTUATORS; i++)
        limits[i] = (struct lk_actuator_limits){-0.3, 0.3, 0.6, 6};
    config.set.coupled = coupled;
    for (int i = 0; i < 3 && scale > 0; i++)
        config.set.force_scale[i] = config.set.rate_scale[i] = scale;
    if (!lk_platform_init(&config.platform, LK_PLATFORM_HEXAPOD, &hexapod, limits))
        return -1;
    lk_ride_init(ride, &config);
    lk_ride_engage(ride);
    for (int i = 0; i < RISING; i++)
        lk_ride_step(ride, (const double[6]){0, 0, G, 0, 0, 0});
    return 0;
}

static void drive(struct lk_ride *ride, const struct manoeuvre *m, bool guarded,
                  struct felt *ret_felt)
{
    struct lk_washout_state washed = {0};
    double pose[3][6] = {{0}};

    *ret_felt = (struct felt){0};
    for (int i = 0; i < STEPS; i++) {
        double sensor[6] = {0, 0, G, 0, 0, 0};

        m->sense(i * H, sensor);
        memmove(pose[0], pose[1], 2 * sizeof(pose[0]));
        if (guarded)
            lk_ride_step(ride, sensor);
        else
            lk_washout_step(&ride->washout, &washed, sensor, pose[2]);
        if (guarded)
            memcpy(pose[2], ride->pose, sizeof(pose[2]));
        if (i >= 3)
            add_felt(ret_felt, pose, m->axis,
                     ride->washout.set.force_scale[m->axis] * sensor[m->axis]);
    }
}

/* Return the largest scale at which the guard never changes the motion of the platform. */
static double find_fit(const struct manoeuvre *m, int set, double coupled, struct felt *ret_felt)
{
    double low = 0, high = 2;

    while (high - low > 0.005) {
        double scale = (low + high) / 2;
        struct felt felt;
        struct lk_ride ride;

        if (begin(&ride, set, coupled, scale))
            return 0;
        ride.guard.limited = 0;
        drive(&ride, m, true, &felt);
        if (ride.guard.limited > 0) {
            high = scale;
        } else {
            low = scale;
            *ret_felt = felt;
        }
    }
    return low;
}

static int print_row(const struct manoeuvre *m, int set, double coupled)
{
    struct felt free, guarded, fitting = {.cue = 1};
    struct lk_ride ride;
    double scale;

    if (begin(&ride, set, coupled, 0))
        return 1;
    drive(&ride, m, false, &free);
    ride.guard.limited = 0;
    drive(&ride, m, true, &guarded);
    scale = find_fit(m, set, coupled, &fitting);
    printf("  %-10s coupled %3.1f   free: error %.2f, travel %.2f m   hexapod: error %.2f, guard "
           "%4.1f s   fits: %.2f, error %.2f\n",
           lk_washout_names[set], coupled, sqrt(free.error / free.cue), free.travel,
           sqrt(guarded.error / guarded.cue), (double)ride.guard.limited * H, scale,
           sqrt(fitting.error / fitting.cue));
    return 0;
}

int main(void)
{
    for (size_t m = 0; m < sizeof(manoeuvres) / sizeof(manoeuvres[0]); m++) {
        printf("%s\n", manoeuvres[m].name);
        for (int set = 0; lk_washout_names[set]; set++)
            for (int part = 0; part < 3; part++)
                if (print_row(&manoeuvres[m], set, part / 2.0))
                    return 1;
    }
    return 0;
}
