/* SPDX-License-Identifier: Apache-2.0 */
/* The journal: rows of a study in the order in which the cases ended.
 *
 * It is a text file. The first three lines identify the format, the study and the columns. Each
 * further line is a case: CRC-32 of the rest of the line in hexadecimal digits, the outcome as a
 * number, and the row. A line is appended with one call and never changed. A line truncated by a
 * kill or a full disk has no line feed or a wrong checksum. It is ignored, and its case is run
 * again. */
#include "sweep.h"

#include "linkage/crc.h"
#include "linkage/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LINE "linkage sweep, journal 1\n"
#define SYNC_S     1.0 /* interval of syncs [s], the longest work lost by a power failure */

/* ---- reading a journal ---- */

static bool find_head(struct pages *p)
{
    const char *at = p->text, *end = p->text + p->size;
    char line[32] = "";

    if (p->size < strlen(FIRST_LINE) || memcmp(at, FIRST_LINE, strlen(FIRST_LINE)) != 0)
        return false;
    for (int i = 0; i < 3; i++) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));

        if (feed == NULL)
            return false;
        if (i == 1)
            memcpy(line, at, (size_t)(feed - at) < 31 ? (size_t)(feed - at) : 31);
        at = feed + 1;
    }
    p->head = (size_t)(at - p->text);
    return sscanf(line, "cases %" SCNu64, &p->cases) == 1 && p->cases >= 1 &&
           p->cases <= STUDY_CASES_MAX;
}

static int map_pages(int fd, struct pages *ret)
{
    struct pages p = {0};
    struct stat stat;
    void *text;

    if (fstat(fd, &stat) != 0)
        return -errno;
    p.size = (size_t)stat.st_size;
    if (p.size == 0)
        return LK_E_TEXT;
    text = mmap(NULL, p.size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (text == MAP_FAILED)
        return -errno;
    p.text = text;
    if (!find_head(&p)) {
        pages_close(&p);
        return LK_E_TEXT;
    }
    *ret = p;
    return 0;
}

int pages_open(const char *path, struct pages *ret_pages)
{
    int fd = lk_file_open(path), result;

    if (fd < 0)
        return fd;
    result = map_pages(fd, ret_pages);
    close(fd);
    return result;
}

void pages_close(struct pages *p)
{
    if (p->text != NULL)
        munmap((void *)p->text, p->size);
    *p = (struct pages){0};
}

/* Parse a line "CRC OUTCOME CASE,..." without its line feed. */
static bool take_line(const struct pages *p, const char *line, size_t size, uint64_t *ret_case,
                      struct record *ret)
{
    char number[24] = "", *end;
    unsigned long crc;

    if (size < 12 || line[8] != ' ' || line[10] != ' ' || line[9] < '0' ||
        line[9] > '0' + OUTCOME_CRASHED)
        return false;
    memcpy(number, line, 8);
    crc = strtoul(number, &end, 16);
    if (*end != '\0' || lk_crc32(0, line + 9, size - 9) != crc)
        return false;
    memset(number, 0, sizeof(number));
    memcpy(number, line + 11, size - 11 < 23 ? size - 11 : 23);
    *ret_case = strtoull(number, &end, 10) - 1;
    *ret = (struct record){line + 11, size - 11, line[9] - '0'};
    return *end == ',' && *ret_case < p->cases;
}

bool pages_next(const struct pages *p, size_t *at, uint64_t *ret_case, struct record *ret)
{
    while (*at < p->size) {
        const char *line = p->text + *at, *feed = memchr(line, '\n', p->size - *at);

        if (feed == NULL)
            return false;
        *at += (size_t)(feed - line) + 1;
        if (take_line(p, line, (size_t)(feed - line), ret_case, ret))
            return true;
    }
    return false;
}

/* ---- continuing a journal ---- */

static void note_case(struct journal *j, uint64_t i, int outcome)
{
    if (journal_has(j, i))
        return;
    j->done[i / 8] |= (unsigned char)(1u << i % 8);
    j->n_done++;
    j->n_bad += outcome != OUTCOME_PASSED;
}

bool journal_has(const struct journal *j, uint64_t i)
{
    return (j->done[i / 8] >> i % 8 & 1) != 0;
}

static char *head_of(const struct plan *plan)
{
    char *head;

    return asprintf(&head, FIRST_LINE "%s\n%s\n", plan->identity, plan->header) < 0 ? NULL : head;
}

/* Mark the cases of the journal @fd as done, if it belongs to the study of @head.
 * @ret_end: end of its last complete line
 * Return: 0, negative errno, LK_E_TEXT (no journal, or of another study). */
static int note_pages(struct journal *j, int fd, const char *head, size_t *ret_end)
{
    struct pages p;
    struct record record;
    uint64_t i;
    size_t at = strlen(head);
    int result = map_pages(fd, &p);

    if (result != 0)
        return result;
    if (p.head != at || memcmp(p.text, head, at) != 0) {
        pages_close(&p);
        return LK_E_TEXT;
    }
    while (pages_next(&p, &at, &i, &record))
        note_case(j, i, record.outcome);
    for (*ret_end = p.size; p.text[*ret_end - 1] != '\n';)
        --*ret_end;
    pages_close(&p);
    return 0;
}

/* Read the journal, and remove an incomplete last line.
 * Return: as note_pages(). */
static int read_journal(struct journal *j, const char *head, size_t size)
{
    size_t end = size;
    int result = note_pages(j, j->fd, head, &end);

    return result == 0 && end < size && ftruncate(j->fd, (off_t)end) != 0 ? -errno : result;
}

/* Return true if the file contains only the beginning of @head. */
static bool is_torn(int fd, const char *head, size_t size)
{
    char *bytes = malloc(size + 1);
    bool is = bytes != NULL && size < strlen(head) && pread(fd, bytes, size, 0) == (ssize_t)size &&
              memcmp(bytes, head, size) == 0;

    free(bytes);
    return is;
}

static int begin_or_go_on(struct journal *j, const char *head, bool fresh)
{
    /* This lock belongs to this process and not to its workers. So a worker that exists for a
     * moment longer does not keep the journal locked. */
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat stat;

    if (fcntl(j->fd, F_SETLK, &lock) != 0)
        return errno == EACCES ? -EAGAIN : -errno;
    if (fstat(j->fd, &stat) != 0)
        return -errno;
    if (!fresh && !is_torn(j->fd, head, (size_t)stat.st_size))
        return read_journal(j, head, (size_t)stat.st_size);
    if (ftruncate(j->fd, 0) != 0)
        return -errno;
    return lk_file_write(j->fd, head, strlen(head));
}

static void complain_of(const char *path, int result)
{
    if (result == -EAGAIN)
        complain("%s is in use by another sweep", path);
    else if (result == LK_E_TEXT)
        complain("%s is of another study, model, build or engine, or no journal; expected the one "
                 "of this study, or --fresh",
                 path);
    else
        complain("%s: %s", path, strerror(-result));
}

bool journal_open(const struct plan *plan, const char *path, bool fresh, struct journal *ret)
{
    struct journal j = {.path = path, .cases = plan->study->cases, .synced_s = now_s()};
    char *head = head_of(plan);
    int result;

    j.done = calloc((size_t)(j.cases / 8) + 1, 1);
    j.fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
    result = j.fd < 0                         ? -errno
             : head == NULL || j.done == NULL ? -ENOMEM
                                              : begin_or_go_on(&j, head, fresh);
    free(head);
    if (result == 0) {
        *ret = j;
        return true;
    }
    complain_of(path, result);
    journal_close(&j);
    return false;
}

bool journal_look(const struct plan *plan, const char *path, struct journal *j)
{
    char *head = head_of(plan);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), result = fd < 0         ? -errno
                                                                     : head == NULL ? -ENOMEM
                                                                                    : 0;
    struct stat stat;
    size_t end;

    if (result == 0 && fstat(fd, &stat) != 0)
        result = -errno;
    if (result == 0 && !is_torn(fd, head, (size_t)stat.st_size))
        result = note_pages(j, fd, head, &end);
    if (fd >= 0)
        close(fd);
    free(head);
    if (result != 0)
        complain_of(path, result);
    return result == 0;
}

bool journal_add(struct journal *j, uint64_t i, int outcome, const char *row)
{
    char *line = NULL;
    int size = asprintf(&line, "%08x %d %s\n", 0u, outcome, row), fault = -ENOMEM;
    char crc[9];

    if (size > 0) {
        snprintf(crc, sizeof(crc), "%08" PRIx32, lk_crc32(0, line + 9, (size_t)size - 10));
        memcpy(line, crc, 8);
        fault = lk_file_write(j->fd, line, (size_t)size);
    }
    if (size >= 0)
        free(line);
    if (fault != 0) {
        complain("%s: %s", j->path, strerror(-fault));
        return false;
    }
    note_case(j, i, outcome);
    if (now_s() - j->synced_s > SYNC_S) {
        fdatasync(j->fd);
        j->synced_s = now_s();
    }
    return true;
}

void journal_close(struct journal *j)
{
    if (j->fd >= 0) {
        fdatasync(j->fd);
        close(j->fd);
    }
    free(j->done);
    j->fd = -1;
    j->done = NULL;
}
