/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of a system: one list, in the order that elements.c defines. A new sort of element
 * needs its own file here, an entry in that list, and its keys in model/read_forces.c. */
#ifndef LK_STEP_ELEMENTS_ELEMENTS_H
#define LK_STEP_ELEMENTS_ELEMENTS_H

#include "step/elements/stops.h"

/** struct lk_element_ops - functions of a sort of elements; a function is NULL if the sort does not
 * need it. All are for the cycle, RT: yes.
 * @is_in:  return whether a compiled system has elements of this sort
 * @refer:  set the scratch values of the elements from @state
 * @follow: set the values of the elements for the next step from @inputs and system->now, and book
 *          the work of this change
 * @begin:  called at the start of a step, at the poses and twists of system->now
 * In a step of `rattle`:
 * @start:  called at the positions q_n, before the first half kick
 * @close:  called when the positions q_n+1 satisfy the joints
 * @kick:   called when the velocities at q_n+1 satisfy the joints and its coordinates are known
 * @settle: compute the multipliers in system->next, at the present poses and twists with the
 *          coordinates of @state
 * @rest:   called when the accelerations satisfy the joints
 * @end:    called when the new state is complete
 * In a step of any method:
 * @keep:   compute the element states in system->next, whose coordinates are known
 * @book:   add the work of the step to the balance of system->next
 * @energy: return the stored energy in @state [J] */
struct lk_element_ops {
    bool (*is_in)(const struct lk_system *system);
    LK_RT void (*refer)(struct lk_system *system, const struct lk_state *state);
    LK_RT void (*follow)(struct lk_system *system, const double *inputs);
    LK_RT void (*begin)(struct lk_system *system, const double *inputs);
    LK_RT void (*start)(struct lk_system *system, const double *inputs);
    LK_RT void (*close)(struct lk_system *system);
    LK_RT void (*kick)(struct lk_system *system);
    LK_RT void (*settle)(struct lk_system *system, const struct lk_state *state);
    LK_RT void (*rest)(struct lk_system *system);
    LK_RT void (*end)(struct lk_system *system);
    LK_RT void (*keep)(struct lk_system *system);
    LK_RT void (*book)(struct lk_system *system, const double *inputs);
    LK_RT double (*energy)(const struct lk_system *system, const struct lk_state *state);
};

#define LK_ELEMENTS 12 /* number of sorts of elements */

/* list of all functions of struct lk_element_ops but is_in, here called hooks */
#define LK_ELEMENT_HOOKS(X)                                                                        \
    X(refer)                                                                                       \
    X(follow) X(begin) X(start) X(close) X(kick) X(settle) X(rest) X(end) X(keep) X(book) X(energy)

/** struct lk_element_list - the sorts of elements of a system that define one particular
 * hook. */
struct lk_element_list {
    int n;
    const struct lk_element_ops *of[LK_ELEMENTS];
};

/** struct lk_element_work - scratch of the elements in a step, and their lists by hook.
 * @port_power: power of the input of each port that is an output, at the start of the step [W]
 * @port_rows: n_rows, for mobilities, if ports are outputs
 * In a step of `rattle`:
 * @keeps_loads: friction of bearings keeps its normal forces, see bearing.h
 * @value: value of the row of each law at q_n;  @rate: its rate after the half kick, before any
 *         multiplier acts, if the system has closes_dampers
 * @impulse: solution of all passes of contacts, n_rows, if there are contacts
 * @power: power at q_n of the laws whose work book() in law_steps.c computes [W] */
struct lk_element_work {
#define X(hook) struct lk_element_list hook;
    LK_ELEMENT_HOOKS(X)
#undef X
    bool keeps_loads;
    double *port_power;
    double *port_rows;
    double *value;
    double *rate;
    double *impulse;
    double power;
    struct lk_stops stops;
};

/** lk_elements_layout() - reserve the memory of system->elements. */
void lk_elements_layout(struct lk_system *system, struct lk_arena *arena);

/** lk_elements_find() - fill the lists of a compiled system. Not for the cycle. */
void lk_elements_find(struct lk_system *system);

/* Call one hook of all elements of a system, in the order of the list; cycle, RT: yes */
LK_RT void lk_elements_refer(struct lk_system *system, const struct lk_state *state);
LK_RT void lk_elements_follow(struct lk_system *system, const double *inputs);
LK_RT void lk_elements_begin(struct lk_system *system, const double *inputs);
LK_RT void lk_elements_start(struct lk_system *system, const double *inputs);
LK_RT void lk_elements_close(struct lk_system *system);
LK_RT void lk_elements_kick(struct lk_system *system);
LK_RT void lk_elements_settle(struct lk_system *system, const struct lk_state *state);
LK_RT void lk_elements_rest(struct lk_system *system);
LK_RT void lk_elements_end(struct lk_system *system);
LK_RT void lk_elements_keep(struct lk_system *system);
LK_RT void lk_elements_book(struct lk_system *system, const double *inputs);
LK_RT double lk_elements_energy(const struct lk_system *system, const struct lk_state *state);

extern const struct lk_element_ops lk_signal_ops;  /* ports.c: values set by inputs */
extern const struct lk_element_ops lk_line_ops;    /* lines.c */
extern const struct lk_element_ops lk_wind_up_ops; /* wind_up.c */
extern const struct lk_element_ops lk_law_ops;     /* law_steps.c */
extern const struct lk_element_ops lk_tyre_ops;    /* tyres.c */
extern const struct lk_element_ops lk_stop_ops;    /* stops.c */
extern const struct lk_element_ops lk_sway_ops;    /* sway.c */
extern const struct lk_element_ops lk_port_ops;    /* ports.c: work of inputs */
extern const struct lk_element_ops lk_block_ops;   /* blocks.c */
extern const struct lk_element_ops lk_contact_ops; /* contacts.c */
extern const struct lk_element_ops lk_mode_ops;    /* modes.c: energies of modes */
extern const struct lk_element_ops lk_bearing_ops; /* bearing.c: normal forces of friction */

#endif
