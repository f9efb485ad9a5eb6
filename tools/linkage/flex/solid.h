/* SPDX-License-Identifier: Apache-2.0 */
/* linkage flex for finite-element models: matrices in files.
 *
 * sparse.c:    sparse matrices, from triplets;  matrix.c: matrices in text files
 * mesh.c:      nodes and rows;  calculix.c: files of CalculiX
 * mesh_check.c: whether the matrices are those of a free body;  mesh_mass.c: mass distribution
 * spider.c:    interface nodes
 * recovery.c:  stresses and gauges;  bricks.c: solid elements;  stiffening.c: geometric stiffening
 * solid.c:     reduction, from input to body;  solid_basis.c: Hurty/Craig-Bampton basis
 * solver.c:    factors by UMFPACK, eigenvalues by ARPACK;  solver_none.c: without these libraries
 *
 * The functions return 0; -EINVAL after an error message; or another negative errno without one. */
#ifndef TOOLS_LINKAGE_FLEX_SOLID_H
#define TOOLS_LINKAGE_FLEX_SOLID_H

#include "flex.h"

#define FLEX_SPIDERS_MAX 64

/* ---- sparse.c ---- */

/** struct flex_triplets - entries of a matrix in any order; entries of the same place are summed.
 */
struct flex_triplets {
    size_t n;
    size_t room;
    long *row;
    long *column;
    double *value;
};

/** struct flex_sparse - a square matrix by columns: column k has the entries @start[k] to
 * @start[k + 1] - 1, in ascending rows. */
struct flex_sparse {
    long n;
    long *start;
    long *row;
    double *value;
};

/** flex_triplets_add() - append an entry. Return: 0, -ENOMEM. */
int flex_triplets_add(struct flex_triplets *t, long row, long column, double value);
void flex_triplets_free(struct flex_triplets *t);
/** flex_sparse_new() - compress triplets of an @n x @n matrix. */
int flex_sparse_new(const struct flex_triplets *t, long n, struct flex_sparse *ret);
/** flex_sparse_multiply() - compute A X for @columns columns. */
void flex_sparse_multiply(const struct flex_sparse *A, const double *X, int columns, double *ret);
/** flex_sparse_entry() - return entry (@row, @column), 0 if it is not stored. */
double flex_sparse_entry(const struct flex_sparse *A, long row, long column);
void flex_sparse_free(struct flex_sparse *A);

/* ---- matrix.c ---- */

struct flex_mesh;

/** struct flex_matrix - a matrix from a file.
 * @is_named:    the file names the node of each row; the rows are those of the mesh
 * @is_triangle: the file may contain one triangle of a symmetric matrix alone */
struct flex_matrix {
    struct flex_triplets t;
    long rows;
    long columns;
    bool is_named;
    bool is_triangle;
};

/** flex_matrix_read() - read a matrix.
 * @letter: first letter of its name, for files with several matrices; 0: any matrix, without names
 *          of rows
 * @mesh:   its rows are found or added; NULL: such files are refused */
int flex_matrix_read(const char *path, char letter, struct flex_mesh *mesh,
                     struct flex_matrix *ret);
/** flex_matrix_square() - compress an @n x @n matrix; one triangle is completed. */
int flex_matrix_square(struct flex_matrix *matrix, long n, struct flex_sparse *ret);

/* ---- mesh.c ---- */

/** struct flex_set - a named set of nodes, by their numbers. */
struct flex_set {
    char name[LK_NAME_SIZE];
    int n;
    long *id;
};

enum flex_brick_kind { FLEX_TET_4, FLEX_TET_10, FLEX_HEX_8, FLEX_HEX_20, FLEX_BRICKS };
#define FLEX_BRICK_NODES 20

/** struct flex_brick - a solid element. @node: indices of its nodes;  @E: Young's modulus
 * [Pa], 0: not known;  @nu: Poisson's ratio */
struct flex_brick {
    enum flex_brick_kind kind;
    int node[FLEX_BRICK_NODES];
    double E;
    double nu;
};

/** struct flex_mesh - nodes and matrices.
 * @id:  number of each node in its file;  @is_ascending: each is above the one before
 * @position: 3 for each node [m]
 * @n:   rows of the matrices, the degrees of freedom;  @at: 6 node + direction of each; -1: a
 * further coordinate of a reduced model, which moves no node
 * @row: for each direction of each node its row + 1, 0: none
 * @other: number and direction of each further coordinate in the file, in the order of their rows
 * @is_complete: no further rows are added;  @is_named: the matrices name the node of each row
 * @brick: elements of CalculiX;  @why_none: why they cannot be used, NULL: they can
 * @set: sets of the input of CalculiX;  @length: length in the files [m] */
struct flex_mesh {
    int n_nodes;
    long *id;
    bool is_ascending;
    double *position;
    long n;
    long *at;
    long *row;
    int n_others;
    long *other;
    bool is_complete;
    bool is_named;
    double length;
    int n_bricks;
    struct flex_brick *brick;
    const char *why_none;
    int n_sets;
    struct flex_set *set;
    struct flex_sparse mass;
    struct flex_sparse stiffness;
};

/** struct flex_files - names of input files and options of the interface.
 * @units:    "m-kg" or "mm-t"; NULL: m-kg
 * @recovery: NAME=FILE[,UNIT];  @gauge: NAME=ID,ID;  @stress: NAME=ID */
struct flex_files {
    const char *units;
    const char **recovery;
    int n_recoveries;
    const char **gauge;
    int n_gauges;
    const char **stress;
    int n_stresses;
    const char *mass;
    const char *stiffness;
    const char *nodes;
    const char *job; /* JOB.inp of CalculiX, instead of the three above */
    const char **interface;
    int n_interfaces;
};

/** struct flex_lines - a text file line by line. @number: of the present line, from 1 */
struct flex_lines {
    const char *path;
    FILE *file;
    char *text;
    size_t room;
    long number;
};

/** flex_lines_open() - open a file. flex_lines_next() - read a line to @lines->text. Return:
 * whether there is one. flex_lines_close() - close it; a file that is not open is allowed. */
int flex_lines_open(const char *path, struct flex_lines *ret);
bool flex_lines_next(struct flex_lines *lines);
void flex_lines_close(struct flex_lines *lines);
/** flex_numbers() - read numbers separated by blanks or commas. Return: the number of them, at
 * most @most; -1: the text contains something else. */
int flex_numbers(const char *text, int most, double *ret);

/** flex_is_id() - return whether @value is a number of a node. */
bool flex_is_id(double value);

/** flex_mesh_read() - read node file and matrices. */
int flex_mesh_read(const struct flex_files *files, struct flex_mesh *ret);
/** flex_mesh_add_row() - append a row of the matrices. @at: as in struct flex_mesh
 * flex_mesh_index() - write @mesh->row again. */
int flex_mesh_add_row(struct flex_mesh *mesh, long at);
int flex_mesh_index(struct flex_mesh *mesh);
/** flex_mesh_number() - add @n rows in the order of the nodes: 3 for each node, or 6 and further
 * ones. @path: in error messages */
int flex_mesh_number(struct flex_mesh *mesh, long n, const char *path);
/** flex_mesh_row() - find the row of @direction, from 1, of node @id, or add it. Direction 0, and
 * nodes below 0, are further coordinates.
 * Return: 0; -ENOENT: there is no such node or, in a complete mesh, no such row; -ENOMEM. */
int flex_mesh_row(struct flex_mesh *mesh, long id, long direction, long *ret);
/** flex_mesh_has() - return whether @direction, from 0, of a node has a row. */
bool flex_mesh_has(const struct flex_mesh *mesh, int node, int direction);
/** flex_mesh_add_node() - append a node. */
int flex_mesh_add_node(struct flex_mesh *mesh, long id, const double position[3]);
/** flex_mesh_convert() - convert from the units of the files to m and kg. @units: as in struct
 * flex_files */
void flex_mesh_convert(struct flex_mesh *mesh, const char *units);
/** flex_mesh_find() - return the index of the node @id, or -1. */
int flex_mesh_find(const struct flex_mesh *mesh, long id);
void flex_mesh_free(struct flex_mesh *mesh);

/** flex_calculix_read() - read JOB.inp, JOB.dof, JOB.sti and JOB.mas of CalculiX. */
int flex_calculix_read(const char *path, struct flex_mesh *ret);

/* ---- bricks.c ---- */

/** flex_brick_kind() - return the kind of an element by its name in CalculiX, or FLEX_BRICKS.
 * flex_brick_nodes(), flex_brick_points() - number of its nodes, of its integration points. */
enum flex_brick_kind flex_brick_kind(const char *name);
int flex_brick_nodes(enum flex_brick_kind kind);
int flex_brick_points(enum flex_brick_kind kind);
/** flex_brick_slopes() - compute the derivatives of the shape functions with respect to the place,
 * at an integration point. Return: the volume of the point [m^3]; 0: the element is distorted.
 * flex_brick_slopes_at() - the same at a node of the element. */
double flex_brick_slopes(const struct flex_mesh *mesh, const struct flex_brick *brick, int point,
                         double (*ret)[3]);
double flex_brick_slopes_at(const struct flex_mesh *mesh, const struct flex_brick *brick, int node,
                            double (*ret)[3]);
/** flex_brick_stress() - compute the stress xx yy zz xy xz yz for the gradient @G of the
 * displacement, G[i][k] = d u_i / d x_k. */
void flex_brick_stress(const struct flex_brick *brick, double G[3][3], double ret[6]);

/* ---- mesh_check.c, mesh_mass.c ---- */

/** flex_mesh_check() - refuse matrices with degrees of freedom without stiffness, and stiffness
 * matrices of bodies that are not free. @path: in error messages */
int flex_mesh_check(const struct flex_mesh *mesh, const char *path);
/** flex_mesh_mass() - compute the mass distribution. @path: in warnings */
int flex_mesh_mass(const struct flex_mesh *mesh, const char *path, struct flex_mass *ret);
/** flex_mesh_rigid() - write the six rigid motions about @center, @mesh->n x 6. */
void flex_mesh_rigid(const struct flex_mesh *mesh, const double center[3], double *ret);

/* ---- spider.c ---- */

/** struct flex_spider - an interface node at @point.
 * @is_average: its motion is the mean motion of its @n nodes (RBE3); otherwise they move with it as
 *              a rigid body (RBE2)
 * @fit:        6 x 6 for each node: its motion is the sum of @fit times the displacements of the
 *              nodes */
struct flex_spider {
    char name[LK_NAME_SIZE];
    bool is_average;
    int n;
    int *node;
    double point[3];
    double *fit;
};

/** flex_spider_read() - read NAME=ID[,ID-ID...][@X,Y,Z], or with ~ instead of =. An ID may be the
 * name of a set of nodes. */
int flex_spider_read(const char *text, const struct flex_mesh *mesh, struct flex_spider *ret);
/** flex_is_name() - return whether the first @size bytes are a name: letters, digits and _. */
bool flex_is_name(const char *text, size_t size);
/** flex_spider_arm() - write the displacement of @node for a unit motion @j of the spider. */
void flex_spider_arm(const struct flex_spider *spider, const struct flex_mesh *mesh, int node,
                     int j, double ret[6]);
/** flex_spider_motion() - compute the motion of the spider for the displacements @u, 6 for each
 * node of the mesh. */
void flex_spider_motion(const struct flex_spider *spider, const double *u, double ret[6]);
void flex_spider_free(struct flex_spider *spider);
/** flex_mesh_connected() - check that rigid spiders join all separate parts of a mesh. Return: 0;
 * -EINVAL after an error message; -ENOMEM. */
int flex_mesh_connected(const struct flex_mesh *mesh, const struct flex_spider *spiders, int n,
                        const char *path);

/* ---- solid.c ---- */

/** flex_solid() - reduce a finite-element model. @body->modes, its mass and its places are written.
 */
int flex_solid(const struct flex_files *files, const struct flex_wish *wish,
               struct flex_body *body);

/* ---- solver.c, solver_none.c ---- */

struct flex_factor;

/** flex_has_solver - whether this program was built with UMFPACK and ARPACK. */
extern const bool flex_has_solver;
/** flex_factor_new() - factor a matrix. Return: 0; -EDOM: it is singular; -ENOMEM. */
int flex_factor_new(const struct flex_sparse *A, struct flex_factor **ret);
/** flex_factor_solve() - solve A x = b. */
int flex_factor_solve(const struct flex_factor *factor, const double *b, double *x);
void flex_factor_free(struct flex_factor *factor);
/** flex_lowest() - compute the @n_wanted eigenvalues of K x = lambda M x next to @shift.
 * @factor: of K - @shift M, which may have further rows and columns of multipliers
 * @n_rows: rows of @factor
 * @ret_lambda: ascending;  @ret_x: @M->n for each
 * Return: 0; -EDOM: no convergence; -ENOMEM. */
int flex_lowest(const struct flex_factor *factor, long n_rows, const struct flex_sparse *M,
                double shift, int n_wanted, double *ret_lambda, double *ret_x);

#endif
