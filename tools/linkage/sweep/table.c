/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a study: the rows of its journals in the order of the cases. Its bytes do not depend
 * on which process ran a case. So several processes may write the table at the same time. */
#include "linkage/json.h"
#include "sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* struct join - combined journals.
 * @record: record of each of @cases cases
 * @from:   index of the journal of each record */
struct join {
    const char *const *paths;
    struct pages *pages;
    int n;
    uint64_t cases;
    struct record *record;
    int *from;
};

static bool open_all(struct join *j)
{
    for (int i = 0; i < j->n; i++) {
        const struct pages *first = &j->pages[0], *p = &j->pages[i];
        int result = pages_open(j->paths[i], &j->pages[i]);

        if (result != 0) {
            complain("%s: %s", j->paths[i],
                     result < 0 ? strerror(-result) : "no journal of a sweep");
            return false;
        }
        if (p->head != first->head || memcmp(p->text, first->text, p->head) != 0) {
            complain("%s is of another study, model, build or engine than %s, expected the same",
                     j->paths[i], j->paths[0]);
            return false;
        }
    }
    j->cases = j->pages[0].cases;
    j->record = calloc(j->cases, sizeof(*j->record));
    j->from = calloc(j->cases, sizeof(*j->from));
    if (j->record == NULL || j->from == NULL)
        complain("out of memory");
    return j->record != NULL && j->from != NULL;
}

/* Collect the records of all journals. If a case is in two journals, both rows must be equal;
 * otherwise one of them is wrong. */
static bool collect(struct join *j)
{
    for (int i = 0; i < j->n; i++) {
        size_t at = j->pages[i].head;
        struct record record;
        uint64_t k;

        while (pages_next(&j->pages[i], &at, &k, &record)) {
            const struct record *known = &j->record[k];

            if (known->size > 0 &&
                (known->size != record.size || memcmp(known->row, record.row, record.size) != 0)) {
                complain("case %" PRIu64 " differs between %s and %s", k + 1, j->paths[j->from[k]],
                         j->paths[i]);
                return false;
            }
            j->record[k] = record;
            j->from[k] = i;
        }
    }
    return true;
}

static bool is_complete(const struct join *j)
{
    uint64_t missing = 0, first = 0;

    for (uint64_t k = 0; k < j->cases; k++)
        if (j->record[k].size == 0 && missing++ == 0)
            first = k;
    if (missing > 0)
        complain("%" PRIu64 " of %" PRIu64 " cases are missing, the first is %" PRIu64
                 "; expected the journals of all shards, run to their ends",
                 missing, j->cases, first + 1);
    return missing == 0;
}

/* Return the third line of the head, with its line feed: the column names. */
static const char *header_of(const struct pages *p, size_t *ret_size)
{
    const char *at = p->text;

    for (int i = 0; i < 2; i++)
        at = (const char *)memchr(at, '\n', p->size) + 1;
    *ret_size = p->head - (size_t)(at - p->text);
    return at;
}

static int write_rows(const struct join *j, FILE *file)
{
    size_t size;
    const char *header = header_of(&j->pages[0], &size);

    fwrite(header, 1, size, file);
    for (uint64_t k = 0; k < j->cases; k++) {
        fwrite(j->record[k].row, 1, j->record[k].size, file);
        putc('\n', file);
    }
    return fflush(file) != 0 || ferror(file) || fsync(fileno(file)) != 0 ? -errno : 0;
}

static int write_file(const struct join *j, const char *output)
{
    struct output *to = NULL;
    int fault = output_open(output, "case,", &to);

    if (fault != 0)
        return fault;
    fault = write_rows(j, output_file(to));
    return fault != 0 ? (output_close(to, false), fault) : output_close(to, true);
}

int table_write(const char *const *paths, int n, const char *output, uint64_t *ret_cases,
                uint64_t *ret_bad)
{
    struct join j = {.paths = paths, .n = n, .pages = calloc((size_t)n, sizeof(struct pages))};
    int code = EXIT_REFUSED;

    if (j.pages != NULL && open_all(&j) && collect(&j) && is_complete(&j)) {
        code = told_output(output, write_file(&j, output));
        *ret_cases = j.cases;
        *ret_bad = 0;
        for (uint64_t k = 0; k < j.cases; k++)
            *ret_bad += j.record[k].outcome != OUTCOME_PASSED;
    }
    for (int i = 0; i < n && j.pages != NULL; i++)
        pages_close(&j.pages[i]);
    free(j.pages);
    free(j.record);
    free(j.from);
    return code;
}

static void print_json(const char *output, const struct table_counts *c)
{
    struct lk_json json = {.file = stdout, .spaced = true};
    bool is_complete = c->n_rows == c->cases;

    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "table", output);
    lk_json_bool(&json, "complete", is_complete);
    lk_json_count(&json, "cases", c->cases);
    lk_json_count(&json, "done", c->n_rows);
    if (is_complete) {
        lk_json_count(&json, "passed", c->cases - c->n_bad);
        lk_json_count(&json, "not_passed", c->n_bad);
    } else {
        lk_json_null(&json, "passed");
        lk_json_null(&json, "not_passed");
    }
    lk_json_close(&json, '}');
    lk_json_end(&json);
}

void table_say(const char *output, const struct table_counts *c, bool is_json)
{
    if (is_json)
        print_json(output, c);
    else if (c->n_rows < c->cases)
        printf("%" PRIu64 " of %" PRIu64 " cases are here: whoever ends last writes %s, or linkage "
               "sweep --join\n",
               c->n_rows, c->cases, output);
    else
        printf("%s: %" PRIu64 " cases, %" PRIu64 " passed, %" PRIu64 " not\n", output, c->cases,
               c->cases - c->n_bad, c->n_bad);
}
