/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces lkd_exchange_start(), for a daemon whose exchange thread cannot be created. */
#include "exchange.h"
#include <errno.h>

int __wrap_lkd_exchange_start(const struct lkd_exchange_options *options,
                              struct lkd_exchange **ret_exchange);

int __wrap_lkd_exchange_start(const struct lkd_exchange_options *options,
                              struct lkd_exchange **ret_exchange)
{
    (void)options, (void)ret_exchange;
    return -EAGAIN;
}
