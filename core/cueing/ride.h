/* SPDX-License-Identifier: Apache-2.0 */
/* A ride: what a platform does from its parking position and back to it.
 *
 *                 engage             at neutral
 *     PARKED ---------------> RISING ----------> FOLLOWING
 *        ^                       |                   |
 *        |                       v  any cause to end v
 *        +------- SETTLING <-- HOLDING <-------------+
 *          at rest       at rest
 *
 * RISING and SETTLING go straight, actuator by actuator, by a polynomial of degree 5, at a part of
 * the limits. FOLLOWING takes its pose from the washout, faded in. HOLDING brakes at the law of the
 * guard where the platform is; nothing brings it up again before it has parked. Every position of
 * every state passes the guard (leg_guard.h), and so does every change between states.
 *
 * Pure but for the struct: no clock, no socket. One thread at a time. RT: yes, but for init. */
#ifndef LK_CUEING_RIDE_H
#define LK_CUEING_RIDE_H

#include "cueing/gains.h"
#include "cueing/leg_guard.h"
#include "cueing/platform.h"
#include "cueing/washout.h"

/* The numbers of states and causes are part of the datagrams (config/README.md). */
enum lk_ride_state {
    LK_RIDE_PARKED = 1,
    LK_RIDE_RISING,
    LK_RIDE_FOLLOWING,
    LK_RIDE_HOLDING,
    LK_RIDE_SETTLING,
};

/** enum lk_ride_cause - why a ride ends, or cannot begin. */
enum lk_ride_cause {
    LK_RIDE_NO_CAUSE,
    LK_RIDE_ORDERED,     /* to park */
    LK_RIDE_EMERGENCY,   /* until it is released */
    LK_RIDE_NOT_RUNNING, /* the cycle does not run in real time */
    LK_RIDE_SILENT,      /* no step came for too long */
    LK_RIDE_NOT_READY,   /* the platform reports so, or has not reported */
    LK_RIDE_FAULT,       /* the platform reports so */
    LK_RIDE_NO_SENSOR,   /* the model lacks the output */
    LK_RIDE_UNDER_WAY,   /* only a parked platform rises */
};

/** struct lk_ride_config - @h: step [s];  @fade: of the washout's pose when it begins [s]
 * @pace: part of speed and acceleration that rising and settling use, 0.01 to 0.5 */
struct lk_ride_config {
    struct lk_washout_set set;
    struct lk_platform platform;
    double h;
    double fade;
    double pace;
};

/* Orders that changed a ride between two steps, one after the other: four bits each, in a number
 * that a double holds. */
#define LK_RIDE_ORDER_ENGAGE  1
#define LK_RIDE_ORDER_RELEASE 2
#define LK_RIDE_ORDER_END     3 /* and a cause */
#define LK_RIDE_ORDERS_MAX    9007199254740991.0
#define LK_RIDE_ORDERS_LOST   (-1.0) /* there were more of them */

/** struct lk_ride - @gains: of @washout;  @pose: of the guarded actuators;  @cause: of the last end
 * @emergency: latched;  @from, @to, @steps, @step: of the way in RISING and SETTLING; @step also
 * counts those of FOLLOWING;  @park: position of the actuators
 * @orders: since the last step;  @obeyed: those before it */
struct lk_ride {
    struct lk_platform platform;
    struct lk_gains gains;
    struct lk_washout washout;
    struct lk_washout_state washed;
    struct lk_leg_guard guard;
    double pose[6];
    enum lk_ride_state state;
    enum lk_ride_cause cause;
    bool emergency;
    double pace;
    double fade;
    unsigned long long step;
    double steps;
    double from[LK_PLATFORM_ACTUATORS];
    double to[LK_PLATFORM_ACTUATORS];
    double park[LK_PLATFORM_ACTUATORS];
    double orders;
    double obeyed;
};

/** lk_ride_init() - PARKED: a hexapod with its legs in, others with their heave down. */
void lk_ride_init(struct lk_ride *ride, const struct lk_ride_config *config);

/** lk_ride_engage() - rise, then follow. Return: LK_RIDE_NO_CAUSE, or why not. */
enum lk_ride_cause lk_ride_engage(struct lk_ride *ride);

/** lk_ride_end() - hold and settle because of @cause; without effect on a ride that ends already.
 * LK_RIDE_EMERGENCY stays until lk_ride_release(), in every state. */
void lk_ride_end(struct lk_ride *ride, enum lk_ride_cause cause);
void lk_ride_release(struct lk_ride *ride);

/** lk_ride_step() - one step of the configured h. @sensor: see lk_washout_step() */
void lk_ride_step(struct lk_ride *ride, const double sensor[6]);

/** lk_ride_state_name(), lk_ride_cause_text() - "following"; "the cycle does not run". */
const char *lk_ride_state_name(enum lk_ride_state state);
const char *lk_ride_cause_text(enum lk_ride_cause cause);

#endif
