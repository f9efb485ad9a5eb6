/* SPDX-License-Identifier: Apache-2.0 */
/* Fills a system in its arena from the draft. Called by compile.c and offline analysis only. */
#ifndef LK_COMPILE_FILL_H
#define LK_COMPILE_FILL_H

#include "compile/draft.h"
#include "step/system.h"
#include <stdbool.h>

/* ---- memory.c ---- */

/** lk_fill_create() - create a system in an arena of its own and fill it. Return: 0, LK_E_MODEL,
 * -ENOMEM. */
int lk_fill_create(const struct lk_draft *draft, struct lk_system **ret_system,
                   struct lk_error *ret_error);

/* ---- fill_system.c ---- */

/** lk_fill_system() - fill a system whose memory is laid out; the initial configuration becomes its
 * first state. Return: 0, LK_E_MODEL, -ENOMEM. */
int lk_fill_system(struct lk_system *system, const struct lk_draft *draft,
                   struct lk_error *ret_error);

/* ---- fill_scales.c ---- */

/** lk_fill_scales() - set the diagonal of s Phi_q W Phi_q^T for every row. Needs Jacobians. */
void lk_fill_scales(struct lk_system *system);
/** lk_fill_regularise() - set E of the rigid rows. @is_soft: joints have the compliance of steel
 * parts, so that redundant rows share their loads */
void lk_fill_regularise(struct lk_system *system, int is_soft);
/** lk_fill_inverse_mass() - compute the inverse mass of row @r of block @joint, Phi_q W Phi_q^T
 * of unsplit bodies [1/kg, 1/(kg m^2)]. For a body without mass, the mass of its neighbour is
 * used. */
double lk_fill_inverse_mass(const struct lk_system *system, const struct lk_draft *draft, int joint,
                            int r);
/** lk_fill_is_unbalanced() - return whether body @b rotates out of balance in the initial state
 * @state: its centre of mass or its axis of rotation accelerates. Rotation about a principal
 * axis through the centre of mass is stepped exactly. */
bool lk_fill_is_unbalanced(const struct lk_system *system, const struct lk_state *state, int b);

/* ---- fill.c: joints and loads ---- */

/* round-off of an arm, relative to the coordinates of its two end points */
#define LK_ROUND_OFF 1e-14
/* Round-off of the arm of a point mass, relative to the size of the model: model files give
 * positions with about eight digits. */
#define LK_ROUND_OFF_POINT 1e-8
/* artificial mass in W, as a fraction of the lightest neighbour's mass */
#define LK_ARTIFICIAL_MASS 1e-6

/** lk_fill_joint() - set the constants of block @i. Bodies and frames are in the initial
 * configuration. */
void lk_fill_joint(struct lk_system *system, const struct lk_draft *draft, int i);

/** lk_fill_load() - return a force or torque on a body. @point: point of action, world [m]; the
 * result has it in body axes */
struct lk_load lk_fill_load(const struct lk_system *system, int body, const double point[3],
                            enum lk_frame frame, int is_torque);

/* ---- fill_cuts.c ---- */

/** lk_fill_cuts() - for each joint with omitted rows, list the bodies behind the joint, whose
 * balance of forces gives the reaction of the joint, see step/outputs/reactions.h. Call after
 * lk_fill_joint() for all joints. Return: 0, -ENOMEM. */
int lk_fill_cuts(struct lk_system *system, const struct lk_draft *draft);

/* ---- fill_modal.c: bodies with modes ---- */

/** lk_fill_modal_layout() - reserve the memory of all bodies with modes.
 * lk_fill_modal() - set their constants. Call before the first lk_evaluate_poses(). */
void lk_fill_modal_layout(struct lk_system *system, const struct lk_draft *draft,
                          struct lk_arena *arena);
void lk_fill_modal(struct lk_system *system, const struct lk_model *model);
/** lk_fill_modal_diagonal() - return s Phi W Phi^T of row @r of one side of a joint that is at a
 * node; 0 for other bodies. Needs Jacobians. */
double lk_fill_modal_diagonal(const struct lk_system *system, int joint, int side, int r);
/** lk_fill_modal_check() - refuse a model with modes if the formulation, order or engine cannot
 * step it. Return: 0, LK_E_MODEL. */
int lk_fill_modal_check(const struct lk_model *model, const char *formulation, int order,
                        const char *engine, struct lk_error *ret_error);

/* ---- fill_laws.c ---- */

/** lk_fill_laws_layout() - reserve memory for laws, terms and tables. */
void lk_fill_laws_layout(struct lk_system *system, const struct lk_draft *draft,
                         struct lk_arena *arena);
/** lk_fill_laws() - set the laws of all compliant rows. */
void lk_fill_laws(struct lk_system *system, const struct lk_draft *draft);
/** lk_fill_lines() - set the transmission lines, and their waves in system->now. Call before
 * lk_fill_laws(). */
void lk_fill_lines(struct lk_system *system, const struct lk_model *model);
/** lk_fill_line_size() - count the state variables of a transmission line with the step @h; 0 for
 * other elements. */
int lk_fill_line_size(const struct lk_force_def *force, double h);

/** lk_fill_mobility() - compute the effective inverse mass of the coordinate of @law in the present
 * pose, with the present E of all other rows [1/kg, 1/(kg m^2)]; 0 if the coordinate is driven.
 * Overwrites the factor and system->solution. */
double lk_fill_mobility(struct lk_system *system, const struct lk_law *law);
/** lk_fill_contacts() - set the creep rate of friction, but not below the smallest rate that the
 * step can resolve, and find the stops too stiff for the step, with their restitution. Needs
 * Jacobians and E of rigid rows. */
void lk_fill_contacts(struct lk_system *system, const struct lk_draft *draft);
/** lk_fill_hard_stops() - count the end stops too stiff for the step. Call after
 * lk_fill_contacts(). */
int lk_fill_hard_stops(const struct lk_system *system);
/** lk_fill_dampers() - set free_mobility of all laws of `rattle` to the mobility at the start,
 * limited to between 1/20 and all of the mobility that the bodies would have without joints.
 * Then set closes_dampers if a damper may affect the projection of velocities for some value of
 * its inputs, see lk_law_closing(). In that case clear leaves_laws. */
void lk_fill_dampers(struct lk_system *system, const struct lk_draft *draft);

/* ---- fill_blocks.c ---- */

/** lk_fill_blocks_count() - compute the sizes of the blocks of @model with the step @h.
 * lk_fill_blocks_layout() - reserve memory for the blocks.
 * lk_fill_blocks() - set the blocks, and their states in system->now; call before lk_fill_laws().
 */
void lk_fill_blocks_count(const struct lk_model *model, double h, struct lk_net *ret);
void lk_fill_blocks_layout(struct lk_system *system, const struct lk_model *model,
                           struct lk_arena *arena);
void lk_fill_blocks(struct lk_system *system, const struct lk_model *model);
/** lk_fill_is_straight() - return whether a block is linear and without limits. */
bool lk_fill_is_straight(const struct lk_block_def *block);
/** lk_fill_groups() - set the order in which blocks are solved: net->group, order and state_of. */
void lk_fill_groups(struct lk_net *net, const struct lk_model *model);
/** lk_fill_lengths() - set the rows of the distances that are inputs of blocks; call after
 * lk_fill_laws(). */
void lk_fill_lengths(struct lk_system *system);
/** lk_fill_blocks_prepare() - compute the constants of the blocks that are the same in all steps;
 * call after lk_fill_lengths(). Return: 0, LK_E_MODEL. */
int lk_fill_blocks_prepare(struct lk_system *system, struct lk_error *ret_error);
/** lk_fill_delay_steps() - count the whole steps @h of a delay. */
int lk_fill_delay_steps(const struct lk_block_def *block, double h);
/** lk_fill_signal() - return the offset, in the acting inputs, of signal @input of the model. An
 * index beyond the last input means a block. */
int lk_fill_signal(const struct lk_system *system, int input);
/** lk_fill_push() - connect the last term of @law to the output of @block. */
void lk_fill_push(struct lk_system *system, const struct lk_law *law, int block);

/* ---- fill_tyres.c ---- */

void lk_fill_tyres_layout(struct lk_system *system, const struct lk_draft *draft,
                          struct lk_arena *arena);
/** lk_fill_roads() - set all roads. Call before lk_fill_joint(). */
void lk_fill_roads(struct lk_system *system, const struct lk_draft *draft);
/** lk_fill_tyre_joint() - set the geometry of the rows of a tyre. */
void lk_fill_tyre_joint(struct lk_system *system, const struct lk_model *model, int force,
                        struct lk_joint *joint);
/** lk_fill_tyres() - set all tyres. */
void lk_fill_tyres(struct lk_system *system, const struct lk_draft *draft);

/* ---- fill_contacts.c ---- */

void lk_fill_contact_layout(struct lk_system *system, const struct lk_model *model,
                            struct lk_arena *arena);
/** lk_fill_contact_joint() - set the geometry of the rows of point @point of a contact. */
void lk_fill_contact_joint(struct lk_system *system, const struct lk_model *model, int force,
                           int point, struct lk_joint *joint);
/** lk_fill_contact_signals() - connect friction to inputs; call after the inputs are filled. */
void lk_fill_contact_signals(struct lk_system *system, const struct lk_draft *draft);
/** lk_fill_contact_compliances() - set the compliances of all points; call after lk_fill_dampers().
 */
void lk_fill_contact_compliances(struct lk_system *system, const struct lk_draft *draft);

/** lk_fill_check_contacts() - refuse a start with shapes that penetrate each other; the error names
 * the contact. Return: 0, LK_E_MODEL */
int lk_fill_check_contacts(struct lk_system *system, const struct lk_model *model,
                           struct lk_error *ret_error);

/* ---- fill_drives.c ---- */

void lk_fill_drives_layout(struct lk_system *system, const struct lk_draft *draft,
                           struct lk_arena *arena);
/** lk_fill_frames() - set the initial poses of frames. Call before lk_fill_joint(). */
void lk_fill_frames(struct lk_system *system, const struct lk_draft *draft);
/** lk_fill_drives() - set all drives. Call after the input channels are set. */
void lk_fill_drives(struct lk_system *system, const struct lk_draft *draft);

/* ---- fill_masses.c ---- */

/** lk_fill_lacks_moment() - return whether a principal moment of @J is negligible relative to the
 * largest. */
bool lk_fill_lacks_moment(const double J[6]);

/** lk_fill_masses() - set mass, inertia and W of all bodies; W of a body without mass has an
 * artificial mass. */
void lk_fill_masses(struct lk_system *system, const struct lk_draft *draft);
/** lk_fill_light() - mark the bodies that are light relative to their compliant rows (m < s k).
 * Needs E and Jacobians. */
void lk_fill_light(struct lk_system *system);
/** lk_fill_check_massless() - find the directions in which a body without inertia can move freely.
 * Writes system->note. Return: 0, LK_E_MODEL (a load acts in such a direction), -ENOMEM. */
int lk_fill_check_massless(struct lk_system *system, struct lk_error *ret_error);

#endif
