/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/effort.h"

/* initial-exec: no call of __tls_get_addr(), which may allocate on first use */
static _Thread_local struct lk_effort *under_way __attribute__((tls_model("initial-exec")));

struct lk_effort *lk_effort_begin(struct lk_effort *effort)
{
    struct lk_effort *before = under_way;

    under_way = effort;
    return before;
}

bool lk_effort_spend(uint64_t work)
{
    struct lk_effort *effort = under_way;

    if (!effort)
        return false;
    effort->spent += work;
    if (effort->spent - effort->asked >= LK_EFFORT_BETWEEN && !effort->is_over) {
        effort->asked = effort->spent;
        effort->is_over = effort->is_cancelled && effort->is_cancelled(effort->context);
    }
    return effort->is_over;
}
