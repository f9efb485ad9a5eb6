/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of the configuration's sections share. Each section beyond the first ones has a
 * file of its own, config_NAME.c, with one function that config.c calls.
 *
 * All return 0, or LK_E_TEXT with "file:line:column: ..." in @error; a key that is not there leaves
 * its place as it was. */
#ifndef LKD_CONFIG_READ_H
#define LKD_CONFIG_READ_H

#include "config.h"
#include "linkage/document.h"

/** lkd_config_section() - an optional section of @root that may have the keys @allowed
 * (NULL-terminated); no node when it is not there. */
int lkd_config_section(struct lk_node root, const char *key, const char *const allowed[],
                       struct lk_node *ret_node, struct lk_error *error);

/** lkd_config_choice_or() - one of @choices (NULL-terminated), by index. */
int lkd_config_choice_or(struct lk_node node, const char *key, const char *const choices[],
                         int *ret_choice, struct lk_error *error);

/** lkd_config_between() - a number within limits. */
int lkd_config_between(struct lk_node node, const char *key, double low, double high, double *ret,
                       struct lk_error *error);

/* Sections with a file of their own. */
int lkd_config_security(struct lk_node root, const char *config_path, struct lkd_config *config,
                        struct lk_error *error);
int lkd_config_privileges(struct lk_node root, struct lkd_config *config, struct lk_error *error);

/** lkd_config_policy() - section `policy`;  lkd_config_inputs() - section `inputs`, after it: what
 * is not said of a channel is as in the policy. */
int lkd_config_policy(struct lk_node root, struct lkd_config *config, struct lk_error *error);
int lkd_config_inputs(struct lk_node root, struct lkd_config *config, struct lk_error *error);

/** lkd_config_has_keys() - whether there is a section `security`: then control, inputs and outputs
 * may be reached from other machines. */
bool lkd_config_has_keys(struct lk_node root);

/** lkd_config_path() - a path; a relative one means: next to the configuration file at
 * @config_path. @ret_path: PATH_MAX bytes */
int lkd_config_path(struct lk_node node, const char *key, const char *config_path, char *ret_path,
                    struct lk_error *error);

/** lkd_config_villas() - section villas; after the endpoints. */
int lkd_config_villas(struct lk_node root, struct lkd_config *config, struct lk_error *error);

/** lkd_config_line() - section `line`. */
int lkd_config_line(struct lk_node root, struct lkd_config *config, struct lk_error *error);

/** lkd_config_record() - section `record`. */
int lkd_config_record(struct lk_node root, const char *config_path, struct lkd_config *config,
                      struct lk_error *error);

/** lkd_config_udp() - "udp://127.0.0.1:5610": a numeric address. @size: bytes of @ret_text */
int lkd_config_udp(struct lk_node node, const char *key, size_t size, char *ret_text,
                   struct sockaddr_in *ret_address, struct lk_error *error);

/** lkd_config_outputs() - section `outputs`;  lkd_config_motion() - list `motion`;
 * lkd_config_cueing() - section `cueing`, before it. */
int lkd_config_cueing(struct lk_node root, struct lkd_config *config, struct lk_error *error);
int lkd_config_outputs(struct lk_node root, struct lkd_config *config, struct lk_error *error);
int lkd_config_motion(struct lk_node root, struct lkd_config *config, struct lk_error *error);

#endif
