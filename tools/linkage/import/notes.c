/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about a file, sorted by line. */
#include "import.h"

#include "linkage/text.h"

#include <stdarg.h>
#include <stdlib.h>

void note(struct notes *notes, enum note_kind kind, long line, const char *format, ...)
{
    va_list arguments;
    struct note *n;

    if (kind == NOTE_ERROR)
        notes->n_errors++;
    if (notes->n == notes->room) {
        int room = 2 * notes->room + 16;
        struct note *more = realloc(notes->note, (size_t)room * sizeof(*more));

        notes->lost |= more == NULL;
        if (more == NULL)
            return;
        notes->note = more;
        notes->room = room;
    }
    n = &notes->note[notes->n++];
    *n = (struct note){.kind = kind, .line = line};
    va_start(arguments, format);
    vsnprintf(n->text, sizeof(n->text), format, arguments);
    va_end(arguments);
    lk_text_clean(n->text);
}

static int compare_notes(const void *a, const void *b)
{
    const struct note *const *one = a, *const *other = b;

    if ((*one)->line != (*other)->line)
        return (*one)->line < (*other)->line ? -1 : 1;
    return *one < *other ? -1 : 1; /* notes on the same line keep their order */
}

void notes_print(const struct notes *notes, FILE *file)
{
    const struct note **order = calloc((size_t)notes->n + 1, sizeof(*order));

    if (order == NULL)
        return;
    for (int i = 0; i < notes->n; i++)
        order[i] = &notes->note[i];
    qsort(order, (size_t)notes->n, sizeof(*order), compare_notes);
    for (int i = 0; i < notes->n; i++) {
        const char *mark = order[i]->kind == NOTE_WRONG ? "warning: " : "";

        if (order[i]->line > 0)
            fprintf(file, "%s:%ld: %s%s\n", notes->path, order[i]->line, mark, order[i]->text);
        else
            fprintf(file, "%s: %s%s\n", notes->path, mark, order[i]->text);
    }
    free(order);
}

void notes_free(struct notes *notes)
{
    free(notes->note);
    notes->note = NULL;
    notes->n = notes->room = 0;
}
