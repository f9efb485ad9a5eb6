/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of beams: from stiffnesses and masses, or from a profile and a material. */
#include "beam_section.h"

#include <math.h>
#include <string.h>

/* struct material - E, G: moduli [Pa];  density [kg/m^3]; steel unless the model says otherwise */
struct material {
    double E;
    double G;
    double density;
};

static int read_material(struct lk_node map, struct material *ret, struct lk_error *err)
{
    static const char *const keys[] = {"E", "G", "density", NULL};
    struct lk_node node = lk_node_get(map, "material");
    int result;

    *ret = (struct material){2.1e11, 8.1e10, 7850};
    if (node.index == 0)
        return 0;
    result = lk_node_check_keys(node, "a material", keys, err);
    result = lk_also(result, lk_read_positive(node, "E", &ret->E, err));
    result = lk_also(result, lk_read_positive(node, "G", &ret->G, err));
    return lk_also(result, lk_read_positive(node, "density", &ret->density, err));
}

static void fill(struct lk_beam_section *s, const struct material *m, double area,
                 const double second[2], double torsion, const double shear[2])
{
    s->EA = m->E * area;
    s->GJ = m->G * torsion;
    s->mass = m->density * area;
    s->inertia[0] = m->density * (second[0] + second[1]);
    for (int i = 0; i < 2; i++) {
        s->EI[i] = m->E * second[i];
        s->GA[i] = m->G * area * shear[i];
        s->inertia[i + 1] = m->density * second[i];
    }
}

/* A round bar, or a tube. Shear factors for the Poisson ratio of the material: G. R. Cowper, The
 * Shear Coefficient in Timoshenko's Beam Theory, J. Appl. Mech. 33 (1966), page 340. */
static int read_round(struct lk_node node, const struct material *m, struct lk_beam_section *s,
                      struct lk_error *err)
{
    const double nu = m->E / (2 * m->G) - 1;
    double outer = 0, bore = 0, q, factor, second;
    int result = lk_read_positive(node, "diameter", &outer, err);

    result = lk_also(result, lk_read_number_or(node, "bore", 0, &bore, err));
    if (result == 0 && !(bore < outer))
        return lk_node_refuse(lk_node_get(node, "bore"), err,
                              "bore is %g, expected less than the diameter, %g", bore, outer);
    q = bore / outer;
    factor = 6 * (1 + nu) * (1 + q * q) * (1 + q * q) /
             ((7 + 6 * nu) * (1 + q * q) * (1 + q * q) + (20 + 12 * nu) * q * q);
    second = M_PI / 64 * (pow(outer, 4) - pow(bore, 4));
    fill(s, m, M_PI / 4 * (outer * outer - bore * bore), (double[2]){second, second}, 2 * second,
         (double[2]){factor, factor});
    s->size[0] = s->size[1] = outer;
    s->is_round = true;
    return result;
}

/* A rectangle. Torsion: the series of S. P. Timoshenko, J. N. Goodier, Theory of Elasticity, 1951,
 * article 94. */
static int read_rectangle(struct lk_node node, const struct material *m, struct lk_beam_section *s,
                          struct lk_error *err)
{
    const double nu = m->E / (2 * m->G) - 1, factor = 10 * (1 + nu) / (12 + 11 * nu);
    double b = 0, h = 0, large, small, sum = 0;
    int result = lk_read_positive(node, "width", &b, err);

    result = lk_also(result, lk_read_positive(node, "height", &h, err));
    if (result != 0)
        return result;
    large = fmax(b, h);
    small = fmin(b, h);
    for (int n = 1; n < 200; n += 2)
        sum += tanh(n * M_PI * large / (2 * small)) / pow(n, 5);
    fill(s, m, b * h, (double[2]){b * h * h * h / 12, h * b * b * b / 12},
         large * small * small * small / 3 * (1 - 192 * small / (pow(M_PI, 5) * large) * sum),
         (double[2]){factor, factor});
    s->size[0] = b;
    s->size[1] = h;
    return 0;
}

static int read_profile(struct lk_node map, struct lk_beam_section *s, struct lk_error *err)
{
    static const char *const shapes[] = {"round", "rectangle", NULL};
    static const char *const keys[2][4] = {{"shape", "diameter", "bore", NULL},
                                           {"shape", "width", "height", NULL}};
    static const char *const others[] = {
        "EA", "EI", "GJ", "shear", "mass_per_length", "inertia_per_length"};
    struct lk_node node = lk_node_get(map, "profile");
    struct material material;
    int shape = 0, result = read_material(map, &material, err);

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (lk_node_get(map, others[i]).index != 0)
            return lk_node_refuse(lk_node_get(map, others[i]), err,
                                  "%s follows from the profile, expected one of them", others[i]);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return lk_also(result, lk_node_check_keys(node, "a profile", keys[0], err));
    if (result == 0)
        result = lk_node_read_choice(node, "shape", shapes, &shape, err);
    if (result == 0)
        result = lk_node_check_keys(node, "a profile", keys[shape], err);
    if (result != 0)
        return result;
    return shape == 0 ? read_round(node, &material, s, err)
                      : read_rectangle(node, &material, s, err);
}

/* Read @n positive numbers. */
static int read_list(struct lk_node map, const char *key, int n, bool may_be_zero, double *ret,
                     struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, key);
    int result = lk_read_numbers(map, key, n, ret, err);

    for (int i = 0; i < n && result == 0; i++)
        if (!(may_be_zero ? ret[i] >= 0 : ret[i] >= LK_POSITIVE_MIN))
            result = lk_node_refuse(
                lk_node_at(list, i), err, "entry %d of %s is %.40s, expected %s", i + 1, key,
                lk_node_text(lk_node_at(list, i)), may_be_zero ? "0 or more" : "more than 0");
    return result;
}

static int read_section(struct lk_node map, struct lk_beam_section *s, struct lk_error *err)
{
    int result;

    s->GA[0] = s->GA[1] = INFINITY;
    if (lk_node_get(map, "profile").index != 0)
        return read_profile(map, s, err);
    if (lk_node_get(map, "material").index != 0)
        return lk_node_refuse(lk_node_get(map, "material"), err,
                              "a material without a profile, expected both, or EA, EI, GJ and "
                              "mass_per_length");
    result = lk_read_positive(map, "EA", &s->EA, err);
    result = lk_also(result, read_list(map, "EI", 2, false, s->EI, err));
    result = lk_also(result, lk_read_positive(map, "GJ", &s->GJ, err));
    result = lk_also(result, lk_read_positive(map, "mass_per_length", &s->mass, err));
    if (lk_node_get(map, "shear").index != 0)
        result = lk_also(result, read_list(map, "shear", 2, false, s->GA, err));
    /* of a section of one material: density times second moment of area */
    for (int i = 0; i < 2 && result == 0; i++)
        s->inertia[i + 1] = s->mass * s->EI[i] / s->EA;
    s->inertia[0] = s->inertia[1] + s->inertia[2];
    if (lk_node_get(map, "inertia_per_length").index != 0)
        result = lk_also(result, read_list(map, "inertia_per_length", 3, true, s->inertia, err));
    for (int i = 0; i < 3 && result == 0; i++)
        if (s->inertia[i] > (s->inertia[(i + 1) % 3] + s->inertia[(i + 2) % 3]) * (1 + 1e-9))
            result =
                lk_node_refuse(lk_node_get(map, "inertia_per_length"), err,
                               "inertia_per_length is %g, %g, %g, expected none to be more than "
                               "the sum of the others; of a flat section the first is that sum",
                               s->inertia[0], s->inertia[1], s->inertia[2]);
    return result;
}

int lk_read_beam_sections(struct lk_node map, struct lk_beam_sections *ret, struct lk_error *err)
{
    static const char *const keys[] = {"at", LK_BEAM_SECTION_KEYS, NULL};
    static const char *const own[] = {LK_BEAM_SECTION_KEYS};
    struct lk_node list = lk_node_get(map, "sections");
    int result = 0;

    memset(ret, 0, sizeof(*ret));
    ret->n = 1;
    if (list.index == 0)
        return read_section(map, &ret->section[0], err);
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (lk_node_get(map, own[i]).index != 0)
            return lk_node_refuse(lk_node_get(map, own[i]), err,
                                  "%s beside sections, expected it in each of them", own[i]);
    ret->n = lk_node_size(list);
    if (lk_node_kind(list) != LK_NODE_LIST || ret->n < 2 || ret->n > LK_BEAM_SECTIONS_MAX)
        return lk_node_refuse(list, err, "sections is no list of 2 to %d sections, expected one",
                              LK_BEAM_SECTIONS_MAX);
    for (int i = 0; i < ret->n && lk_node_goes_on(list, result); i++) {
        struct lk_node node = lk_node_at(list, i);
        struct lk_beam_section *s = &ret->section[i];
        double first = i == 0 ? 0 : ret->section[i - 1].at;

        result = lk_also(result, lk_node_check_keys(node, "a section", keys, err));
        if (lk_node_kind(node) != LK_NODE_MAP)
            continue;
        result = lk_also(result, lk_read_number(node, "at", 0, &s->at, err));
        result = lk_also(result, read_section(node, s, err));
        if (result == 0 && ((i == 0 && s->at != 0) || (i > 0 && !(s->at > first)) ||
                            (i == ret->n - 1 && s->at != 1)))
            result = lk_node_refuse(lk_node_get(node, "at"), err,
                                    "at is %g, expected fractions that ascend from 0 to 1", s->at);
    }
    return result;
}

static double between(double a, double b, double t)
{
    return isinf(a) || isinf(b) ? (t < 0.5 ? a : b) : a + t * (b - a);
}

struct lk_beam_section lk_beam_section_at(const struct lk_beam_sections *all, double s)
{
    const struct lk_beam_section *a = &all->section[0], *b = a;
    struct lk_beam_section ret;
    double t = 0;

    for (int i = 1; i < all->n && b->at < s; i++) {
        a = b;
        b = &all->section[i];
    }
    if (b->at > a->at)
        t = (s - a->at) / (b->at - a->at);
    ret = *a;
    ret.at = s;
    ret.EA = between(a->EA, b->EA, t);
    ret.GJ = between(a->GJ, b->GJ, t);
    ret.mass = between(a->mass, b->mass, t);
    for (int i = 0; i < 2; i++) {
        ret.EI[i] = between(a->EI[i], b->EI[i], t);
        ret.GA[i] = between(a->GA[i], b->GA[i], t);
        ret.size[i] = between(a->size[i], b->size[i], t);
    }
    for (int i = 0; i < 3; i++)
        ret.inertia[i] = between(a->inertia[i], b->inertia[i], t);
    return ret;
}
