/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/methods.h"
#include <stddef.h>

#define FIXED(name, symbol)        &symbol,
#define OFFLINE(name, symbol, why) &symbol,
const struct lk_equations *const lk_lab_equations[] = {LK_FORMULATIONS_FIXED(FIXED)
                                                           LK_FORMULATIONS_OFFLINE(OFFLINE) NULL};
