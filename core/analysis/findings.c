/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/findings.h"
#include "maths/arithmetic.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct lk_finding *add_finding(struct lk_inspection *in)
{
    struct lk_findings *f = &in->found;

    if (in->result != 0 || f->n == LK_FINDINGS_MAX)
        return NULL;
    if (f->n == in->room) {
        int room = in->room > 0 ? 2 * in->room : 8;
        struct lk_finding *list = realloc(f->list, (size_t)room * sizeof(*list));

        if (list == NULL) {
            in->result = -ENOMEM;
            return NULL;
        }
        f->list = list;
        in->room = room;
    }
    f->list[f->n] = (struct lk_finding){0};
    return &f->list[f->n++];
}

struct lk_finding *lk_finding_add(struct lk_inspection *in, const char *id, const char *where,
                                  const char *format, ...)
{
    struct lk_finding *finding = add_finding(in);
    va_list arguments;

    if (finding == NULL)
        return NULL;
    finding->id = id;
    snprintf(finding->where, sizeof(finding->where), "%s", where);
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof(finding->text), format, arguments);
    va_end(arguments);
    return finding;
}

void lk_finding_number(struct lk_finding *finding, const char *name, const char *unit, double value)
{
    if (finding != NULL && finding->n_numbers < LK_FINDING_NUMBERS)
        finding->number[finding->n_numbers++] = (struct lk_quantity){name, unit, value};
}

bool lk_inspection_may(struct lk_inspection *in, double flops)
{
    const struct lk_bounds *bounds = in->bounds;

    in->flops += flops;
    return bounds == NULL ||
           ((bounds->flops_max == 0 || in->flops <= bounds->flops_max) &&
            (bounds->is_cancelled == NULL || !bounds->is_cancelled(bounds->context)));
}

const char *lk_finding_joint(const struct lk_system *sys, int i, char *text)
{
    char name[LK_TEXT_SIZE], side[2][LK_TEXT_SIZE];

    lk_joint_text(sys, i, name, sizeof(name));
    for (int s = 0; s < 2; s++)
        lk_body_text(sys, sys->joint[i].body[s ^ sys->joint[i].is_exchanged], side[s],
                     sizeof(side[s]));
    if (sys->joint[i].of[0])
        snprintf(text, LK_TEXT_SIZE, "joint %.90s", name);
    else
        snprintf(text, LK_TEXT_SIZE, "joint %.60s (%.60s, %.60s)", name, side[0], side[1]);
    return text;
}

static void inspect_mobility(struct lk_inspection *in)
{
    const struct lk_mobility *m = in->mobility;
    char where[LK_TEXT_SIZE];

    if (m->dof == 0 && m->n_driven == 0)
        lk_finding_add(in, "no-degree-of-freedom", "model",
                       "nothing can move: the joints hold every body; expected a joint that leaves "
                       "a coordinate free, or a drive");
    for (int i = 0; i < m->n_rows; i++) {
        int j = m->rows[i].joint;

        if (in->sys->joint[j].kind == LK_ROWS_DRIVEN)
            lk_finding_add(in, "driven-twice", lk_finding_joint(in->sys, j, where),
                           "prescribes what other joints or drives prescribe already; expected one "
                           "drive for each degree of freedom");
    }
}

/* largest singular value of rows that count as redundant within a tolerance */
#define TOLERANCE 1e-4

/* Find rows that are redundant within a manufacturing tolerance. Such rows prescribe a different
 * motion from exact rows, and enforce it the more strictly, the shorter the step is. Singular poses
 * are not reported here. */
static void inspect_dependence(struct lk_inspection *in, const struct lk_pose_check *pose)
{
    char where[LK_TEXT_SIZE];

    if (pose->kind != LK_POSE_REGULAR || pose->n_joints == 0 || !(pose->smallest < TOLERANCE) ||
        in->model->solver.soft_redundancy)
        return;
    lk_finding_number(
        lk_finding_add(
            in, "nearly-dependent", lk_finding_joint(in->sys, pose->joints[0], where),
            "its rows repeat those of its loop but for %.2g rad or body lengths, so that "
            "the loop moves wrongly, the more the shorter the step; expected axes and "
            "points that fit exactly, or redundancy: soft",
            pose->smallest),
        "smallest", "1", pose->smallest);
}

/* report a stuck pose, such as a straight chain whose length equals the distance of its end pins */
static void inspect_stuck(struct lk_inspection *in, const struct lk_pose_check *pose)
{
    char where[LK_TEXT_SIZE] = "model", body[LK_TEXT_SIZE];

    if (pose->n_bodies > 0)
        snprintf(where, sizeof(where), "body %s",
                 lk_body_text(in->sys, pose->bodies[0], body, sizeof(body)));
    lk_finding_add(in, "stuck-pose", where,
                   "as drawn the joints let it move at first, but fit no pose beside this one, so "
                   "that it stays; expected other lengths or points, or a pose with room to move");
}

static void inspect_inputs(struct lk_inspection *in)
{
    int n;
    const struct lk_channel *inputs = lk_system_input_channels(in->sys, &n);
    char where[LK_TEXT_SIZE];

    for (int i = 0; i < n; i++) {
        const char *unit = inputs[i].unit[0];

        snprintf(where, sizeof(where), "input %s", inputs[i].name);
        if (isinf(inputs[i].low) || isinf(inputs[i].high))
            lk_finding_add(in, "input-without-limits", where,
                           "any value of it acts; expected limits: [LOW, HIGH] in %s, what its "
                           "source can give",
                           unit);
        if (isinf(inputs[i].rate))
            lk_finding_add(in, "input-without-rate", where,
                           "it may jump at once; expected rate: the largest change in %s a second",
                           unit);
    }
}

/* Restore the state of the system, and hand over the list of findings. Return: 0, -ENOMEM */
static int end(struct lk_inspection *in, struct lk_findings *ret_findings)
{
    lk_system_reset(in->sys);
    if (in->result == 0)
        *ret_findings = in->found;
    else
        free(in->found.list);
    return in->result;
}

int lk_findings_init(const struct lk_model *model, struct lk_system *system,
                     const struct lk_mobility *mobility, const struct lk_pose_check *pose,
                     const struct lk_bounds *bounds, struct lk_findings *ret_findings)
{
    LK_ARITHMETIC;
    struct lk_inspection in = {
        .model = model, .sys = system, .mobility = mobility, .bounds = bounds};

    lk_inspect_bodies(&in);
    if (mobility != NULL)
        inspect_mobility(&in);
    if (pose != NULL && pose->n_loop_rows > 0 && pose->kind == LK_POSE_STUCK)
        inspect_stuck(&in, pose);
    if (pose != NULL && pose->n_loop_rows > 0)
        inspect_dependence(&in, pose);
    lk_inspect_start(&in);
    lk_inspect_step(&in);
    lk_inspect_blocks(&in);
    inspect_inputs(&in);
    return end(&in, ret_findings);
}

int lk_findings_start(const struct lk_model *model, struct lk_system *system,
                      struct lk_findings *ret_findings)
{
    LK_ARITHMETIC;
    struct lk_inspection in = {.model = model, .sys = system};

    lk_inspect_start(&in);
    return end(&in, ret_findings);
}

void lk_findings_fini(struct lk_findings *findings)
{
    free(findings->list);
    *findings = (struct lk_findings){0};
}
