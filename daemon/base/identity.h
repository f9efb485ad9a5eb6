/* SPDX-License-Identifier: Apache-2.0 */
/* Which life of the daemon this is: claims, tokens and streams belong to one. */
#ifndef LKD_IDENTITY_H
#define LKD_IDENTITY_H

#include <stdint.h>

/** lkd_daemon_id() - a number drawn at the first call, not 0; the same ever after. The first call
 * is made while there is one thread. */
uint64_t lkd_daemon_id(void);

/** lkd_random_id() - a number that nobody can guess, not 0. Thread: any but the cycle. */
uint64_t lkd_random_id(void);

#endif
