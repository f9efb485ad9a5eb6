/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the files of this folder. */
#ifndef LK_FOXGLOVE_PARTS_H
#define LK_FOXGLOVE_PARTS_H

#include "foxglove.h"

/** struct lk_remedy - a condition of the daemon, in a table that remedies.py generates from
 * daemon/CONDITIONS.md.
 * @id:     identifier such as "LK-2004"
 * @remedy: text of the remedy */
struct lk_remedy {
    const char *id;
    enum lk_foxglove_level level;
    const char *remedy;
};

extern const struct lk_remedy lk_remedies[];
extern const size_t lk_n_remedies;

/** lk_foxglove_put_time() - Write field @number of @message, a google.protobuf.Timestamp. */
void lk_foxglove_put_time(struct lk_mcap_buffer *message, uint32_t number, uint64_t ns);

#endif
