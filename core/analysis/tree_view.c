/* SPDX-License-Identifier: Apache-2.0 */
/* The elimination tree of a compiled system. A system does not store its plan. But a plan depends
 * on topology and options only, so computing the plan again yields the tree in use. */
#include "compile/tree/plan.h"
#include "linkage/analysis.h"
#include "maths/arithmetic.h"
#include "step/system.h"
#include <errno.h>
#include <stdlib.h>

/* List the bodies of a joint in the tree, each once. Moved frames are ground to the tree, and so
 * are sides that a joint does not have. */
static void list_bodies(const struct lk_system *sys, const struct lk_joint *joint,
                        int ret[LK_TREE_SIDES])
{
    for (int s = 0; s < LK_TREE_SIDES; s++) {
        int b = s < joint->n_sides && joint->body[s] < sys->n_bodies ? joint->body[s] : -1;

        ret[s] = b >= 0 ? sys->body[b].leader : sys->n_bodies;
        for (int k = 0; k < s && ret[s] != b; k++)
            if (ret[k] == ret[s])
                ret[s] = sys->n_bodies;
    }
}

/* compute again the plan that compile.c made */
static int plan_again(const struct lk_system *sys, struct lk_plan *ret_plan)
{
    size_t n = (size_t)sys->n_joints + 1;
    int(*body)[LK_TREE_SIDES] = calloc(n, sizeof(*body));
    int *n_rows = calloc(n, sizeof(*n_rows));
    int *n_rigid = calloc(n, sizeof(*n_rigid));
    int *hangs_on = calloc((size_t)sys->n_bodies + 1, sizeof(*hangs_on));
    bool has_hubs = false;
    int r = -ENOMEM;

    if (body && n_rows && n_rigid && hangs_on) {
        for (int b = 0; b < sys->n_bodies; b++) {
            hangs_on[b] = sys->body[b].hangs_on;
            has_hubs |= hangs_on[b] >= 0;
        }
        for (int j = 0; j < sys->n_joints; j++) {
            list_bodies(sys, &sys->joint[j], body[j]);
            n_rows[j] = sys->joint[j].n_rows;
            n_rigid[j] = lk_rigid_rows(&sys->joint[j]);
        }
        const struct lk_topology topology = {
            .n_bodies = sys->n_bodies,
            .n_joints = sys->n_joints,
            .body = (const int(*)[LK_TREE_SIDES])body,
            .n_rows = n_rows,
            .n_rigid = n_rigid,
            .hangs_on = has_hubs ? hangs_on : NULL,
        };
        r = lk_plan_best(&topology, sys->formulation->wants_wide_tree, sys->n_solves, ret_plan);
    }
    free(body);
    free(n_rows);
    free(n_rigid);
    free(hangs_on);
    return r;
}

/* Fill the view of a front. @n_joints: number of joints of the system; a joint with a larger
 * index is the motion of a hub */
static void fill_front(struct lk_tree_view *view, const struct lk_plan *all, int n_joints, int f)
{
    struct lk_tree_front *front = &view->fronts[f];
    const struct lk_front_plan *plan = &all->fronts[f];

    front->hub = front->hangs_on = -1;
    front->rows_eliminated = plan->elim_rows;
    front->rows_remaining = plan->rows - plan->elim_rows;
    front->n_children = plan->n_children;
    front->n_bodies = plan->n_bodies;
    front->factor_flops = lk_front_flops(front->rows_eliminated, front->rows_remaining);
    front->solve_flops = lk_front_solve_flops(front->rows_eliminated, front->rows_remaining);
    for (int i = 0; i < plan->n_joints; i++)
        if (plan->joints[i] < n_joints) {
            front->joints[front->n_joints++] = plan->joints[i];
            front->n_eliminated += i < plan->n_elim;
        } else {
            *(i < plan->n_elim ? &front->hub : &front->hangs_on) =
                all->hub[plan->joints[i] - n_joints];
        }
    for (int i = 0; i < plan->n_children; i++) {
        front->children[i] = plan->children[i];
        view->fronts[plan->children[i]].parent = f;
    }
    for (int i = 0; i < plan->n_bodies; i++)
        front->bodies[i] = plan->bodies[i];
}

static int copy_plan(const struct lk_plan *plan, int of_system, struct lk_tree_view *view)
{
    size_t n_joints = 0;

    for (int f = 0; f < plan->n_fronts; f++)
        n_joints += (size_t)plan->fronts[f].n_joints;
    view->fronts = calloc((size_t)plan->n_fronts + 1, sizeof(*view->fronts));
    view->joints = calloc(n_joints + 1, sizeof(*view->joints));
    if (!view->fronts || !view->joints)
        return -ENOMEM;
    view->n_fronts = plan->n_fronts;
    view->depth = plan->depth;
    view->largest = plan->largest;
    n_joints = 0;
    for (int f = 0; f < plan->n_fronts; f++) {
        view->fronts[f].parent = -1;
        view->fronts[f].joints = view->joints + n_joints;
        n_joints += (size_t)plan->fronts[f].n_joints;
        fill_front(view, plan, of_system, f);
    }
    return 0;
}

int lk_tree_view_init(const struct lk_system *sys, struct lk_tree_view *ret_view)
{
    LK_ARITHMETIC;
    struct lk_tree_view view = {0};
    struct lk_plan plan;
    int r = plan_again(sys, &plan);

    if (r < 0)
        return r;
    r = copy_plan(&plan, sys->n_joints, &view);
    lk_plan_fini(&plan);
    if (r < 0)
        lk_tree_view_fini(&view);
    else
        *ret_view = view;
    return r;
}

void lk_tree_view_fini(struct lk_tree_view *view)
{
    free(view->fronts);
    free(view->joints);
    *view = (struct lk_tree_view){0};
}
