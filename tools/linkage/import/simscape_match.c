/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the constraints between two bodies to one joint. First, pairs without relative motion
 * are merged, repeatedly until no such pair is left. Then all constraints between two bodies form
 * one joint. */
#include "simscape_assembly.h"

#include <stdlib.h>
#include <string.h>

/* Return the two bodies of a constraint, the one with the lower index first. */
static void bodies_of(const struct assembly *a, const struct mate *mate, int ret[2])
{
    int one = a->piece[mate->piece[0]].held, other = a->piece[mate->piece[1]].held;

    ret[0] = one < other ? one : other;
    ret[1] = one < other ? other : one;
}

/** struct order - a constraint between two bodies, for sorting.
 * @at: index in @a->mate */
struct order {
    int body[2], at;
};

static int compare_orders(const void *one, const void *other)
{
    const struct order *a = one, *b = other;

    for (int k = 0; k < 2; k++)
        if (a->body[k] != b->body[k])
            return a->body[k] < b->body[k] ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* Copy the rows of @n constraints to @row.
 * Return: number of rows. */
static int gather_rows(const struct assembly *a, const struct order *order, int n, struct row *row)
{
    int n_rows = 0;

    for (int i = 0; i < n; i++) {
        const struct mate *mate = &a->mate[order[i].at];

        memcpy(row + n_rows, mate->row, (size_t)mate->n * sizeof(*row));
        n_rows += mate->n;
    }
    return n_rows;
}

static void tell_joint(const struct assembly *a, const struct tie *tie, const struct mate *mate,
                       int n)
{
    static const char *const names[] = {[KIND_FIXED] = "weld",
                                        [KIND_REVOLUTE] = "revolute",
                                        [KIND_PRISMATIC] = "prismatic",
                                        [KIND_SPHERICAL] = "spherical",
                                        [KIND_PLANAR] = "planar",
                                        [KIND_FLOATING] = "floating",
                                        [KIND_CYLINDRICAL] = "cylindrical"};
    char parts[100] = "";

    for (int k = 0; k < tie->n; k++)
        snprintf(parts + strlen(parts), sizeof(parts) - strlen(parts), "%s%s", k > 0 ? " and " : "",
                 names[tie->part[k].kind]);
    note(a->r->notes, NOTE_SAID, tie->line, "'%s' and '%s': %s of %d constraint%s",
         piece_name(a, mate->piece[0]), piece_name(a, mate->piece[1]), parts, n, n > 1 ? "s" : "");
}

/* Find the joint that is equivalent to @n constraints between two bodies, and add it.
 * @welds: do so only if the bodies have no relative motion
 * Return: true if the two bodies are one body now. */
static bool match_pair(struct assembly *a, const struct order *order, int n, bool welds,
                       struct row *row)
{
    const struct mate *mate = &a->mate[order[0].at];
    struct tie found = {0}, *tie;
    const int *piece = mate->piece;
    int n_free[2];
    const char *why = find_joint(row, gather_rows(a, order, n, row), &found, n_free);
    char name[130];

    if (welds && (why != NULL || found.part[0].kind != KIND_FIXED))
        return false;
    if (why != NULL) {
        note(a->r->notes, NOTE_ERROR, mate->line,
             "'%s' and '%s' keep %d rotation%s and %d displacement%s by %d constraint%s from '%s' "
             "on: %s",
             piece_name(a, piece[0]), piece_name(a, piece[1]), n_free[0], n_free[0] == 1 ? "" : "s",
             n_free[1], n_free[1] == 1 ? "" : "s", n, n == 1 ? "" : "s", mate->name, why);
        return false;
    }
    snprintf(name, sizeof(name), "%.60s_%.60s", piece_name(a, mate->piece[0]),
             piece_name(a, mate->piece[1]));
    tie = assembly_tie(a, name, mate->line, piece, found.at[0], found.at[1]);
    if (tie == NULL)
        return false;
    memcpy(tie->part, found.part, sizeof(tie->part));
    tie->n = found.n;
    tell_joint(a, tie, mate, n);
    if (welds)
        assembly_hold(a, piece[0], piece[1]);
    return welds;
}

/* Find the joints of all pairs of bodies with constraints between them.
 * @welds: only of pairs without relative motion
 * Return: true if bodies were merged. */
static bool match_pairs(struct assembly *a, bool welds, struct order *order, struct row *row)
{
    bool any = false;
    int n = 0;

    for (int i = 0; i < a->n_mates; i++) {
        bodies_of(a, &a->mate[i], order[n].body);
        order[n].at = i;
        n += a->mate[i].n > 0 && order[n].body[0] != order[n].body[1];
    }
    qsort(order, (size_t)n, sizeof(*order), compare_orders);
    for (int i = 0, next; i < n && a->r->notes->n_errors == 0; i = next) {
        for (next = i + 1; next < n && order[next].body[0] == order[i].body[0] &&
                           order[next].body[1] == order[i].body[1];
             next++)
            ;
        /* After a merge the bodies may have changed; such a pair is checked again in the next
         * round. */
        bodies_of(a, &a->mate[order[i].at], order[i].body);
        if (order[i].body[0] != order[i].body[1])
            any |= match_pair(a, order + i, next - i, welds, row);
    }
    return any;
}

void match_mates(struct assembly *a)
{
    struct order *order = calloc((size_t)a->n_mates + 1, sizeof(*order));
    struct row *row = calloc((size_t)a->n_mates + 1, ROWS_MAX * sizeof(*row));

    if (order == NULL || row == NULL)
        note(a->r->notes, NOTE_ERROR, 0, "no memory");
    else {
        while (match_pairs(a, true, order, row))
            ;
        match_pairs(a, false, order, row);
    }
    free(order);
    free(row);
}
