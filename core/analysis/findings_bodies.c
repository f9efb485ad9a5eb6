/* SPDX-License-Identifier: Apache-2.0 */
/* Findings on the bodies of a model: mostly numbers that are not in SI units. */
#include "analysis/findings.h"
#include "compile/draft.h"
#include "compile/fill.h"
#include "maths/vec.h"
#include "model/reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* largest plausible radius of gyration, in sizes of the body; kg cm^2 instead of kg m^2 gives
 * 100 */
#define GYRATION_MAX 5.0
#define LONE_MIN     5.0 /* suspicious radius of gyration of a body with a single joint [m] */
/* least size of a body, as a fraction of the model: a wheel has a central joint */
#define SIZE_SHARE 0.25
/* arm of a point mass due to a rounded number, as a fraction of the model */
#define BESIDE_MAX 1e-3
#define FAR_MAX    20.0  /* largest plausible distance, in sizes; mm instead of m gives 1000 */
#define AWAY_MAX   200.0 /* likewise, of a joint from its bodies, in the median of such distances */

static double distance(const double a[3], const double b[3])
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};

    return lk_norm(d);
}

/* struct places - distances of joints and of elements at a body [m].
 * @nearest, @farthest: distance from its centre of mass;  @beside: smallest distance that is not 0
 * @n: number of joints and elements;  @spread: largest distance from the first of them */
struct places {
    const double *first;
    double spread;
    double nearest;
    double beside;
    double farthest;
    int n;
};

static void see(struct places *p, const double point[3], const struct lk_body_def *body)
{
    double d = distance(point, body->position);

    if (d > LK_ROUND_OFF * (lk_norm(point) + lk_norm(body->position)))
        p->beside = p->beside > 0 ? fmin(p->beside, d) : d;

    p->nearest = p->n == 0 ? d : fmin(p->nearest, d);
    p->farthest = fmax(p->farthest, d);
    p->first = p->n == 0 ? point : p->first;
    p->spread = fmax(p->spread, distance(point, p->first));
    p->n++;
}

/* a contact holds a body at its shape, whose side stands for the place */
static void see_shape(struct places *p, const struct lk_shape_def *shape,
                      const struct lk_body_def *body)
{
    double side[3];

    memcpy(side, shape->frame == LK_FRAME_BODY ? body->position : shape->position, sizeof(side));
    side[0] += shape->size[0] / 2;
    see(p, side, body);
}

static struct places places_of(const struct lk_model *m, int b)
{
    struct places p = {0};

    for (int i = 0; i < m->n_joints; i++)
        for (int s = 0; s < 2 && !lk_joint_is_coupling(m->joints[i].type); s++)
            if (m->joints[i].body[s] == b)
                see(&p, m->joints[i].point[s], &m->bodies[b]);
    for (int i = 0; i < m->n_forces; i++)
        for (int s = 0; s < 2; s++)
            if ((m->forces[i].type == LK_FORCE_SPRING_DAMPER ||
                 m->forces[i].type == LK_FORCE_BUSHING ||
                 (m->forces[i].type == LK_FORCE_IMPEDANCE && m->forces[i].joint < 0)) &&
                m->forces[i].body[s] == b)
                see(&p, m->forces[i].point[s], &m->bodies[b]);
    for (int i = 0; i < m->n_forces; i++)
        for (int s = 0; s < 2 && m->forces[i].type == LK_FORCE_CONTACT; s++)
            if (m->forces[i].body[s] == b)
                see_shape(&p, &m->shapes[m->forces[i].contact.shape[s]], &m->bodies[b]);
    return p;
}

/* Return the radius of gyration about the worst axis [m]; 0 without mass. */
static double gyration_of(const struct lk_body_def *body)
{
    double moment[3];

    if (!(body->mass > 0))
        return 0;
    lk_principal_moments(body->inertia, moment);
    return sqrt(moment[2] / body->mass);
}

static void inspect_inertia(struct lk_inspection *in, int b, const struct places *p, double extent)
{
    const struct lk_body_def *body = &in->model->bodies[b];
    double gyration = gyration_of(body), size = fmax(p->farthest, SIZE_SHARE * extent);
    struct lk_finding *f;
    char where[LK_TEXT_SIZE];

    /* A body with one joint may be an eccentric rotor, whose radius is larger than its lever
     * arm. */
    if (!(size > 0) || gyration <= GYRATION_MAX * size || (p->spread == 0 && gyration < LONE_MIN))
        return;
    snprintf(where, sizeof(where), "body %s", body->name);
    f = lk_finding_add(in, "inertia-too-large", where,
                       "its radius of gyration is %.3g m, but its joints are within %.3g m of its "
                       "centre of mass; is the inertia in kg m^2, the mass in kg?",
                       gyration, size);
    lk_finding_number(f, "gyration", "m", gyration);
    lk_finding_number(f, "size", "m", size);
}

static void inspect_centre(struct lk_inspection *in, int b, const struct places *p, double extent)
{
    const struct lk_body_def *body = &in->model->bodies[b];
    double size = fmax(extent, gyration_of(body));
    struct lk_finding *f;
    char where[LK_TEXT_SIZE];

    if (p->n == 0 || !(size > 0) || p->nearest <= FAR_MAX * size)
        return;
    snprintf(where, sizeof(where), "body %s", body->name);
    f = lk_finding_add(
        in, "centre-far-from-joints", where,
        "its centre of mass is %.3g m from the nearest of its joints, in a mechanism "
        "of %.3g m; is the position in m, in world axes?",
        p->nearest, size);
    lk_finding_number(f, "distance", "m", p->nearest);
    lk_finding_number(f, "size", "m", size);
}

/* Find point masses with a small lever arm. Such bodies can turn freely about the arm. Arms that
 * are only round-off count as 0, see lk_fill_joint(). */
static void inspect_point(struct lk_inspection *in, int b, const struct places *p, double extent)
{
    const struct lk_body_def *body = &in->model->bodies[b];
    struct lk_finding *f;
    char where[LK_TEXT_SIZE];

    if (!(body->mass > 0) || gyration_of(body) > 0 || !(p->beside > LK_ROUND_OFF_POINT * extent) ||
        p->beside > BESIDE_MAX * extent)
        return;
    snprintf(where, sizeof(where), "body %s", body->name);
    f = lk_finding_add(in, "point-beside-joint", where,
                       "it has no inertia, and a joint or spring of it is %.3g m beside its centre "
                       "of mass: it turns about that at will; expected both in one place, or an "
                       "inertia",
                       p->beside);
    lk_finding_number(f, "distance", "m", p->beside);
}

/* Return the distance of a joint's point from the nearest of its bodies, the ground left out; -1:
 * it has no point. A node of a body with modes stands for that body. */
static double distance_from_bodies(const struct lk_model *m, const struct lk_joint_def *j)
{
    double nearest = -1;

    for (int s = 0; s < 2 && !lk_joint_is_coupling(j->type); s++) {
        int body = lk_model_leader(m, j->body[s]);
        double d = body < 0 ? 0 : distance(j->point[s], m->bodies[body].position);

        if (j->body[s] >= 0)
            nearest = nearest < 0 ? d : fmin(nearest, d);
    }
    return nearest;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Find a single joint that is far from its bodies in a mechanism that is small. */
static void inspect_points(struct lk_inspection *in)
{
    const struct lk_model *m = in->model;
    double *list = calloc((size_t)m->n_joints + 1, sizeof(double)), median;
    char where[LK_TEXT_SIZE];
    int n = 0;

    for (int i = 0; i < m->n_joints && list; i++) {
        double d = distance_from_bodies(m, &m->joints[i]);

        if (d > 0)
            list[n++] = d;
    }
    if (n > 0)
        qsort(list, (size_t)n, sizeof(double), compare);
    median = n > 1 ? list[(n - 1) / 2] : INFINITY;
    free(list);
    for (int i = 0; i < m->n_joints; i++) {
        double d = distance_from_bodies(m, &m->joints[i]);
        struct lk_finding *f;

        if (!(d > AWAY_MAX * median))
            continue;
        snprintf(where, sizeof(where), "joint %s", m->joints[i].name);
        f = lk_finding_add(
            in, "point-far-away", where,
            "its point is %.3g m from its bodies, where others are at %.3g m; is it in "
            "m, in world axes?",
            d, median);
        lk_finding_number(f, "distance", "m", d);
        lk_finding_number(f, "typical", "m", median);
    }
}

void lk_inspect_bodies(struct lk_inspection *in)
{
    const struct lk_model *m = in->model;
    double extent = lk_draft_size(m);
    char where[LK_TEXT_SIZE];

    inspect_points(in);
    for (int b = 0; b < m->n_bodies; b++) {
        struct places p = places_of(m, b);

        inspect_inertia(in, b, &p, extent);
        inspect_centre(in, b, &p, extent);
        inspect_point(in, b, &p, extent);
        snprintf(where, sizeof(where), "body %s", m->bodies[b].name);
        if (p.n == 0 && m->n_joints > 0 && m->bodies[b].kind == LK_BODY_RIGID)
            lk_finding_add(
                in, "body-in-no-joint", where,
                "no joint, spring or bushing holds it, so it flies off; expected a joint "
                "with it");
    }
}
