/* SPDX-License-Identifier: Apache-2.0 */
#include "modes_parts.h"
#include "linkage/linkage.h"

#include <math.h>
#include <stdlib.h>

#define NO_DAMPING 1e-9 /* a smaller damping ratio is round-off */

/* ---- kinds ---- */

static double doubtful(const struct lk_mode *mode, int n)
{
    return n > 0 ? MODES_DOUBTFUL * 2 * M_PI * mode[n - 1].frequency : 0;
}

bool modes_have_doubtful(const struct lk_mode *mode, int n)
{
    return n > 0 && 2 * M_PI * mode[0].frequency <= doubtful(mode, n);
}

static bool is_among(const struct lk_mode *m, const struct lk_mode *other, int n)
{
    for (int i = 0; i < n; i++)
        if (hypot(m->re - other[i].re, m->im - other[i].im) <= MODES_SAME * 2 * M_PI * m->frequency)
            return true;
    return false;
}

double modes_zero(const struct lk_mode *mode, int n, const struct lk_mode *other, int n_other)
{
    double limit = doubtful(mode, n), zero = fmin(limit, MODES_SLOW);

    for (int i = 0; i < n && 2 * M_PI * mode[i].frequency <= limit; i++)
        if (!is_among(&mode[i], other, n_other))
            zero = fmax(zero, 2 * M_PI * mode[i].frequency);
    return zero;
}

enum mode_kind modes_kind(const struct lk_mode *m, double zero)
{
    if (2 * M_PI * m->frequency <= zero)
        return MODE_FREE;
    return m->im > 0 ? MODE_SWINGS : m->re > 0 ? MODE_GROWS : MODE_CREEPS;
}

const char *modes_kind_name(enum mode_kind kind)
{
    static const char *const names[] = {[MODE_FREE] = "free",
                                        [MODE_SWINGS] = "swings",
                                        [MODE_CREEPS] = "creeps",
                                        [MODE_GROWS] = "grows"};

    return names[kind];
}

double modes_damping(const struct lk_mode *m)
{
    return fabs(m->damping) < NO_DAMPING ? 0 : m->damping;
}

/* ---- bodies ---- */

/* Compute component @at of a motion or momentum in the mode, real and imaginary part.
 * @values: rows of @n motions or momenta for a unit value of each coordinate in turn */
static void sum_up(const struct lk_linear *l, const struct lk_mode *mode, const double *values,
                   int n, int at, double ret[2])
{
    ret[0] = ret[1] = 0;
    for (int i = 0; i < l->n_motions; i++) {
        double part = values[(size_t)i * (size_t)n + (size_t)at];

        ret[0] += mode->shape[2 * i] * part;
        ret[1] += mode->shape[2 * i + 1] * part;
    }
}

/* Return motion @at times its momentum, of rows of @n. */
static double product_of(const struct lk_linear *l, const struct lk_mode *mode,
                         const double *motions, const double *momenta, int n, int at)
{
    double motion[2], momentum[2];

    sum_up(l, mode, motions, n, at, motion);
    sum_up(l, mode, momenta, n, at, momentum);
    return motion[0] * momentum[0] + motion[1] * momentum[1];
}

/* Return the kinetic energy of a body in direction @k, 0 to 5, or of its own modes, MODES_BENDS,
 * before division by the total. */
static double energy_of(const struct lk_linear *l, const struct lk_mode *mode, int body, int k)
{
    double sum = 0;

    if (k < MODES_BENDS)
        return product_of(l, mode, l->motion, l->momentum, 6 * l->n_bodies, 6 * body + k);
    for (int i = 0; i < l->n_bends; i++)
        if (l->bend_body[i] == body)
            sum += product_of(l, mode, l->bend, l->bend_momentum, l->n_bends, i);
    return sum;
}

static int compare(const void *a, const void *b)
{
    const struct mode_part *x = a, *y = b;

    return x->share < y->share ? 1 : x->share > y->share ? -1 : x->body - y->body;
}

void modes_find_parts(const struct lk_linear *l, const struct lk_mode *mode, struct mode_part *part)
{
    double all = 0;

    for (int b = 0; b < l->n_bodies; b++) {
        double most = 0;

        part[b] = (struct mode_part){.body = b};
        for (int k = 0; k <= MODES_BENDS; k++) {
            double energy = energy_of(l, mode, b, k);

            part[b].share += energy;
            if (energy > most * (1 + 1e-6)) {
                most = energy;
                part[b].way = k;
            }
        }
        all += part[b].share;
    }
    for (int b = 0; b < l->n_bodies && all > 0; b++)
        part[b].share /= all;
    qsort(part, (size_t)l->n_bodies, sizeof(*part), compare);
}

const char *modes_way(int way)
{
    static const char *const ways[] = {"along x", "along y", "along z", "about x",
                                       "about y", "about z", "bending"};

    return ways[way];
}

/* ---- JSON ---- */

static void put_mode(struct lk_json *json, const struct lk_mode *m, int number, double zero)
{
    enum mode_kind kind = modes_kind(m, zero);
    bool is_free = kind == MODE_FREE, swings = kind == MODE_SWINGS;

    lk_json_number(json, "mode", number);
    lk_json_text(json, "kind", modes_kind_name(kind));
    lk_json_number(json, "re_per_s", is_free || (swings && modes_damping(m) == 0) ? 0 : m->re);
    lk_json_number(json, "im_per_s", is_free ? 0 : m->im);
    lk_json_number(json, "frequency_hz", is_free ? 0 : m->frequency);
    lk_json_number(json, "damping", swings ? modes_damping(m) : NAN);
}

void modes_put_json(struct lk_json *json, const struct lk_system *system, const struct lk_linear *l,
                    const struct lk_mode *mode, int n, double zero, struct mode_part *part)
{
    lk_json_open(json, "modes", '[');
    for (int i = 0; i < n; i++) {
        lk_json_line(json, 2);
        lk_json_open(json, NULL, '{');
        put_mode(json, &mode[i], i + 1, zero);
        modes_find_parts(l, &mode[i], part);
        lk_json_open(json, "moves", '[');
        for (int k = 0; k < l->n_bodies && part[k].share >= MODES_SHARE_MIN; k++) {
            lk_json_open(json, NULL, '{');
            lk_json_text(json, "body", lk_system_body_name(system, part[k].body));
            lk_json_text(json, "direction", modes_way(part[k].way));
            lk_json_number(json, "share", part[k].share);
            lk_json_close(json, '}');
        }
        lk_json_close(json, ']');
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
}
