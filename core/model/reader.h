/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a model file: one function per section, and their common helpers.
 *
 * A section fills its arrays in struct lk_model. Sections are read in the order of the functions
 * below, so that each section finds the names to which it refers. All return 0, LK_E_TEXT with
 * one line in @err, or -ENOMEM; after an error release the model with lk_model_free(). */
#ifndef LK_MODEL_READER_H
#define LK_MODEL_READER_H

#include "linkage/document.h"
#include "model.h"

/* Bounds that doc/reference states. LK_NUMBER_MAX keeps products of a few numbers within
 * double precision. LK_MASS_MIN and LK_INERTIA_MIN keep inverses within double precision. */
#define LK_BODIES_MAX   4096
#define LK_JOINTS_MAX   8192
#define LK_FORCES_MAX   8192
#define LK_CHANNELS_MAX 1024 /* of inputs, and of outputs */
#define LK_DRIVES_MAX   1024
/* most states of all blocks together: each stage of a step solves for them */
#define LK_STATES_MAX         64
#define LK_ROADS_MAX          256
#define LK_LAWS_MAX           256  /* laws of tyres */
#define LK_POINTS_MAX         4096 /* points of a table, or of a line */
#define LK_PROFILE_POINTS_MIN 8
#define LK_PROFILE_POINTS_MAX 1000 /* each pass of a contact reads all of them */
#define LK_SHAPES_MAX         4096
#define LK_NUMBER_MAX         1e15
#define LK_FACTOR_MAX         1e100 /* largest coefficient in powers of a rate */
#define LK_POSITIVE_MIN       1e-15 /* smallest magnitude of numbers that must not be 0 */
#define LK_MASS_MIN           1e-15 /* smallest mass [kg], unless 0 */
#define LK_INERTIA_MIN        1e-30 /* smallest principal moment [kg m^2], unless 0 */

/** lk_read_top() - check the keys at the top of a model or part, and its version. */
int lk_read_top(struct lk_node root, const char *what, struct lk_error *err);
/** lk_check_file() - refuse the name of a file that is not below its folder, so that an untrusted
 * text cannot read other files. @what: name of the file in the message, such as "road" */
int lk_check_file(struct lk_node node, const char *what, const char *name, struct lk_error *err);

/** lk_read_modes() - read `modes` of a body in @map into a new entry of the modes of @model.
 * lk_read_modal_nodes() - add a body for each node of all modal bodies.
 * lk_free_modes() - release the modes of a model. */
int lk_read_modes(struct lk_node map, struct lk_model *model, int body, struct lk_error *err);
int lk_read_modal_nodes(struct lk_node section, struct lk_model *model, struct lk_error *err);
void lk_free_modes(struct lk_model *model);
int lk_read_bodies(struct lk_node root, struct lk_model *model, struct lk_error *err);
int lk_read_joints(struct lk_node root, struct lk_model *model, struct lk_error *err);
int lk_read_forces(struct lk_node root, struct lk_model *model, struct lk_error *err);
int lk_read_laws(struct lk_node root, struct lk_model *model, struct lk_error *err);
int lk_read_roads(struct lk_node root, struct lk_model *model, struct lk_error *err);
/** struct lk_source - sources of a model in addition to its document.
 * @folder:   see lk_model_read_text_in()
 * @files:    files that the model names, in place of a folder; NULL: none
 * @settings: @n values from outside
 * @parse:    parses the file of a part; NULL: parts are refused
 * @library:  folder of parts that are not in @folder, NULL: none
 * @part:     name of the part, "front.spring";  @depth: parts around it;  @n_parts: parts so far */
struct lk_source {
    const char *folder;
    const struct lk_packed_files *files;
    const struct lk_setting *settings;
    int n;
    int (*parse)(const char *path, struct lk_document **ret_document, struct lk_error *error);
    const char *library;
    const char *part;
    int depth;
    int *n_parts;
};

/** lk_source_find() - find the file @name in the folder of @source, or else in its library. @ret:
 * its path, of LK_SOURCE_PATH bytes. Return: whether there is one with a path that fits. */
#define LK_SOURCE_PATH 4096
bool lk_source_find(const struct lk_source *source, const char *name, char ret[LK_SOURCE_PATH]);

/** lk_model_from_document() - read the model of @document, and free the document. @result, @error:
 * outcome of parsing it. Return: 0, LK_E_TEXT, -ENOMEM. */
int lk_model_from_document(int result, struct lk_document *document, const struct lk_source *source,
                           struct lk_error *error, struct lk_model **ret_model,
                           struct lk_errors *ret_errors);
/** lk_numbers_from_document() - list the numbers of @document, and free the document. */
int lk_numbers_from_document(int result, struct lk_document *document,
                             const struct lk_source *source, struct lk_error *error,
                             struct lk_numbers **ret_numbers, struct lk_errors *ret_errors);

/** lk_free_roads() - release the roads of a model, and their grids. */
void lk_free_roads(struct lk_model *model);
/** lk_read_shapes() - read the shapes for viewers.
 * lk_free_shapes() - release the shapes for viewers. */
int lk_read_shapes(struct lk_node root, struct lk_model *model, struct lk_error *err);
void lk_free_shapes(struct lk_model *model);
/** lk_read_contact() - read a contact of @map into @force; call after the shapes. */
int lk_read_contact(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                    struct lk_error *err);
int lk_read_inputs(struct lk_node root, struct lk_model *model, struct lk_error *err);
/** lk_read_drives() - read the `drive` of every joint; call after the inputs, to which drives
 * refer. */
int lk_read_drives(struct lk_node root, struct lk_model *model, struct lk_error *err);
/** lk_read_blocks() - read the blocks without their inputs.
 * lk_read_block_sources() - read the inputs of the blocks, and find the order of evaluation; call
 * after the joints and inputs.
 * lk_check_blocks() - refuse a block whose output nothing uses; call after all other sections. */
int lk_read_blocks(struct lk_node root, struct lk_model *model, struct lk_error *err);
int lk_read_block_sources(struct lk_node root, struct lk_model *model, struct lk_error *err);
int lk_check_blocks(struct lk_node root, const struct lk_model *model, struct lk_error *err);
int lk_read_outputs(struct lk_node root, struct lk_model *model, struct lk_error *err);
int lk_read_solver(struct lk_node root, struct lk_model *model, struct lk_error *err);

/* ---- names.c ---- */

/** lk_read_section() - find the map @key of @root and allocate an array for its entries; an absent
 * section is empty.
 * @max:       largest number of entries
 * @size:      bytes of an element
 * @ret_map:   the section, or "no such node"
 * @ret_array: zeroed array, NULL for no entries;  @ret_n: number of entries */
int lk_read_section(struct lk_node root, const char *key, int max, size_t size,
                    struct lk_node *ret_map, void *ret_array, int *ret_n, struct lk_error *err);

/** lk_is_name() - return whether @text is a name: a letter or '_', then letters, digits, '_', '-',
 * and single dots between them, at most 63 bytes. The names of parts contain dots. */
bool lk_is_name(const char *text);
/** lk_read_name() - read a name, see lk_is_name().
 * @what: name of the element in the message, such as "body" */
int lk_read_name(struct lk_node node, const char *what, char name[LK_NAME_SIZE],
                 struct lk_error *err);

/** lk_read_unit() - read the key `unit`, which appears unchanged in channels, recordings and
 * descriptions; an absent key gives "1". */
int lk_read_unit(struct lk_node map, char unit[LK_UNIT_SIZE], struct lk_error *err);
/** lk_read_word() - read a name without dots: of a model, a parameter, a part or a port. */
int lk_read_word(struct lk_node node, const char *what, char word[LK_NAME_SIZE],
                 struct lk_error *err);

/** lk_read_type() - read the `type` of an entry of a section, which must be a map.
 * @what:  name of the entry in the message, such as "a joint";  @types: NULL-terminated */
int lk_read_type(struct lk_node map, const char *what, const char *const types[], int *ret_type,
                 struct lk_error *err);

/** lk_read_body() - find the body that scalar @node names; LK_GROUND for "ground" if @ground
 * allows it. A body with modes is refused: its nodes are places on it.
 * lk_read_any_body() - do the same, and accept a body with modes as a frame. */
int lk_read_any_body(struct lk_node node, const struct lk_model *model, bool ground, int *ret_body,
                     struct lk_error *err);
int lk_read_body(struct lk_node node, const struct lk_model *model, bool ground, int *ret_body,
                 struct lk_error *err);
/** lk_read_body_key() - find the body that the value of @key in @map names; the ground is
 * refused. @is_frame: accept a body with modes */
int lk_read_body_key(struct lk_node map, const char *key, const struct lk_model *model,
                     bool is_frame, int *ret_body, struct lk_error *err);
/** lk_read_pair() - read `bodies` of @map: two different bodies, one of which may be the ground.
 * @what: name of their owner in the message, such as "a joint" */
int lk_read_pair(struct lk_node map, const char *what, const struct lk_model *model,
                 int ret_body[2], struct lk_error *err);
/** lk_read_joint() - find the joint that scalar @node names. */
int lk_read_joint(struct lk_node node, const struct lk_model *model, int *ret_joint,
                  struct lk_error *err);
/** lk_read_block() - find the block that scalar @node names. */
int lk_read_block(struct lk_node node, const struct lk_model *model, int *ret_block,
                  struct lk_error *err);
/** lk_read_shape() - find the shape that scalar @node names. */
int lk_read_shape(struct lk_node node, const struct lk_model *model, int *ret_shape,
                  struct lk_error *err);
/** lk_read_force() - find the force element that scalar @node names. */
int lk_read_force(struct lk_node node, const struct lk_model *model, int *ret_force,
                  struct lk_error *err);
/** lk_read_joint_key(), lk_read_input_key(), lk_read_force_key(), lk_read_road_key(),
 * lk_read_law_key() - find the index of the joint, input, force, road or law that the value of
 * `joint`, `input`, `force`, `road`, `law` in @map names. */
int lk_read_joint_key(struct lk_node map, const struct lk_model *model, int *ret_joint,
                      struct lk_error *err);
int lk_read_input_key(struct lk_node map, const struct lk_model *model, int *ret_input,
                      struct lk_error *err);
int lk_read_force_key(struct lk_node map, const struct lk_model *model, int *ret_force,
                      struct lk_error *err);
int lk_read_road_key(struct lk_node map, const struct lk_model *model, int *ret_road,
                     struct lk_error *err);
int lk_read_law_key(struct lk_node map, const struct lk_model *model, int *ret_law,
                    struct lk_error *err);

/* ---- coordinates.c ---- */

/** enum lk_coordinate_kind - which coordinates of a joint are accepted. */
enum lk_coordinate_kind { LK_COORDINATE_ANY, LK_COORDINATE_ANGLE, LK_COORDINATE_LENGTH };

/** lk_check_coordinate() - refuse @node, which names joint @joint, if the joint has no coordinate
 * of @kind. */
int lk_check_coordinate(struct lk_node node, const struct lk_model *model, int joint,
                        enum lk_coordinate_kind kind, struct lk_error *err);
/** lk_read_coordinate() - find the coordinate of joint @joint that `coordinate` in @map names.
 * Call after lk_check_coordinate(). The key is required only if the joint has several
 * coordinates of @kind. If @map is a scalar (a name alone), there is no key. */
int lk_read_coordinate(struct lk_node map, const struct lk_model *model,
                       enum lk_coordinate_kind kind, int joint, int *ret_coordinate,
                       struct lk_error *err);
/** lk_read_coupled() - read a joint and its coordinate from @node of a list: a name, or {joint,
 * coordinate} if the joint has several coordinates. */
int lk_read_coupled(struct lk_node node, const struct lk_model *model, enum lk_coordinate_kind kind,
                    int *ret_joint, int *ret_coordinate, struct lk_error *err);
/** lk_read_coordinate_key() - find the joint that `joint` in @map names, and its coordinate. */
int lk_read_coordinate_key(struct lk_node map, const struct lk_model *model,
                           enum lk_coordinate_kind kind, int *ret_joint, int *ret_coordinate,
                           struct lk_error *err);
/** lk_read_coordinates() - read the values of the coordinates of a joint: a number, or a map from
 * their names to numbers if there are several. Values that are absent leave @ret unchanged.
 * @ret_given: bit i: coordinate i is given; NULL is allowed */
int lk_read_coordinates(struct lk_node map, const char *key, enum lk_joint_type type, double *ret,
                        unsigned *ret_given, struct lk_error *err);
/** lk_coordinate_names() - write the names of the coordinates of a type, NULL-terminated. */
void lk_coordinate_names(enum lk_joint_type type, const char *ret[LK_COORDINATES_MAX + 1]);

/* ---- read_couplings.c ---- */

/** lk_joint_is_coupling() - return whether @type relates joints instead of two bodies. */
static inline bool lk_joint_is_coupling(enum lk_joint_type type)
{
    return lk_coupled_joints(type) > 0;
}

/** lk_read_coupling() - read the coordinates that a gear or rack relates. Call after the names of
 * all joints are read. */
int lk_read_coupling(struct lk_node map, const struct lk_model *model, struct lk_joint_def *joint,
                     struct lk_error *err);

/* ---- read_laws.c, read_tyres.c ---- */

/** lk_read_law_map() - read a law of a tyre from its @map. */
int lk_read_law_map(struct lk_node map, struct lk_tyre_law *law, struct lk_error *err);

/** lk_read_tyre() - read the force of type tyre @map: a wheel, its road, its law; append it to the
 * tyres. */
int lk_read_tyre(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                 struct lk_error *err);

/* ---- read_tables.c ---- */

/** lk_read_table() - append a table {@x: [...], @y: [...]} to the model's tables; an absent key
 * leaves *@ret_table unchanged.
 * @rising: y must be non-decreasing */
int lk_read_table(struct lk_node map, const char *key, const char *x, const char *y, bool rising,
                  struct lk_model *model, int *ret_table, struct lk_error *err);
/** lk_read_map() - append a map {rate: [...], level: [...], force: [[at the first level], ...]}
 * to the model's tables: one table of the levels, then for each level a table of rate to force.
 * The key is required. */
int lk_read_map(struct lk_node map, const char *key, struct lk_model *model, int *ret_table,
                struct lk_error *err);
/** lk_free_tables() - release the tables of a model. */
void lk_free_tables(struct lk_model *model);

/* ---- read_linear.c ---- */

/** lk_read_transfer_function() - read `num` and `den` of @map, and compute the matrices of
 * @block. */
int lk_read_transfer_function(struct lk_node map, struct lk_block_def *block, struct lk_error *err);
/** lk_read_state_space() - read `a`, `b`, `c`, `d` and `initial` of @map, the node of a block
 * whose inputs are already read. The states of the block are scaled by powers of two. */
int lk_read_state_space(struct lk_node map, struct lk_block_def *block, struct lk_error *err);

/* ---- values.c ---- */

/** lk_read_vector_or() - read three numbers within LK_NUMBER_MAX; an absent key leaves @ret
 * unchanged. */
int lk_read_vector_or(struct lk_node map, const char *key, double ret[3], struct lk_error *err);
/** lk_read_vector() - read three numbers within LK_NUMBER_MAX; the key is required. */
int lk_read_vector(struct lk_node map, const char *key, double ret[3], struct lk_error *err);
/** lk_read_vector_node() - read @node itself as three numbers within LK_NUMBER_MAX; @what: its
 * name in messages. */
int lk_read_vector_node(struct lk_node node, const char *what, double ret[3], struct lk_error *err);
/** lk_read_numbers() - read @n numbers within LK_NUMBER_MAX. */
int lk_read_numbers(struct lk_node map, const char *key, int n, double *ret, struct lk_error *err);
/** lk_read_numbers_node() - read @node itself, a list of @n numbers within LK_NUMBER_MAX; @what:
 * its name in messages. */
int lk_read_numbers_node(struct lk_node node, const char *what, int n, double *ret,
                         struct lk_error *err);
/** lk_read_numbers_within() - read @node, a list of @n numbers within @max. */
int lk_read_numbers_within(struct lk_node node, const char *what, int n, double max, double *ret,
                           struct lk_error *err);
/** lk_read_number_or() - read a number from @min to LK_NUMBER_MAX; an absent key leaves *@ret
 * unchanged.
 */
int lk_read_number_or(struct lk_node map, const char *key, double min, double *ret,
                      struct lk_error *err);
/** lk_read_number() - read a number from @min to LK_NUMBER_MAX; the key is required. */
int lk_read_number(struct lk_node map, const char *key, double min, double *ret,
                   struct lk_error *err);
/** lk_read_number_node() - read @node itself as a number; @what: its name in messages. */
int lk_read_number_node(struct lk_node node, const char *what, double *ret, struct lk_error *err);
/** lk_read_limits() - read `limits` of @map: a lowest and a highest value, which may be infinite.
 * An absent key leaves @ret unchanged. */
int lk_read_limits(struct lk_node map, double ret[2], struct lk_error *err);
/** lk_read_positive_or() - read a number from LK_POSITIVE_MIN to LK_NUMBER_MAX; an absent key
 * leaves *@ret unchanged. */
int lk_read_positive_or(struct lk_node map, const char *key, double *ret, struct lk_error *err);
/** lk_read_positive() - read a number from LK_POSITIVE_MIN to LK_NUMBER_MAX; the key is required.
 */
int lk_read_positive(struct lk_node map, const char *key, double *ret, struct lk_error *err);
/** lk_read_nonzero() - read a number of either sign, LK_POSITIVE_MIN to LK_NUMBER_MAX in magnitude.
 */
int lk_read_nonzero(struct lk_node map, const char *key, double *ret, struct lk_error *err);
/** lk_read_compliance() - read `stiffness` and `damping` of @map, @n numbers each. No number is
 * below 0, and not all are 0; damping may be absent. */
int lk_read_compliance(struct lk_node map, int n, struct lk_compliance *ret, struct lk_error *err);
/** lk_read_direction_node() - read three numbers and scale them to a unit vector; a vector
 * shorter than 1e-9 is refused. */
int lk_read_direction_node(struct lk_node node, const char *what, double ret[3],
                           struct lk_error *err);
/** typedef lk_vector_reader - lk_read_vector_node() or lk_read_direction_node(). */
typedef int lk_vector_reader(struct lk_node node, const char *what, double ret[3],
                             struct lk_error *err);
/** lk_read_both() - read the value of @key in @map: a list of two vectors, one for each body. */
int lk_read_both(struct lk_node map, const char *key, lk_vector_reader *read, double ret[2][3],
                 struct lk_error *err);
/** lk_read_sides() - read key @one, a vector for both bodies, or key @two, a list with one vector
 * for each body. Key @two is for an initial configuration in which the joint is open. Exactly
 * one of the keys is required. */
int lk_read_sides(struct lk_node map, const char *one, const char *two, lk_vector_reader *read,
                  double ret[2][3], struct lk_error *err);
/** lk_read_number_or_signal() - read a number from @min, or `{input: NAME}` with an input of type
 * signal, whose unit becomes @unit, or `{block: NAME}`; an absent key leaves both unchanged.
 * @ret_input: index of the input, or of the block (counted after all inputs); else unchanged */
int lk_read_number_or_signal(struct lk_node map, const char *key, double min, const char *unit,
                             const struct lk_model *model, double *ret, int *ret_input,
                             struct lk_error *err);
/** lk_read_signal() - read {input: NAME} or {block: NAME} of @node in the same way as
 * lk_read_number_or_signal(); @key: its name in messages. */
int lk_read_signal(struct lk_node node, const char *key, const char *unit,
                   const struct lk_model *model, double *ret, int *ret_input, struct lk_error *err);
/** lk_read_vector_or_signals() - read three numbers within LK_NUMBER_MAX or signals; an absent key
 * leaves all unchanged. */
int lk_read_vector_or_signals(struct lk_node map, const char *key, const char *unit,
                              const struct lk_model *model, double ret[3], int ret_input[3],
                              struct lk_error *err);
/** lk_check_apart() - refuse `points` of @map, already read into @point, if they coincide. */
int lk_check_apart(struct lk_node map, double point[2][3], double *ret_distance,
                   struct lk_error *err);
/** lk_read_orientation_or() - read {axis, angle} or {quaternion} as a unit quaternion; an absent
 * key leaves @ret unchanged. */
int lk_read_orientation_or(struct lk_node map, const char *key, double ret[4],
                           struct lk_error *err);
/** lk_quaternion_to() - compute the shortest rotation of the z axis to unit vector @axis. */
void lk_quaternion_to(const double axis[3], double ret[4]);
/** lk_read_frame_or() - read `world` or `body`; an absent key leaves *@ret unchanged. */
int lk_read_frame_or(struct lk_node map, const char *key, enum lk_frame *ret, struct lk_error *err);

/* ---- inertia.c ---- */

/** lk_principal_moments() - compute the eigenvalues of a symmetric 3 by 3 matrix, ascending.
 * @inertia: xx yy zz xy xz yz */
void lk_principal_moments(const double inertia[6], double ret[3]);
/** lk_principal_axes() - compute the eigenvalues, not sorted, and unit eigenvectors in the columns
 * of @ret_axes, right-handed. */
void lk_principal_axes(const double inertia[6], double ret[3], double ret_axes[3][3]);

#endif
