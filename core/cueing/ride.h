/* SPDX-License-Identifier: Apache-2.0 */
/* A ride: the motion of a platform from its parking position and back to it.
 *
 *                 engage             at neutral
 *     PARKED ---------------> RISING ----------> FOLLOWING
 *        ^                       |                   |
 *        |                       v  any cause to end v
 *        +------- SETTLING <-- HOLDING <-------------+
 *          at rest       at rest
 *
 * RISING and SETTLING move each actuator along a polynomial of degree 5 in time, at a fraction of
 * the limits. FOLLOWING uses the pose of the washout, faded in. HOLDING brakes to rest with the
 * braking law of the guard; the platform cannot rise again before it has parked. The positions of
 * all states, and of all changes between states, pass the guard (leg_guard.h).
 *
 * All state is in the struct: no clock, no socket. One thread at a time. RT: yes, except init. */
#ifndef LK_CUEING_RIDE_H
#define LK_CUEING_RIDE_H

#include "cueing/gains.h"
#include "cueing/leg_guard.h"
#include "cueing/platform.h"
#include "cueing/washout.h"

/* The numbers of states and causes are part of the datagrams (doc/reference/sending.md). */
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
    LK_RIDE_ORDERED,     /* an order to park */
    LK_RIDE_EMERGENCY,   /* emergency stop, latched until its release */
    LK_RIDE_NOT_RUNNING, /* the cycle does not run in real time */
    LK_RIDE_SILENT,      /* no step came for too long */
    LK_RIDE_NOT_READY,   /* the platform reports that it is not ready, or has not reported */
    LK_RIDE_FAULT,       /* the platform reports a fault */
    LK_RIDE_NO_SENSOR,   /* the model lacks the output for the washout */
    LK_RIDE_UNDER_WAY,   /* refused: only a parked platform can rise */
};

/** struct lk_ride_config - settings of a ride. @h: step [s];  @fade: duration of the fade-in
 * of the washout's pose [s]
 * @pace: fraction of the limits of speed and acceleration for rising and settling, 0.01 to 0.5 */
struct lk_ride_config {
    struct lk_washout_set set;
    struct lk_platform platform;
    double h;
    double fade;
    double pace;
};

/* Sequence of the orders that changed a ride between two steps: four bits each, in an integer that
 * a double represents exactly. */
#define LK_RIDE_ORDER_ENGAGE  1
#define LK_RIDE_ORDER_RELEASE 2
#define LK_RIDE_ORDER_END     3 /* plus the cause */
#define LK_RIDE_ORDERS_MAX    9007199254740991.0
#define LK_RIDE_ORDERS_LOST   (-1.0) /* too many orders for one number */

/** struct lk_ride - state of a ride.
 * @gains: gains of @washout;  @pose: pose of the guarded actuators;  @cause: cause of the last end
 * @emergency: an emergency stop is latched
 * @from, @to: actuator positions at both ends of the path in RISING and SETTLING
 * @steps:  number of steps of this path
 * @step:   present step of this path; in FOLLOWING, number of steps since FOLLOWING began
 * @park:   parking position of the actuators
 * @orders: orders received since the last step;  @obeyed: orders executed before the last step */
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

/** lk_ride_init() - begin in PARKED: a hexapod with retracted legs, others at the lowest heave. */
void lk_ride_init(struct lk_ride *ride, const struct lk_ride_config *config);

/** lk_ride_engage() - begin to rise; the platform follows the washout when it has risen.
 * Return: LK_RIDE_NO_CAUSE, or the reason for refusal. */
enum lk_ride_cause lk_ride_engage(struct lk_ride *ride);

/** lk_ride_end() - hold and settle because of @cause; no effect on a ride that is ending already.
 * LK_RIDE_EMERGENCY remains latched until lk_ride_release(), in every state. */
void lk_ride_end(struct lk_ride *ride, enum lk_ride_cause cause);
void lk_ride_release(struct lk_ride *ride);

/** lk_ride_step() - make one step of the configured h. @sensor: see lk_washout_step() */
void lk_ride_step(struct lk_ride *ride, const double sensor[6]);

/** lk_ride_state_name() - return the name of a state, "following".
 * lk_ride_cause_text() - return the text of a cause, "the cycle does not run". */
const char *lk_ride_state_name(enum lk_ride_state state);
const char *lk_ride_cause_text(enum lk_ride_cause cause);

#endif
