/* SPDX-License-Identifier: Apache-2.0 */
/* linkage flex: reduce a finite-element model, or a beam of a model, to a mode file.
 *
 * flex.c:       options, sources, output
 * beam.c:       nodes and elements of a beam, its mass and stiffness matrix
 * bend.c:       quadratic displacement field of a beam
 * reduce.c:     Hurty/Craig-Bampton basis of dense matrices
 * modes.c:      orthonormal modes of a free body in a basis, without its rigid motions
 * integrals.c:  constants of the inertia that a mode file contains
 * places.c:     nodes of a beam that the mode file contains
 * write.c:      the mode file;  print.c: table of the modes, as text and JSON
 *
 * Nodes have six degrees of freedom: displacement [m] and rotation vector [rad] in the axes of the
 * file. Modes are mass-normalised and orthogonal to the six rigid motions. Matrices are stored
 * column by column, as LAPACK expects them. The functions return 0, or negative errno without a
 * message, except where a comment says otherwise. */
#ifndef TOOLS_LINKAGE_FLEX_FLEX_H
#define TOOLS_LINKAGE_FLEX_FLEX_H

#include "linkage/kinds.h"
#include "linkage/linkage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define FLEX_RIGID 6 /* rigid motions of a free body: three translations, three rotations */

struct lk_model;

/** struct flex_wish - selection of modes.
 * @n:      number of modes
 * @to_hz:  if above 0 and instead of @n: all fixed-interface modes up to this frequency, and all
 *          static modes
 * @second: number of modes with data of second order
 * @is_free: modes of the free body in ascending order, without static modes */
struct flex_wish {
    int n;
    double to_hz;
    int second;
    bool is_free;
};

/** struct flex_mass - mass distribution of a body.
 * @n:        number of nodes;  @position: 3 @n, axes of the file [m]
 * @start, @column, @value: scalar mass matrix of the nodes [kg], both triangles, by rows: row i
 *            has the entries @start[i] to @start[i + 1] - 1
 * @inertia:  rotary inertia of each node, 6 @n, axes of the file [kg m^2]; NULL: none
 * @is_unknown: of a reduced model, which has no mass distribution: the matrix is 0
 * @mass, @center, @tensor: of the whole body; inertia about the centre of mass, order xx yy zz xy
 *            xz yz */
struct flex_mass {
    int n;
    double *position;
    int *start;
    int *column;
    double *value;
    double *inertia;
    bool is_unknown;
    double mass;
    double center[3];
    double tensor[6];
};

/** struct flex_modes - modes of a body with @n_nodes nodes.
 * @frequency: [Hz], ascending;  @damping: ratios to critical damping; NULL: none
 * @shape:     6 @n_nodes for each mode;  @share: part of the strain energy in static modes
 * @other:     @n_others further linear quantities of each mode */
struct flex_modes {
    int n;
    int n_nodes;
    double *frequency;
    double *damping;
    double *shape;
    double *share;
    int n_others;
    double *other;
};

/** struct flex_pairs - second derivatives with respect to pairs of modal coordinates.
 * @n:        modes with second derivatives; pair k <= l has index flex_pair(k, l)
 * @bend:     quadratic field, 6 n_nodes for each pair; NULL: not known
 * @stiffening: part of J2 by a quadratic field that is not known; NULL: none
 * @inertia:  J2, 6 for each pair;  @beta: 3 for each pair */
struct flex_pairs {
    int n;
    double *bend;
    double *stiffening;
    double *inertia;
    double *beta;
};

/** struct flex_place - a node of the mode file.
 * @node:  node of the mesh, or -1;  @position: [m]
 * @shape: 6 values for each mode; NULL: the shape of @node in the modes of the body
 * @bend:  second derivatives of its motion, 6 values for each pair; NULL: those of @node in the
 *         pairs of the body, if there are any */
struct flex_place {
    char name[LK_NAME_SIZE];
    int node;
    double position[3];
    double *shape;
    double *bend;
};

/** struct flex_recovery - a quantity that is linear in the modal coordinates. @rows: 1, or 6 of a
 * stress;  @value: one for each mode, row by row */
struct flex_recovery {
    char name[LK_NAME_SIZE];
    char unit[LK_UNIT_SIZE];
    int rows;
    double *value;
};

/** struct flex_body - a reduced body. @first: J1, 6 for each mode;  @scale: largest sensible value
 * of each modal coordinate, see flex_scale();  @note: comment on the source in the mode file */
struct flex_body {
    struct flex_mass mass;
    struct flex_modes modes;
    struct flex_pairs pairs;
    double *first;
    double *scale;
    int n_places;
    struct flex_place *place;
    int n_recoveries;
    struct flex_recovery *recovery;
    char note[512];
};

/** struct flex_basis - columns whose linear combinations approximate all motions.
 * @n:        columns: first @n_static static ones, then fixed-interface modes
 * @mass, @stiffness: @n x @n, reduced;  @rigid: coefficients of the rigid motions, @n x 6 */
struct flex_basis {
    int n;
    int n_static;
    double *mass;
    double *stiffness;
    double *rigid;
};

/* ---- modes.c ---- */

/** flex_solve() - compute the orthonormal elastic modes in a basis.
 * @n_wanted:  largest number of modes
 * @ret_n:     number of modes; massless directions have none
 * @ret_y:     @basis->n coefficients for each mode, on the heap
 * @ret_frequency: [Hz];  @ret_share: part of the strain energy in static columns; on the heap
 * Return: 0; -EDOM: the stiffness matrix has more than six rigid motions; -ENOMEM. */
int flex_solve(const struct flex_basis *basis, int n_wanted, int *ret_n, double **ret_y,
               double **ret_frequency, double **ret_share);
/** flex_modes_align() - make the modes reproducible: of modes of the same frequency, choose the
 * combinations that move along the axes of the file as far as possible, and choose the sign of each
 * mode. */
void flex_modes_align(struct flex_modes *modes);
/** flex_rigid_motions() - write the six rigid motions of @n nodes about @center, 6 @n x 6. */
void flex_rigid_motions(int n, const double *position, const double center[3], double *ret);
/** flex_basis_free() - free the arrays of a basis. */
void flex_basis_free(struct flex_basis *basis);

/* ---- reduce.c ---- */

/** flex_reduce() - compute the modes of a body with dense matrices.
 * @n_nodes: nodes, with six degrees of freedom each;  @mass, @stiffness: matrices
 * @is_interface: for each node: it belongs to the interface
 * @rigid:   from flex_rigid_motions()
 * Return: 0; -EDOM: the stiffness matrix does not join all nodes; -ENOMEM. */
int flex_reduce(int n_nodes, const double *mass, const double *stiffness, const bool *is_interface,
                const double *rigid, const struct flex_wish *wish, struct flex_modes *ret);
/** flex_modes_free() - free the arrays of modes. */
void flex_modes_free(struct flex_modes *modes);

/* ---- beam.c ---- */

/** struct flex_element - an element between two consecutive nodes, see core/model/beams.c.
 * @point: its middle [m];  @axes: its axes to axes of the file
 * @stiffness, @damping: along and about its axes */
struct flex_element {
    double point[3];
    double axes[9];
    double stiffness[6];
    double damping[6];
};

/** struct flex_beam - a beam: @n nodes with the names of their bodies, @n - 1 elements. */
struct flex_beam {
    int n;
    char (*name)[LK_NAME_SIZE];
    struct flex_element *element;
};

/** flex_beam_read() - collect nodes and elements of the beam @name. Prints its error messages.
 * @ret_mass: mass distribution
 * Return: 0; -EINVAL after a message; -ENOMEM. */
int flex_beam_read(const struct lk_model *model, const char *path, const char *name,
                   struct flex_beam *ret, struct flex_mass *ret_mass);
/** flex_beam_modes() - compute the modes of a beam. @is_interface: see flex_reduce() */
int flex_beam_modes(const struct flex_beam *beam, const struct flex_mass *mass,
                    const bool *is_interface, const struct flex_wish *wish, struct flex_modes *ret);
/** flex_element_strain() - compute the six local deformations of element @e, between nodes @e and
 * @e + 1, for the displacements @u of all nodes. */
void flex_element_strain(const struct flex_beam *beam, const struct flex_mass *mass, int e,
                         const double *u, double ret[6]);
/** flex_beam_free() - free the arrays of a beam. */
void flex_beam_free(struct flex_beam *beam);

/* ---- places.c ---- */

/** flex_beam_places() - choose the nodes of the mode file: ends and named nodes of the beam @name.
 * @has_all:   add all nodes of the beam, with the names n0, n1 ..
 * @interface: written: for each node, whether it is an end or has a name
 * @body:      with its mass; its places are written */
int flex_beam_places(const struct flex_beam *beam, const char *name, bool has_all, bool *interface,
                     struct flex_body *body);

/* ---- bend.c ---- */

/** flex_bend() - compute the quadratic field of a beam.
 * @pairs: @pairs->n is set; @pairs->bend is written */
int flex_bend(const struct flex_beam *beam, const struct flex_mass *mass,
              const struct flex_modes *modes, struct flex_pairs *pairs);

/* ---- integrals.c ---- */

/** flex_pair() - return the index of the pair of modes @k <= @l. */
static inline size_t flex_pair(int k, int l)
{
    return (size_t)l * ((size_t)l + 1) / 2 + (size_t)k;
}

/** flex_mass_diagonal() - allocate a lumped mass distribution: a diagonal mass matrix. */
int flex_mass_diagonal(int n, struct flex_mass *ret);
/** flex_mass_sum() - compute mass, centre of mass and inertia of the body. */
void flex_mass_sum(struct flex_mass *mass);
/** flex_mass_free() - free the arrays of a mass distribution. */
void flex_mass_free(struct flex_mass *mass);
/** flex_integrate() - compute @first, @scale and the pairs of a body. @pairs.n and @pairs.bend are
 * set. */
int flex_integrate(struct flex_body *body);
/** flex_body_free() - free the arrays of a body. */
void flex_body_free(struct flex_body *body);

/** flex_shape_at() - return displacement and rotation of @place in mode @k. */
static inline const double *flex_shape_at(const struct flex_body *body,
                                          const struct flex_place *place, int k)
{
    if (place->shape != NULL)
        return place->shape + 6 * (size_t)k;
    return body->modes.shape + 6 * ((size_t)k * (size_t)body->mass.n + (size_t)place->node);
}

/* ---- write.c, print.c ---- */

/** flex_write() - write the mode file. @options: command line in its first comment */
void flex_write(FILE *file, const struct flex_body *body, const char *options);
/** flex_print() - print the table of the modes. flex_print_json() - print it as JSON. */
void flex_print(const struct flex_body *body, FILE *file);
void flex_print_json(const struct flex_body *body);

#endif
