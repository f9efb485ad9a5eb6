/* SPDX-License-Identifier: Apache-2.0 */
#include "segments.h"
#include "log.h"
#include "realtime.h"
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** struct publication - a published sample.
 * @utc_ns:         UTC at @published_ns, 0: the wall clock was not synchronised
 * @uncertainty_ns: uncertainty of @utc_ns, 0: unknown
 * @tai_offset_ns:  TAI - UTC, 0: unknown */
struct publication {
    uint64_t sequence;
    int64_t published_ns;
    int64_t utc_ns;
    int64_t tai_offset_ns;
    int64_t uncertainty_ns;
};

/** struct place - measurements of a bench.
 * @gone:           the number of its claim now belongs to another bench
 * @heard:          order of the last samples, to choose the entry to drop
 * @answered_ns:    time of the last publication that the bench answered
 * @shown_sequence, @shown_received_ns: sequence number and time of the last sample of the bench
 *                  whose effect was published
 * @uncertainty_ns: largest uncertainty of one-way times
 * @uncertain:      the uncertainty of a one-way time is unknown */
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
    struct lkd_histogram segment[LKD_SEGMENTS];
};

/** struct lkd_segments - measurements of all benches.
 * @lock:     guards everything except the counters of histograms
 * @kept:     ring of the last @n_published publications, in the order of their times
 * @begin_ns: begin of the run */
struct lkd_segments {
    pthread_mutex_t lock;
    struct lkd_segments_clock clock;
    int64_t begin_ns;
    uint64_t order;
    int n_places;
    struct place place[LKD_STAMPS];
    uint64_t n_published;
    struct publication kept[LKD_SEGMENTS_KEPT];
};

int lkd_segments_new(struct lkd_segments **ret_segments)
{
    struct lkd_segments *segments = calloc(1, sizeof(*segments));

    if (!segments)
        return -ENOMEM;
    lkd_realtime_lock_init(&segments->lock);
    *ret_segments = segments;
    return 0;
}

void lkd_segments_free(struct lkd_segments *segments)
{
    if (!segments)
        return;
    pthread_mutex_destroy(&segments->lock);
    free(segments);
}

void lkd_segments_begin(struct lkd_segments *segments, int64_t now_ns)
{
    if (!segments)
        return;
    pthread_mutex_lock(&segments->lock);
    segments->begin_ns = now_ns;
    segments->n_places = 0;
    pthread_mutex_unlock(&segments->lock);
}

void lkd_segments_clock(struct lkd_segments *segments, const struct lkd_segments_clock *clock)
{
    if (!segments)
        return;
    pthread_mutex_lock(&segments->lock);
    segments->clock = *clock;
    pthread_mutex_unlock(&segments->lock);
}

bool lkd_segment_between(uint64_t from_ns, uint64_t to_ns, int64_t *ret_ns)
{
    /* The difference is unsigned and computed only if it is not negative, so it cannot overflow. */
    if (to_ns < from_ns || to_ns - from_ns > (uint64_t)LKD_SEGMENTS_LIMIT_NS)
        return false;
    *ret_ns = (int64_t)(to_ns - from_ns);
    return true;
}

/* ---- places ---- */

static struct place *find_place(struct lkd_segments *segments, uint32_t claim)
{
    for (int i = 0; i < segments->n_places; i++)
        if (segments->place[i].claim == claim && !segments->place[i].gone)
            return &segments->place[i];
    return NULL;
}

/* Return a free entry, or the entry of the bench that has been silent for longest. */
static struct place *choose_place(struct lkd_segments *segments)
{
    struct place *place = &segments->place[0];

    if (segments->n_places < LKD_STAMPS)
        return &segments->place[segments->n_places++];
    for (int i = 1; i < LKD_STAMPS; i++)
        if (segments->place[i].heard < place->heard)
            place = &segments->place[i];
    return place;
}

static struct place *make_place(struct lkd_segments *segments, uint32_t claim, const char *bench)
{
    struct place *place = choose_place(segments);

    place->claim = claim;
    snprintf(place->bench, sizeof(place->bench), "%s", bench);
    place->gone = false;
    place->answered_ns = segments->begin_ns;
    place->shown_sequence = 0;
    place->shown_received_ns = 0;
    place->false_replies = place->dropped = 0;
    place->uncertainty_ns = 0;
    place->uncertain = false;
    for (int i = 0; i < LKD_SEGMENTS; i++)
        lkd_histogram_clear(&place->segment[i]);
    return place;
}

/* Return the place of a bench. The names are compared because the claim number may have passed to
 * another bench. */
static struct place *place_of(struct lkd_segments *segments, const struct lkd_claim *claim)
{
    uint32_t number = claim ? claim->number : 0;
    const char *bench = claim ? claim->bench : "";
    struct place *place = find_place(segments, number);

    if (place && strcmp(place->bench, bench) != 0) {
        place->gone = true;
        place = NULL;
    }
    if (!place)
        place = make_place(segments, number, bench);
    place->heard = ++segments->order;
    return place;
}

static void add_segment(struct place *place, enum lkd_segment segment, uint64_t from_ns,
                        uint64_t to_ns)
{
    int64_t ns;

    if (lkd_segment_between(from_ns, to_ns, &ns))
        lkd_histogram_add(&place->segment[segment], ns);
    else
        place->dropped++;
}

/* ---- input path, and the wire ---- */

/* Find a publication by its time with bisection; publications are stored in the order of their
 * times. */
static const struct publication *find_publication(const struct lkd_segments *segments,
                                                  uint64_t sequence, uint64_t published_ns)
{
    uint64_t high = segments->n_published,
             low = high > LKD_SEGMENTS_KEPT ? high - LKD_SEGMENTS_KEPT : 0;
    uint64_t end = high;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if ((uint64_t)segments->kept[middle % LKD_SEGMENTS_KEPT].published_ns < published_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < end; low++) { /* several streams may have been published in the same nanosecond */
        const struct publication *p = &segments->kept[low % LKD_SEGMENTS_KEPT];

        if ((uint64_t)p->published_ns != published_ns)
            break;
        if (p->sequence == sequence)
            return p;
    }
    return NULL;
}

/* Return @utc_ns of the daemon's wall clock in the time scale of the bench's clock; 0: the two
 * clocks cannot be compared. */
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

/* Return the sum of the uncertainties of both clocks [ns]; 0: unknown. */
static int64_t join_uncertainty(const struct lkd_sample *sample, int64_t own_ns)
{
    uint64_t bench_ns = sample->clock.uncertainty_ns;

    if (bench_ns == 0 || own_ns <= 0)
        return 0;
    if (bench_ns > (uint64_t)LKD_SEGMENTS_LIMIT_NS || own_ns > LKD_SEGMENTS_LIMIT_NS)
        return 2 * LKD_SEGMENTS_LIMIT_NS;
    return (int64_t)bench_ns + own_ns;
}

/* Add a one-way time between two clocks whose difference is at most @uncertainty_ns. A negative
 * time within this uncertainty counts as zero. */
static void add_one_way(struct place *place, enum lkd_segment segment, uint64_t from_ns,
                        uint64_t to_ns, int64_t uncertainty_ns)
{
    if (to_ns < from_ns && from_ns - to_ns <= (uint64_t)uncertainty_ns)
        to_ns = from_ns;
    add_segment(place, segment, from_ns, to_ns);
    if (uncertainty_ns == 0)
        place->uncertain = true;
    if (uncertainty_ns > place->uncertainty_ns)
        place->uncertainty_ns = uncertainty_ns;
}

static void measure_in(const struct lkd_segments *segments, struct place *place,
                       const struct lkd_sample *sample)
{
    const struct lkd_segments_clock *own = &segments->clock;
    int64_t utc_ns = own->synchronised ? sample->received_ns + own->utc_offset_ns : 0;
    int64_t at_ns = as_bench_counts(sample, utc_ns, own->tai_offset_ns);

    if (at_ns > 0)
        add_one_way(place, LKD_SEGMENT_WIRE_IN, sample->origin_ns, (uint64_t)at_ns,
                    join_uncertainty(sample, own->uncertainty_ns));
}

static void measure_out(struct place *place, const struct publication *p,
                        const struct lkd_sample *sample)
{
    int64_t at_ns = as_bench_counts(sample, p->utc_ns, p->tai_offset_ns);

    if (at_ns > 0)
        add_one_way(place, LKD_SEGMENT_WIRE_OUT, (uint64_t)at_ns, sample->reply_received_ns,
                    join_uncertainty(sample, p->uncertainty_ns));
}

/* Compute the time on the wire: the round trip minus the time between receipt and answer at the
 * bench. */
static void measure_wire(struct place *place, const struct publication *p,
                         const struct lkd_sample *sample)
{
    int64_t hold_ns, away_ns;

    if (!lkd_segment_between(sample->reply_received_ns, sample->origin_ns, &hold_ns) ||
        !lkd_segment_between((uint64_t)p->published_ns, (uint64_t)sample->received_ns, &away_ns) ||
        away_ns < hold_ns) {
        place->dropped++;
        return;
    }
    lkd_histogram_add(&place->segment[LKD_SEGMENT_HOLD], hold_ns);
    lkd_histogram_add(&place->segment[LKD_SEGMENT_WIRE], away_ns - hold_ns);
}

static void measure_reply(struct lkd_segments *segments, struct place *place,
                          const struct lkd_sample *sample)
{
    const struct publication *p =
        find_publication(segments, sample->reply_to, sample->reply_published_ns);

    if (!p) {
        if (place->false_replies++ == 0)
            lkd_log(LKD_C_FALSE_REPLY,
                    "bench '%s' answers output sample %" PRIu64
                    ", which was never published at that time, or too long ago",
                    place->bench, sample->reply_to);
        return;
    }
    if (p->published_ns <= place->answered_ns) /* already answered, or from an earlier run */
        return;
    place->answered_ns = p->published_ns;
    measure_wire(place, p, sample);
    measure_out(place, p, sample);
}

void lkd_segments_received(struct lkd_segments *segments, const struct lkd_claim *claim,
                           const struct lkd_sample *sample)
{
    struct place *place;

    if (!segments)
        return;
    pthread_mutex_lock(&segments->lock);
    place = place_of(segments, claim);
    measure_in(segments, place, sample);
    if (sample->reply_to > 0)
        measure_reply(segments, place, sample);
    pthread_mutex_unlock(&segments->lock);
}

/* ---- through the daemon, output path ---- */

/* Insert a publication in the order of times. In lockstep mode two threads publish, and one of them
 * may overtake the other after reading the clock. */
static void keep_publication(struct lkd_segments *segments, uint64_t sequence, int64_t published_ns)
{
    const struct lkd_segments_clock *clock = &segments->clock;
    uint64_t at = segments->n_published++;
    struct publication *before;

    for (; at > 0 && at + LKD_SEGMENTS_KEPT > segments->n_published; at--) {
        before = &segments->kept[(at - 1) % LKD_SEGMENTS_KEPT];
        if (before->published_ns <= published_ns)
            break;
        segments->kept[at % LKD_SEGMENTS_KEPT] = *before;
    }
    segments->kept[at % LKD_SEGMENTS_KEPT] = (struct publication){
        .sequence = sequence,
        .published_ns = published_ns,
        .utc_ns = clock->synchronised ? published_ns + clock->utc_offset_ns : 0,
        .tai_offset_ns = clock->tai_offset_ns,
        .uncertainty_ns = clock->uncertainty_ns,
    };
}

static void measure_effect(struct lkd_segments *segments, const struct lkd_stamp *stamp,
                           int64_t computed_ns, int64_t published_ns)
{
    struct place *place = find_place(segments, stamp->claim);

    if (!place || stamp->sequence == 0 || stamp->received_ns < segments->begin_ns)
        return;
    if (stamp->sequence == place->shown_sequence && stamp->received_ns == place->shown_received_ns)
        return;
    place->shown_sequence = stamp->sequence;
    place->shown_received_ns = stamp->received_ns;
    add_segment(place, LKD_SEGMENT_WAIT, (uint64_t)stamp->received_ns, (uint64_t)stamp->latched_ns);
    add_segment(place, LKD_SEGMENT_STEP, (uint64_t)stamp->latched_ns, (uint64_t)computed_ns);
    add_segment(place, LKD_SEGMENT_PUBLISH, (uint64_t)computed_ns, (uint64_t)published_ns);
}

void lkd_segments_shown(struct lkd_segments *segments, const struct lkd_stamp *stamps, int n_stamps,
                        int64_t computed_ns, uint64_t sequence, int64_t published_ns)
{
    if (!segments)
        return;
    pthread_mutex_lock(&segments->lock);
    for (int i = 0; i < n_stamps; i++)
        measure_effect(segments, &stamps[i], computed_ns, published_ns);
    keep_publication(segments, sequence, published_ns);
    pthread_mutex_unlock(&segments->lock);
}

void lkd_segments_published(struct lkd_segments *segments, const struct lkd_output *output,
                            uint64_t sequence, int64_t published_ns)
{
    lkd_segments_shown(segments, output->stamp, output->n_stamps, output->figures.computed_ns,
                       sequence, published_ns);
}

/* ---- for the control thread ---- */

int lkd_segments_count(struct lkd_segments *segments)
{
    int n;

    if (!segments)
        return 0;
    pthread_mutex_lock(&segments->lock);
    n = segments->n_places;
    pthread_mutex_unlock(&segments->lock);
    return n;
}

void lkd_segments_view(struct lkd_segments *segments, int i, struct lkd_segments_view *ret_view)
{
    const struct place *place = &segments->place[i];

    pthread_mutex_lock(&segments->lock);
    *ret_view = (struct lkd_segments_view){
        .claim = place->claim,
        .false_replies = place->false_replies,
        .dropped = place->dropped,
        .uncertainty_ns = place->uncertain ? 0 : place->uncertainty_ns,
    };
    memcpy(ret_view->bench, place->bench, sizeof(ret_view->bench));
    for (int k = 0; k < LKD_SEGMENTS; k++)
        ret_view->segment[k] = &place->segment[k];
    pthread_mutex_unlock(&segments->lock);
}
