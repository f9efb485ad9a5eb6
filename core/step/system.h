/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled model: mechanism, state and work, all in one arena.
 *
 * - Mechanism (mechanism.h, formulation.h): constant from the end of lk_system_new() on; no step
 *   writes it.
 * - State (state.h): two equal blocks of doubles. A step reads `now` and writes `next`; the two are
 *   swapped if the result is finite. A third block stores the start.
 * - Work (work.h): scratch. Every step overwrites it, but it begins with the factor and Jacobians
 *   of the last final pose.
 * - Report: results of compiling, for users. */
#ifndef LK_STEP_SYSTEM_H
#define LK_STEP_SYSTEM_H

#include "linkage/linkage.h"
#include "maths/hot.h"
#include "rows/joint.h"
#include "solve/fronts.h"
#include "step/elements/blocks.h"
#include "step/elements/drives.h"
#include "step/elements/laws.h"
#include "step/elements/sway.h"
#include "step/formulation.h"
#include "step/mechanism.h"
#include "step/modal.h"
#include "step/state.h"
#include "step/work.h"

struct lk_batches;
struct lk_cut;      /* step/outputs/reactions.h */
struct lk_executor; /* step/executor.h */
struct lk_progress;
struct lk_element_work; /* step/elements/elements.h */
struct lk_tyre;
struct lk_contact_point; /* step/elements/contacts.h */
struct lk_curve_knot;    /* rows/curve.h */
struct lk_road;          /* tyre/road.h */

/** struct lk_system - a compiled model, see the top of this file. Bodies: first the bodies of the
 * model, then the additional parts of split bodies. In @pose, @twist and @residual, index n_bodies
 * is the ground; the next indices are frames that drives move. Joints: first the joints of the
 * model, then the rows of other elements: drives, springs, welds of split bodies. */
struct lk_system {
    /* ---- mechanism ---- */
    const struct lk_formulation *formulation;
    const struct lk_executor *executor; /* executor of the script, or NULL; see step/executor.h */
    void *formulation_data;
    double h;          /* step [s] */
    double s;          /* h^2 / 4 [s^2] */
    double arm;        /* largest arm of a joint [m]: characteristic length of the mechanism */
    double penalty;    /* penalty of the Euler-parameter form, 0: automatic */
    double unwrapping; /* h / 2: weight of the rates in the prediction of a coordinate; 0 until the
                          start is made */
    int order;         /* order of convergence; above 2 by extrapolation */
    const struct lk_combination *combination;
    int is_part;        /* steps are parts of an extrapolated step: only motion and works count */
    int takes_massless; /* the formulation handles bodies without inertia */
    int settles;     /* of a sequence: recompute accelerations from the state between sub-steps */
    int n_sequences; /* number of sequences, including this one */
    struct lk_system *sequence[LK_SEQUENCES_MAX - 1]; /* sequences with h/2 and h/3 */
    double project_flops; /* operations of the linear algebra after the combination of
                           * sequences */
    int iterations;
    int contact_rounds;  /* how often the passes of contacts are repeated */
    int n_solves;        /* solves per step, from which the tree was chosen */
    int leak_always;     /* subtract E lambda from rigid rows in every iteration, not only once per
                          * step */
    int shows_condition; /* an output shows the violation of accelerations */
    bool has_bearings;   /* friction that follows reactions of joints, see elements/bearing.h */
    bool has_elements;   /* there are elements of beams, whose strain is watched */
    int books_closing;   /* an output shows the work of closing, see lk_one_book_closing() */
    bool rows_are_independent; /* rigid rows never depend on each other, see
                                * compile/passes/independence.h: E at round-off */
    bool leaves_laws;          /* only the factor of the iterations contains compliant rows */
    bool closes_dampers; /* a damper may stop a motion within a step, see elements/law_steps.c */
    int needs_twists; /* some rows depend on velocities: compliant and nonholonomic rows, unwrapped
                       * coordinates */
    int gravity_input[3]; /* index of each component of gravity in the inputs, or -1 */
    int is_gravity_tuned; /* inputs set a component of gravity */
    double most_gravity;  /* largest magnitude within the limits of inputs [m/s^2], see
                           * compile/passes/pulls.h */
    int is_tuned;         /* inputs set gravity or the values of a spring */
    int n_bodies;
    int n_modals;
    int n_modes; /* modal coordinates of all bodies */
    int n_named_bodies;
    int n_frames;
    int n_joints;
    int n_named_joints;
    int n_coordinates;
    int n_followed; /* joints whose coordinates are unwrapped from step to step */
    int n_rows;
    int n_loads;
    int n_laws;
    int n_terms;
    int n_sways;   /* rods and springs with sway rows, see sway.h */
    int n_winds;   /* frictions with wind-up */
    int n_by_load; /* laws that follow the normal force of a contact, see step/elements/creep.h */
    int n_signals; /* values set by inputs, without loads and drives */
    int n_ports;   /* impedances, maps, callbacks: their work counts as work of inputs */
    int n_shown_ports;
    int n_shown; /* size of lk_state.shown */
    int n_drives;
    int n_tyres;
    int n_contacts; /* points of contact */
    int n_lines;
    int n_waves; /* size of lk_state.waves */
    int n_roads;
    int n_own; /* size of lk_state.own */
    int n_inputs;
    int n_thin;          /* bodies without inertia about some axis, see struct lk_quad */
    int n_massless;      /* bodies without mass or without any moment of inertia */
    int starts_balanced; /* the start is a static equilibrium */
    int n_stops;         /* laws with stops */
    int is_redundant;    /* rows depend on others at the start, see LK_DEPENDENT */
    int n_least;         /* number of solves for output multipliers, see step/scripts/rattle.c */
    int n_held;          /* bodies that cannot tilt, outside a plane or rotating in place, see
                            compile/passes/plane.h */
    int n_jumps;         /* inputs that are loads, and laws with stops: forces that may jump */
    int n_outputs;
    int input_size;
    int output_size;
    size_t state_size;   /* doubles of a state block */
    uint64_t model_hash; /* hash of all words and numbers of the model file */
    struct lk_body *body;
    struct lk_inverse_mass *W;  /* inverse masses; massless bodies: of the artificial mass */
    struct lk_inverse_mass *sW; /* h^2 / 4 W, of all bodies and the ground */
    struct lk_side *side;       /* sides of joints, one body after another */
    int *first_side;            /* n_bodies + 1: index of the first side of each body in
                                 * @side */
    int *first_law_side;        /* n_bodies: index of the first compliant side of each body,
                                 * after rigid ones */
    struct lk_joint *joint;
    struct lk_modal *modal; /* bodies with modes, and their work in a step, see modal.h */
    double *rigid;          /* E of rigid rows; 0 for other rows */
    double *scale;          /* diagonal of s Phi_q W Phi_q^T of every row at t = 0 */
    int *followed;          /* indices of the n_followed joints */
    struct lk_load *load;
    struct lk_law *law; /* law of each compliant row, see laws.h */
    struct lk_term *term;
    struct lk_cut *cut; /* cut of each named joint */
    int *hanging; /* bodies of the subtrees of joints with omitted rows, each subtree contiguous */
    int *hanging_at; /* index of each body of the system in @hanging, or -1 */
    struct lk_sway *sway;
    double *tables;         /* tables of laws */
    struct lk_drive *drive; /* see drives.h */
    double *splines;        /* splines of drives */
    struct lk_tyre *tyre;   /* see tyres.h */
    struct lk_road *road;
    struct lk_contact_point *contact; /* see contacts.h */
    struct lk_curve_knot *knots;      /* profiles */
    double *profiles;                 /* profiles of roads */
    char *grids;                      /* indices and tiles of road grids */
    struct lk_moving_frame *frame;
    struct lk_input *input;
    struct lk_output *output;
    struct lk_port *port; /* n_shown_ports ports */
    struct lk_line *line;
    struct lk_net net; /* all blocks of the model */
    struct lk_channel *input_channel;
    struct lk_channel *output_channel;
    char (*body_name)[LK_NAME_SIZE];
    char (*joint_name)[LK_NAME_SIZE];

    /* ---- report ---- */
    char note[LK_NOTE_SIZE];
    struct lk_summary summary;
    struct lk_equilibrium equilibrium;

    /* ---- state ---- */
    struct lk_state now;
    struct lk_state next;
    struct lk_state start;

    /* ---- work ---- */
    double gravity[3];            /* gravity in this step [m/s^2] */
    struct lk_progress *progress; /* progress of the iterations, NULL without a script */
    struct lk_element_work *elements;
    double *regular; /* E of every row: rigid, a small fraction of its diagonal; compliant, of the
                      * step: 1 / (k + 2 c / h) */
    struct lk_inverse_mass *sW_now; /* sW of the last factor: as sW, except in iterations with
                                     * tensions, see step/elements/tension.h */
    struct lk_fronts fronts;
    struct lk_fronts rigid_fronts; /* fronts of rigid rows only, if leaves_laws */
    bool laws_are_left;            /* the last factor is rigid_fronts */
    struct lk_pose *pose;          /* size n_bodies + 1 + n_frames */
    struct lk_twist *twist;        /* the same size: velocities at the poses */
    struct lk_twist *residual;     /* the same size: g, then s W g */
    struct lk_twist *correction;   /* the same size: s W Phi_q^T of a solution */
    struct lk_quad *quad;          /* (n_bodies + 3) / 4 groups of four bodies */
    struct lk_jacobian *jacobian;  /* Jacobians at the pose of the last factor */
    double *solution;              /* right-hand side, then solution: n_rows, motions of hubs */
    double *gap;                   /* n_rows, or NULL: see lk_one_find_gaps() */

    struct lk_batches *batches; /* data of a step in lanes, see step/lanes/batch.h; NULL: executor
                                 * `one` */
    struct lk_pool *pool;       /* set by lk_system_set_pool(); NULL: only the calling thread */
    struct lk_step_cost cost;   /* determines the number of workers */
};

/** lk_time() - return the time of system->now [s]. RT: yes. */
static inline double lk_time(const struct lk_system *sys)
{
    return sys->now.balance->steps * sys->h;
}

/** lk_last_factor() - return the fronts of the last factor. */
static inline const struct lk_fronts *lk_last_factor(const struct lk_system *sys)
{
    return sys->laws_are_left ? &sys->rigid_fronts : &sys->fronts;
}

/** lk_is_on_frame() - return whether the joint connects its body to a frame that drives move. Then
 * the reaction of the joint is the force of the drives. RT: yes. */
static inline bool lk_is_on_frame(const struct lk_system *sys, int joint)
{
    return sys->joint[joint].body[0] > sys->n_bodies;
}

/** lk_steps_by() - return whether @formulation steps @sys, by executor `one` or in lanes. */
static inline int lk_steps_by(const struct lk_system *sys, const struct lk_formulation *formulation)
{
    return sys->formulation == formulation || sys->formulation == formulation->in_lanes;
}

/* the poses, twists or sums of all sides of joint @j; unused sides are the ground */
#define LK_SIDES(array, j)                                                                         \
    {                                                                                              \
        &(array)[(j)->body[0]], &(array)[(j)->body[1]], &(array)[(j)->body[2]],                    \
            &(array)[(j)->body[3]], &(array)[(j)->body[4]], &(array)[(j)->body[5]]                 \
    }

/* the same for any joint except a coupling */
#define LK_TWO_SIDES(array, j)                                                                     \
    {                                                                                              \
        &(array)[(j)->body[0]], &(array)[(j)->body[1]]                                             \
    }

#endif
