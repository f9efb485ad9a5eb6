/* SPDX-License-Identifier: Apache-2.0 */
/* Identity of this daemon process. Claims, tokens and streams are valid for one process only. */
#ifndef LKD_IDENTITY_H
#define LKD_IDENTITY_H

#include <stdint.h>

/** lkd_daemon_id() - Return a random number, not 0, drawn at the first call and constant
 * afterwards. Make the first call while the process has one thread. */
uint64_t lkd_daemon_id(void);

/** lkd_random_id() - Return an unpredictable random number, not 0. Thread: any but the cycle. */
uint64_t lkd_random_id(void);

#endif
