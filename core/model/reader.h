/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a model file: one function a section, and what they share.
 *
 * A section fills its arrays in struct lk_model; sections are read in the order of the functions
 * below, so that each finds the names it refers to. All return 0, LK_E_TEXT with one line in @err,
 * or -ENOMEM; a model half read is released with lk_model_free(). */
#ifndef LK_MODEL_READER_H
#define LK_MODEL_READER_H

#include "linkage/document.h"
#include "model.h"

/* Bounds that config/README.md states. LK_NUMBER_MAX keeps products of a few numbers, and
 * LK_MASS_MIN and LK_INERTIA_MIN their inverses, within double precision. */
#define LK_BODIES_MAX   4096
#define LK_JOINTS_MAX   8192
#define LK_FORCES_MAX   8192
#define LK_CHANNELS_MAX 1024 /* inputs; outputs */
#define LK_NUMBER_MAX   1e15
#define LK_MASS_MIN     1e-15 /* [kg] */
#define LK_INERTIA_MIN  1e-30 /* [kg m^2], principal */

int lk_read_bodies(struct lk_node root, struct lk_model *model, struct lk_error *err);
int lk_read_joints(struct lk_node root, struct lk_model *model, struct lk_error *err);
int lk_read_forces(struct lk_node root, struct lk_model *model, struct lk_error *err);
int lk_read_inputs(struct lk_node root, struct lk_model *model, struct lk_error *err);
int lk_read_outputs(struct lk_node root, struct lk_model *model, struct lk_error *err);
int lk_read_solver(struct lk_node root, struct lk_model *model, struct lk_error *err);

/* ---- names.c ---- */

/** lk_read_section() - the map @key of @root, allocated for its entries; absent means empty.
 * @max:       entries at most
 * @size:      bytes of an element
 * @ret_map:   the section, or "no such node"
 * @ret_array: zeroed, NULL for no entries;  @ret_n: how many */
int lk_read_section(struct lk_node root, const char *key, int max, size_t size,
                    struct lk_node *ret_map, void *ret_array, int *ret_n, struct lk_error *err);

/** lk_read_name() - a name: a letter or '_', then letters, digits, '_', '-', 63 bytes at most.
 * @what: "body", as the message calls it */
int lk_read_name(struct lk_node node, const char *what, char name[LK_NAME_SIZE],
                 struct lk_error *err);

/** lk_read_body() - the body that scalar @node names, LK_GROUND for "ground" if @ground allows. */
int lk_read_body(struct lk_node node, const struct lk_model *model, bool ground, int *ret_body,
                 struct lk_error *err);
/** lk_read_body_key() - the same for the value of @key in @map; the ground is refused. */
int lk_read_body_key(struct lk_node map, const char *key, const struct lk_model *model,
                     int *ret_body, struct lk_error *err);
/** lk_read_joint_key() - the joint that the value of @key in @map names.
 * @allowed: bit 1 << type for each type of joint that will do, 0 for all */
int lk_read_joint_key(struct lk_node map, const char *key, const struct lk_model *model,
                      unsigned allowed, int *ret_joint, struct lk_error *err);

/* ---- values.c ---- */

/** lk_read_vector_or() - three numbers within LK_NUMBER_MAX; absent leaves @ret as it is. */
int lk_read_vector_or(struct lk_node map, const char *key, double ret[3], struct lk_error *err);
/** lk_read_vector() - the same, must be there. */
int lk_read_vector(struct lk_node map, const char *key, double ret[3], struct lk_error *err);
/** lk_read_vector_node() - the same for @node itself; @what names it. */
int lk_read_vector_node(struct lk_node node, const char *what, double ret[3], struct lk_error *err);
/** lk_read_numbers() - @n numbers within LK_NUMBER_MAX. */
int lk_read_numbers(struct lk_node map, const char *key, int n, double *ret, struct lk_error *err);
/** lk_read_number_or() - a number from @min to LK_NUMBER_MAX; absent leaves *@ret as it is. */
int lk_read_number_or(struct lk_node map, const char *key, double min, double *ret,
                      struct lk_error *err);
/** lk_read_direction_node() - three numbers, made a unit vector; refused if shorter than 1e-9. */
int lk_read_direction_node(struct lk_node node, const char *what, double ret[3],
                           struct lk_error *err);
/** lk_read_orientation_or() - {axis, angle} or {quaternion}, as unit quaternion. */
int lk_read_orientation_or(struct lk_node map, const char *key, double ret[4],
                           struct lk_error *err);
/** lk_read_frame_or() - world or body; absent leaves *@ret as it is. */
int lk_read_frame_or(struct lk_node map, const char *key, enum lk_frame *ret, struct lk_error *err);

/* ---- inertia.c ---- */

/** lk_principal_moments() - eigenvalues of a symmetric 3 by 3 matrix, ascending.
 * @inertia: xx yy zz xy xz yz */
void lk_principal_moments(const double inertia[6], double ret[3]);

#endif
