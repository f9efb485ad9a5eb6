/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/host.h"
#include "linkage/version.h"
#include "reply.h"
#include "segments.h"
#include <errno.h>
#include <string.h>
#include <time.h>

#define FACTS_MAX 24

static int fill_record(const struct lkd_record *r, uint64_t cycle, const char *cause,
                       const struct lkd_evidence *evidence, struct lk_wire_arena *arena,
                       Linkage__V1__CycleRecord **ret_record)
{
    Linkage__V1__CycleRecord *record = lk_wire_arena_take(arena, sizeof(*record));

    if (!record)
        return -ENOMEM;
    linkage__v1__cycle_record__init(record);
    record->cycle = cycle;
    record->step = r->step;
    record->deadline_ns = (uint64_t)r->deadline_ns;
    record->woken_ns = r->woken_ns - r->deadline_ns;
    record->latched_ns = r->latched_ns - r->deadline_ns;
    record->stepped_ns = r->stepped_ns - r->deadline_ns;
    record->computed_ns = r->computed_ns - r->deadline_ns;
    record->ended_ns = r->ended_ns - r->deadline_ns;
    record->utc_ns = (uint64_t)(r->deadline_ns + evidence->utc_offset_ns);
    record->cause = (char *)cause;
    *ret_record = record;
    return 0;
}

static int fill_worst(const struct lkd_rig *rig, struct lk_wire_arena *arena,
                      Linkage__V1__Evidence *e)
{
    struct lkd_worst worst[LKD_WORST_MAX];
    int n = lkd_evidence_sort(&rig->evidence, worst), r = 0;

    e->worst = lk_wire_arena_take(arena, LKD_WORST_MAX * sizeof(*e->worst));
    if (!e->worst)
        return -ENOMEM;
    for (int i = 0; i < n && r == 0; i++)
        r = fill_record(&worst[i].record, worst[i].cycle, "", &rig->evidence, arena, &e->worst[i]);
    e->n_worst = (size_t)n;
    return r;
}

/* Write the missed deadlines from number @from on. From 0: the list of the cycle, which has the
 * first ones; later ones are from the records. */
static int find_missed(const struct lkd_rig *rig, uint64_t from, const struct lkd_missed **ret,
                       uint64_t *ret_next)
{
    const struct lkd_cycle *cycle = rig->loaded->cycle;
    int n = (int)lkd_cycle_missed(cycle);

    if (from > 0)
        return lkd_evidence_recent(&rig->evidence, from, LKD_MISSED_MAX, ret, ret_next);
    for (int i = 0; i < n; i++)
        ret[i] = &cycle->missed[i];
    *ret_next = rig->evidence.n_recent + 1;
    return n;
}

static int fill_missed(const struct lkd_rig *rig, uint64_t from, struct lk_wire_arena *arena,
                       Linkage__V1__Evidence *e)
{
    const struct lkd_missed *missed[LKD_MISSED_MAX];
    int n = find_missed(rig, from, missed, &e->missed_next), r = 0;

    e->missed = lk_wire_arena_take(arena, LKD_MISSED_MAX * sizeof(*e->missed));
    if (!e->missed)
        return -ENOMEM;
    for (int i = 0; i < n && r == 0; i++)
        r = fill_record(&missed[i]->record, missed[i]->cycle, lkd_cause_name(missed[i]->cause),
                        &rig->evidence, arena, &e->missed[i]);
    e->n_missed = (size_t)n;
    e->missed_left_out =
        rig->figures.overruns > (uint64_t)n ? rig->figures.overruns - (uint64_t)n : 0;
    return r;
}

/* ---- the machine ---- */

static int add_fact(struct lk_wire_arena *arena, Linkage__V1__Evidence *e, const char *name,
                    const char *value)
{
    Linkage__V1__HostFact *fact = lk_wire_arena_take(arena, sizeof(*fact));

    if (!fact || e->n_host == FACTS_MAX)
        return -ENOMEM;
    linkage__v1__host_fact__init(fact);
    fact->name = (char *)name;
    fact->value = (char *)value;
    e->host[e->n_host++] = fact;
    return 0;
}

static const char *known(enum lk_host_known known)
{
    return known == LK_HOST_YES ? "yes" : known == LK_HOST_NO ? "no" : "unknown";
}

static const char *format_cpus(struct lk_wire_arena *arena, const cpu_set_t *cpus)
{
    char text[LK_HOST_TEXT];

    lk_host_format_cpus(cpus, text, sizeof(text));
    return lk_wire_arena_format(arena, "%s", text);
}

static const char *format_cores(struct lk_wire_arena *arena, const struct lkd_rig *rig)
{
    cpu_set_t cores;

    CPU_ZERO(&cores);
    for (int k = 0; k < rig->n_workers && !rig->grant.core_error; k++)
        if (rig->placement->core[k] >= 0)
            CPU_SET(rig->placement->core[k], &cores);
    return format_cpus(arena, &cores);
}

static int granted_priority(const struct lkd_rig *rig)
{
    return rig->grant.priority_error ? 0 : rig->config->wish.priority;
}

static const char *format_governor(struct lk_wire_arena *arena, const struct lkd_rig *rig)
{
    char text[LK_HOST_TEXT] = "";

    if (rig->placement->core[0] >= 0)
        lk_host_governor("", rig->placement->core[0], text, sizeof(text));
    return lk_wire_arena_format(arena, "%s", text);
}

static int fill_host(const struct lkd_rig *rig, struct lk_wire_arena *arena,
                     Linkage__V1__Evidence *e)
{
    const struct lk_host *host = &rig->machine.host;
    const struct lkd_cycle *cycle = rig->loaded->cycle;
    const struct {
        const char *name;
        const char *value;
    } facts[] = {
        {"kernel", host->kernel},
        {"realtime_kernel", known(host->realtime)},
        {"virtual_machine", known(host->virtual_machine)},
        {"processor", host->processor},
        {"cpus", lk_wire_arena_format(arena, "%d", host->n_cpus)},
        {"isolated", format_cpus(arena, &host->isolated)},
        {"nohz_full", format_cpus(arena, &host->nohz_full)},
        {"clocksource", host->clocksource},
        {"governor", format_governor(arena, rig)},
        {"rt_runtime_us", lk_wire_arena_format(arena, "%ld", host->rt_runtime_us)},
        {"huge_pages", host->huge_pages},
        {"cores", format_cores(arena, rig)},
        {"engine", lk_system_engine(rig->loaded->system)},
        {"workers", lk_wire_arena_format(arena, "%d", rig->n_workers)},
        {"priority", lk_wire_arena_format(arena, "%d", granted_priority(rig))},
        {"wake", lkd_wake_name(cycle->wait.wake)},
        {"spin_margin_us",
         lk_wire_arena_format(arena, "%.1f", (double)cycle->wait.margin_ns * 1e-3)},
        {"memory_locked", rig->machine.memory_error ? "no" : "yes"},
    };
    int r = 0;

    e->host = lk_wire_arena_take(arena, FACTS_MAX * sizeof(*e->host));
    if (!e->host)
        return -ENOMEM;
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]) && r == 0; i++)
        r = facts[i].value ? add_fact(arena, e, facts[i].name, facts[i].value) : -ENOMEM;
    return r;
}

/* ---- latency budgets ---- */

static int fill_budget(const struct lkd_segments_view *view, bool with_buckets,
                       struct lk_wire_arena *arena, Linkage__V1__LatencyBudget *b)
{
    const struct {
        enum lkd_segment segment;
        Linkage__V1__Durations **ret;
    } all[] = {
        {LKD_SEGMENT_WIRE, &b->wire},         {LKD_SEGMENT_WAIT, &b->wait},
        {LKD_SEGMENT_STEP, &b->step},         {LKD_SEGMENT_PUBLISH, &b->publish},
        {LKD_SEGMENT_HOLD, &b->bench_hold},   {LKD_SEGMENT_WIRE_IN, &b->wire_in},
        {LKD_SEGMENT_WIRE_OUT, &b->wire_out},
    };
    size_t n = sizeof(all) / sizeof(all[0]);
    int r = 0;

    b->claim = view->claim;
    b->bench = lk_wire_arena_format(arena, "%s", view->bench);
    b->one_way = lkd_histogram_count(view->segment[LKD_SEGMENT_WIRE_IN]) > 0 ||
                 lkd_histogram_count(view->segment[LKD_SEGMENT_WIRE_OUT]) > 0;
    b->uncertainty_ns = (uint64_t)view->uncertainty_ns;
    if (!b->bench)
        return -ENOMEM;
    if (!b->one_way)
        n -= 2;
    for (size_t i = 0; i < n && r == 0; i++)
        r = lkd_reply_durations(view->segment[all[i].segment], with_buckets, arena, all[i].ret);
    return r;
}

static int fill_budgets(const struct lkd_rig *rig, bool with_buckets, struct lk_wire_arena *arena,
                        Linkage__V1__Evidence *e)
{
    struct lkd_segments *segments = rig->inputs->segments;
    int n = lkd_segments_count(segments), r = 0;
    struct lkd_segments_view view;

    e->budgets = lk_wire_arena_take(arena, ((size_t)n + 1) * sizeof(*e->budgets));
    if (!e->budgets)
        return -ENOMEM;
    for (int i = 0; i < n && r == 0; i++) {
        Linkage__V1__LatencyBudget *budget = lk_wire_arena_take(arena, sizeof(*budget));

        if (!budget)
            return -ENOMEM;
        linkage__v1__latency_budget__init(budget);
        e->budgets[e->n_budgets++] = budget;
        lkd_segments_view(segments, i, &view);
        r = fill_budget(&view, with_buckets, arena, budget);
    }
    return r;
}

/* ---- all of it ---- */

static int fill_histograms(const struct lkd_cycle *cycle, bool with_buckets,
                           struct lk_wire_arena *arena, Linkage__V1__Evidence *e)
{
    const struct {
        const struct lkd_histogram *histogram;
        Linkage__V1__Durations **ret;
    } all[] = {
        {&cycle->wakeup, &e->wakeup},       {&cycle->compute, &e->compute},
        {&cycle->response, &e->response},   {&cycle->hand_over, &e->hand_over},
        {&cycle->input_age, &e->input_age},
    };
    int r = 0;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && r == 0; i++)
        r = lkd_reply_durations(all[i].histogram, with_buckets, arena, all[i].ret);
    return r;
}

static int fill_texts(struct lkd_rig *rig, struct lk_wire_arena *arena, Linkage__V1__Evidence *e)
{
    time_t started = (time_t)(rig->evidence.started_utc_ns / 1000000000);
    char utc[32] = "";
    struct tm tm;

    if (started > 0 && gmtime_r(&started, &tm))
        strftime(utc, sizeof(utc), "%Y-%m-%dT%H:%M:%SZ", &tm);
    e->started_utc = lk_wire_arena_format(arena, "%s", utc);
    e->degraded = lk_wire_arena_take(arena, LK_HOST_LACKS_MAX * sizeof(char *));
    if (!e->started_utc || !e->degraded)
        return -ENOMEM;
    for (int i = 0; i < rig->machine.lacks.n; i++)
        e->degraded[i] = rig->machine.lacks.text[i];
    e->n_degraded = (size_t)rig->machine.lacks.n;
    e->model = rig->loaded->name;
    e->fault = rig->fault;
    e->version = (char *)LK_VERSION;
    return 0;
}

static void fill_counts(const struct lkd_rig *rig, Linkage__V1__Evidence *e)
{
    const struct lkd_figures *f = &rig->figures;

    e->period_ns = (uint64_t)rig->loaded->cycle->period_ns;
    e->cycles = f->cycles;
    e->overruns = f->overruns;
    e->skipped = f->skipped;
    e->late_wakeups = f->late_wakeups;
    e->late_wakeup_step = f->late_wakeup_step;
    e->long_computations = f->long_computations;
    e->long_computation_step = f->long_computation_step;
    e->caught_up = f->caught_up;
    e->throttled = rig->evidence.throttled;
    e->records_lost = rig->evidence.lost;
    e->behind_s = (double)f->behind_ns * 1e-9;
    e->step = f->step;
    e->time_s = f->time_s;
    e->state = rig->state;
}

int lkd_reply_evidence(struct lkd_rig *rig, const Linkage__V1__EvidenceRequest *request,
                       struct lk_wire_arena *arena, Linkage__V1__Evidence *ret_evidence)
{
    bool with_histograms = request->with_histograms;
    Linkage__V1__Evidence *e = ret_evidence;
    int r;

    linkage__v1__evidence__init(e);
    fill_counts(rig, e);
    if ((r = fill_texts(rig, arena, e)) || (r = fill_host(rig, arena, e)) ||
        (r = fill_histograms(rig->loaded->cycle, with_histograms, arena, e)) ||
        (r = fill_budgets(rig, with_histograms, arena, e)) ||
        (r = lkd_reply_proof(rig, arena, &e->proof)))
        return r;
    if (!request->with_cycles)
        return 0;
    r = fill_worst(rig, arena, e);
    return r ? r : fill_missed(rig, request->missed_from, arena, e);
}
