/* SPDX-License-Identifier: Apache-2.0 */
#include "driver_model.h"

#include <math.h>
#include <stdlib.h>

#define POINT_STEP 0.5  /* distance of the points of the path [m] */
#define NEAREST_M  10.0 /* length of the path in which the nearest point moves between samples */
#define CLOSED_M   2.0  /* largest gap of a circuit */
#define AHEAD_MIN  4.0  /* least distance of the point steered to [m] */
#define AHEAD_OFF  2.5  /* ... and in distances from the path */
#define AHEAD_S    0.55 /* ... and in time [s] */
#define LEARN_S    4.0  /* time constant of the learnt ratio [s] */
#define LEARN_FROM 5.0  /* least speed for it [m/s] */
#define LEARN_TO   3.0  /* largest lateral acceleration for it [m/s^2] */
#define GRIP       6.0  /* lateral acceleration at which nothing is left for the throttle [m/s^2] */
#define GAIN       0.35 /* pedal for an error of the speed [s/m] */
#define GAIN_SUM   0.08 /* ... and for its integral [1/m] */
#define SUM_MAX    5    /* largest integral [m] */
#define COASTS     0.05 /* pedal up to which the car slows down without its brake [1] */
#define STEER_MAX  7    /* [rad] */
#define LATERAL    5.5  /* largest lateral acceleration that is steered to [m/s^2] */
#define OFF_M      2.5  /* distance from the path from which the car is driven slowly [m] */
#define OFF_SPEED  8    /* [m/s] */
#define LOST_M     20   /* distance from the path from which the nearest point is sought anew [m] */
#define POINTS_MIN 8
#define CURVATURE  0.004 /* what limits the speed on a straight: none below this [1/m] */

/* ---- the path ---- */

static int next_of(const struct driver *p, int i)
{
    return i + 1 < p->n ? i + 1 : p->is_closed ? 0 : p->n - 1;
}

/* compute the curvature of the path from the turn between its pieces, over 3 m */
static void find_curvatures(struct driver *p)
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

/* compute the speeds: what bends allow, then from the end back what braking allows */
static void find_speeds(struct driver *p, const struct driver_limits *o)
{
    for (int i = 0; i < p->n; i++) {
        double bend = fmax(fabs(p->point[i].curvature), CURVATURE);

        p->point[i].speed = fmin(o->speed, sqrt(o->a_y * p->point[i].grip / bend));
    }
    if (!p->is_closed)
        p->point[p->n - 1].speed = 0;
    for (int i = 2 * p->n - 1; i >= 0; i--) { /* twice around a circuit */
        struct driver_point *here = &p->point[i % p->n];
        double next = p->point[next_of(p, i % p->n)].speed;

        here->speed = fmin(here->speed, sqrt(next * next + 2 * o->a_x * here->grip * POINT_STEP));
    }
}

bool driver_new(const struct xodr *xodr, const struct driver_limits *o, double ratio,
                struct driver *ret)
{
    const struct xodr_road *road = &xodr->road[0];
    struct driver p = {.n = (int)(road->length / POINT_STEP), .nearest = -1, .ratio = ratio};
    double tangent[2], gap;

    p.point = p.n >= POINTS_MIN ? calloc((size_t)p.n, sizeof(*p.point)) : NULL;
    if (p.point == NULL)
        return false;
    for (int i = 0; i < p.n; i++) {
        int to = o->aside > 0 ? p.n - 1 - i : i;
        struct xodr_place place;

        xodr_at(road, i * POINT_STEP, o->aside, &place, tangent);
        p.point[to] = (struct driver_point){
            .x = place.x, .y = place.y, .grip = isnan(place.mu) ? 1 : fmin(place.mu, 1)};
    }
    gap = hypot(p.point[0].x - p.point[p.n - 1].x, p.point[0].y - p.point[p.n - 1].y);
    p.is_closed = gap < CLOSED_M;
    find_curvatures(&p);
    find_speeds(&p, o);
    *ret = p;
    return true;
}

void driver_free(struct driver *driver)
{
    free(driver->point);
    *driver = (struct driver){.n = 0};
}

void driver_forget(struct driver *driver)
{
    driver->nearest = -1;
    driver->sum = 0;
}

/* ---- driving ---- */

static double distance(const struct driver *p, int i, const double at[2])
{
    return hypot(p->point[i].x - at[0], p->point[i].y - at[1]);
}

/* find the nearest point of the path: ahead of the last one, or if the car is far off among all */
static void find_nearest(struct driver *d, const double at[2])
{
    bool is_lost = d->nearest < 0 || distance(d, d->nearest, at) > LOST_M;
    int n = is_lost ? d->n : (int)(NEAREST_M / POINT_STEP), i = is_lost ? 0 : d->nearest;

    d->nearest = i;
    for (int k = 0; k < n; k++, i = next_of(d, i))
        if (distance(d, i, at) < distance(d, d->nearest, at))
            d->nearest = i;
}

/* Return the angle of the steering wheel that leads to the point of the path that is so far ahead:
 * the further, the further the car is off. What is behind the car is turned to as if it were beside
 * it. */
static double steer_to(const struct driver *d, const struct driver_car *car)
{
    double off = distance(d, d->nearest, car->at), square = fmax(car->speed * car->speed, 1);
    double wanted = fmax(fmax(AHEAD_MIN, AHEAD_S * car->speed), AHEAD_OFF * off);
    double to[2], along, aside, away, most;
    int i = d->nearest;

    for (int k = 0; k * POINT_STEP < wanted; k++)
        i = next_of(d, i);
    to[0] = d->point[i].x - car->at[0];
    to[1] = d->point[i].y - car->at[1];
    along = car->ahead[0] * to[0] + car->ahead[1] * to[1];
    aside = car->ahead[0] * to[1] - car->ahead[1] * to[0];
    away = fmax(hypot(to[0], to[1]), 0.5 * AHEAD_MIN);
    most = fmin(STEER_MAX, LATERAL / square / d->ratio);
    if (along < 0)
        aside = copysign(away, aside);
    return fmin(fmax(2 * aside / (away * away) / d->ratio, -most), most);
}

/* learn the ratio of curvature to the angle of the wheel, while the car turns */
static void learn(struct driver *d, const struct driver_car *car, double dt)
{
    if (car->speed > LEARN_FROM && fabs(car->speed * car->yaw_rate) < LEARN_TO &&
        fabs(d->steer) > 0.2) {
        double seen = car->yaw_rate / car->speed / d->steer;

        d->ratio +=
            fmin(dt / LEARN_S, 1) * (fmin(fmax(seen, 0.5 * d->ratio), 2 * d->ratio) - d->ratio);
        d->ratio = fmin(fmax(d->ratio, 0.005), 1);
    }
}

void driver_act(struct driver *d, const struct driver_car *car, double dt,
                double ret[DRIVER_VALUES])
{
    double used = car->speed * car->yaw_rate / GRIP, error, pedal;

    find_nearest(d, car->at);
    learn(d, car, dt);
    d->steer = steer_to(d, car);
    error = d->point[d->nearest].speed;
    if (distance(d, d->nearest, car->at) > OFF_M)
        error = fmin(error, OFF_SPEED);
    error -= car->speed;
    d->sum = fmin(fmax(d->sum + error * dt, 0), SUM_MAX);
    pedal = GAIN * error + GAIN_SUM * d->sum;
    ret[DRIVER_STEER] = d->steer;
    ret[DRIVER_THROTTLE] = fmin(fmax(pedal, 0), fmax(1 - used * used, 0));
    ret[DRIVER_BRAKE] = fmin(fmax(-pedal - COASTS, 0), 1);
}

struct driver_car driver_see(const double *v)
{
    const double *q = v + 3, *velocity = v + 7;
    double x = 1 - 2 * (q[2] * q[2] + q[3] * q[3]), y = 2 * (q[1] * q[2] + q[0] * q[3]);
    double length = fmax(hypot(x, y), 1e-9);
    struct driver_car car = {
        .at = {v[0], v[1]}, .ahead = {x / length, y / length}, .yaw_rate = v[12]};

    car.speed = velocity[0] * car.ahead[0] + velocity[1] * car.ahead[1];
    return car;
}
