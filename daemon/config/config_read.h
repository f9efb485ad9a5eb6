/* SPDX-License-Identifier: Apache-2.0 */
/* Functions shared by the readers of the configuration sections. Most sections have their own file,
 * config_NAME.c, with one function that config.c calls.
 *
 * All return 0, or LK_E_TEXT with "file:line:column: ..." in @error; if a key is missing, its field
 * keeps its value. */
#ifndef LKD_CONFIG_READ_H
#define LKD_CONFIG_READ_H

#include "config.h"
#include "linkage/document.h"

/** lkd_config_section() - Find an optional section of @root and check that its keys are in @allowed
 * (NULL-terminated). If the section is missing, @ret_node has the kind LK_NODE_NONE. */
int lkd_config_section(struct lk_node root, const char *key, const char *const allowed[],
                       struct lk_node *ret_node, struct lk_error *error);

/** lkd_config_choice_or() - Read an optional value that must be one of @choices (NULL-terminated),
 * as its index. */
int lkd_config_choice_or(struct lk_node node, const char *key, const char *const choices[],
                         int *ret_choice, struct lk_error *error);

/** lkd_config_between() - Read an optional number from @low to @high. */
int lkd_config_between(struct lk_node node, const char *key, double low, double high, double *ret,
                       struct lk_error *error);

/* Functions for sections that have their own file. */
int lkd_config_security(struct lk_node root, const char *config_path, struct lkd_config *config,
                        struct lk_error *error);
int lkd_config_privileges(struct lk_node root, struct lkd_config *config, struct lk_error *error);

/** lkd_config_policy(), lkd_config_inputs() - Read the sections `policy` and `inputs`. Call
 * lkd_config_inputs() last, because `policy` provides the defaults of each channel. */
int lkd_config_policy(struct lk_node root, struct lkd_config *config, struct lk_error *error);
int lkd_config_inputs(struct lk_node root, struct lkd_config *config, struct lk_error *error);

/** lkd_config_has_keys() - Return true if there is a section `security`. Only then may control,
 * inputs and outputs accept other machines. */
bool lkd_config_has_keys(struct lk_node root);

/** lkd_config_path() - Read a path. A relative path is resolved against the folder of the
 * configuration file @config_path. @ret_path: PATH_MAX bytes */
int lkd_config_path(struct lk_node node, const char *key, const char *config_path, char *ret_path,
                    struct lk_error *error);

/** lkd_config_villas() - Read section `villas`; call after reading the endpoints. */
int lkd_config_villas(struct lk_node root, struct lkd_config *config, struct lk_error *error);

/** lkd_config_line() - Read section `line`. */
int lkd_config_line(struct lk_node root, struct lkd_config *config, struct lk_error *error);

/** lkd_config_record() - Read section `record`. */
int lkd_config_record(struct lk_node root, const char *config_path, struct lkd_config *config,
                      struct lk_error *error);

/** lkd_config_udp() - Read a numeric UDP address such as "udp://127.0.0.1:5610".
 * @size: bytes of @ret_text */
int lkd_config_udp(struct lk_node node, const char *key, size_t size, char *ret_text,
                   struct sockaddr_in *ret_address, struct lk_error *error);

/** lkd_config_cueing(), lkd_config_outputs(), lkd_config_motion() - Read the sections `cueing` and
 * `outputs` and the list `motion`. Call lkd_config_cueing() before lkd_config_motion(). */
int lkd_config_cueing(struct lk_node root, struct lkd_config *config, struct lk_error *error);
int lkd_config_outputs(struct lk_node root, struct lkd_config *config, struct lk_error *error);
int lkd_config_motion(struct lk_node root, struct lkd_config *config, struct lk_error *error);

#endif
