/* SPDX-License-Identifier: Apache-2.0 */
#include "legs.h"
#include "log.h"
#include "realtime.h"
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** struct publication - @utc_ns: of @published_ns, 0: the wall clock was not synchronised
 * @uncertainty_ns: of it, 0: not known;  @tai_offset_ns: TAI - UTC, 0: not known */
struct publication {
    uint64_t sequence;
    int64_t published_ns;
    int64_t utc_ns;
    int64_t tai_offset_ns;
    int64_t uncertainty_ns;
};

/** struct place - a bench.
 * @gone:        another bench has its number by now
 * @heard:       order in which places were last heard, for the one to give up
 * @answered_ns: publication that it answered last
 * @shown_sequence, @shown_received_ns: its sample whose effect was published last
 * @uncertainty_ns, @uncertain: largest of one-way times; one of them is not known */
struct place {
    uint32_t claim;
    char bench[LKD_BENCH_NAME_SIZE];
    bool gone;
    uint64_t heard;
    int64_t answered_ns;
    uint64_t shown_sequence;
    int64_t shown_received_ns;
    uint64_t false_replies;
    uint64_t dropped;
    int64_t uncertainty_ns;
    bool uncertain;
    struct lkd_histogram leg[LKD_LEGS];
};

/** struct lkd_legs - @lock: guards all but the counters of histograms
 * @kept:     a ring of the last @n_published publications, their times never fall
 * @begin_ns: of the run */
struct lkd_legs {
    pthread_mutex_t lock;
    struct lkd_legs_clock clock;
    int64_t begin_ns;
    uint64_t order;
    int n_places;
    struct place place[LKD_STAMPS];
    uint64_t n_published;
    struct publication kept[LKD_LEGS_KEPT];
};

int lkd_legs_new(struct lkd_legs **ret_legs)
{
    struct lkd_legs *legs = calloc(1, sizeof(*legs));

    if (!legs)
        return -ENOMEM;
    lkd_realtime_lock_init(&legs->lock);
    *ret_legs = legs;
    return 0;
}

void lkd_legs_free(struct lkd_legs *legs)
{
    if (!legs)
        return;
    pthread_mutex_destroy(&legs->lock);
    free(legs);
}

void lkd_legs_begin(struct lkd_legs *legs, int64_t now_ns)
{
    if (!legs)
        return;
    pthread_mutex_lock(&legs->lock);
    legs->begin_ns = now_ns;
    legs->n_places = 0;
    pthread_mutex_unlock(&legs->lock);
}

void lkd_legs_clock(struct lkd_legs *legs, const struct lkd_legs_clock *clock)
{
    if (!legs)
        return;
    pthread_mutex_lock(&legs->lock);
    legs->clock = *clock;
    pthread_mutex_unlock(&legs->lock);
}

bool lkd_leg_between(uint64_t from_ns, uint64_t to_ns, int64_t *ret_ns)
{
    /* unsigned, and the smaller one is taken from the larger: nothing to overflow */
    if (to_ns < from_ns || to_ns - from_ns > (uint64_t)LKD_LEGS_LIMIT_NS)
        return false;
    *ret_ns = (int64_t)(to_ns - from_ns);
    return true;
}

/* ---- places ---- */

static struct place *find_place(struct lkd_legs *legs, uint32_t claim)
{
    for (int i = 0; i < legs->n_places; i++)
        if (legs->place[i].claim == claim && !legs->place[i].gone)
            return &legs->place[i];
    return NULL;
}

/* A free one, or that of the bench that has been silent for longest. */
static struct place *choose_place(struct lkd_legs *legs)
{
    struct place *place = &legs->place[0];

    if (legs->n_places < LKD_STAMPS)
        return &legs->place[legs->n_places++];
    for (int i = 1; i < LKD_STAMPS; i++)
        if (legs->place[i].heard < place->heard)
            place = &legs->place[i];
    return place;
}

static struct place *make_place(struct lkd_legs *legs, uint32_t claim, const char *bench)
{
    struct place *place = choose_place(legs);

    place->claim = claim;
    snprintf(place->bench, sizeof(place->bench), "%s", bench);
    place->gone = false;
    place->answered_ns = legs->begin_ns;
    place->shown_sequence = 0;
    place->shown_received_ns = 0;
    place->false_replies = place->dropped = 0;
    place->uncertainty_ns = 0;
    place->uncertain = false;
    for (int i = 0; i < LKD_LEGS; i++)
        lkd_histogram_clear(&place->leg[i]);
    return place;
}

/* The place of a bench; a claim's number may have gone to another one. */
static struct place *place_of(struct lkd_legs *legs, const struct lkd_claim *claim)
{
    uint32_t number = claim ? claim->number : 0;
    const char *bench = claim ? claim->bench : "";
    struct place *place = find_place(legs, number);

    if (place && strcmp(place->bench, bench) != 0) {
        place->gone = true;
        place = NULL;
    }
    if (!place)
        place = make_place(legs, number, bench);
    place->heard = ++legs->order;
    return place;
}

static void add(struct place *place, enum lkd_leg leg, uint64_t from_ns, uint64_t to_ns)
{
    int64_t ns;

    if (lkd_leg_between(from_ns, to_ns, &ns))
        lkd_histogram_add(&place->leg[leg], ns);
    else
        place->dropped++;
}

/* ---- the way in, and the wire ---- */

/* Times of publications never fall, so what was published when is found by halving. */
static const struct publication *find_publication(const struct lkd_legs *legs, uint64_t sequence,
                                                  uint64_t published_ns)
{
    uint64_t high = legs->n_published, low = high > LKD_LEGS_KEPT ? high - LKD_LEGS_KEPT : 0;
    uint64_t end = high;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if ((uint64_t)legs->kept[middle % LKD_LEGS_KEPT].published_ns < published_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < end; low++) { /* several streams may have been served in the same nanosecond */
        const struct publication *p = &legs->kept[low % LKD_LEGS_KEPT];

        if ((uint64_t)p->published_ns != published_ns)
            break;
        if (p->sequence == sequence)
            return p;
    }
    return NULL;
}

/* Wall clock of the daemon at @utc_ns as the bench counts; 0: the two clocks have nothing to do
 * with each other. */
static int64_t as_bench_counts(const struct lkd_sample *sample, int64_t utc_ns,
                               int64_t tai_offset_ns)
{
    if (!sample->clock.synchronised || utc_ns <= 0)
        return 0;
    if (sample->clock.id == LINKAGE__V1__CLOCK__ID__ID_UTC)
        return utc_ns;
    if (sample->clock.id == LINKAGE__V1__CLOCK__ID__ID_TAI && tai_offset_ns != 0)
        return utc_ns + tai_offset_ns;
    return 0;
}

/* Of two clocks together; 0: not known. */
static int64_t join_uncertainty(const struct lkd_sample *sample, int64_t own_ns)
{
    uint64_t bench_ns = sample->clock.uncertainty_ns;

    if (bench_ns == 0 || own_ns <= 0)
        return 0;
    if (bench_ns > (uint64_t)LKD_LEGS_LIMIT_NS || own_ns > LKD_LEGS_LIMIT_NS)
        return 2 * LKD_LEGS_LIMIT_NS;
    return (int64_t)bench_ns + own_ns;
}

/* One way between two clocks that are @uncertainty_ns apart at most. */
static void add_one_way(struct place *place, enum lkd_leg leg, uint64_t from_ns, uint64_t to_ns,
                        int64_t uncertainty_ns)
{
    if (to_ns < from_ns && from_ns - to_ns <= (uint64_t)uncertainty_ns)
        to_ns = from_ns;
    add(place, leg, from_ns, to_ns);
    if (uncertainty_ns == 0)
        place->uncertain = true;
    if (uncertainty_ns > place->uncertainty_ns)
        place->uncertainty_ns = uncertainty_ns;
}

static void measure_in(const struct lkd_legs *legs, struct place *place,
                       const struct lkd_sample *sample)
{
    const struct lkd_legs_clock *own = &legs->clock;
    int64_t utc_ns = own->synchronised ? sample->received_ns + own->utc_offset_ns : 0;
    int64_t at_ns = as_bench_counts(sample, utc_ns, own->tai_offset_ns);

    if (at_ns > 0)
        add_one_way(place, LKD_LEG_WIRE_IN, sample->origin_ns, (uint64_t)at_ns,
                    join_uncertainty(sample, own->uncertainty_ns));
}

static void measure_out(struct place *place, const struct publication *p,
                        const struct lkd_sample *sample)
{
    int64_t at_ns = as_bench_counts(sample, p->utc_ns, p->tai_offset_ns);

    if (at_ns > 0)
        add_one_way(place, LKD_LEG_WIRE_OUT, (uint64_t)at_ns, sample->reply_received_ns,
                    join_uncertainty(sample, p->uncertainty_ns));
}

/* There and back, around the time that the bench kept what it answers. */
static void measure_wire(struct place *place, const struct publication *p,
                         const struct lkd_sample *sample)
{
    int64_t hold_ns, away_ns;

    if (!lkd_leg_between(sample->reply_received_ns, sample->origin_ns, &hold_ns) ||
        !lkd_leg_between((uint64_t)p->published_ns, (uint64_t)sample->received_ns, &away_ns) ||
        away_ns < hold_ns) {
        place->dropped++;
        return;
    }
    lkd_histogram_add(&place->leg[LKD_LEG_HOLD], hold_ns);
    lkd_histogram_add(&place->leg[LKD_LEG_WIRE], away_ns - hold_ns);
}

static void measure_reply(struct lkd_legs *legs, struct place *place,
                          const struct lkd_sample *sample)
{
    const struct publication *p =
        find_publication(legs, sample->reply_to, sample->reply_published_ns);

    if (!p) {
        if (place->false_replies++ == 0)
            lkd_log(LKD_C_FALSE_REPLY,
                    "bench '%s' answers output sample %" PRIu64
                    ", which was never published at that time, or too long ago",
                    place->bench, sample->reply_to);
        return;
    }
    if (p->published_ns <= place->answered_ns) /* answered already, or of an earlier run */
        return;
    place->answered_ns = p->published_ns;
    measure_wire(place, p, sample);
    measure_out(place, p, sample);
}

void lkd_legs_received(struct lkd_legs *legs, const struct lkd_claim *claim,
                       const struct lkd_sample *sample)
{
    struct place *place;

    if (!legs)
        return;
    pthread_mutex_lock(&legs->lock);
    place = place_of(legs, claim);
    measure_in(legs, place, sample);
    if (sample->reply_to > 0)
        measure_reply(legs, place, sample);
    pthread_mutex_unlock(&legs->lock);
}

/* ---- through the daemon, and out ---- */

/* Two threads publish in lockstep, and one may have been overtaken since it looked at the clock:
 * the order of times is kept. */
static void keep(struct lkd_legs *legs, uint64_t sequence, int64_t published_ns)
{
    const struct lkd_legs_clock *clock = &legs->clock;
    uint64_t at = legs->n_published++;
    struct publication *before;

    for (; at > 0 && at + LKD_LEGS_KEPT > legs->n_published; at--) {
        before = &legs->kept[(at - 1) % LKD_LEGS_KEPT];
        if (before->published_ns <= published_ns)
            break;
        legs->kept[at % LKD_LEGS_KEPT] = *before;
    }
    legs->kept[at % LKD_LEGS_KEPT] = (struct publication){
        .sequence = sequence,
        .published_ns = published_ns,
        .utc_ns = clock->synchronised ? published_ns + clock->utc_offset_ns : 0,
        .tai_offset_ns = clock->tai_offset_ns,
        .uncertainty_ns = clock->uncertainty_ns,
    };
}

static void measure_effect(struct lkd_legs *legs, const struct lkd_stamp *stamp,
                           int64_t computed_ns, int64_t published_ns)
{
    struct place *place = find_place(legs, stamp->claim);

    if (!place || stamp->sequence == 0 || stamp->received_ns < legs->begin_ns)
        return;
    if (stamp->sequence == place->shown_sequence && stamp->received_ns == place->shown_received_ns)
        return;
    place->shown_sequence = stamp->sequence;
    place->shown_received_ns = stamp->received_ns;
    add(place, LKD_LEG_WAIT, (uint64_t)stamp->received_ns, (uint64_t)stamp->latched_ns);
    add(place, LKD_LEG_STEP, (uint64_t)stamp->latched_ns, (uint64_t)computed_ns);
    add(place, LKD_LEG_PUBLISH, (uint64_t)computed_ns, (uint64_t)published_ns);
}

void lkd_legs_shown(struct lkd_legs *legs, const struct lkd_stamp *stamps, int n_stamps,
                    int64_t computed_ns, uint64_t sequence, int64_t published_ns)
{
    if (!legs)
        return;
    pthread_mutex_lock(&legs->lock);
    for (int i = 0; i < n_stamps; i++)
        measure_effect(legs, &stamps[i], computed_ns, published_ns);
    keep(legs, sequence, published_ns);
    pthread_mutex_unlock(&legs->lock);
}

void lkd_legs_published(struct lkd_legs *legs, const struct lkd_output *output, uint64_t sequence,
                        int64_t published_ns)
{
    lkd_legs_shown(legs, output->stamp, output->n_stamps, output->figures.computed_ns, sequence,
                   published_ns);
}

/* ---- for the control thread ---- */

int lkd_legs_count(struct lkd_legs *legs)
{
    int n;

    if (!legs)
        return 0;
    pthread_mutex_lock(&legs->lock);
    n = legs->n_places;
    pthread_mutex_unlock(&legs->lock);
    return n;
}

void lkd_legs_view(struct lkd_legs *legs, int i, struct lkd_legs_view *ret_view)
{
    const struct place *place = &legs->place[i];

    pthread_mutex_lock(&legs->lock);
    *ret_view = (struct lkd_legs_view){
        .claim = place->claim,
        .false_replies = place->false_replies,
        .dropped = place->dropped,
        .uncertainty_ns = place->uncertain ? 0 : place->uncertainty_ns,
    };
    memcpy(ret_view->bench, place->bench, sizeof(ret_view->bench));
    for (int k = 0; k < LKD_LEGS; k++)
        ret_view->leg[k] = &place->leg[k];
    pthread_mutex_unlock(&legs->lock);
}
