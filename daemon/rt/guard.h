/* SPDX-License-Identifier: Apache-2.0 */
/* The guard: converts the values commanded by benches to the values that act in the step.
 *
 * Each input channel has a time-out in steps, a rate, and a fail-safe. The guard checks them at
 * every step, on the cycle thread. Therefore a stale value cannot keep acting even if a bench dies
 * or the exchange thread starves. The rules of the guard are in one table of conditions and
 * actions.
 *
 *     record of the mailbox          guard                              step
 *     commanded values, slopes  -->  tripped: hold, zero, ramp  ----->  acting values
 *     heard, refused counters        else commanded; then rate limit
 *
 * A condition trips a channel if the rule of the condition is hold, zero or ramp. The channel
 * recovers when the condition is over and @recover_samples good samples in a row have arrived
 * since; it then returns to the commanded value along a straight line, without a jump. The return
 * takes as long as its ramp. A stronger action replaces a weaker one. A channel that no longer has
 * a bench returns in the same way.
 *
 * A commanded value is extrapolated with its slope, within the limits, up to the horizon of its
 * channel, and held afterwards. So a bench that sends slopes acts between its samples.
 *
 * The guard does only arithmetic on the cycle's own memory. Counters that other threads read are
 * atomics. */
#ifndef LKD_RT_GUARD_H
#define LKD_RT_GUARD_H

#include "linkage/linkage.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** enum lkd_action - see Action in linkage.proto; a larger value is a stronger action. */
enum lkd_action {
    LKD_ACTION_COUNT,
    LKD_ACTION_HOLD,
    LKD_ACTION_RAMP,
    LKD_ACTION_ZERO,
    LKD_ACTION_FAULT,
};

/** enum lkd_condition - see Condition in linkage.proto. */
enum lkd_condition {
    LKD_CONDITION_LATE,
    LKD_CONDITION_STALE,
    LKD_CONDITION_RANGE,
    LKD_CONDITION_NOT_FINITE,
    LKD_CONDITION_LOST,
    LKD_CONDITION_RESIDUAL,
    LKD_CONDITION_ENERGY,
    LKD_CONDITION_BOUNDS,
    LKD_CONDITION_ENERGY_JUMP,
    LKD_CONDITION_INCREMENT,
    LKD_CONDITION_PIVOT,
    LKD_CONDITION_TURN,
    LKD_CONDITION_PORT,
    LKD_CONDITION_STRAIN,
    LKD_CONDITION_CONTACT,
    LKD_CONDITIONS,
};

/** struct lkd_rule - the action for a condition.
 * @value:  target of a ramp; NaN: the initial value of the channel
 * @ramp_s: duration of the ramp to the target, and of the ramp back [s] */
struct lkd_rule {
    enum lkd_action action;
    double value;
    double ramp_s;
};

/** struct lkd_threshold - two limits of one figure. Beyond @limit the rule acts; beyond @fault the
 * run ends in FAULT, regardless of the rule. An infinite limit is never exceeded. */
struct lkd_threshold {
    double limit;
    double fault;
};

/** struct lkd_channel_rule - staleness rule of one channel named in the configuration.
 * @horizon_s: see struct lkd_policy */
struct lkd_channel_rule {
    char name[LK_NAME_SIZE];
    uint64_t timeout_steps;
    struct lkd_rule rule;
    double horizon_s;
};

#define LKD_CHANNEL_RULES_MAX 64

/** struct lkd_policy - table of conditions and actions, read from the configuration.
 * @rule:            one per condition
 * @timeout_steps:   steps until LKD_CONDITION_STALE; 0: never
 * @residual_limit:  limit of LKD_CONDITION_RESIDUAL [m or rad]
 * @energy_limit:    limit of LKD_CONDITION_ENERGY, which also trips if energy appears
 *                   (linkage/energy.h) [J]; infinite: off
 * @position_limit, @speed_limit: limits of LKD_CONDITION_BOUNDS [m, m/s]
 * @energy_jump:     limit of LKD_CONDITION_ENERGY_JUMP, a share of the energy, see linkage/energy.h
 * @increment:       limit of LKD_CONDITION_INCREMENT [m or rad]
 * @pivot_limit:     limit of LKD_CONDITION_PIVOT, see lk_system_dependent_rows()
 * @turn_limit:      limit of LKD_CONDITION_TURN [rad in a step]
 * @port_limit:      limit of LKD_CONDITION_PORT [J], infinite: off
 * @strain_limit:    limit of LKD_CONDITION_STRAIN
 * @contact_limit:   limit of LKD_CONDITION_CONTACT
 * @horizon_s:       time for which a value is extrapolated with its slope [s]; 0: none
 * @recover_samples: good samples in a row for a recovery, at least 1
 * @channel:         @n_channels channels with their own staleness rule; names that the model lacks
 *                   have no effect */
struct lkd_policy {
    struct lkd_rule rule[LKD_CONDITIONS];
    uint64_t timeout_steps;
    double residual_limit;
    double energy_limit;
    double position_limit;
    double speed_limit;
    struct lkd_threshold energy_jump;
    struct lkd_threshold increment;
    double pivot_limit;
    double turn_limit;
    double port_limit;
    double strain_limit;
    double contact_limit;
    double horizon_s;
    uint64_t recover_samples;
    int n_channels;
    struct lkd_channel_rule channel[LKD_CHANNEL_RULES_MAX];
};

/** struct lkd_news - sample counts and state of an input channel, sent by the exchange thread in
 * the mailbox record. Counters are not reset while the model is loaded, so that the guard loses no
 * information if it skips records.
 * @heard:   number of good samples
 * @not_finite, @out_of_range: number of samples refused for that reason
 * @watched: a bench sends values for the channel, so the channel can become stale
 * @lost:    the bench has been silent for longer than its lease */
struct lkd_news {
    uint64_t heard;
    uint64_t not_finite;
    uint64_t out_of_range;
    bool watched;
    bool lost;
};

/** struct lkd_guarded - state of a guarded channel.
 * @offset, @size: index of the first scalar of the channel, and number of its scalars
 * @low, @high:    limits of each scalar
 * @rate:          largest change of a scalar per step
 * @initial:       value at the start
 * @timeout_steps, @stale, @horizon: settings of this channel; @horizon [s]
 * @seen:          news already processed
 * @age:           steps since the last good sample
 * @since:         steps since the commanded value was sent, also while another value acts
 * @tripped:       @action, other than COUNT, is active because of @condition
 * @target:        target of a ramp
 * @left:          remaining steps of a ramp, to the target or back
 * @good:          good samples since the trip
 * @limited:       the rate limit was reached in the last step
 * The following fields are read by other threads.
 * @acting_action:    present action
 * @acting_condition: condition of the last trip, -1: none in this run
 * @trips:            number of trips since the start of the run
 * @trip_step:        step of the last trip
 * @times_stale, @stale_step: how often the channel became stale, and step of the last time
 * @rate_limited:     number of steps in which the rate limit was reached
 * @age_now:          age in steps (0 if no bench sends values) */
struct lkd_guarded {
    int offset;
    int size;
    double low;
    double high;
    double rate;
    double initial;
    uint64_t timeout_steps;
    struct lkd_rule stale;
    double horizon;

    struct lkd_news seen;
    uint64_t age;
    uint64_t since;
    bool tripped;
    bool returning;
    enum lkd_action action;
    enum lkd_condition condition;
    double target;
    uint64_t ramp_steps;
    uint64_t left;
    uint64_t good;
    bool limited;

    _Atomic int acting_action;
    _Atomic int acting_condition;
    _Atomic uint64_t trips;
    _Atomic uint64_t trip_step;
    _Atomic uint64_t times_stale;
    _Atomic uint64_t stale_step;
    _Atomic uint64_t rate_limited;
    _Atomic uint64_t age_now;
};

/** struct lkd_guard - guard of all input channels of a model.
 * @acting:        acting values, @n_values of them
 * @shown:         copy of the acting values for other threads
 * @count:         count of each condition since the start of the run
 * @last_step:     step of the last occurrence of each condition
 * @flags:         enum Flag of the last step, those caused by inputs
 * @timed:         channels can become stale or lost; false in lockstep, because no step is made
 *                 without a bench
 * @overruns_seen: overruns already processed
 * @model:         bit set of the active conditions of the whole model
 * @h:             step size [s] */
struct lkd_guard {
    struct lkd_policy policy;
    int n_channels;
    struct lkd_guarded *channel;
    int n_values;
    double *acting;
    _Atomic double *shown;
    double h;
    bool timed;
    uint64_t overruns_seen;
    unsigned int model;
    uint32_t flags;
    _Atomic uint64_t count[LKD_CONDITIONS];
    _Atomic uint64_t last_step[LKD_CONDITIONS];
};

/** struct lkd_guard_view - state of the model before a step, input of the conditions.
 * @step:             number of steps done
 * @overruns:         number of overruns so far
 * @residual:         largest violation after the last step
 * @energy:           energy balance after the last step [J]
 * @position, @speed: largest values of a body after the last step [m, m/s]
 * @energy_jump:      energy that appeared, as a share of the energy
 * @energy_appears:   see lk_energy_appears()
 * @increment:        last increment of the iteration of the last step [m or rad]
 * @dependent:        number of newly dependent rows
 * @turn:             largest rotation of a body in one step at its present angular velocity [rad]
 * @port_gap:         see struct lk_health [J]
 * @strain:           largest strain of a beam, see struct lk_extent
 * @contact:          largest error of a contact force, see struct lk_extent */
struct lkd_guard_view {
    uint64_t step;
    uint64_t overruns;
    double residual;
    double energy;
    double position;
    double speed;
    double energy_jump;
    bool energy_appears;
    double increment;
    int dependent;
    double turn;
    double port_gap;
    double strain;
    double contact;
};

/** lkd_policy_default() - Return the default policy.
 * Inputs become stale after 100 steps. Stale and lost inputs ramp to their initial value in 0.1 s.
 * These figures cause a fault: a residual above 1e-3, energy that appears, a position above 1e8 m,
 * a speed above 1e5 m/s, an energy jump above a share of 0.9, and an increment above 1. Other
 * conditions are counted. doc/reference/fail-safes.md gives the reasons for these limits. */
struct lkd_policy lkd_policy_default(void);

/** lkd_guard_init() - Initialise @guard for the input channels of @system; the acting values are
 * the initial ones.
 * Thread: any but the cycle.  RT: no.
 * Return: 0, -ENOMEM. */
int lkd_guard_init(struct lkd_guard *guard, const struct lk_system *system,
                   const struct lkd_policy *policy);
/** lkd_guard_fini() - Release @guard, which may be zeroed. */
void lkd_guard_fini(struct lkd_guard *guard);

/** lkd_guard_begin() - Reset acting values, trips and counters when a run begins. @news: present
 * news of the n_channels channels; refusals before the run do not count
 * Thread: any, while no thread runs the cycle.  RT: yes. */
void lkd_guard_begin(struct lkd_guard *guard, const struct lkd_news *news);

/** lkd_guard_apply() - Compute acting values from commanded values, once per step.
 * @commanded: n_values values, finite and within their limits
 * @slopes:    rates of change of these values, finite [unit/s]
 * @news:      news of the n_channels channels
 * Thread: cycle.  RT: yes, 13 ns per channel of three values, 20 ns while its fail-safe acts
 * (tests/bench/guard).
 * Return: a condition whose rule is FAULT, or -1. */
LK_RT int lkd_guard_apply(struct lkd_guard *guard, const struct lkd_guard_view *view,
                          const double *commanded, const double *slopes,
                          const struct lkd_news *news);

/** lkd_guard_fault() - Count a condition that ended the run before lkd_guard_apply() could count
 * it.
 * Thread: cycle.  RT: yes. */
LK_RT void lkd_guard_fault(struct lkd_guard *guard, enum lkd_condition condition, uint64_t step);

#endif
