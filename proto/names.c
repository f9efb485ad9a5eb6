/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define N(list) (sizeof(list) / sizeof((list)[0]))

/* By number; 0 is UNSPECIFIED everywhere. */
static const char *const results[] = {
    [LINKAGE__V1__RESULT__RESULT_OK] = "ok",
    [LINKAGE__V1__RESULT__RESULT_BAD_MESSAGE] = "bad-message",
    [LINKAGE__V1__RESULT__RESULT_WRONG_STATE] = "wrong-state",
    [LINKAGE__V1__RESULT__RESULT_BAD_MODEL] = "bad-model",
    [LINKAGE__V1__RESULT__RESULT_UNKNOWN_CHANNEL] = "unknown-channel",
    [LINKAGE__V1__RESULT__RESULT_BAD_VALUE] = "bad-value",
    [LINKAGE__V1__RESULT__RESULT_NO_REALTIME] = "no-realtime",
    [LINKAGE__V1__RESULT__RESULT_INTERNAL] = "internal",
    [LINKAGE__V1__RESULT__RESULT_NO_BUDGET] = "no-budget",
    [LINKAGE__V1__RESULT__RESULT_CLAIMED] = "claimed",
    [LINKAGE__V1__RESULT__RESULT_BAD_TOKEN] = "bad-token",
    [LINKAGE__V1__RESULT__RESULT_FORBIDDEN] = "forbidden",
    [LINKAGE__V1__RESULT__RESULT_BAD_UNIT] = "bad-unit",
    [LINKAGE__V1__RESULT__RESULT_NO_RECORDER] = "no-recorder",
    [LINKAGE__V1__RESULT__RESULT_NO_SNAPSHOT] = "no-snapshot",
};

static const char *const modes[] = {
    [LINKAGE__V1__MODE__MODE_REALTIME] = "realtime",
    [LINKAGE__V1__MODE__MODE_LOCKSTEP] = "lockstep",
    [LINKAGE__V1__MODE__MODE_ASAP] = "asap",
};

static const char *const actions[] = {
    [LINKAGE__V1__ACTION__ACTION_COUNT] = "count", [LINKAGE__V1__ACTION__ACTION_HOLD] = "hold",
    [LINKAGE__V1__ACTION__ACTION_ZERO] = "zero",   [LINKAGE__V1__ACTION__ACTION_RAMP] = "ramp",
    [LINKAGE__V1__ACTION__ACTION_FAULT] = "fault",
};

static const char *const conditions[] = {
    [LINKAGE__V1__CONDITION__CONDITION_LATE] = "late",
    [LINKAGE__V1__CONDITION__CONDITION_STALE] = "stale",
    [LINKAGE__V1__CONDITION__CONDITION_RANGE] = "range",
    [LINKAGE__V1__CONDITION__CONDITION_NOT_FINITE] = "not-finite",
    [LINKAGE__V1__CONDITION__CONDITION_LOST] = "lost",
    [LINKAGE__V1__CONDITION__CONDITION_RESIDUAL] = "residual",
    [LINKAGE__V1__CONDITION__CONDITION_ENERGY] = "energy",
    [LINKAGE__V1__CONDITION__CONDITION_BOUNDS] = "bounds",
    [LINKAGE__V1__CONDITION__CONDITION_ENERGY_JUMP] = "energy-jump",
    [LINKAGE__V1__CONDITION__CONDITION_INCREMENT] = "increment",
    [LINKAGE__V1__CONDITION__CONDITION_PIVOT] = "pivot",
    [LINKAGE__V1__CONDITION__CONDITION_TURN] = "turn",
    [LINKAGE__V1__CONDITION__CONDITION_PORT] = "port",
};

static const char *const roles[] = {
    [LINKAGE__V1__ROLE__ROLE_READ] = "read",
    [LINKAGE__V1__ROLE__ROLE_BENCH] = "bench",
    [LINKAGE__V1__ROLE__ROLE_CONTROL] = "control",
};

static const char *const injections[] = {
    [LINKAGE__V1__INJECTION_KIND__INJECTION_DELAY] = "delay",
    [LINKAGE__V1__INJECTION_KIND__INJECTION_DROP] = "drop",
    [LINKAGE__V1__INJECTION_KIND__INJECTION_REORDER] = "reorder",
    [LINKAGE__V1__INJECTION_KIND__INJECTION_FREEZE] = "freeze",
    [LINKAGE__V1__INJECTION_KIND__INJECTION_SPIKE] = "spike",
    [LINKAGE__V1__INJECTION_KIND__INJECTION_STALL] = "stall",
};

/* By bit. */
static const char *const flag_words[] = {"degraded",     "stale",    "tripped",
                                         "rate-limited", "injected", "lost"};

static const char *word_of(const char *const *words, size_t n, int value)
{
    return value > 0 && (size_t)value < n && words[value] ? words[value] : "unknown";
}

static int number_of(const char *const *words, size_t n, const char *word)
{
    for (size_t i = 1; i < n; i++)
        if (words[i] && strcmp(words[i], word) == 0)
            return (int)i;
    return 0;
}

const char *lk_names_result(Linkage__V1__Result result)
{
    return word_of(results, N(results), (int)result);
}

const char *lk_names_mode(Linkage__V1__Mode mode)
{
    return word_of(modes, N(modes), (int)mode);
}

const char *lk_names_action(Linkage__V1__Action action)
{
    return word_of(actions, N(actions), (int)action);
}

const char *lk_names_condition(Linkage__V1__Condition condition)
{
    return word_of(conditions, N(conditions), (int)condition);
}

const char *lk_names_role(Linkage__V1__Role role)
{
    return word_of(roles, N(roles), (int)role);
}

const char *lk_names_injection(Linkage__V1__InjectionKind kind)
{
    return word_of(injections, N(injections), (int)kind);
}

Linkage__V1__Mode lk_names_to_mode(const char *word)
{
    return (Linkage__V1__Mode)number_of(modes, N(modes), word);
}

Linkage__V1__InjectionKind lk_names_to_injection(const char *word)
{
    return (Linkage__V1__InjectionKind)number_of(injections, N(injections), word);
}

const char *lk_names_flag(Linkage__V1__Flag flag)
{
    for (size_t i = 0; i < N(flag_words); i++)
        if ((uint32_t)flag == 1u << i)
            return flag_words[i];
    return "unknown";
}

const char *lk_names_flags(uint32_t flags, char text[LK_NAMES_FLAGS_SIZE])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i <= N(flag_words); i++) {
        bool known = i < N(flag_words);

        if ((known ? flags >> i & 1u : flags >> i) == 0)
            continue;
        used += (size_t)snprintf(text + used, LK_NAMES_FLAGS_SIZE - used, "%s%s",
                                 used > 0 ? ", " : "", known ? flag_words[i] : "unknown");
    }
    return text;
}
