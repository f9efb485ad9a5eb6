/* SPDX-License-Identifier: Apache-2.0 */
/* Fills a system in its arena from the draft. Called by compile.c and offline analysis only. */
#ifndef LK_COMPILE_FILL_H
#define LK_COMPILE_FILL_H

#include "compile/draft.h"
#include "step/system.h"
#include <stdbool.h>

/* ---- memory.c ---- */

/** lk_fill_create() - a system in an arena of its own, filled. Return: 0, LK_E_MODEL, -ENOMEM. */
int lk_fill_create(const struct lk_draft *draft, struct lk_system **ret_system,
                   struct lk_error *ret_error);

/* ---- fill_system.c ---- */

/** lk_fill_system() - fill a system whose places are known; its initial configuration is the first
 * state. Return: 0, LK_E_MODEL, -ENOMEM. */
int lk_fill_system(struct lk_system *system, const struct lk_draft *draft,
                   struct lk_error *ret_error);

/* ---- fill_scales.c ---- */

/** lk_fill_scales() - diagonal of s Phi_q W Phi_q^T, of every row. Needs Jacobians. */
void lk_fill_scales(struct lk_system *system);
/** lk_fill_regularise() - E of rigid rows. @is_soft: of joints that give way */
void lk_fill_regularise(struct lk_system *system, int is_soft);
/** lk_fill_inverse_mass() - inverse mass of row @r of block @joint, Phi_q W Phi_q^T of whole,
 * unsplit bodies [1/kg, 1/(kg m^2)]; a body without mass counts with its neighbour's. */
double lk_fill_inverse_mass(const struct lk_system *system, const struct lk_draft *draft, int joint,
                            int r);
/** lk_fill_is_unbalanced() - whether what body @b does while it turns changes its motion in @state,
 * a start: its centre of mass is off the axis, or it reels. What turns about a principal axis
 * through its centre is stepped exactly. */
bool lk_fill_is_unbalanced(const struct lk_system *system, const struct lk_state *state, int b);

/* ---- fill.c: joints and loads ---- */

#define LK_ROUND_OFF 1e-14 /* of an arm, as a share of the places between which it is */
/* That of a point mass, as a share of the size of the model: a file tells eight digits of a place.
 */
#define LK_ROUND_OFF_POINT 1e-8
#define LK_ARTIFICIAL_MASS 1e-6 /* in W, as a fraction of the lightest neighbour's mass */

/** lk_fill_joint() - set the constants of block @i. Bodies and frames are in the initial
 * configuration. */
void lk_fill_joint(struct lk_system *system, const struct lk_draft *draft, int i);

/** lk_fill_load() - make a force or torque on a body. @point: world [m]; stored in body axes. */
struct lk_load lk_fill_load(const struct lk_system *system, int body, const double point[3],
                            enum lk_frame frame, int is_torque);

/* ---- fill_cuts.c ---- */

/** lk_fill_cuts() - what hangs on each joint that lacks rows. Needs joints. Return: 0, -ENOMEM. */
int lk_fill_cuts(struct lk_system *system, const struct lk_draft *draft);

/* ---- fill_laws.c ---- */

/** lk_fill_laws_layout() - reserve memory for laws, terms and tables. */
void lk_fill_laws_layout(struct lk_system *system, const struct lk_draft *draft,
                         struct lk_arena *arena);
/** lk_fill_laws() - set the laws of all compliant rows. */
void lk_fill_laws(struct lk_system *system, const struct lk_draft *draft);
/** lk_fill_lines() - lines, before lk_fill_laws(), and what stands in them in system->now. */
void lk_fill_lines(struct lk_system *system, const struct lk_model *model);
/** lk_fill_line_size() - numbers of state of an element with the step @h, 0: it is no line. */
int lk_fill_line_size(const struct lk_force_def *force, double h);

/** lk_fill_mobility() - effective inverse mass of the coordinate of @law in the present pose, with
 * E of all other rows as they are [1/kg, 1/(kg m^2)]; 0 where the coordinate is driven. Overwrites
 * the factor and system->solution. */
double lk_fill_mobility(struct lk_system *system, const struct lk_law *law);
/** lk_fill_contacts() - set the creep rate of friction, not below what the step can resolve, and
 * find the stops too stiff for the step, with their restitution. Needs Jacobians and E of rigid
 * rows. */
void lk_fill_contacts(struct lk_system *system, const struct lk_draft *draft);
/** lk_fill_hard_stops() - how many end stops the step cannot follow, after lk_fill_contacts(). */
int lk_fill_hard_stops(const struct lk_system *system);
/** lk_fill_dampers() - free_mobility of all laws of `rattle`: that of the start, at
 * least a twentieth and at most all of that of the bodies without joints. Then whether the system
 * closes_dampers: one of them may have a share in the closing of velocities, for any value that its
 * inputs may take, see lk_law_closing(); if so, it leaves no laws. */
void lk_fill_dampers(struct lk_system *system, const struct lk_draft *draft);

/* ---- fill_blocks.c ---- */

/** lk_fill_blocks_count() - sizes of the blocks of @model with the step @h.
 * lk_fill_blocks_layout() - reserve memory for them.  lk_fill_blocks() - set them, and their states
 * in system->now; call before lk_fill_laws(). */
void lk_fill_blocks_count(const struct lk_model *model, double h, struct lk_net *ret);
void lk_fill_blocks_layout(struct lk_system *system, const struct lk_model *model,
                           struct lk_arena *arena);
void lk_fill_blocks(struct lk_system *system, const struct lk_model *model);
/** lk_fill_is_straight() - whether a block is linear and without limits. */
bool lk_fill_is_straight(const struct lk_block_def *block);
/** lk_fill_groups() - in which order blocks are solved: net->group, order and state_of. */
void lk_fill_groups(struct lk_net *net, const struct lk_model *model);
/** lk_fill_lengths() - the rows of the distances that blocks take; call after lk_fill_laws(). */
void lk_fill_lengths(struct lk_system *system);
/** lk_fill_blocks_prepare() - what of blocks does not change from step to step; call after
 * lk_fill_lengths(). Return: 0, LK_E_MODEL. */
int lk_fill_blocks_prepare(struct lk_system *system, struct lk_error *ret_error);
/** lk_fill_delay_steps() - whole steps @h of a delay. */
int lk_fill_delay_steps(const struct lk_block_def *block, double h);
/** lk_fill_signal() - where the value of @input of the model, or of the block behind its last one,
 * is in the inputs that act. */
int lk_fill_signal(const struct lk_system *system, int input);
/** lk_fill_push() - the last term of @law is fed by @block. */
void lk_fill_push(struct lk_system *system, const struct lk_law *law, int block);

/* ---- fill_tyres.c ---- */

void lk_fill_tyres_layout(struct lk_system *system, const struct lk_draft *draft,
                          struct lk_arena *arena);
/** lk_fill_roads() - set all roads, and the wheels of tyres. Call before lk_fill_joint(). */
void lk_fill_roads(struct lk_system *system, const struct lk_draft *draft);
/** lk_fill_tyre_joint() - the geometry of the rows of a tyre. */
void lk_fill_tyre_joint(struct lk_system *system, const struct lk_model *model, int force,
                        struct lk_joint *joint);
/** lk_fill_tyres() - set all tyres. */
void lk_fill_tyres(struct lk_system *system, const struct lk_draft *draft);

/* ---- fill_drives.c ---- */

void lk_fill_drives_layout(struct lk_system *system, const struct lk_draft *draft,
                           struct lk_arena *arena);
/** lk_fill_frames() - set the initial poses of frames. Call before lk_fill_joint(). */
void lk_fill_frames(struct lk_system *system, const struct lk_draft *draft);
/** lk_fill_drives() - set all drives. Call after the input channels are set. */
void lk_fill_drives(struct lk_system *system, const struct lk_draft *draft);

/* ---- fill_masses.c ---- */

/** lk_fill_lacks_moment() - whether a principal moment of @J is zero relative to the largest. */
bool lk_fill_lacks_moment(const double J[6]);

/** lk_fill_masses() - set mass, inertia and W of all bodies; W with an artificial mass where there
 * is none. */
void lk_fill_masses(struct lk_system *system, const struct lk_draft *draft);
/** lk_fill_light() - mark the bodies that are light against their compliant rows (m < s k). Needs E
 * and Jacobians. */
void lk_fill_light(struct lk_system *system);
/** lk_fill_check_massless() - find directions of bodies without inertia in which nothing holds
 * them. Writes system->note. Return: 0, LK_E_MODEL (a load acts there), -ENOMEM. */
int lk_fill_check_massless(struct lk_system *system, struct lk_error *ret_error);

#endif
