/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a mechanism that no step changes: bodies, loads, channels, transmission lines.
 * Joints are in rows/joint.h; laws and other elements are in elements/. */
#ifndef LK_STEP_MECHANISM_H
#define LK_STEP_MECHANISM_H

#include "linkage/kinds.h"
#include "rows/joint.h"
#include <stdbool.h>

/** struct lk_body - constants of a body. @inertia: J [kg m^2], body axes. Mass and inertia
 * may be zero.
 * @of: index of the body in the model; the @n_parts of a split body have the same index
 * @hangs_on: see struct lk_topology; no step reads it
 * @tension: upper bound of s K / J, the same for all parts of a split body, see
 *           compile/passes/tensions.h
 * @is_in_plane: planar reduction: W permits rotation about one axis only, or none, see
 *           compile/passes/plane.h
 * @is_node: a node of a body with modes, without mass: W is 0, its motion is that of the body
 * @leader: index of that body; of any other body its own index */
struct lk_body {
    double mass;
    double inertia[6];
    int of;
    int n_parts;
    int hangs_on;
    double tension;
    bool is_in_plane;
    bool is_node;
    int leader;
};

/** struct lk_load - a force or torque on a body: vector, or vector sin(omega t + phase). */
struct lk_load {
    int body;
    int is_torque;
    int in_body_frame;
    int is_harmonic;
    double point[3]; /* from the centre of mass, body axes [m] */
    double vector[3];
    double omega;
    double phase;
};

/** struct lk_input, struct lk_output - target of an input channel, source of an output
 * channel.
 * @joint: index of the joint or block;  @which: index of its coordinate;  @term: first of the
 * @n_terms terms of the law of a force element */
struct lk_input {
    enum lk_input_type type;
    int joint;
    int which;
    int offset;
    struct lk_load load;
};

struct lk_output {
    enum lk_output_type type;
    int joint;
    int body;
    int tyre;
    int contact;     /* first point of a contact */
    int n_points;    /* points of a contact, or 0 */
    bool is_swapped; /* the surface of the contact is on the second body of the model */
    int line;        /* transmission line whose forces are the output, or -1 */
    int input;       /* index of its first value: in the inputs; of a port: in lk_state.shown; of a
                      * mode: in lk_state.mode; of a recovery: that of mode 1 */
    int offset;
    int size;
    int term;
    int n_terms;
    double ahead;      /* prediction time [s] */
    double point[3];   /* from the centre of mass, body axes [m] */
    double axes[3][3]; /* axes of a sensor, in body axes */
    const struct lk_recovery *recovery;
};

/** struct lk_port - an output about the point of action of a bench. @type: mobility or work
 * @place: the input that acts at the port, or an input that would act there
 * @law, @term: law and term of an impedance; @law -1: the port is an input
 * @told:  index in the inputs of the work that the bench reports, or -1
 * @at:    index of the values in lk_state.shown */
struct lk_port {
    enum lk_output_type type;
    struct lk_input place;
    int law;
    int term;
    int told;
    int at;
};

/** struct lk_line - a transmission line, see lines.c. @force: index of its force element in the
 * model
 * @steps: travel time of a wave in steps;  @law, @term: law and term at both ends;  @at: index of
 *         the waves in lk_state.waves */
struct lk_line {
    int force;
    int steps;
    double impedance;
    double ratio[2];
    int law[2];
    int term[2];
    int at;
};

#endif
