/* SPDX-License-Identifier: Apache-2.0 */
/* linkage check --treatment: the compiler's treatment of each element. */
#include "check.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

/* Print the number of elements without special treatment whose type is @kind, such as "3 joints".
 * @kinds: plural of @kind */
static void count_plain(const struct lk_treatment *t, const char *kind, const char *kinds,
                        const char *how)
{
    int n = 0;

    for (int i = 0; i < t->n; i++)
        n += t->list[i].is_plain && strncmp(t->list[i].where, kind, strlen(kind)) == 0;
    if (n > 0)
        printf("  %d %s: %s\n", n, n == 1 ? kind : kinds, how);
}

void print_treatment(const struct lk_treatment *t)
{
    bool is_any = false;

    printf("treatment\n");
    for (int i = 0; i < t->n; i++)
        if (!t->list[i].is_plain)
            printf("  %-18s %s\n", t->list[i].where, t->list[i].how);
    count_plain(t, "body", "bodies", "mass and moments of inertia as given");
    count_plain(t, "joint", "joints", "all their rows");
    count_plain(t, "force", "forces", "rows of the step or applied loads, as given");
    printf("reductions         ");
    for (int k = 0; lk_reduction_names[k]; k++)
        if (t->reductions >> k & 1) {
            printf("%s %s", is_any ? "," : "", lk_reduction_names[k]);
            is_any = true;
        }
    printf("%s\n", is_any ? "; `solver: {reductions: none}` switches them off" : " none");
}
