/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of injections. */
#ifndef LKD_IO_INJECT_CHECK_H
#define LKD_IO_INJECT_CHECK_H

#include "claims.h"
#include "inject.h"

/** lkd_injection_check() - Check kind, target and numbers.
 * @claims: the known benches and channels
 * Return: RESULT_OK; RESULT_BAD_VALUE, RESULT_UNKNOWN_CHANNEL (@error: the reason). */
Linkage__V1__Result lkd_injection_check(const struct lkd_injection *injection,
                                        const struct lkd_claims *claims, struct lk_error *error);

#endif
