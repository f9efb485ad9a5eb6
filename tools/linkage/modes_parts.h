/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of modes: their kind, and the bodies that move. */
#ifndef TOOLS_LINKAGE_MODES_PARTS_H
#define TOOLS_LINKAGE_MODES_PARTS_H

#include "linkage/json.h"
#include "linkage/modes.h"

/* A body is named in the description of a mode only if it has at least this share of the kinetic
 * energy. */
#define MODES_SHARE_MIN 0.03
/* Eigenvalues below this share of the largest may be errors of the finite differences. */
#define MODES_DOUBTFUL 1e-5
#define MODES_NUDGE    3    /* factor for the second set of modes, see modes_zero() */
#define MODES_SAME     0.01 /* relative difference of the eigenvalue of a mode in both sets */
#define MODES_SLOW     1e-4 /* an eigenvalue of a doubtful mode below this limit is zero [1/s] */

/** enum mode_kind - kind of a mode. FREE: its eigenvalue is not distinguished from zero;  CREEPS,
 * GROWS: real eigenvalue, below or above zero */
enum mode_kind { MODE_FREE, MODE_SWINGS, MODE_CREEPS, MODE_GROWS };

/** modes_zero() - Return the eigenvalue up to which @n modes are free [1/s].
 * The errors of finite differences depend on the nudge, the eigenvalues of the model do not. So the
 * fastest doubtful mode that is not among the modes of another nudge is the limit: a beam has rates
 * that differ by a factor of 1e6 and more.
 * @other: @n_other modes of the system linearised with MODES_NUDGE times the nudge */
double modes_zero(const struct lk_mode *mode, int n, const struct lk_mode *other, int n_other);
/** modes_have_doubtful() - Return whether modes_zero() needs other modes. */
bool modes_have_doubtful(const struct lk_mode *mode, int n);
enum mode_kind modes_kind(const struct lk_mode *mode, double zero);
const char *modes_kind_name(enum mode_kind kind);
/** modes_damping() - Return the damping ratio; 0 if it is round-off. */
double modes_damping(const struct lk_mode *mode);

/** struct mode_part - share of a body in a mode.
 * @way:   direction with most of its kinetic energy
 * @share: share of the kinetic energy */
struct mode_part {
    int body;
    int way;
    double share;
};

/** modes_find_parts() - Compute the shares of all bodies in a mode.
 * @part: array of all bodies, sorted by share, largest first */
void modes_find_parts(const struct lk_linear *linear, const struct lk_mode *mode,
                      struct mode_part *part);
#define MODES_BENDS 6 /* the direction of a body's own modes */

/** modes_way() - Return the name of a direction of motion, 0 to 5 or MODES_BENDS. */
const char *modes_way(int way);

/** modes_put_json() - Write the modes as the array "modes". @part: memory for all bodies */
void modes_put_json(struct lk_json *json, const struct lk_system *system,
                    const struct lk_linear *linear, const struct lk_mode *mode, int n, double zero,
                    struct mode_part *part);

#endif
