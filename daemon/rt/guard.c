/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values of enum Flag in linkage.proto, repeated because the real-time code does not include the
 * messages. A test compares both. */
#define FLAG_STALE        2u
#define FLAG_TRIPPED      4u
#define FLAG_RATE_LIMITED 8u
#define FLAG_LOST         32u

struct lkd_policy lkd_policy_default(void)
{
    struct lkd_policy policy = {
        .timeout_steps = 100,
        .residual_limit = 1e-3,
        .energy_limit = INFINITY,
        .position_limit = 1e8,
        .speed_limit = 1e5,
        .energy_jump = {0.1, 0.9},
        .increment = {1e-3, 1},
        .pivot_limit = 0.003,
        .turn_limit = LK_TURN_MAX,
        .port_limit = INFINITY,
        .strain_limit = LK_STRAIN_MAX,
        .contact_limit = LK_CONTACT_MAX,
        .horizon_s = 0.02,
        .recover_samples = 3,
    };

    for (int i = 0; i < LKD_CONDITIONS; i++)
        policy.rule[i] = (struct lkd_rule){LKD_ACTION_COUNT, NAN, 0.1};
    policy.rule[LKD_CONDITION_STALE].action = LKD_ACTION_RAMP;
    policy.rule[LKD_CONDITION_LOST].action = LKD_ACTION_RAMP;
    policy.rule[LKD_CONDITION_RESIDUAL].action = LKD_ACTION_FAULT;
    policy.rule[LKD_CONDITION_BOUNDS].action = LKD_ACTION_FAULT;
    policy.rule[LKD_CONDITION_ENERGY].action = LKD_ACTION_FAULT;
    return policy;
}

/* ---- set-up ---- */

static const struct lkd_channel_rule *find_rule(const struct lkd_policy *policy, const char *name)
{
    for (int i = 0; i < policy->n_channels; i++)
        if (strcmp(policy->channel[i].name, name) == 0)
            return &policy->channel[i];
    return NULL;
}

static void describe(struct lkd_guarded *guarded, const struct lk_channel *channel, double h,
                     const struct lkd_policy *policy)
{
    const struct lkd_channel_rule *own = find_rule(policy, channel->name);

    *guarded = (struct lkd_guarded){
        .offset = channel->offset,
        .size = channel->size,
        .low = channel->low,
        .high = channel->high,
        .rate = channel->rate * h,
        .initial = channel->initial,
        .timeout_steps = own ? own->timeout_steps : policy->timeout_steps,
        .stale = own ? own->rule : policy->rule[LKD_CONDITION_STALE],
        .horizon = own ? own->horizon_s : policy->horizon_s,
    };
}

int lkd_guard_init(struct lkd_guard *guard, const struct lk_system *system,
                   const struct lkd_policy *policy)
{
    const struct lk_channel *channels;

    memset(guard, 0, sizeof(*guard));
    guard->policy = *policy;
    guard->h = lk_system_step_size(system);
    guard->timed = true;
    guard->n_values = lk_system_input_size(system);
    channels = lk_system_input_channels(system, &guard->n_channels);
    guard->channel = calloc((size_t)guard->n_channels + 1, sizeof(*guard->channel));
    guard->acting = calloc((size_t)guard->n_values + 1, sizeof(double));
    guard->shown = calloc((size_t)guard->n_values + 1, sizeof(*guard->shown));
    if (!guard->channel || !guard->acting || !guard->shown) {
        lkd_guard_fini(guard);
        return -ENOMEM;
    }
    for (int i = 0; i < guard->n_channels; i++)
        describe(&guard->channel[i], &channels[i], guard->h, policy);
    lkd_guard_begin(guard, NULL);
    return 0;
}

void lkd_guard_fini(struct lkd_guard *guard)
{
    free(guard->channel);
    free(guard->acting);
    free(guard->shown);
    guard->channel = NULL;
    guard->acting = NULL;
    guard->shown = NULL;
}

static void begin_channel(struct lkd_guard *guard, struct lkd_guarded *c)
{
    for (int i = 0; i < c->size; i++)
        guard->acting[c->offset + i] = c->initial;
    c->tripped = c->returning = c->limited = false;
    c->age = c->since = c->left = c->good = 0;
    atomic_store_explicit(&c->acting_action, LKD_ACTION_COUNT, memory_order_relaxed);
    atomic_store_explicit(&c->acting_condition, -1, memory_order_relaxed);
    atomic_store_explicit(&c->trips, 0, memory_order_relaxed);
    atomic_store_explicit(&c->trip_step, 0, memory_order_relaxed);
    atomic_store_explicit(&c->times_stale, 0, memory_order_relaxed);
    atomic_store_explicit(&c->stale_step, 0, memory_order_relaxed);
    atomic_store_explicit(&c->rate_limited, 0, memory_order_relaxed);
    atomic_store_explicit(&c->age_now, 0, memory_order_relaxed);
}

static void show(struct lkd_guard *guard)
{
    for (int i = 0; i < guard->n_values; i++)
        atomic_store_explicit(&guard->shown[i], guard->acting[i], memory_order_relaxed);
}

void lkd_guard_begin(struct lkd_guard *guard, const struct lkd_news *news)
{
    for (int i = 0; i < guard->n_channels; i++) {
        begin_channel(guard, &guard->channel[i]);
        guard->channel[i].seen = news ? news[i] : (struct lkd_news){0};
    }
    for (int i = 0; i < LKD_CONDITIONS; i++) {
        atomic_store_explicit(&guard->count[i], 0, memory_order_relaxed);
        atomic_store_explicit(&guard->last_step[i], 0, memory_order_relaxed);
    }
    guard->overruns_seen = 0;
    guard->model = 0;
    guard->flags = 0;
    show(guard);
}

/* ---- conditions ---- */

/* Add @n to @counter, with a plain load and store because there is only one writer. The atomic type
 * makes it readable by other threads. */
static void add(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static void note(struct lkd_guard *guard, enum lkd_condition condition, uint64_t n, uint64_t step)
{
    add(&guard->count[condition], n);
    atomic_store_explicit(&guard->last_step[condition], step, memory_order_relaxed);
}

static uint64_t ramp_steps(const struct lkd_guard *guard, const struct lkd_rule *rule)
{
    double steps = ceil(rule->ramp_s / guard->h - 1e-9);

    return steps < 1 ? 1 : (uint64_t)steps;
}

/* Clamp a fail-safe value to the limits of its channel, regardless of the configuration. */
static double within(const struct lkd_guarded *c, double value)
{
    return fmax(c->low, fmin(value, c->high));
}

/* Apply @rule to a channel.
 * Return: true if the rule demands a fault. */
static bool trip(struct lkd_guard *guard, struct lkd_guarded *c, enum lkd_condition condition,
                 const struct lkd_rule *rule, uint64_t step)
{
    if (rule->action == LKD_ACTION_FAULT)
        return true;
    if (rule->action == LKD_ACTION_COUNT)
        return false;
    c->good = 0;
    if (c->tripped && rule->action <= c->action)
        return false;
    c->tripped = true;
    c->returning = false;
    c->action = rule->action;
    c->condition = condition;
    c->target = within(c, isnan(rule->value) ? c->initial : rule->value);
    c->ramp_steps = c->left = ramp_steps(guard, rule);
    add(&c->trips, 1);
    atomic_store_explicit(&c->trip_step, step, memory_order_relaxed);
    atomic_store_explicit(&c->acting_condition, (int)condition, memory_order_relaxed);
    return false;
}

/* Apply the rule of @condition to all channels.
 * Return: @condition if its rule demands a fault, otherwise -1. */
static int trip_all(struct lkd_guard *guard, enum lkd_condition condition, uint64_t step)
{
    for (int i = 0; i < guard->n_channels; i++)
        if (trip(guard, &guard->channel[i], condition, &guard->policy.rule[condition], step))
            return (int)condition;
    /* reached also if the model has no inputs */
    return guard->policy.rule[condition].action == LKD_ACTION_FAULT ? (int)condition : -1;
}

/* Update a condition of the model to its state @now. It is counted when it begins. */
static int follow(struct lkd_guard *guard, enum lkd_condition condition, bool now, uint64_t step)
{
    unsigned int bit = 1u << condition;
    bool before = guard->model & bit;

    guard->model = now ? guard->model | bit : guard->model & ~bit;
    if (!now)
        return -1;
    if (!before)
        note(guard, condition, 1, step);
    return trip_all(guard, condition, step);
}

static int look_at_lateness(struct lkd_guard *guard, const struct lkd_guard_view *view)
{
    guard->model &= ~(1u << LKD_CONDITION_LATE);
    if (view->overruns == guard->overruns_seen)
        return -1;
    note(guard, LKD_CONDITION_LATE, view->overruns - guard->overruns_seen, view->step);
    guard->overruns_seen = view->overruns;
    guard->model |= 1u << LKD_CONDITION_LATE;
    return trip_all(guard, LKD_CONDITION_LATE, view->step);
}

static int look_at_model(struct lkd_guard *guard, const struct lkd_guard_view *view)
{
    const struct lkd_policy *policy = &guard->policy;
    const struct {
        enum lkd_condition condition;
        bool now; /* negated comparisons: a NaN exceeds any limit */
    } all[] = {
        {LKD_CONDITION_RESIDUAL, !(view->residual <= policy->residual_limit)},
        {LKD_CONDITION_ENERGY,
         view->energy_appears || !(fabs(view->energy) <= policy->energy_limit)},
        {LKD_CONDITION_BOUNDS,
         !(view->position <= policy->position_limit && view->speed <= policy->speed_limit)},
        {LKD_CONDITION_ENERGY_JUMP, !(view->energy_jump <= policy->energy_jump.limit)},
        {LKD_CONDITION_INCREMENT, !(view->increment <= policy->increment.limit)},
        {LKD_CONDITION_PIVOT, view->dependent > 0},
        {LKD_CONDITION_TURN, !(view->turn <= policy->turn_limit)},
        {LKD_CONDITION_PORT, !(view->port_gap <= policy->port_limit)},
        {LKD_CONDITION_STRAIN, !(view->strain <= policy->strain_limit)},
        {LKD_CONDITION_CONTACT, !(view->contact <= policy->contact_limit)},
    };
    int fault = look_at_lateness(guard, view);

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        int found = follow(guard, all[i].condition, all[i].now, view->step);

        fault = fault >= 0 ? fault : found;
    }
    return fault;
}

static int look_at_age(struct lkd_guard *guard, struct lkd_guarded *c, const struct lkd_news *news,
                       uint64_t step)
{
    bool fed = news->heard != c->seen.heard;

    if (fed)
        c->good += news->heard - c->seen.heard;
    c->since = fed ? 0 : c->since + 1;
    if (fed || !news->watched || !guard->timed)
        c->age = 0;
    else
        c->age++;
    atomic_store_explicit(&c->age_now, c->age, memory_order_relaxed);
    if (c->timeout_steps == 0 || c->age <= c->timeout_steps)
        return -1;
    guard->flags |= FLAG_STALE;
    if (c->age == c->timeout_steps + 1) {
        note(guard, LKD_CONDITION_STALE, 1, step);
        add(&c->times_stale, 1);
        atomic_store_explicit(&c->stale_step, step, memory_order_relaxed);
    }
    return trip(guard, c, LKD_CONDITION_STALE, &c->stale, step) ? LKD_CONDITION_STALE : -1;
}

static int look_at_refusals(struct lkd_guard *guard, struct lkd_guarded *c,
                            enum lkd_condition condition, uint64_t refused, uint64_t seen,
                            uint64_t step)
{
    if (refused == seen)
        return -1;
    c->good = 0; /* restart the count of good samples, regardless of the rule */
    note(guard, condition, refused - seen, step);
    return trip(guard, c, condition, &guard->policy.rule[condition], step) ? (int)condition : -1;
}

static int look_at_loss(struct lkd_guard *guard, struct lkd_guarded *c, const struct lkd_news *news,
                        uint64_t step)
{
    if (!news->lost || !guard->timed)
        return -1;
    guard->flags |= FLAG_LOST;
    if (!c->seen.lost)
        note(guard, LKD_CONDITION_LOST, 1, step);
    return trip(guard, c, LKD_CONDITION_LOST, &guard->policy.rule[LKD_CONDITION_LOST], step)
               ? LKD_CONDITION_LOST
               : -1;
}

/* Let a channel that no longer has a bench ramp back to its initial value. */
static void give_back(const struct lkd_guard *guard, struct lkd_guarded *c)
{
    c->returning = true;
    c->left = ramp_steps(guard, &c->stale);
}

static int look_at_channel(struct lkd_guard *guard, struct lkd_guarded *c,
                           const struct lkd_news *news, uint64_t step)
{
    int found[4], fault = -1;

    found[0] = look_at_age(guard, c, news, step);
    found[1] = look_at_refusals(guard, c, LKD_CONDITION_RANGE, news->out_of_range,
                                c->seen.out_of_range, step);
    found[2] = look_at_refusals(guard, c, LKD_CONDITION_NOT_FINITE, news->not_finite,
                                c->seen.not_finite, step);
    found[3] = look_at_loss(guard, c, news, step);
    for (int i = 3; i >= 0; i--)
        fault = found[i] >= 0 ? found[i] : fault;
    if (c->seen.watched && !news->watched && !c->tripped)
        give_back(guard, c);
    c->seen = *news;
    return fault;
}

/* ---- values ---- */

/* Return true if an active condition of the model acts on inputs. */
static bool model_trips(const struct lkd_guard *guard)
{
    for (int i = 0; i < LKD_CONDITIONS; i++)
        if ((guard->model & 1u << i) && guard->policy.rule[i].action != LKD_ACTION_COUNT)
            return true;
    return false;
}

/* Return true if no condition that trips the channel is active. A refused sample or a missed
 * deadline is active only in its step. But the channel still needs good samples to recover, unless
 * it has no bench. */
static bool may_recover(const struct lkd_guard *guard, const struct lkd_guarded *c)
{
    if ((c->seen.lost && guard->timed) || model_trips(guard))
        return false;
    if (c->timeout_steps > 0 && c->age > c->timeout_steps)
        return false;
    return c->good >= guard->policy.recover_samples || !c->seen.watched;
}

static double toward(double value, double target, uint64_t left)
{
    /* Divide before subtracting: the difference of two finite numbers may overflow. */
    return left > 1 ? value + (target / (double)left - value / (double)left) : target;
}

static double wanted(const struct lkd_guarded *c, double acting, double commanded)
{
    if (!c->tripped)
        return c->returning ? toward(acting, commanded, c->left) : commanded;
    switch (c->action) {
    case LKD_ACTION_ZERO:
        return within(c, 0);
    case LKD_ACTION_RAMP:
        return toward(acting, c->target, c->left);
    default:
        return acting;
    }
}

/* Clamp an extrapolated value to the limits. Without limits, clamp an overflow of finite numbers to
 * a finite value. */
static double within_reach(const struct lkd_guarded *c, double to)
{
    double low = c->low > -DBL_MAX ? c->low : -DBL_MAX;
    double high = c->high < DBL_MAX ? c->high : DBL_MAX;

    return to < low ? low : to > high ? high : to;
}

/* Move the acting values of a channel towards their wanted values.
 * Return: true if the rate limited a value. */
static bool move(struct lkd_guard *guard, const struct lkd_guarded *c, const double *commanded,
                 const double *slopes)
{
    double since_s = (double)c->since * guard->h, lead_s;
    bool limited = false;

    /* A sample holds without extrapolation in the first step in which it acts. */
    lead_s = since_s < c->horizon ? since_s : c->horizon;
    for (int i = c->offset; i < c->offset + c->size; i++) {
        double from = guard->acting[i];
        double to = wanted(c, from, within_reach(c, commanded[i] + lead_s * slopes[i]));

        if (fabs(to - from) > c->rate) {
            to = from + copysign(c->rate, to - from);
            limited = true;
        }
        guard->acting[i] = to;
    }
    return limited;
}

static void update(struct lkd_guard *guard, struct lkd_guarded *c, const double *commanded,
                   const double *slopes)
{
    if (c->tripped && may_recover(guard, c)) {
        c->tripped = false;
        c->returning = true;
        c->left = c->ramp_steps;
    }
    c->limited = move(guard, c, commanded, slopes);
    if (c->tripped || c->returning)
        guard->flags |= FLAG_TRIPPED;
    if (c->left > 0)
        c->left--;
    if (c->left == 0)
        c->returning = false;
    if (c->limited) {
        add(&c->rate_limited, 1);
        guard->flags |= FLAG_RATE_LIMITED;
    }
    /* release: a reader that reads this action also reads its condition and step */
    atomic_store_explicit(&c->acting_action, c->tripped ? (int)c->action : LKD_ACTION_COUNT,
                          memory_order_release);
}

LK_RT int lkd_guard_apply(struct lkd_guard *guard, const struct lkd_guard_view *view,
                          const double *commanded, const double *slopes,
                          const struct lkd_news *news)
{
    int fault;

    guard->flags = 0;
    fault = look_at_model(guard, view);
    for (int i = 0; i < guard->n_channels; i++) {
        int found = look_at_channel(guard, &guard->channel[i], &news[i], view->step);

        fault = fault >= 0 ? fault : found;
        update(guard, &guard->channel[i], commanded, slopes);
    }
    show(guard);
    return fault;
}

LK_RT void lkd_guard_fault(struct lkd_guard *guard, enum lkd_condition condition, uint64_t step)
{
    note(guard, condition, 1, step);
}
