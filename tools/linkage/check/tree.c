/* SPDX-License-Identifier: Apache-2.0 */
/* The elimination tree of a model, as text and for Graphviz. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#define NAMES_SHOWN  4
#define LEVELS_SHOWN 24                     /* levels that are printed, four columns each */
#define PREFIX_SIZE  (LEVELS_SHOWN * 8 + 1) /* a box-drawing character has three bytes */

typedef const char *naming(const struct lk_system *system, int i, char *text, size_t size);

/* Print a list of names, such as "a, b, c, d and 3 more". */
static void print_names(const struct lk_system *system, naming *name, const int *list, int n,
                        const char *separator)
{
    char text[LK_TEXT_SIZE];

    for (int i = 0; i < n && i < NAMES_SHOWN; i++)
        printf("%s%s", i > 0 ? separator : "", name(system, list[i], text, sizeof(text)));
    if (n > NAMES_SHOWN)
        printf(" and %d more", n - NAMES_SHOWN);
}

static void print_front(const struct lk_system *system, const struct lk_tree_front *front,
                        int number)
{
    int remaining = front->n_joints - front->n_eliminated;
    char text[LK_TEXT_SIZE];

    printf("front %d: eliminates ", number);
    print_names(system, lk_joint_text, front->joints, front->n_eliminated, ", ");
    if (front->hub >= 0)
        printf("the motion of %s", lk_body_text(system, front->hub, text, sizeof(text)));
    printf("%s%d row%s", front->n_eliminated > 0 || front->hub >= 0 ? ": " : "",
           front->rows_eliminated, front->rows_eliminated == 1 ? "" : "s");
    if (front->rows_remaining > 0)
        printf("; %d remain, of ", front->rows_remaining);
    print_names(system, lk_joint_text, front->joints + front->n_eliminated, remaining, ", ");
    if (front->hangs_on >= 0)
        printf("%sthe motion of %s", remaining > 0 ? ", " : "",
               lk_body_text(system, front->hangs_on, text, sizeof(text)));
    if (front->n_bodies > 0) {
        printf(front->n_bodies > 1 ? "; bodies " : "; body ");
        print_names(system, lk_body_text, front->bodies, front->n_bodies, ", ");
    }
    putchar('\n');
}

static int count_fronts(const struct lk_tree_view *view, int f)
{
    const struct lk_tree_front *front = &view->fronts[f];
    int n = 1;

    for (int i = 0; i < front->n_children; i++)
        n += count_fronts(view, front->children[i]);
    return n;
}

/* Print one front and all fronts below it.
 * @prefix: prefix of the lines of its children */
static void print_branch(const struct lk_system *system, const struct lk_tree_view *view, int f,
                         int level, char *prefix)
{
    const struct lk_tree_front *front = &view->fronts[f];
    size_t length = strlen(prefix);

    print_front(system, front, f);
    for (int i = 0; i < front->n_children; i++) {
        bool is_last = i == front->n_children - 1;

        if (level == LEVELS_SHOWN) {
            printf("%s└── ... %d fronts below\n", prefix, count_fronts(view, f) - 1);
            return;
        }
        printf("%s%s", prefix, is_last ? "└── " : "├── ");
        strcpy(prefix + length, is_last ? "    " : "│   ");
        print_branch(system, view, front->children[i], level + 1, prefix);
        prefix[length] = '\0';
    }
}

/* Print bodies without joints, which are in no front. */
static void print_free_bodies(const struct lk_system *system, const struct lk_tree_view *view)
{
    struct lk_summary summary;
    char text[LK_TEXT_SIZE];
    bool any = false;

    lk_system_summary(system, &summary);
    for (int b = 0; b < summary.n_bodies; b++) {
        bool is_free = true;

        for (int f = 0; f < view->n_fronts && is_free; f++)
            for (int i = 0; i < view->fronts[f].n_bodies; i++)
                is_free &= view->fronts[f].bodies[i] != b;
        if (!is_free)
            continue;
        printf("%s%s", any ? ", " : "in no front: ", lk_body_text(system, b, text, sizeof(text)));
        any = true;
    }
    if (any)
        putchar('\n');
}

void print_tree(const struct lk_system *system, const struct lk_tree_view *view)
{
    char prefix[PREFIX_SIZE] = "";

    for (int f = view->n_fronts - 1; f >= 0; f--)
        if (view->fronts[f].parent < 0)
            print_branch(system, view, f, 0, prefix);
    print_free_bodies(system, view);
}

/* Names are not escaped, because they never contain characters that Graphviz requires to be
 * escaped. */
void print_tree_dot(const struct lk_system *system, const struct lk_tree_view *view,
                    const char *name)
{
    char text[LK_TEXT_SIZE];

    printf("digraph \"%s\" {\n  node [shape=box];\n", name);
    for (int f = 0; f < view->n_fronts; f++) {
        const struct lk_tree_front *front = &view->fronts[f];

        printf("  front%d [label=\"", f);
        print_names(system, lk_joint_text, front->joints, front->n_eliminated, "\\n");
        if (front->hub >= 0)
            printf("motion of %s", lk_body_text(system, front->hub, text, sizeof(text)));
        printf("\\n%d rows, %d remain\"];\n", front->rows_eliminated, front->rows_remaining);
        for (int i = 0; i < front->n_children; i++)
            printf("  front%d -> front%d;\n", f, front->children[i]);
        for (int i = 0; i < front->n_bodies; i++)
            printf("  body%d [label=\"%s\", shape=ellipse];\n  front%d -> body%d;\n",
                   front->bodies[i], lk_body_text(system, front->bodies[i], text, sizeof(text)), f,
                   front->bodies[i]);
    }
    printf("}\n");
}
