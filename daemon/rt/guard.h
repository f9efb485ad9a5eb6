/* SPDX-License-Identifier: Apache-2.0 */
/* The guard: between what benches sent and what acts in the step.
 *
 * Each input channel has a time-out in steps, a rate, and a fail-safe. The guard checks them at
 * every step, on the cycle's own thread: a bench that dies, and even an exchange thread that
 * starves, cannot keep a stale value acting. Its rules come from one table of conditions and
 * actions.
 *
 *     record of the mailbox          guard                              step
 *     commanded values, slopes  -->  tripped: hold, zero, ramp  ----->  acting values
 *     heard, refused counters        else commanded; then the rate
 *
 * A condition trips a channel when its rule is hold, zero or ramp. The channel recovers when the
 * condition is over and @recover_samples good samples in a row have arrived since; it then returns
 * to the commanded value on a straight line that takes as long as its ramp, without a jump. A
 * stronger action replaces a weaker one. A channel without a bench returns in the same way.
 *
 * A commanded value goes on with its slope for as long as its channel's horizon says, and within
 * the limits, and is held then: a bench that says how fast its value changes acts between its
 * samples.
 *
 * Everything here is plain arithmetic on the cycle's own memory; counters that others read are
 * atomics. */
#ifndef LKD_RT_GUARD_H
#define LKD_RT_GUARD_H

#include "linkage/linkage.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** enum lkd_action - see Action in linkage.proto; the stronger, the larger. */
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
    LKD_CONDITIONS,
};

/** struct lkd_rule - the action for a condition.
 * @value:  target of a ramp; NaN: the initial value of the channel
 * @ramp_s: duration of the ramp, and of the one back [s] */
struct lkd_rule {
    enum lkd_action action;
    double value;
    double ramp_s;
};

/** struct lkd_threshold - two limits of one figure: the rule acts beyond @limit, and the run ends
 * in FAULT beyond @fault, whatever the rule says; infinite: never. */
struct lkd_threshold {
    double limit;
    double fault;
};

/** struct lkd_channel_rule - staleness of one channel that the configuration names.
 * @horizon_s: as of struct lkd_policy */
struct lkd_channel_rule {
    char name[LK_NAME_SIZE];
    uint64_t timeout_steps;
    struct lkd_rule rule;
    double horizon_s;
};

#define LKD_CHANNEL_RULES_MAX 64

/** struct lkd_policy - the table, from the configuration.
 * @rule:            one a condition
 * @timeout_steps:   of LKD_CONDITION_STALE; 0: never
 * @residual_limit:  of LKD_CONDITION_RESIDUAL [m or rad];  @energy_limit: of LKD_CONDITION_ENERGY,
 *                   which trips where energy appears (linkage/energy.h), too [J]; infinite: off
 * @position_limit:  of LKD_CONDITION_BOUNDS [m];  @speed_limit: [m/s]
 * @energy_jump:     of LKD_CONDITION_ENERGY_JUMP, a share of the energy, see linkage/energy.h
 * @increment:       of LKD_CONDITION_INCREMENT [m or rad]
 * @pivot_limit:     of LKD_CONDITION_PIVOT, see lk_system_dependent_rows()
 * @turn_limit:      of LKD_CONDITION_TURN [rad in a step];  @port_limit: of LKD_CONDITION_PORT [J],
 *                   infinite: off
 * @horizon_s:       for how long a value goes on with its slope [s]; 0: not at all
 * @recover_samples: good ones in a row, at least 1
 * @channel:         @n_channels with a staleness of their own; names that the model lacks have no
 *                   effect */
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
    double horizon_s;
    uint64_t recover_samples;
    int n_channels;
    struct lkd_channel_rule channel[LKD_CHANNEL_RULES_MAX];
};

/** struct lkd_news - what the exchange thread knows about a channel, in the record of the mailbox.
 * Counters never restart while the model is loaded, so that an overtaken record loses nothing.
 * @heard:      good samples;  @not_finite, @out_of_range: refused ones
 * @watched:    a bench feeds it: it can get stale
 * @lost:       its bench is silent for longer than its lease */
struct lkd_news {
    uint64_t heard;
    uint64_t not_finite;
    uint64_t out_of_range;
    bool watched;
    bool lost;
};

/** struct lkd_guarded - a channel.
 * @offset, @size: its scalars;  @low, @high: their limits;  @rate: largest change a step
 * @initial:   value at the start
 * @timeout_steps, @stale, @horizon [s]: of this channel
 * @seen:      news already processed;  @age: steps since the last good sample
 * @since:     steps for which the commanded value has acted or would have, whoever watches
 * @tripped:   an action other than COUNT is in force, @action, because of @condition
 * @target:    of a ramp;  @left: steps until a ramp, there or back, has arrived
 * @good:      samples since the trip
 * @limited:   the rate was reached in the last step
 * The rest is read by others: @acting_action as it is, @acting_condition of the last trip, -1: none
 * in this run, @trips since the start
 * of the run, @trip_step of the last one, @times_stale and @stale_step likewise, @rate_limited
 * steps,
 * @age_now in steps (0 where nobody feeds it). */
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

/** struct lkd_guard - all input channels of a model.
 * @acting:  values that act, @n_values of them;  @shown: the same for other threads
 * @count:   of each condition since the start of the run;  @last_step: of the last one
 * @flags:   enum Flag of the last step, those that inputs cause
 * @timed:   channels can get stale or lost: not in lockstep, where no bench means no step
 * @overruns_seen: already processed;  @model: conditions of the whole model in force, bits
 * @h:       step size [s] */
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

/** struct lkd_guard_view - the state of the model before a step, as conditions need it.
 * @step:     steps done;  @overruns: so far
 * @residual: largest violation after the last step;  @energy: balance of energy after it [J]
 * @position, @speed: largest of a body after it [m, m/s]
 * @energy_jump: that appeared [share];  @energy_appears: see lk_energy_appears();  @increment: last
 * one of its iteration [m or rad]
 * @dependent: rows that depend on others now and did not before;  @turn: largest one of a body in a
 * step at its rate [rad];  @port_gap: see struct lk_health [J] */
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
};

/** lkd_policy_default() - stale and lost inputs ramp to their initial value in 0.1 s, after 100
 * steps; a residual beyond 1e-3, energy that appears, a position beyond 1e8 m, a speed beyond 1e5
 * m/s, nine tenths of the energy from nowhere and an increment beyond 1 are faults; all else is
 * counted. config/README.md says why these limits. */
struct lkd_policy lkd_policy_default(void);

/** lkd_guard_init() - for the input channels of @system; acting values initial.
 * Thread: any but the cycle.  RT: no.
 * Return: 0, -ENOMEM. */
int lkd_guard_init(struct lkd_guard *guard, const struct lk_system *system,
                   const struct lkd_policy *policy);
/** lkd_guard_fini() - release; a zeroed guard is allowed. */
void lkd_guard_fini(struct lkd_guard *guard);

/** lkd_guard_begin() - a run begins: acting values initial, nothing tripped, counters zero.
 * @news: current, n_channels of them: refusals before the run do not count
 * Thread: whoever runs the cycle next, while nobody does.  RT: yes. */
void lkd_guard_begin(struct lkd_guard *guard, const struct lkd_news *news);

/** lkd_guard_apply() - from commanded to acting values, once a step.
 * @commanded: n_values, finite and within their limits;  @slopes: of them, finite [unit/s]
 * @news:      n_channels
 * Thread: cycle.  RT: yes, 13 ns a channel of three values, 20 ns while its fail-safe acts
 * (tests/bench/guard).
 * Return: a condition whose rule is FAULT, or -1. */
LK_RT int lkd_guard_apply(struct lkd_guard *guard, const struct lkd_guard_view *view,
                          const double *commanded, const double *slopes,
                          const struct lkd_news *news);

/** lkd_guard_fault() - count @condition, for which a run ends before the guard sees it.
 * Thread: cycle.  RT: yes. */
LK_RT void lkd_guard_fault(struct lkd_guard *guard, enum lkd_condition condition, uint64_t step);

#endif
