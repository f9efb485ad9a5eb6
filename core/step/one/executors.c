/* SPDX-License-Identifier: Apache-2.0 */
#include "step/one/executors.h"

const struct lk_executor *const lk_executors_one[LK_SCRIPTS] = {
    [LK_SCRIPT_RATTLE] = &lk_one_rattle,
    [LK_SCRIPT_ALI3] = &lk_one_ali3,
    [LK_SCRIPT_RK4] = &lk_one_rk4,
};
