/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_NO_EXCHANGE_H
#define FUZZ_NO_EXCHANGE_H

#include "exchange.h"

/** no_exchange() - Return an exchange without thread and sockets, for struct lkd_rig; see
 * no_exchange.c.
 */
struct lkd_exchange *no_exchange(void);

#endif
