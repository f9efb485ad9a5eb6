/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-driver: a bench that drives a car along a road of an OpenDRIVE file.
 *
 * Speed: what the bends of the lane allow, sqrt(a_y / curvature), where all bends ahead are reached
 * by braking at a_x. Pedals: proportional to the error of the speed, with an integral for the drag.
 * Steering: towards a point of the lane ahead, on the arc that the car would follow (R. C. Coulter,
 * Implementation of the Pure Pursuit Path Tracking Algorithm, 1992), whose curvature is
 * 2 y / L^2 for a point at the distance L and y to the left. The ratio of curvature to the angle of
 * the steering wheel is learnt while driving, from the yaw rate.
 *
 * It is a stand-in: where another bench claims the inputs, a driver at the page for example, it
 * waits until they are free again. */
#include "bench.h"
#include "linkage/file.h"
#include "linkage/stacks.h"
#include "message.h"
#include "option_table.h"
#include "xodr.h"

#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINT_STEP 0.5   /* distance of the points of the path [m] */
#define RATE_HZ    100   /* samples a second */
#define SILENT_MS  100   /* longest wait for a sample */
#define NEAREST_M  10.0  /* length of the path in which the nearest point moves between samples */
#define CLOSED_M   2.0   /* largest gap of a circuit */
#define AHEAD_MIN  4.0   /* least distance of the point steered to [m] */
#define AHEAD_S    0.55  /* ... and in time [s] */
#define LEARN_S    4.0   /* time constant of the learnt ratio [s] */
#define LEARN_FROM 5.0   /* least speed for it [m/s] */
#define LEARN_TO   3.0   /* largest lateral acceleration for it [m/s^2] */
#define GRIP       6.0   /* lateral acceleration at which nothing is left for the throttle [m/s^2] */
#define GAIN       0.35  /* pedal for an error of the speed [s/m] */
#define GAIN_SUM   0.08  /* ... and for its integral [1/m] */
#define CURVATURE  0.004 /* what limits the speed on a straight: none below this [1/m] */

/** struct options - the command line; accelerations [m/s^2], speed [m/s], t of the path [m] */
struct options {
    const char *endpoint[3];
    double aside;
    double speed;
    double a_x;
    double a_y;
    double ratio;
};

/** struct point - a point of the path, with its curvature and the speed there. */
struct point {
    double x;
    double y;
    double curvature;
    double speed;
};

/** struct path - the lane. @is_closed: a circuit */
struct path {
    int n;
    bool is_closed;
    struct point *point;
};

/** struct driver - state of the driver. @nearest: index of the nearest point, -1: to be found
 * @ratio: curvature for each angle of the steering wheel [1/(rad m)]
 * @sum: integral of the error of the speed [m];  @time_s: of the last sample */
struct driver {
    struct path path;
    struct lk_client_bench *bench;
    int nearest;
    double ratio;
    double sum;
    double time_s;
    double steer;
};

/** struct car - the car at one time: position, unit vector ahead, speed, yaw rate. */
struct car {
    double at[2];
    double ahead[2];
    double speed;
    double yaw_rate;
};

static volatile sig_atomic_t ends;

static void on_signal(int number)
{
    (void)number;
    ends = 1;
}

/* ---- the path ---- */

static int next_of(const struct path *path, int i)
{
    return i + 1 < path->n ? i + 1 : path->is_closed ? 0 : path->n - 1;
}

/* compute the curvature of the path from the turn between its pieces, over 3 m */
static void find_curvatures(struct path *p)
{
    for (int i = 0; i < p->n; i++) {
        int far = (int)(1.5 / POINT_STEP), a = i - far, b = i + far;
        double u[2], v[2], length;

        a = a >= 0 ? a : p->is_closed ? a + p->n : 0;
        b = b < p->n ? b : p->is_closed ? b - p->n : p->n - 1;
        u[0] = p->point[i].x - p->point[a].x;
        u[1] = p->point[i].y - p->point[a].y;
        v[0] = p->point[b].x - p->point[i].x;
        v[1] = p->point[b].y - p->point[i].y;
        length = 0.5 * (hypot(u[0], u[1]) + hypot(v[0], v[1]));
        p->point[i].curvature =
            atan2(u[0] * v[1] - u[1] * v[0], u[0] * v[0] + u[1] * v[1]) / fmax(length, 0.1);
    }
}

/* Compute the speeds: what bends allow, with the friction of the lane in .speed so far, then from
 * the end back what braking allows. */
static void find_speeds(struct path *p, const struct options *o)
{
    for (int i = 0; i < p->n; i++) {
        double bend = fmax(fabs(p->point[i].curvature), CURVATURE);

        p->point[i].speed = fmin(o->speed, sqrt(o->a_y * p->point[i].speed / bend));
    }
    if (!p->is_closed)
        p->point[p->n - 1].speed = 0;
    for (int i = 2 * p->n - 1; i >= 0; i--) { /* twice around a circuit */
        struct point *here = &p->point[i % p->n];
        double next = p->point[next_of(p, i % p->n)].speed;

        here->speed = fmin(here->speed, sqrt(next * next + 2 * o->a_x * POINT_STEP));
    }
}

static bool make_path(const struct xodr *xodr, const struct options *o, struct path *p)
{
    const struct xodr_road *road = &xodr->road[0];
    double tangent[2], gap;

    p->n = (int)(road->length / POINT_STEP);
    p->point = calloc((size_t)p->n + 1, sizeof(*p->point));
    if (p->point == NULL || p->n < 8)
        return false;
    for (int i = 0; i < p->n; i++) {
        struct xodr_place place;
        bool is_left = o->aside > 0; /* lanes on the left lead back */
        int to = is_left ? p->n - 1 - i : i;

        xodr_at(road, i * POINT_STEP, o->aside, &place, tangent);
        p->point[to] = (struct point){
            .x = place.x, .y = place.y, .speed = isnan(place.mu) ? 1 : fmin(place.mu, 1)};
    }
    gap = hypot(p->point[0].x - p->point[p->n - 1].x, p->point[0].y - p->point[p->n - 1].y);
    p->is_closed = gap < CLOSED_M;
    find_curvatures(p);
    find_speeds(p, o);
    return true;
}

static int read_path(const char *file, const struct options *o, struct path *ret)
{
    struct notes notes = {.path = file};
    struct xodr xodr = {.n = 0};
    char *text;
    size_t size;
    bool is_good;
    int result = lk_file_read(file, XODR_SIZE_MAX, &text, &size);

    if (result != 0) {
        complain("%s: %s", file, lk_file_error(result));
        return 1;
    }
    is_good = xodr_read(text, size, &xodr, &notes);
    free(text);
    notes_print(&notes, stderr);
    notes_free(&notes);
    if (is_good && !make_path(&xodr, o, ret)) {
        complain("%s: its first road is too short", file);
        is_good = false;
    }
    xodr_free(&xodr);
    return is_good ? 0 : 1;
}

/* ---- driving ---- */

static double distance(const struct path *p, int i, const double at[2])
{
    return hypot(p->point[i].x - at[0], p->point[i].y - at[1]);
}

/* find the nearest point of the path: at first among all, then from the last one on */
static void find_nearest(struct driver *d, const double at[2])
{
    const struct path *p = &d->path;
    int n = d->nearest < 0 ? p->n : (int)(NEAREST_M / POINT_STEP),
        i = d->nearest < 0 ? 0 : d->nearest;

    if (d->nearest < 0)
        d->nearest = 0;
    for (int k = 0; k < n; k++, i = next_of(p, i))
        if (distance(p, i, at) < distance(p, d->nearest, at))
            d->nearest = i;
}

/* Return the angle of the steering wheel that leads to the point of the path that is so far ahead.
 */
static double steer_to(const struct driver *d, const struct car *car)
{
    double wanted = fmax(AHEAD_MIN, AHEAD_S * car->speed), aside, away;
    int i = d->nearest;

    for (int k = 0; k * POINT_STEP < wanted; k++)
        i = next_of(&d->path, i);
    away = fmax(distance(&d->path, i, car->at), 0.5 * AHEAD_MIN);
    aside = car->ahead[0] * (d->path.point[i].y - car->at[1]) -
            car->ahead[1] * (d->path.point[i].x - car->at[0]);
    return 2 * aside / (away * away) / d->ratio;
}

/* learn the ratio of curvature to the angle of the wheel, while the car turns */
static void learn(struct driver *d, const struct car *car, double dt)
{
    if (car->speed > LEARN_FROM && fabs(car->speed * car->yaw_rate) < LEARN_TO &&
        fabs(d->steer) > 0.2) {
        double seen = car->yaw_rate / car->speed / d->steer;

        d->ratio +=
            fmin(dt / LEARN_S, 1) * (fmin(fmax(seen, 0.5 * d->ratio), 2 * d->ratio) - d->ratio);
        d->ratio = fmin(fmax(d->ratio, 0.005), 1);
    }
}

static void drive(struct driver *d, const struct car *car, double dt, double values[3])
{
    double error, pedal, aside;

    find_nearest(d, car->at);
    learn(d, car, dt);
    d->steer = fmin(fmax(steer_to(d, car), -7), 7);
    error = d->path.point[d->nearest].speed - car->speed;
    d->sum = fmin(fmax(d->sum + error * dt, 0), 5);
    pedal = GAIN * error + GAIN_SUM * d->sum;
    values[0] = d->steer;
    aside = car->speed * car->yaw_rate / GRIP;
    values[1] = fmin(fmax(pedal, 0), fmax(1 - aside * aside, 0));
    values[2] = fmin(fmax(-pedal - 0.05, 0), 1);
}

/* read the car from the outputs `chassis` and `motion`, in this order */
static struct car car_of(const double *v)
{
    const double *q = v + 3, *velocity = v + 7;
    double x = 1 - 2 * (q[2] * q[2] + q[3] * q[3]), y = 2 * (q[1] * q[2] + q[0] * q[3]);
    double length = fmax(hypot(x, y), 1e-9);
    struct car car = {.at = {v[0], v[1]}, .ahead = {x / length, y / length}, .yaw_rate = v[12]};

    car.speed = velocity[0] * car.ahead[0] + velocity[1] * car.ahead[1];
    return car;
}

static void run(struct driver *d)
{
    double values[3];

    while (!ends) {
        const Linkage__V1__OutputSample *sample;
        struct lk_client_bench_view view;
        struct car car;

        if (lk_client_bench_receive(d->bench, SILENT_MS, NULL, &sample) != 0)
            continue;
        lk_client_bench_read_state(d->bench, &view);
        if (view.state != LK_CLIENT_BENCH_CONNECTED || sample->n_values != 13 ||
            sample->state != LINKAGE__V1__STATE__STATE_RUNNING) {
            d->nearest = -1; /* somebody else may take the car elsewhere */
            d->sum = 0;
            d->time_s = sample->time_s;
            continue;
        }
        car = car_of(sample->values);
        drive(d, &car, fmin(fmax(sample->time_s - d->time_s, 0), 0.1), values);
        d->time_s = sample->time_s;
        lk_client_bench_send(d->bench, values, 3, NULL);
    }
}

static int open_bench(struct driver *d, const struct options *o)
{
    char chassis[] = "chassis", motion[] = "motion", *const outputs[] = {chassis, motion};
    static const struct lk_client_bench_channel channels[] = {
        {"steer", "rad"}, {"throttle", "1"}, {"brake", "1"}};
    const struct lk_client_bench_setup setup = {
        .control = o->endpoint[0],
        .inputs = o->endpoint[1],
        .outputs = o->endpoint[2],
        .name = "linkage-driver",
        .channels = channels,
        .n_channels = 3,
        .selection = outputs,
        .n_selection = 2,
        .divisor = 1000 / RATE_HZ,
        .yields = true,
    };
    struct lk_error error;

    if (lk_client_bench_open(&setup, &d->bench, &error) == 0)
        return 0;
    complain("%s", error.text);
    return 1;
}

static const char usage[] =
    "usage: linkage-driver FILE.xodr [options]\n"
    "Drives a car with the inputs steer, throttle, brake and the outputs chassis, motion along "
    "the\n"
    "first road of FILE, as long as no other bench claims these inputs.\n"
    "  -t, --aside M        t of its path, left of the line [m]; default -1.75\n"
    "  -v, --speed V        at most [m/s]; default 30\n"
    "  -y, --lateral A      acceleration in bends at most [m/s^2]; default 3.5\n"
    "  -x, --braking A      [m/s^2]; default 3\n"
    "      --control E --inputs E --outputs E   endpoints of the daemon\n";

int main(int argc, char *argv[])
{
    struct options o = {.endpoint = {LK_CLIENT_CONTROL, LK_CLIENT_INPUTS, LK_CLIENT_OUTPUTS},
                        .aside = -1.75,
                        .speed = 30,
                        .a_x = 3,
                        .a_y = 3.5,
                        .ratio = 0.02};
    const struct option_row rows[] = {
        {"aside", 't', .number = &o.aside, .low = -100, .high = 100, .unit = "m"},
        {"speed", 'v', .number = &o.speed, .low = 1, .high = 100, .unit = "m/s"},
        {"lateral", 'y', .number = &o.a_y, .low = 0.1, .high = 20, .unit = "m/s^2"},
        {"braking", 'x', .number = &o.a_x, .low = 0.1, .high = 20, .unit = "m/s^2"},
        {"control", .text = &o.endpoint[0]},
        {"inputs", .text = &o.endpoint[1]},
        {"outputs", .text = &o.endpoint[2]},
        {"help", 'h', .print = usage},
        {NULL},
    };
    const struct option_table table = {.rows = rows};
    struct driver d = {.nearest = -1, .ratio = o.ratio};
    struct lk_error error;
    int code = options_parse(argc, argv, &table);

    if (code != 0)
        return options_status(code);
    if (optind != argc - 1) {
        fputs(usage, stderr);
        return 2;
    }
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    if (lk_stacks_prepare(&error) != 0) {
        complain("%s", error.text);
        return 1;
    }
    code = read_path(argv[optind], &o, &d.path);
    if (code == 0)
        code = open_bench(&d, &o);
    if (code == 0) {
        run(&d);
        lk_client_bench_close(d.bench);
    }
    free(d.path.point);
    return code;
}
