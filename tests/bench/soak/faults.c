/* SPDX-License-Identifier: Apache-2.0 */
/* Kind and time of the injected faults depend only on the seed: the same seed gives the same faults
 * at the same times of the run. Each fault lasts for 0.3 to 1.5 s, and none begins before the last
 * one is over. */
#include "soak.h"
#include <math.h>

#define KIND(name) LINKAGE__V1__INJECTION_KIND__INJECTION_##name
#define MARGIN_S   1.0 /* reserve for a late request and a late end of a fault */

/* Return a random number in [@low, @high): SplitMix64 (Steele, Lea, Flood 2014). */
static double draw(struct soak_faults *faults, double low, double high)
{
    uint64_t z = faults->random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return low + (high - low) * (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

void soak_faults_init(struct soak_faults *faults, const struct soak_options *options)
{
    *faults = (struct soak_faults){.random = options->seed, .next_ns = INT64_MAX};
    if (options->faults <= 0)
        return;
    faults->mean_s = 60 / options->faults;
    faults->next_ns = (int64_t)(draw(faults, 0.5, 1.5) * faults->mean_s * 1e9);
}

/* Draw the next fault. Each kind draws the same count of random numbers, so that the kind does not
 * change later faults. */
static Linkage__V1__Injection plan(struct soak_faults *faults, const struct soak_options *options)
{
    Linkage__V1__Injection what = LINKAGE__V1__INJECTION__INIT;
    double kind = draw(faults, 0, 6), size = draw(faults, 0, 1);
    double period_s = 1 / options->rate;

    what.kind = (Linkage__V1__InjectionKind)(1 + (int)kind);
    what.seed = (uint64_t)draw(faults, 1, 1e15);
    what.for_s = draw(faults, 0.3, 1.5);
    switch (what.kind) {
    case KIND(DELAY):
        what.amount = 0.001 + 0.019 * size;
        break;
    case KIND(DROP):
    case KIND(REORDER):
        what.amount = 0.1 + 0.8 * size;
        break;
    case KIND(SPIKE):
        what.target = (char *)"motor";
        what.amount = 0.2 + size;
        what.share = 0.5;
        break;
    case KIND(STALL):
        what.amount = (1.5 + 6 * size) * period_s;
        what.every_s = 0.1;
        break;
    default:
        break;
    }
    return what;
}

static int ask(struct lk_client *client, Linkage__V1__InjectRequest *inject,
               const Linkage__V1__ControlReply **ret_reply)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    struct lk_error error = {0};

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INJECT;
    request.inject = inject;
    if (lk_client_call(client, &request, ret_reply, &error)) {
        fprintf(stderr, "soak: %s\n", error.text);
        return 1;
    }
    if ((*ret_reply)->result != LINKAGE__V1__RESULT__RESULT_OK) {
        fprintf(stderr, "soak: inject: %s\n", (*ret_reply)->text);
        return 1;
    }
    return 0;
}

static void count(struct soak_faults *faults, const Linkage__V1__InjectReport *report)
{
    for (size_t i = 0; report && i < report->n_injections; i++)
        if (report->injections[i]->number == faults->number)
            faults->touched_now = report->injections[i]->count;
}

static void close_book(struct soak_faults *faults)
{
    faults->touched[faults->kind_now] += faults->touched_now;
    faults->touched_now = 0;
    faults->number = 0;
}

static int begin(struct soak_faults *faults, struct lk_client *client,
                 const struct soak_options *options, int64_t now_ns)
{
    Linkage__V1__Injection what = plan(faults, options), *list[] = {&what};
    Linkage__V1__InjectRequest inject = LINKAGE__V1__INJECT_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    double pause_s = draw(faults, 0.5, 1.5) * faults->mean_s;
    int64_t asked_ns = lk_client_now_ns();

    inject.add = list;
    inject.n_add = 1;
    if (ask(client, &inject, &reply))
        return 1;
    for (size_t i = 0; reply->injections && i < reply->injections->n_injections; i++)
        if (reply->injections->injections[i]->number > faults->number)
            faults->number = reply->injections->injections[i]->number;
    faults->kind_now = (int)what.kind;
    faults->begun[what.kind]++;
    if (what.kind == KIND(STALL)) {
        faults->stall_ns = (int64_t)(what.amount * 1e9);
        faults->stall_begin_ns = asked_ns;
        faults->stall_end_ns = asked_ns + (int64_t)((what.for_s + MARGIN_S) * 1e9);
    }
    faults->over_ns = now_ns + (int64_t)((what.for_s + MARGIN_S) * 1e9);
    faults->next_ns +=
        (int64_t)((pause_s > what.for_s + 2 * MARGIN_S ? pause_s : what.for_s + 2 * MARGIN_S) *
                  1e9);
    return 0;
}

int soak_faults_follow(struct soak_faults *faults, struct lk_client *client,
                       const struct soak_options *options, int64_t now_ns)
{
    Linkage__V1__InjectRequest look = LINKAGE__V1__INJECT_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;

    if (faults->number > 0) {
        if (ask(client, &look, &reply))
            return 1;
        count(faults, reply->injections);
        if (now_ns > faults->over_ns)
            close_book(faults);
    }
    if (now_ns < faults->next_ns || faults->number > 0)
        return 0;
    return begin(faults, client, options, now_ns);
}

int soak_faults_end(struct soak_faults *faults, struct lk_client *client,
                    const struct soak_options *options, int64_t now_ns)
{
    faults->next_ns = INT64_MAX;
    return soak_faults_follow(faults, client, options, now_ns);
}
