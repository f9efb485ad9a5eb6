/* SPDX-License-Identifier: Apache-2.0 */
/* Findings: suspicious properties of a well-formed model, which can be stepped but is hardly what
 * its author intended.
 *
 * Tools, daemon and tests share one list. A finding has a stable identifier, the element of the
 * model, a sentence that says how to correct the model, and numbers. Uses no LAPACK, unlike
 * linkage/analysis.h; meson dependency `linkage_findings`.
 * Thread: any but the cycle.  RT: no. */
#ifndef LINKAGE_FINDINGS_H
#define LINKAGE_FINDINGS_H

#include "linkage/analysis.h"
#include "linkage/compile.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LK_FINDING_NUMBERS 4
#define LK_FINDINGS_MAX    200 /* largest number for one model; further findings are dropped */

/** struct lk_quantity - one number of a finding, SI. @name: such as "gap";  @unit: such as "m" */
struct lk_quantity {
    const char *name;
    const char *unit;
    double value;
};

/** struct lk_finding - one finding.
 * @id:     identifier, the same in every version, such as "joint-gap"
 * @where:  "joint pin (crank, coupler)", "body crank", "input motor", "model"
 * @text:   what is suspicious, and how to correct it
 * @number: @n_numbers values */
struct lk_finding {
    const char *id;
    char where[LK_TEXT_SIZE];
    char text[384];
    int n_numbers;
    struct lk_quantity number[LK_FINDING_NUMBERS];
};

/** struct lk_findings - list of @n findings. */
struct lk_findings {
    int n;
    struct lk_finding *list;
};

/** lk_findings_init() - examine @model and the system compiled from it.
 *
 * inertia-too-large      the inertia is too large for the mass and size of the body
 * point-far-away        the point of a joint is far from its bodies, as mm instead of m
 * centre-far-from-joints the centre of mass is far from all joints of its body
 * point-beside-joint     a body without inertia has a joint slightly off its centre of mass
 * body-in-no-joint       a body of a mechanism has no joint
 * no-degree-of-freedom   nothing can move, and nothing is driven
 * driven-twice           a drive prescribes a coordinate that other rows prescribe already
 * stuck-pose             the rows allow a motion to first order, but no nearby pose is reachable
 * nearly-dependent       rows of a loop are redundant within a tolerance, so its motion is wrong
 * joint-gap              a joint is open in the initial configuration; the start closes it
 * velocity-change        the given velocities violate a joint; the start changes them
 * stop-violated          a coordinate starts beyond a stop
 * no-road                a wheel starts where its road has no surface
 * beam-undamped          a beam's elements stretch much faster than the step, without damping
 * beam-strain            the strain of a beam element exceeds the linear range
 * modes-large            modes turn a node of a modal body by more than they describe
 * spring-too-stiff       the period of a spring is only a few steps
 * rotor-too-fast         a body turns too far in a step
 * block-too-fast         blocks couple coordinates faster than the step can follow
 * tension-too-fast       the period of a body that swings across a tension is only a few steps
 * input-without-limits, input-without-rate   the step accepts any value, any jump of the input
 *
 * @system:   compiled from @model, at its start; its state is changed, then restored
 * @mobility: of @system, or NULL: skips no-degree-of-freedom and driven-twice
 * @pose:     of @system, or NULL: skips stuck-pose and nearly-dependent
 * @bounds:   flops_max limits the total work, is_cancelled ends it. When a bound is reached, no
 *            further stiff spring is examined, because each one needs a factorisation; NULL: no
 *            bounds
 * Return: 0, -ENOMEM. Release with lk_findings_fini(). */
int lk_findings_init(const struct lk_model *model, struct lk_system *system,
                     const struct lk_mobility *mobility, const struct lk_pose_check *pose,
                     const struct lk_bounds *bounds, struct lk_findings *ret_findings);

/** lk_findings_start() - find only joint-gap, velocity-change, stop-violated and no-road: the
 * changes that the start makes to the initial configuration. Work O(model). Parameters and result:
 * as for lk_findings_init(). */
int lk_findings_start(const struct lk_model *model, struct lk_system *system,
                      struct lk_findings *ret_findings);
void lk_findings_fini(struct lk_findings *findings);

#ifdef __cplusplus
}
#endif
#endif
