/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/decisions.h"

const struct lk_decision lk_decisions[] = {
    {"dampers have a share in closing velocities", "`compile/fill_dampers.c`",
     "damping, mobility of the row", "damping by inputs, tables, impedances; mobility by the pose",
     "the largest damping within the limits of the inputs; the mobility of the start, at "
     "least a twentieth and at most all of that of the bodies alone; the share is a "
     "continuous function of the damping of the step (`lk_law_closing()`). Without it a "
     "row of a = h c / 2m rings by (1 - a) / (1 + a)"},
    {"a stop is hard", "`compile/fill_laws.c`", "stiffness, damping, mobility", "mobility",
     "the same margin of mobility"},
    {"creep of friction; spring of a wind-up", "`compile/fill_laws.c`", "level, mobility",
     "mobility; level by `scale`", "the same margin; creep grows with the scale in the step"},
    {"the tension of a body, rod or spring is followed",
     "`compile/passes/pulls.c`, `compile/hanging.c`", "what may pull",
     "gravity, loads, inputs, springs",
     "limits of inputs, all elements that pull; `linkage check` warns of tension at the "
     "start that is not followed"},
    {"solves of shown reactions (`n_least`)", "`compile/start.c`",
     "smallest pivot of the rows at the start", "the pose",
     "`pivot` of the policy counts poses in which rows depend on others; near one that was "
     "not foretold shown reactions are wrong by q^2"},
    {"rows of a hinge on one body or the other", "`compile/passes/carriers.c`",
     "speeds at the start, distance from the ground", "speeds",
     "none needed for the result: nutation converges with the step either way"},
    {"iterations", "`compile/compile.c`", "angular velocities at the start", "speeds",
     "`linkage check` counts what the next 512 steps need; output `residual`"},
    {"the last acceleration predicts a body's motion (`start_a`)", "`compile/fill_masses.c`",
     "stiffness and damping of its rows at the start", "inputs, tables",
     "none needed: the first guess of the iterations alone"},
    {"order above 2, `rk4`", "`compile/sequences.c`", "fastest swing, decay and turn at the start",
     "inputs, speeds", "tuned elements are refused; `linkage check`"},
};
const int lk_n_decisions = sizeof(lk_decisions) / sizeof(lk_decisions[0]);
