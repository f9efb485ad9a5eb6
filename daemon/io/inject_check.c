/* SPDX-License-Identifier: Apache-2.0 */
#include "inject_check.h"
#include "names.h"
#include <string.h>

#define OK        LINKAGE__V1__RESULT__RESULT_OK
#define BAD_VALUE LINKAGE__V1__RESULT__RESULT_BAD_VALUE

#define KIND(name) LINKAGE__V1__INJECTION_KIND__INJECTION_##name

#define SCHEDULE_MAX_S 86400.0
#define SPIKE_MAX      1e15

static bool is_bench(const struct lkd_claims *claims, const char *target)
{
    for (int i = 1; i <= LKD_CLAIMS_MAX; i++)
        if (claims->claim[i].token && strcmp(claims->claim[i].bench, target) == 0)
            return true;
    return false;
}

static Linkage__V1__Result check_target(const struct lkd_injection *what,
                                        const struct lkd_claims *claims, struct lk_error *error)
{
    bool channel = lk_channel_index(claims->channels, claims->n_channels, what->target) >= 0;

    if (what->kind == KIND(STALL) && *what->target) {
        lk_error_set(error, "stall of '%s': a stall is of the cycle and has no target",
                     what->target);
        return BAD_VALUE;
    }
    if (what->kind == KIND(SPIKE) && !channel) {
        lk_error_set(error, "spike of '%s': expected the name of an input", what->target);
        return LINKAGE__V1__RESULT__RESULT_UNKNOWN_CHANNEL;
    }
    if (!*what->target || channel || is_bench(claims, what->target))
        return OK;
    lk_error_set(error, "no bench and no input is named '%s'", what->target);
    return LINKAGE__V1__RESULT__RESULT_UNKNOWN_CHANNEL;
}

/* Return true if @value is in the interval from @low to @high. @low belongs to the interval only if
 * @closed. */
static bool is_within(double value, double low, bool closed, double high)
{
    return (closed ? value >= low : value > low) && value <= high;
}

static Linkage__V1__Result refuse_value(const struct lkd_injection *what, const char *name,
                                        double value, const char *expected, struct lk_error *error)
{
    lk_error_set(error, "%s: %s of %g, expected %s", lk_names_injection(what->kind), name, value,
                 expected);
    return BAD_VALUE;
}

static Linkage__V1__Result check_amount(const struct lkd_injection *what, struct lk_error *error)
{
    double amount = what->amount;

    switch (what->kind) {
    case KIND(DELAY):
        return is_within(amount, 0, false, LKD_DELAY_MAX_S)
                   ? OK
                   : refuse_value(what, "amount", amount, "more than 0 and at most 10 s", error);
    case KIND(DROP):
    case KIND(REORDER):
        return is_within(amount, 0, false, 1)
                   ? OK
                   : refuse_value(what, "amount", amount, "a share, more than 0 and at most 1",
                                  error);
    case KIND(SPIKE):
        return is_within(amount, -SPIKE_MAX, true, SPIKE_MAX) && amount != 0
                   ? OK
                   : refuse_value(what, "amount", amount,
                                  "another number, at most 1e15 in magnitude", error);
    case KIND(STALL):
        return is_within(amount, 0, false, LKD_STALL_MAX_S)
                   ? OK
                   : refuse_value(what, "amount", amount, "more than 0 and at most 10 s", error);
    case KIND(FREEZE):
        return amount == 0 ? OK : refuse_value(what, "amount", amount, "none", error);
    default:
        lk_error_set(error, "an injection of no known kind");
        return BAD_VALUE;
    }
}

static Linkage__V1__Result check_rest(const struct lkd_injection *what, struct lk_error *error)
{
    bool spike = what->kind == KIND(SPIKE), stall = what->kind == KIND(STALL);

    if (!is_within(what->share, 0, true, spike ? 1 : 0))
        return refuse_value(what, "share", what->share, spike ? "0 to 1" : "none, it is of spike",
                            error);
    if (!is_within(what->every_s, 0, true, stall ? SCHEDULE_MAX_S : 0))
        return refuse_value(what, "every", what->every_s,
                            stall ? "0 to 86400 s" : "none, it is of stall", error);
    if (!is_within(what->after_s, 0, true, SCHEDULE_MAX_S))
        return refuse_value(what, "after", what->after_s, "0 to 86400 s", error);
    if (!is_within(what->for_s, 0, true, SCHEDULE_MAX_S))
        return refuse_value(what, "for", what->for_s, "0 to 86400 s", error);
    return OK;
}

Linkage__V1__Result lkd_injection_check(const struct lkd_injection *injection,
                                        const struct lkd_claims *claims, struct lk_error *error)
{
    Linkage__V1__Result result = check_amount(injection, error);

    if (result == OK)
        result = check_target(injection, claims, error);
    return result == OK ? check_rest(injection, error) : result;
}
