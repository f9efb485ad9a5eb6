/* SPDX-License-Identifier: Apache-2.0 */
/* Section `flexible`: beams become nodes, which are rigid bodies, and elements, which are bushings.
 */
#include "beams.h"
#include "parameters.h"
#include "reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_MAX_POINTS 256  /* points of the axis of a beam */
#define SAME            1e-9 /* fractions closer than this are one */
#define REFERENCES_MAX  8192

/* struct node - @s: fraction of the length;  @is_fixed: something is attached there;  @name: in the
 * model */
struct node {
    double s;
    bool is_fixed;
    char name[LK_NAME_SIZE];
};

/* struct reference - a scalar BEAM@FRACTION. @node: its place in the document;  @is_element: it
 * names the element there, not the node */
struct reference {
    int node;
    int beam;
    double s;
    bool is_element;
};

/* struct beam - @point: @n_points of the axis;  @arc: length up to each;  @node: @n_nodes;
 * @velocity: of the first point, @spin: of the whole beam */
struct beam {
    struct lk_node key;
    struct lk_node map;
    char name[LK_NAME_SIZE];
    double point[PATH_MAX_POINTS][3];
    double arc[PATH_MAX_POINTS];
    int n_points;
    double up[3];
    double damping;
    double velocity[3];
    double spin[3];
    struct lk_beam_sections sections;
    struct node node[LK_BEAM_ELEMENTS_MAX + 2 + PATH_MAX_POINTS];
    int n_nodes;
};

enum { BODIES, FORCES, SHAPES, TARGETS };
static const char *const targets[TARGETS] = {"bodies", "forces", "shapes"};

/* struct work - @entry: keys and values of the new items, by section */
struct work {
    struct lk_document *d;
    struct beam *beam;
    int n_beams;
    struct reference *reference;
    int n_references;
    int *entry[TARGETS];
    size_t n[TARGETS];
    size_t room[TARGETS];
    struct lk_error *err;
};

/* Normalise @v. Return: its length; of 0 the direction is NaN. */
static double unit(double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);

    for (int k = 0; k < 3; k++)
        v[k] /= length;
    return length;
}

/* ---- reading ---- */

static int read_path(struct beam *b, struct lk_error *err)
{
    static const char *const ends[] = {"from", "to"};
    struct lk_node through = lk_node_get(b->map, "through");
    double d[2][3] = {{0}}; /* directions of the last two lines */
    int result = 0;

    for (int i = 0; i < 2 && through.index != 0; i++)
        if (lk_node_get(b->map, ends[i]).index != 0)
            return lk_node_refuse(lk_node_get(b->map, ends[i]), err,
                                  "%s beside through, expected one of them", ends[i]);
    b->n_points = 2;
    if (through.index == 0) {
        result = lk_read_vector(b->map, "from", b->point[0], err);
        result = lk_also(result, lk_read_vector(b->map, "to", b->point[1], err));
    } else {
        b->n_points = lk_node_size(through);
        if (lk_node_kind(through) != LK_NODE_LIST || b->n_points < 2 ||
            b->n_points > PATH_MAX_POINTS)
            return lk_node_refuse(through, err,
                                  "through is no list of 2 to %d points, expected one",
                                  PATH_MAX_POINTS);
        for (int i = 0; i < b->n_points && lk_node_goes_on(through, result); i++)
            result = lk_also(
                result, lk_read_vector_node(lk_node_at(through, i), "a point", b->point[i], err));
    }
    for (int i = 1; i < b->n_points && result == 0; i++) {
        double length, bend = 0;

        for (int k = 0; k < 3; k++)
            d[i % 2][k] = b->point[i][k] - b->point[i - 1][k];
        length = unit(d[i % 2]);
        b->arc[i] = b->arc[i - 1] + length;
        if (!(length > SAME))
            result = lk_node_refuse(through.index != 0 ? lk_node_at(through, i)
                                                       : lk_node_get(b->map, "to"),
                                    err, "the point is the one before, expected another one");
        for (int k = 0; k < 3 && i > 1; k++)
            bend += (d[0][k] + d[1][k]) * (d[0][k] + d[1][k]);
        if (result == 0 && i > 1 && !(sqrt(bend) > 1e-6))
            result = lk_node_refuse(lk_node_at(through, i - 1), err,
                                    "the axis turns back along itself here, expected a bend of "
                                    "less than half a turn");
    }
    return result;
}

static int read_grid(struct beam *b, struct lk_error *err)
{
    long n = 16;
    int result = lk_node_read_int_or(b->map, "elements", 1, LK_BEAM_ELEMENTS_MAX, &n, err);

    b->n_nodes = (int)n + 1;
    for (int i = 0; i < b->n_nodes; i++)
        b->node[i].s = (double)i / (double)n;
    b->node[0].is_fixed = b->node[b->n_nodes - 1].is_fixed = true;
    return result;
}

static int read_beam(struct beam *b, struct lk_error *err)
{
    static const char *const types[] = {"beam", NULL};
    static const char *const keys[] = {
        "type",    "from",  "to",       "through",          "up",       "elements",
        "damping", "nodes", "velocity", "angular_velocity", "sections", LK_BEAM_SECTION_KEYS,
        NULL};
    int type, result = lk_read_name(b->key, "beam", b->name, err);

    if (lk_node_kind(b->map) != LK_NODE_MAP)
        return lk_also(result, lk_node_check_keys(b->map, "a beam", keys, err));
    result = lk_also(result, lk_node_read_choice(b->map, "type", types, &type, err));
    result = lk_also(result, lk_node_check_keys(b->map, "a beam", keys, err));
    b->up[2] = 1;
    result = lk_also(result, read_path(b, err));
    if (lk_node_get(b->map, "up").index != 0)
        result =
            lk_also(result, lk_read_direction_node(lk_node_get(b->map, "up"), "up", b->up, err));
    result = lk_also(result, read_grid(b, err));
    result = lk_also(result, lk_read_number_or(b->map, "damping", 0, &b->damping, err));
    result = lk_also(result, lk_read_vector_or(b->map, "velocity", b->velocity, err));
    result = lk_also(result, lk_read_vector_or(b->map, "angular_velocity", b->spin, err));
    return lk_also(result, lk_read_beam_sections(b->map, &b->sections, err));
}

/* ---- nodes ---- */

/* Return the index of a node at @s: one that is there, the nearest free one moved there, or a new
 * one. -1: there is no room. */
static int fix_node(struct beam *b, double s)
{
    double spacing = 0.5 / (b->n_nodes - 1), nearest = spacing;
    int best = -1, at = 0;

    for (int i = 0; i < b->n_nodes; i++) {
        double off = fabs(b->node[i].s - s);

        if (off < SAME) {
            b->node[i].is_fixed = true;
            return i;
        }
        if (!b->node[i].is_fixed && off < nearest) {
            nearest = off;
            best = i;
        }
    }
    if (best < 0) {
        if (b->n_nodes == (int)(sizeof(b->node) / sizeof(b->node[0])))
            return -1;
        while (at < b->n_nodes && b->node[at].s < s)
            at++;
        memmove(&b->node[at + 1], &b->node[at], (size_t)(b->n_nodes - at) * sizeof(b->node[0]));
        b->n_nodes++;
        best = at;
        memset(&b->node[best], 0, sizeof(b->node[best]));
    }
    b->node[best].s = s;
    b->node[best].is_fixed = true;
    return best;
}

static int compare_nodes(const void *first, const void *second)
{
    const struct node *a = first, *b = second;

    return (a->s > b->s) - (a->s < b->s);
}

static int fix_at(struct work *w, struct beam *b, struct lk_node node, double s)
{
    if (!(s >= 0 && s <= 1))
        return lk_node_refuse(node, w->err, "'%.63s' is at %g, expected a fraction from 0 to 1",
                              lk_node_text(node), s);
    if (fix_node(b, s) < 0)
        return lk_node_refuse(node, w->err, "the beam has more than %d nodes, expected fewer",
                              (int)(sizeof(b->node) / sizeof(b->node[0])));
    return 0;
}

/* Find the fraction of the point on the axis next to @p. Return: its distance [m]. */
static double fraction_of(const struct beam *b, const double p[3], double *ret)
{
    double least = INFINITY;

    for (int i = 1; i < b->n_points; i++) {
        const double *from = b->point[i - 1], *to = b->point[i];
        double length = b->arc[i] - b->arc[i - 1], t = 0, square = 0;

        for (int k = 0; k < 3; k++)
            t += (p[k] - from[k]) * (to[k] - from[k]) / (length * length);
        t = fmax(0, fmin(1, t));
        for (int k = 0; k < 3; k++) {
            double d = p[k] - from[k] - t * (to[k] - from[k]);

            square += d * d;
        }
        if (sqrt(square) < least) {
            least = sqrt(square);
            *ret = (b->arc[i - 1] + t * length) / b->arc[b->n_points - 1];
        }
    }
    return least;
}

/* Read where a named node is: a fraction, or a point of the axis. */
static int read_place(const struct beam *b, struct lk_node node, double *ret, struct lk_error *err)
{
    double p[3] = {0}, unused;
    int result;

    if (lk_node_kind(node) == LK_NODE_SCALAR &&
        lk_decimal(lk_node_text(node), node.document->c_locale, &unused))
        return lk_read_number_node(node, "a node", ret, err);
    result = lk_read_vector_node(node, "a node", p, err);
    if (result == 0 && fraction_of(b, p, ret) > 1e-6 * b->arc[b->n_points - 1])
        return lk_node_refuse(
            node, err,
            "the point is %.3g m off the axis of the beam, expected a point on it "
            "or a fraction of its length",
            fraction_of(b, p, ret));
    return result;
}

/* Place nodes where the axis bends, where they have names, and where something is attached. */
static int place_nodes(struct work *w, int i)
{
    struct beam *b = &w->beam[i];
    struct lk_node named = lk_node_get(b->map, "nodes");
    int result = 0;

    for (int k = 1; k < b->n_points - 1; k++)
        if (fix_node(b, b->arc[k] / b->arc[b->n_points - 1]) < 0)
            return lk_node_refuse(b->key, w->err, "the beam has too many nodes, expected fewer");
    if (named.index != 0 && lk_node_kind(named) != LK_NODE_MAP)
        return lk_node_refuse(named, w->err, "nodes is no map, expected NAME: FRACTION");
    for (int k = 0; k < lk_node_size(named) && result == 0; k++) {
        double s = 0;

        result = read_place(b, lk_node_at(named, k), &s, w->err);
        if (result == 0)
            result = fix_at(w, b, lk_node_at(named, k), s);
    }
    for (int k = 0; k < w->n_references && result == 0; k++)
        if (w->reference[k].beam == i && !w->reference[k].is_element)
            result = fix_at(w, b, (struct lk_node){w->d, w->reference[k].node}, w->reference[k].s);
    qsort(b->node, (size_t)b->n_nodes, sizeof(b->node[0]), compare_nodes);
    return result;
}

static int node_at(const struct beam *b, double s)
{
    int best = 0;

    for (int i = 1; i < b->n_nodes; i++)
        if (fabs(b->node[i].s - s) < fabs(b->node[best].s - s))
            best = i;
    return best;
}

/* Write the name of node or element @i. */
static void numbered(const struct beam *b, int i, char ret[LK_NAME_SIZE])
{
    char text[LK_NAME_SIZE + 16];

    snprintf(text, sizeof(text), "%s.%d", b->name, i);
    memcpy(ret, text, LK_NAME_SIZE - 1);
    ret[LK_NAME_SIZE - 1] = '\0';
}

static int name_nodes(struct work *w, struct beam *b)
{
    struct lk_node named = lk_node_get(b->map, "nodes");
    int result = 0;

    if (strlen(b->name) + 6 >= LK_NAME_SIZE)
        return lk_node_refuse(b->key, w->err, "the name is too long, expected at most %d bytes",
                              LK_NAME_SIZE - 7);
    for (int i = 0; i < b->n_nodes; i++)
        numbered(b, i, b->node[i].name);
    for (int k = 0; k < lk_node_size(named) && result == 0; k++) {
        char word[LK_NAME_SIZE];
        double s = 0;

        result = lk_read_word(lk_node_key_at(named, k), "node", word, w->err);
        if (result == 0)
            result = read_place(b, lk_node_at(named, k), &s, w->err);
        if (result == 0 && strlen(b->name) + strlen(word) + 1 >= LK_NAME_SIZE)
            result = lk_node_refuse(lk_node_key_at(named, k), w->err,
                                    "the name is too long, expected at most %d bytes with that of "
                                    "the beam",
                                    LK_NAME_SIZE - 2);
        if (result == 0) {
            int i = node_at(b, s);
            char *name = b->node[i].name, plain[LK_NAME_SIZE];
            size_t size = strlen(b->name);

            numbered(b, i, plain);
            if (strcmp(name, plain) != 0)
                return lk_node_refuse(lk_node_key_at(named, k), w->err,
                                      "'%.63s' is at the place of '%.63s', expected one name for a "
                                      "place",
                                      word, name + size + 1);
            memcpy(name, b->name, size);
            name[size] = '.';
            memcpy(name + size + 1, word, strlen(word) + 1);
        }
    }
    return result;
}

/* ---- references ---- */

/* Read BEAM@FRACTION. Return: index of the beam, -1: @text is something else. */
static int parse_reference(const struct work *w, const char *text, double *ret_s, bool *ret_is_good)
{
    const char *at = strrchr(text, '@');

    for (int i = 0; i < w->n_beams && at != NULL; i++)
        if (strlen(w->beam[i].name) == (size_t)(at - text) &&
            strncmp(w->beam[i].name, text, (size_t)(at - text)) == 0) {
            *ret_is_good = lk_decimal(at + 1, w->d->c_locale, ret_s) && *ret_s >= 0 && *ret_s <= 1;
            return i;
        }
    return -1;
}

static int add_reference(struct work *w, struct lk_node node, bool is_element)
{
    double s = 0;
    bool is_good = false;
    int beam = parse_reference(w, lk_node_text(node), &s, &is_good);

    if (beam < 0)
        return 0;
    if (!is_good)
        return lk_node_refuse(node, w->err,
                              "'%.63s' is no place of the beam, expected a fraction of its length "
                              "from 0 to 1, as %.40s@0.5",
                              lk_node_text(node), w->beam[beam].name);
    if (w->n_references == REFERENCES_MAX)
        return lk_node_refuse(node, w->err, "more than %d places of beams, expected fewer",
                              REFERENCES_MAX);
    w->reference[w->n_references++] = (struct reference){node.index, beam, s, is_element};
    return 0;
}

/* Collect the references below @node. Recursive as deep as a document may be. */
static int collect(struct work *w, struct lk_node node, bool is_output)
{
    int result = 0;

    for (int i = 0; i < lk_node_size(node) && lk_node_goes_on(node, result); i++) {
        struct lk_node value = lk_node_at(node, i);
        bool is_force = is_output && strcmp(lk_node_text(lk_node_key_at(node, i)), "force") == 0;

        result = lk_also(result, lk_node_kind(value) == LK_NODE_SCALAR
                                     ? add_reference(w, value, is_force)
                                     : collect(w, value, is_output));
    }
    return result;
}

static int collect_all(struct work *w)
{
    struct lk_node root = lk_document_root(w->d);
    int result = 0;

    for (int i = 0; i < lk_node_size(root) && result == 0; i++) {
        const char *section = lk_node_text(lk_node_key_at(root, i));

        if (strcmp(section, "flexible") != 0)
            result = collect(w, lk_node_at(root, i), strcmp(section, "outputs") == 0);
    }
    return result;
}

static int replace_references(struct work *w)
{
    int result = 0;

    for (int i = 0; i < w->n_references && result == 0; i++) {
        const struct reference *r = &w->reference[i];
        const struct beam *b = &w->beam[r->beam];
        char name[LK_NAME_SIZE];
        int at = 1;

        if (r->is_element) {
            while (at < b->n_nodes - 1 && b->node[at].s < r->s)
                at++;
            numbered(b, at, name);
        } else {
            snprintf(name, sizeof(name), "%s", b->node[node_at(b, r->s)].name);
        }
        result = lk_document_replace(w->d, (struct lk_node){w->d, r->node}, name, NULL);
    }
    return result;
}

/* ---- geometry ---- */

static void point_at(const struct beam *b, double s, double ret[3])
{
    double arc = s * b->arc[b->n_points - 1], t;
    int i = 1;

    while (i < b->n_points - 1 && b->arc[i] < arc)
        i++;
    t = (arc - b->arc[i - 1]) / (b->arc[i] - b->arc[i - 1]);
    for (int k = 0; k < 3; k++)
        ret[k] = b->point[i - 1][k] + t * (b->point[i][k] - b->point[i - 1][k]);
}

/* Write the quaternion of the axes x along @x, z towards `up`. Return: false if they are parallel.
 */
static bool frame_of(const struct beam *b, const double x[3], double q[4])
{
    double y[3] = {b->up[1] * x[2] - b->up[2] * x[1], b->up[2] * x[0] - b->up[0] * x[2],
                   b->up[0] * x[1] - b->up[1] * x[0]};
    bool is_good = unit(y) > 1e-6;
    const double z[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
                         x[0] * y[1] - x[1] * y[0]};
    const double four[4] = {1 + x[0] + y[1] + z[2], 1 + x[0] - y[1] - z[2], 1 - x[0] + y[1] - z[2],
                            1 - x[0] - y[1] + z[2]};
    const double twice[4][4] = {
        {four[0], y[2] - z[1], z[0] - x[2], x[1] - y[0]},
        {y[2] - z[1], four[1], x[1] + y[0], z[0] + x[2]},
        {z[0] - x[2], x[1] + y[0], four[2], y[2] + z[1]},
        {x[1] - y[0], z[0] + x[2], y[2] + z[1], four[3]},
    };
    int best = 0;

    for (int k = 1; k < 4; k++)
        best = four[k] > four[best] ? k : best;
    for (int k = 0; k < 4; k++)
        q[k] = twice[best][k] / (2 * sqrt(four[best]));
    return is_good;
}

/* Write the chord of element @i, from node i - 1 to node i, and its length. */
static double chord(const struct beam *b, int i, double x[3], double middle[3])
{
    double p[3], q[3];

    point_at(b, b->node[i - 1].s, p);
    point_at(b, b->node[i].s, q);
    for (int k = 0; k < 3; k++) {
        x[k] = q[k] - p[k];
        middle[k] = (p[k] + q[k]) / 2;
    }
    return unit(x);
}

/* ---- items ---- */

/* Begin an item of a section. @ret: its map */
static int new_item(struct work *w, int target, struct lk_node place, const char *name, int *ret)
{
    int key = 0, result = lk_document_new_node(w->d, place, &key);

    if (w->d->n_nodes > LK_DOCUMENT_NODES_MAX)
        return lk_node_refuse(place, w->err, "too many values, expected at most %u",
                              LK_DOCUMENT_NODES_MAX);
    if (result == 0)
        result = lk_document_set_scalar(w->d, key, name, 0);
    if (result == 0)
        result = lk_document_new_node(w->d, place, ret);
    if (result == 0 && lk_document_grow(&w->entry[target], &w->room[target], w->n[target], 2,
                                        sizeof(*w->entry[target])) != 0)
        result = -ENOMEM;
    if (result != 0)
        return result;
    w->entry[target][w->n[target]++] = key;
    w->entry[target][w->n[target]++] = *ret;
    return 0;
}

/* struct share - what a node has of the beam: half of the element on either side. @length: of both
 * [m];  @from, @to: fractions at its ends */
struct share {
    double mass;
    double inertia[3];
    double length;
    double from;
    double to;
};

static void add_half(const struct beam *b, double s, double length, struct share *share)
{
    struct lk_beam_section section = lk_beam_section_at(&b->sections, s);

    share->mass += section.mass * length;
    for (int k = 0; k < 3; k++)
        share->inertia[k] += section.inertia[k] * length;
    share->length += length;
}

static struct share share_of(const struct beam *b, int i, double ret_x[3])
{
    double s = b->node[i].s, x[2][3] = {{0}}, middle[3], length;
    struct share share = {.from = s, .to = s};

    if (i > 0) {
        length = chord(b, i, x[0], middle);
        share.from = (s + b->node[i - 1].s) / 2;
        add_half(b, (s + share.from) / 2, length / 2, &share);
    }
    if (i < b->n_nodes - 1) {
        length = chord(b, i + 1, x[1], middle);
        share.to = (s + b->node[i + 1].s) / 2;
        add_half(b, (s + share.to) / 2, length / 2, &share);
    }
    for (int k = 0; k < 3; k++)
        ret_x[k] = x[0][k] + x[1][k];
    unit(ret_x);
    return share;
}

/* The shape of a node, for viewers: its share of the beam. */
static int add_shape(struct work *w, const struct beam *b, int i, const struct share *share,
                     const double x[3], const double q[4])
{
    struct lk_beam_section section = lk_beam_section_at(&b->sections, b->node[i].s);
    double middle[3], size[3] = {share->length, section.size[0], section.size[1]};
    int map = 0, result = new_item(w, SHAPES, b->key, b->node[i].name, &map);

    for (int k = 0; k < 2 && section.size[k] == 0; k++)
        size[2 - k] = sqrt(12 * section.EI[k] / section.EA); /* of a rectangle as stiff */
    point_at(b, (share->from + share->to) / 2, middle);
    if (result == 0)
        result =
            lk_document_put_word(w->d, map, b->key, "type", section.is_round ? "cylinder" : "box");
    if (result == 0)
        result = lk_document_put_word(w->d, map, b->key, "body", b->node[i].name);
    if (result == 0)
        result = lk_document_put_numbers(w->d, map, b->key, "color",
                                         (const double[3]){0.45, 0.55, 0.7}, 3);
    if (result == 0)
        result = lk_document_put_numbers(w->d, map, b->key, "position", middle, 3);
    if (result == 0 && section.is_round) {
        result = lk_document_put_numbers(w->d, map, b->key, "axis", x, 3);
        if (result == 0)
            result = lk_document_put_number(w->d, map, b->key, "diameter", size[1]);
        return result == 0 ? lk_document_put_number(w->d, map, b->key, "length", size[0]) : result;
    }
    if (result == 0)
        result = lk_document_put_numbers(w->d, map, b->key, "size", size, 3);
    return result == 0 ? lk_document_put_quaternion(w->d, map, b->key, q) : result;
}

/* Return whether a body may have this mass and inertia. */
static bool is_mass(const struct share *share)
{
    double largest = fmax(share->inertia[0], fmax(share->inertia[1], share->inertia[2]));

    return share->mass >= LK_MASS_MIN && share->mass <= LK_NUMBER_MAX && largest <= LK_NUMBER_MAX &&
           (largest == 0 || largest >= LK_INERTIA_MIN);
}

static int add_node(struct work *w, const struct beam *b, int i)
{
    double x[3], q[4], p[3], v[3];
    struct share share = share_of(b, i, x);
    int map = 0, result;

    /* where the axis bends, the mean of both directions may be along 'up' though neither is */
    if (!frame_of(b, x, q))
        chord(b, i > 0 ? i : 1, x, p);
    if (!frame_of(b, x, q))
        return lk_node_refuse(
            b->key, w->err, "the beam runs along its 'up', (%g, %g, %g), expected an up across it",
            b->up[0], b->up[1], b->up[2]);
    if (!is_mass(&share))
        return lk_node_refuse(b->key, w->err,
                              "the node at %.9g of the length has %.3g kg and %.3g, %.3g, %.3g kg "
                              "m^2, expected %g to %g kg and, unless 0, %g to %g kg m^2",
                              b->node[i].s, share.mass, share.inertia[0], share.inertia[1],
                              share.inertia[2], LK_MASS_MIN, LK_NUMBER_MAX, LK_INERTIA_MIN,
                              LK_NUMBER_MAX);
    point_at(b, b->node[i].s, p);
    for (int k = 0; k < 3; k++) {
        int m = (k + 1) % 3, n = (k + 2) % 3;

        v[k] = b->velocity[k] + b->spin[m] * (p[n] - b->point[0][n]) -
               b->spin[n] * (p[m] - b->point[0][m]);
    }
    result = new_item(w, BODIES, b->key, b->node[i].name, &map);
    if (result == 0)
        result = lk_document_put_number(w->d, map, b->key, "mass", share.mass);
    if (result == 0)
        result = lk_document_put_numbers(w->d, map, b->key, "inertia", share.inertia, 3);
    if (result == 0)
        result = lk_document_put_numbers(w->d, map, b->key, "position", p, 3);
    if (result == 0)
        result = lk_document_put_quaternion(w->d, map, b->key, q);
    if (result == 0)
        result = lk_document_put_numbers(w->d, map, b->key, "velocity", v, 3);
    if (result == 0)
        result = lk_document_put_numbers(w->d, map, b->key, "angular_velocity", b->spin, 3);
    return result == 0 ? add_shape(w, b, i, &share, x, q) : result;
}

static int add_element(struct work *w, const struct beam *b, int i)
{
    double x[3], middle[3], q[4] = {1}, stiffness[6], damping[6], L = chord(b, i, x, middle);
    struct lk_beam_section s =
        lk_beam_section_at(&b->sections, (b->node[i - 1].s + b->node[i].s) / 2);
    const char *const bodies[2] = {b->node[i - 1].name, b->node[i].name};
    char name[LK_NAME_SIZE];
    int map = 0, pair = 0, result;

    if (!frame_of(b, x, q))
        return lk_node_refuse(
            b->key, w->err, "the beam runs along its 'up', (%g, %g, %g), expected an up across it",
            b->up[0], b->up[1], b->up[2]);
    stiffness[0] = s.EA / L;
    stiffness[1] = 1 / (L * L * L / (12 * s.EI[1]) + L / s.GA[0]);
    stiffness[2] = 1 / (L * L * L / (12 * s.EI[0]) + L / s.GA[1]);
    stiffness[3] = s.GJ / L;
    stiffness[4] = s.EI[0] / L;
    stiffness[5] = s.EI[1] / L;
    for (int k = 0; k < 6; k++) {
        damping[k] = b->damping * stiffness[k];
        if (!(stiffness[k] <= LK_NUMBER_MAX && damping[k] <= LK_NUMBER_MAX))
            return lk_node_refuse(b->key, w->err,
                                  "the element from %.9g to %.9g of the length, %.3g m long, has "
                                  "%.6g for stiffness or damping, expected at most %g: fewer "
                                  "elements, places further apart, or a softer section",
                                  b->node[i - 1].s, b->node[i].s, L, fmax(stiffness[k], damping[k]),
                                  LK_NUMBER_MAX);
    }
    numbered(b, i, name);
    result = new_item(w, FORCES, b->key, name, &map);
    if (result == 0)
        result = lk_document_put_word(w->d, map, b->key, "type", "bushing");
    if (result == 0)
        result = lk_document_new_list(w->d, b->key, NULL, bodies, 2, &pair);
    if (result == 0)
        result = lk_document_put_value(w->d, map, b->key, "bodies", pair);
    if (result == 0)
        result = lk_document_put_numbers(w->d, map, b->key, "point", middle, 3);
    if (result == 0)
        result = lk_document_put_quaternion(w->d, map, b->key, q);
    if (result == 0)
        result = lk_document_put_numbers(w->d, map, b->key, "stiffness", stiffness, 6);
    if (result == 0 && b->damping > 0)
        result = lk_document_put_numbers(w->d, map, b->key, "damping", damping, 6);
    return result == 0 ? lk_document_put_word(w->d, map, b->key, "element", "true") : result;
}

/* ---- all beams ---- */

static int read_all(struct work *w, struct lk_node map)
{
    int result = 0;

    w->n_beams = lk_node_size(map);
    w->beam = calloc((size_t)w->n_beams, sizeof(*w->beam));
    w->reference = calloc(REFERENCES_MAX, sizeof(*w->reference));
    if (w->beam == NULL || w->reference == NULL)
        return -ENOMEM;
    for (int i = 0; i < w->n_beams && lk_node_goes_on(map, result); i++) {
        w->beam[i].key = lk_node_key_at(map, i);
        w->beam[i].map = lk_node_at(map, i);
        result = lk_also(result, read_beam(&w->beam[i], w->err));
    }
    if (result == 0)
        result = collect_all(w);
    for (int i = 0; i < w->n_beams && result == 0; i++) {
        result = place_nodes(w, i);
        if (result == 0)
            result = name_nodes(w, &w->beam[i]);
    }
    return result;
}

static int add_all(struct work *w)
{
    int result = replace_references(w);

    for (int i = 0; i < w->n_beams; i++) {
        const struct beam *b = &w->beam[i];

        for (int k = 0; k < b->n_nodes && result == 0; k++)
            result = add_node(w, b, k);
        for (int k = 1; k < b->n_nodes && result == 0; k++)
            result = add_element(w, b, k);
    }
    for (int t = 0; t < TARGETS && result == 0; t++)
        result = lk_document_add_items(w->d, targets[t], w->entry[t], w->n[t], w->err);
    return result;
}

int lk_beams_expand(struct lk_document *document, struct lk_error *err)
{
    struct work w = {.d = document, .err = err};
    struct lk_node map = lk_node_get(lk_document_root(document), "flexible");
    int result;

    if (map.index == 0)
        return 0;
    if (lk_node_kind(map) != LK_NODE_MAP || lk_node_size(map) > LK_BEAMS_MAX)
        return lk_node_refuse(map, err,
                              "flexible is no map of at most %d beams, expected NAME: {type: beam, "
                              "...}",
                              LK_BEAMS_MAX);
    result = read_all(&w, map);
    if (result == 0)
        result = add_all(&w);
    for (int t = 0; t < TARGETS; t++)
        free(w.entry[t]);
    free(w.beam);
    free(w.reference);
    return result;
}
