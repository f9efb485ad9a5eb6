/* SPDX-License-Identifier: Apache-2.0 */
/* Report on the treatment of a model, see linkage/treatment.h. The report is derived from the
 * compiled system, so it always agrees with the step. */
#include "linkage/treatment.h"
#include "maths/vec.h"
#include "model/model.h"
#include "step/elements/tension.h"
#include "step/outputs/reactions.h"
#include "step/system.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* append a clause to the sentence */
__attribute__((format(printf, 2, 3))) static void say(struct lk_treated *t, const char *form, ...)
{
    size_t used = strlen(t->how), room = sizeof(t->how) - used;
    va_list values;

    if (used > 0 && room > 2) {
        memcpy(t->how + used, "; ", 3);
        used += 2;
        room -= 2;
    }
    va_start(values, form);
    vsnprintf(t->how + used, room, form, values);
    va_end(values);
}

__attribute__((format(printf, 2, 3))) static struct lk_treated *add(struct lk_treatment *all,
                                                                    const char *form, ...)
{
    struct lk_treated *t = &all->list[all->n++];
    va_list values;

    *t = (struct lk_treated){.where = ""};
    va_start(values, form);
    vsnprintf(t->where, sizeof(t->where), form, values);
    va_end(values);
    return t;
}

/* ---- bodies ---- */

/* Find the axis n of a body that turns about n only: W is n n^T / (n.J n), so its longest column is
 * along n. */
static bool axis_of(const double W[6], double ret[3])
{
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    double most = 0;

    for (int k = 0; k < 3; k++) {
        const double column[3] = {W[at[k][0]], W[at[k][1]], W[at[k][2]]};

        if (lk_norm(column) > most) {
            most = lk_norm(column);
            memcpy(ret, column, sizeof(column));
        }
    }
    return most > 0;
}

static void say_plane(const struct lk_system *sys, int b, struct lk_treated *t)
{
    double own[3] = {0}, axis[3];
    char text[LK_TEXT_SIZE];

    if (!axis_of(sys->W[b].inertia, own)) {
        say(t, "does not turn (planar reduction)");
        return;
    }
    lk_rotate(sys->pose[b].R, own, axis);
    say(t, "turns %sabout %s alone (planar reduction)", sys->W[b].mass == 0 ? "in place " : "",
        lk_direction_text(axis, text, sizeof(text)));
}

static int hanging_on(const struct lk_system *sys, int hub)
{
    int n = 0;

    for (int b = 0; b < sys->n_bodies; b++)
        n += sys->body[b].hangs_on == hub;
    return n;
}

static void say_inertia(const struct lk_system *sys, int b, struct lk_treated *t)
{
    const struct lk_quad *quad = &sys->quad[b / 4];
    int lane = b % 4, n_light = 0;

    if (quad->massless[0][lane] > 0)
        say(t, "no mass: an artificial one of %.3g kg in W alone", 1 / sys->W[b].mass);
    if (quad->massless[1][lane] > 0)
        say(t, "no moments of inertia: artificial ones in W alone");
    if (quad->thin[0][lane] != 0 || quad->thin[1][lane] != 0 || quad->thin[2][lane] != 0)
        say(t, "no moment of inertia about one axis: an artificial one in W alone");
    for (int part = 0; part < 2; part++)
        n_light += quad->start_a[part][lane] == 0 && !(quad->massless[part][lane] > 0);
    if (n_light > 0)
        say(t, "light relative to its springs: predicted without its last acceleration");
}

/* Describe the treatment of the modes of a body; of a node, name its body. */
static void say_modes(const struct lk_system *sys, int b, struct lk_treated *t)
{
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];
        int n_static = 0;

        for (int k = 0; k < m->n; k++)
            n_static += m->is_static[k];
        if (m->body == b)
            say(t, "%d modes, of which %d are faster than the step and quasi-static", m->n,
                n_static);
        for (int a = 0; a < m->n_nodes; a++)
            if (m->node[a].body == b)
                say(t, "node of '%.60s'", sys->body_name[m->body]);
    }
}

static void treat_body(const struct lk_system *sys, int b, struct lk_treated *t)
{
    say_modes(sys, b, t);
    if (sys->body[b].is_in_plane)
        say_plane(sys, b, t);
    if (hanging_on(sys, b) > 0)
        say(t,
            "hub: its motion is an unknown of the tree, %d bodies in its branches are eliminated "
            "first",
            hanging_on(sys, b));
    if (sys->body[b].n_parts > 1)
        say(t, "split into %d parts of equal mass, welded together", sys->body[b].n_parts);
    say_inertia(sys, b, t);
    if (lk_steps_by(sys, &lk_formulation_rattle) && lk_tension_is_followed(sys, b))
        say(t, "geometric stiffness in the matrix of the step, s K / J up to %.2g",
            sys->body[b].tension);
    t->is_plain = t->how[0] == '\0';
    if (t->is_plain)
        say(t, "mass and moments of inertia as given");
}

/* ---- joints and forces ---- */

static const char *name_of_rows(enum lk_joint_type type)
{
    switch (type) {
    case LK_JOINT_PIN:
    case LK_JOINT_PIN_X:
    case LK_JOINT_PIN_Y:
    case LK_JOINT_PIN_Z:
        return "those of a point in the plane";
    case LK_JOINT_PIVOT:
        return "its body turns in place";
    case LK_JOINT_POINT_ON_LINE:
        return "those of a point on a line";
    default:
        return "those of a slider in the plane";
    }
}

static void treat_joint(const struct lk_system *sys, const struct lk_joint_def *def, int i,
                        struct lk_treated *t)
{
    const struct lk_joint *j = &sys->joint[i];
    int all = lk_joint_traits[def->type].n_rows;

    if (lk_is_compliant(j))
        say(t, "%d rows of springs and dampers", j->n_rows);
    else if (j->n_rows < all)
        say(t, "%d of %d rows: %s", j->n_rows, all, name_of_rows(j->type));
    else
        say(t, all == 1 ? "%d row" : "%d rows", all);
    t->is_plain = lk_is_compliant(j) || j->n_rows == all;
    if (j->is_exchanged && j->n_rows > 0) {
        say(t, "directions of the rows fixed to the second body, which turns less");
        t->is_plain = 0;
    }
    if (j->of[0] || j->is_known)
        return;
    if (lk_reaction_is_known(sys, i))
        say(t, "its reaction follows from the force balance of its subtree");
    else
        say(t, "its reaction needs the removed rows: lk_options.reactions, or an output of it");
}

static bool is_swayed(const struct lk_system *sys, int joint)
{
    for (int i = 0; i < sys->n_sways; i++)
        if (sys->sway[i].along == joint)
            return true;
    return false;
}

static void treat_force(const struct lk_system *sys, int force, struct lk_treated *t)
{
    int rows = 0, hard = 0, across = 0;

    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];

        for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
            if (sys->term[k].force != force || sys->term[k].kind == LK_TERM_SWAY)
                continue;
            rows++;
            hard += sys->term[k].kind == LK_TERM_STOP && sys->term[k].is_hard;
            across += is_swayed(sys, law->joint);
        }
    }
    t->is_plain = hard == 0 && across == 0;
    if (rows == 0)
        say(t, "applied load");
    else
        say(t, "%d row%s, stiffness and damping in the matrix of the step", rows,
            rows == 1 ? "" : "s");
    if (hard > 0)
        say(t, "too stiff for the step: an impact with the coefficient of restitution of spring "
               "and damper");
    if (across > 0)
        say(t, "three transverse rows for its geometric stiffness");
}

/* ---- the report ---- */

static void treat_rows(const struct lk_system *sys, struct lk_treated *t)
{
    if (sys->formulation->solves_once && sys->rows_are_independent)
        say(t, "rigid: independent in every pose; one solve, regularisation at round-off");
    else if (sys->formulation->solves_once)
        say(t, "rigid: may be redundant; two solves, the second for the residual of the "
               "regularisation");
    if (sys->n_laws > 0 && sys->leaves_laws)
        say(t, "compliant: in the matrix of the iterations only");
    if (sys->closes_dampers)
        say(t, "compliant: also in the velocity projection, because a damper may stop a motion "
               "within a step");
    t->is_plain = 0;
    if (t->how[0] == '\0')
        say(t, "all in every matrix of the step");
}

static void treat_tree(const struct lk_system *sys, struct lk_treated *t)
{
    say(t, "%d fronts in %d levels, the largest of %d rows", sys->summary.tree_fronts,
        sys->summary.tree_depth, sys->summary.largest_front);
    if (sys->batches)
        say(t, "identical parts side by side in the lanes of engine %s", lk_system_engine(sys));
    else
        say(t, "bodies and rows one by one");
}

static unsigned reductions_of(const struct lk_system *sys)
{
    return (sys->summary.n_in_plane > 0 ? LK_REDUCTION_PLANAR : 0u) |
           (sys->fronts.n_motions > 0 ? LK_REDUCTION_HUBS : 0u) |
           (sys->n_bodies > sys->n_named_bodies ? LK_REDUCTION_SPLITS : 0u) |
           (sys->rows_are_independent ? LK_REDUCTION_INDEPENDENT_ROWS : 0u);
}

int lk_treatment_init(const struct lk_model *m, const struct lk_system *sys,
                      struct lk_treatment *ret)
{
    size_t n = (size_t)m->n_bodies + (size_t)m->n_joints + (size_t)m->n_forces + 2;

    *ret = (struct lk_treatment){.reductions = reductions_of(sys),
                                 .list = malloc(n * sizeof(*ret->list))};
    if (!ret->list)
        return -ENOMEM;
    for (int i = 0; i < m->n_bodies; i++)
        treat_body(sys, i, add(ret, "body %s", m->bodies[i].name));
    for (int i = 0; i < m->n_joints; i++)
        treat_joint(sys, &m->joints[i], i, add(ret, "joint %s", m->joints[i].name));
    for (int i = 0; i < m->n_forces; i++)
        treat_force(sys, i, add(ret, "force %s", m->forces[i].name));
    treat_rows(sys, add(ret, "rows"));
    treat_tree(sys, add(ret, "tree"));
    return 0;
}

void lk_treatment_fini(struct lk_treatment *t)
{
    free(t->list);
    t->list = NULL;
}
