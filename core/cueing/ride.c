/* SPDX-License-Identifier: Apache-2.0 */
#include "cueing/ride.h"
#include <math.h>
#include <string.h>

#define N          LK_PLATFORM_ACTUATORS
#define SHORTEST_S 1.0  /* shortest duration of rising and of settling */
#define AT_REST    1e-9 /* position error and speed at rest [m or rad, and per s] */
#define WAY_POINTS 50   /* number of points from neutral to the parking position */

static const char *const state_names[] = {"none",      "parked",  "rising",
                                          "following", "holding", "settling"};
static const char *const cause_texts[] = {
    [LK_RIDE_NO_CAUSE] = "",
    [LK_RIDE_ORDERED] = "ordered to park",
    [LK_RIDE_EMERGENCY] = "emergency stop",
    [LK_RIDE_NOT_RUNNING] = "the cycle does not run in real time",
    [LK_RIDE_SILENT] = "no step came for too long",
    [LK_RIDE_NOT_READY] = "the platform does not report that it is ready",
    [LK_RIDE_FAULT] = "the platform reports a fault",
    [LK_RIDE_NO_SENSOR] = "the model lacks the output that the washout takes",
    [LK_RIDE_UNDER_WAY] = "the platform is not parked",
};

const char *lk_ride_state_name(enum lk_ride_state state)
{
    return state_names[state];
}

const char *lk_ride_cause_text(enum lk_ride_cause cause)
{
    return cause_texts[cause];
}

/* ---- rising and settling ---- */

/* Return a value from 0 to 1 with rate and second derivative 0 at both ends. The rate of the value
 * is at most 15/8, the second derivative at most 10/sqrt 3. */
static double smooth(double x)
{
    x = fmin(fmax(x, 0), 1);
    return x * x * x * (10 + x * (6 * x - 15));
}

static void take_way(struct lk_ride *ride, const double to[N])
{
    double longest = SHORTEST_S;

    for (int i = 0; i < ride->platform.n; i++) {
        const struct lk_actuator_limits *limits = &ride->platform.limits[i];
        double way = fabs(to[i] - ride->guard.position[i]);

        longest = fmax(longest, 1.875 * way / (ride->pace * limits->speed));
        longest = fmax(longest, sqrt(5.7735 * way / (ride->pace * limits->acceleration)));
    }
    memcpy(ride->from, ride->guard.position, sizeof(ride->from));
    memcpy(ride->to, to, sizeof(ride->to));
    ride->steps = ceil(longest / ride->guard.h);
    ride->step = 0;
}

/* Advance along the path. Return: whether the end of the path is reached. */
static bool go_on(struct lk_ride *ride, double demand[N])
{
    double part = smooth((double)++ride->step / ride->steps);

    for (int i = 0; i < N; i++)
        demand[i] = ride->from[i] + part * (ride->to[i] - ride->from[i]);
    return (double)ride->step >= ride->steps;
}

/* ---- states ---- */

static void find_park(struct lk_ride *ride)
{
    const struct lk_platform *platform = &ride->platform;
    static const int heave[] = {[LK_PLATFORM_SIX_AXIS] = 2, [LK_PLATFORM_THREE_AXIS] = 2};
    double position[N];

    for (int i = 0; i < platform->n; i++)
        if (platform->kind == LK_PLATFORM_HEXAPOD || i == heave[platform->kind])
            ride->park[i] = lk_leg_guard_end(&platform->limits[i], -1);
    for (int k = 1; k <= WAY_POINTS; k++) {
        for (int i = 0; i < N; i++)
            position[i] = ride->park[i] * k / WAY_POINTS;
        lk_platform_pose(platform, position, ride->pose);
    }
}

void lk_ride_init(struct lk_ride *ride, const struct lk_ride_config *config)
{
    *ride = (struct lk_ride){
        .platform = config->platform,
        .state = LK_RIDE_PARKED,
        .pace = config->pace,
        .fade = config->fade,
    };
    lk_gains_init(&ride->gains, &config->set);
    lk_washout_init(&ride->washout, &config->set, config->h);
    find_park(ride);
    lk_leg_guard_init(&ride->guard, &ride->platform, config->h, ride->park);
}

static void note_order(struct lk_ride *ride, int order)
{
    double orders = 16 * ride->orders + order;

    ride->orders = ride->orders < 0 || orders > LK_RIDE_ORDERS_MAX ? LK_RIDE_ORDERS_LOST : orders;
}

enum lk_ride_cause lk_ride_engage(struct lk_ride *ride)
{
    static const double neutral[N] = {0};

    if (ride->emergency)
        return LK_RIDE_EMERGENCY;
    if (ride->state != LK_RIDE_PARKED)
        return LK_RIDE_UNDER_WAY;
    note_order(ride, LK_RIDE_ORDER_ENGAGE);
    ride->cause = LK_RIDE_NO_CAUSE;
    ride->state = LK_RIDE_RISING;
    take_way(ride, neutral);
    return LK_RIDE_NO_CAUSE;
}

/* Set the demand to the position in which the guard stops each actuator soonest. */
static void stop_here(struct lk_ride *ride)
{
    for (int i = 0; i < ride->platform.n; i++) {
        double v = ride->guard.speed[i];
        double brake = LK_LEG_GUARD_BRAKE * ride->platform.limits[i].acceleration;

        ride->to[i] = ride->guard.position[i] + v * fabs(v) / (2 * brake);
    }
}

void lk_ride_end(struct lk_ride *ride, enum lk_ride_cause cause)
{
    bool moves = ride->state == LK_RIDE_RISING || ride->state == LK_RIDE_FOLLOWING;

    if (moves || (cause == LK_RIDE_EMERGENCY && !ride->emergency))
        note_order(ride, LK_RIDE_ORDER_END + (int)cause);
    ride->emergency = ride->emergency || cause == LK_RIDE_EMERGENCY;
    if (!moves)
        return;
    ride->cause = cause;
    ride->state = LK_RIDE_HOLDING;
    stop_here(ride);
}

void lk_ride_release(struct lk_ride *ride)
{
    if (ride->emergency)
        note_order(ride, LK_RIDE_ORDER_RELEASE);
    ride->emergency = false;
}

static void begin_following(struct lk_ride *ride)
{
    ride->state = LK_RIDE_FOLLOWING;
    ride->washed = (struct lk_washout_state){0};
    ride->step = 0;
}

static void follow(struct lk_ride *ride, const double sensor[6], double demand[N])
{
    double part = smooth((double)++ride->step * ride->guard.h / ride->fade), pose[6];

    lk_washout_step(&ride->washout, &ride->washed, sensor, pose);
    for (int i = 0; i < 6; i++)
        pose[i] *= part;
    lk_platform_actuators(&ride->platform, pose, demand);
}

static bool is_at_rest(const struct lk_ride *ride)
{
    for (int i = 0; i < ride->platform.n; i++)
        if (fabs(ride->guard.speed[i]) > AT_REST ||
            fabs(ride->guard.position[i] - ride->guard.demand[i]) > AT_REST)
            return false;
    return true;
}

static void begin_settling(struct lk_ride *ride)
{
    ride->state = LK_RIDE_SETTLING;
    take_way(ride, ride->park);
}

void lk_ride_step(struct lk_ride *ride, const double sensor[6])
{
    double demand[N] = {0};

    ride->obeyed = ride->orders;
    ride->orders = 0;
    lk_gains_step(&ride->gains, ride->guard.h, &ride->washout.set);
    switch (ride->state) {
    case LK_RIDE_PARKED:
        memcpy(demand, ride->park, sizeof(demand));
        break;
    case LK_RIDE_RISING:
        if (go_on(ride, demand))
            begin_following(ride);
        break;
    case LK_RIDE_FOLLOWING:
        follow(ride, sensor, demand);
        break;
    case LK_RIDE_HOLDING:
        memcpy(demand, ride->to, sizeof(demand));
        break;
    case LK_RIDE_SETTLING:
        if (go_on(ride, demand))
            ride->state = LK_RIDE_PARKED;
        break;
    }
    lk_leg_guard_step(&ride->guard, demand);
    lk_platform_pose(&ride->platform, ride->guard.position, ride->pose);
    if (ride->state == LK_RIDE_HOLDING && is_at_rest(ride))
        begin_settling(ride);
}
