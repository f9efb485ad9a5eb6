/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a system in its arena from the draft; only compile.c and offline analysis call this. */
#ifndef LK_COMPILE_FILL_H
#define LK_COMPILE_FILL_H

#include "compile/draft.h"
#include "step/system.h"

/* ---- fill.c: joints and loads ---- */

#define LK_ARTIFICIAL_MASS 1e-6 /* of its lightest neighbour: mass in W of a body without mass */

/** lk_fill_joint() - constants of block @i; the poses of bodies and frames are those of the
 * initial configuration. */
void lk_fill_joint(struct lk_system *system, const struct lk_draft *draft, int i);

/** lk_fill_load() - a force or torque on a body, its point from the world into the body's axes. */
struct lk_load lk_fill_load(const struct lk_system *system, int body, const double point[3],
                            enum lk_frame frame, int is_torque);

/* ---- fill_laws.c ---- */

/** lk_fill_laws_layout() - memory for laws, terms and tables. */
void lk_fill_laws_layout(struct lk_system *system, const struct lk_draft *draft,
                         struct lk_arena *arena);
/** lk_fill_laws() - laws of all compliant rows. */
void lk_fill_laws(struct lk_system *system, const struct lk_draft *draft);
/** lk_fill_mobility() - how easily the coordinate of a law moves against the whole mechanism in the
 * present pose, with E of all other rows as they are: the inverse of the mass that it feels
 * [1/kg, 1/(kg m^2)], 0 where it is driven. Writes the factor and system->solution. */
double lk_fill_mobility(struct lk_system *system, const struct lk_law *law);
/** lk_fill_contacts() - the rate below which friction gives way, at least what the step can follow,
 * and which stops are too hard for it, with their restitution; Jacobians and E of rigid rows are
 * known. */
void lk_fill_contacts(struct lk_system *system, const struct lk_draft *draft);

/** lk_fill_inverse_mass() - how easily row @r of block @joint moves: Phi W Phi^T of whole bodies,
 * however many parts they are split into, as heavy as their neighbours where they have no mass
 * [1/kg, 1/(kg m^2)]; in compile.c. */
double lk_fill_inverse_mass(const struct lk_system *system, const struct lk_draft *draft, int joint,
                            int r);

/* ---- fill_drives.c ---- */

void lk_fill_drives_layout(struct lk_system *system, const struct lk_draft *draft,
                           struct lk_arena *arena);
/** lk_fill_frames() - the initial places of frames; before joints are filled. */
void lk_fill_frames(struct lk_system *system, const struct lk_draft *draft);
/** lk_fill_drives() - after the input channels. */
void lk_fill_drives(struct lk_system *system, const struct lk_draft *draft);

/* ---- fill_masses.c ---- */

/** lk_fill_masses() - mass, inertia and W of all bodies, with an artificial mass where there is
 * none.
 */
void lk_fill_masses(struct lk_system *system, const struct lk_draft *draft);
/** lk_fill_light() - which bodies are light against their compliant rows; E and Jacobians are
 * known.
 */
void lk_fill_light(struct lk_system *system);
/** lk_fill_check_massless() - directions of bodies without inertia in which nothing holds them.
 * Writes system->note. Return: 0, LK_E_MODEL (a load acts there), -ENOMEM. */
int lk_fill_check_massless(struct lk_system *system, struct lk_error *ret_error);

#endif
