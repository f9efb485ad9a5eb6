/* SPDX-License-Identifier: Apache-2.0 */
/* Is an injection one that makes sense? */
#ifndef LKD_IO_INJECT_CHECK_H
#define LKD_IO_INJECT_CHECK_H

#include "claims.h"
#include "inject.h"

/** lkd_injection_check() - kind, target and numbers. @claims: whose benches and channels there are
 * Return: RESULT_OK; RESULT_BAD_VALUE, RESULT_UNKNOWN_CHANNEL (@error says why). */
Linkage__V1__Result lkd_injection_check(const struct lkd_injection *injection,
                                        const struct lkd_claims *claims, struct lk_error *error);

/** lkd_injection_channel() - the channel that @target names, or -1. */
int lkd_injection_channel(const struct lk_channel *channels, int n, const char *target);

#endif
