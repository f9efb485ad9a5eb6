/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"
#include "linkage/text.h"
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Keep sd_journal_sendv() from adding this file and line. They would be the same for every entry;
 * the identifier is more specific. */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#define LINE_SIZE 1024
#define NS_PER_S  INT64_C(1000000000)
/* Largest number of lines with the same identifier in a burst, and the time after which one more
 * line is allowed. */
#define BURST     10
#define REFILL_NS NS_PER_S

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/* journal: standard error is connected to the journal. journal_fields: the journal accepts
 * structured fields. */
static bool journal, journal_fields;

/* Rate limiter of each identifier: tokens spent. A token is regained every REFILL_NS after
 * @since_ns. */
static struct bucket {
    int64_t since_ns;
    int spent;
    uint64_t withheld;
} buckets[LKD_N_CONDITIONS];
static pthread_mutex_t bucket_lock = PTHREAD_MUTEX_INITIALIZER;

/* Return true if standard error is still the stream that systemd connected. It may have been
 * redirected since. */
static bool is_journal_stream(void)
{
    const char *stream = getenv("JOURNAL_STREAM"); /* "device:inode" */
    char own[64];
    struct stat st;

    if (!stream || fstat(STDERR_FILENO, &st))
        return false;
    snprintf(own, sizeof(own), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    return strcmp(own, stream) == 0;
}

void lkd_log_init(void)
{
    journal = is_journal_stream();
    journal_fields = journal && access(JOURNAL_SOCKET, W_OK) == 0;
}

static struct iovec field(char *place, size_t size, const char *name, const char *value)
{
    int n = snprintf(place, size, "%s=%s", name, value);

    return (struct iovec){place, n < (int)size ? (size_t)n : size - 1};
}

static int send_to_journal(const struct lkd_condition_info *info, const char *text)
{
    char place[5][LINE_SIZE + 16], priority[2] = {(char)('0' + (int)info->level), '\0'};
    const struct iovec fields[] = {
        field(place[0], sizeof(place[0]), "MESSAGE", text),
        field(place[1], sizeof(place[1]), "PRIORITY", priority),
        field(place[2], sizeof(place[2]), "SYSLOG_IDENTIFIER", "linkaged"),
        field(place[3], sizeof(place[3]), "LINKAGE_ID", info->id),
        field(place[4], sizeof(place[4]), "MESSAGE_ID", info->message_id),
    };

    return sd_journal_sendv(fields, sizeof(fields) / sizeof(fields[0]));
}

/* Return true if standard error has room for a line. If the reader of the log has stopped, a full
 * pipe would block the writing thread, and with it the samples and the lock. A pipe that poll()
 * reports as writable has room for PIPE_BUF bytes, more than a line. */
static bool takes_lines(void)
{
    struct pollfd err = {.fd = STDERR_FILENO, .events = POLLOUT};

    return poll(&err, 1, 0) == 1 && (err.revents & POLLOUT);
}

/* Write one line to the journal or to standard error.
 * Return: false if standard error has no room. */
static bool write_line(const struct lkd_condition_info *info, char *text)
{
    lk_text_clean(text);
    /* The socket is tested before, because fields sent to a missing socket would be lost without an
     * error. */
    if (journal_fields && send_to_journal(info, text) == 0)
        return true;
    if (!takes_lines())
        return false;
    if (journal)
        fprintf(stderr, "<%d>[%s] %s\n", (int)info->level, info->id, text);
    else
        fprintf(stderr, "linkaged: [%s] %s\n", info->id, text);
    return true;
}

static bool write_withheld(enum lkd_condition_id condition, uint64_t withheld)
{
    char text[LINE_SIZE];

    snprintf(text, sizeof(text), "%" PRIu64 " lines with %s were left out", withheld,
             lkd_condition_info(condition)->id);
    return write_line(lkd_condition_info(LKD_C_LINES_WITHHELD), text);
}

static void withhold(enum lkd_condition_id condition, uint64_t n)
{
    pthread_mutex_lock(&bucket_lock);
    buckets[condition].withheld += n;
    pthread_mutex_unlock(&bucket_lock);
}

/* Use a token if one is left.
 * Return: true if a line may be logged; @ret_withheld is the number of lines dropped since the last
 * logged line. */
static bool take_token(struct bucket *bucket, int64_t now_ns, uint64_t *ret_withheld)
{
    int64_t grown = (now_ns - bucket->since_ns) / REFILL_NS;
    bool passes;

    if (grown >= bucket->spent) {
        bucket->spent = 0;
        bucket->since_ns = now_ns;
    } else {
        bucket->spent -= (int)grown;
        bucket->since_ns += grown * REFILL_NS;
    }
    passes = bucket->spent < BURST;
    *ret_withheld = passes ? bucket->withheld : 0;
    bucket->withheld = passes ? 0 : bucket->withheld + 1;
    bucket->spent += passes;
    return passes;
}

void lkd_log(enum lkd_condition_id condition, const char *format, ...)
{
    char text[LINE_SIZE];
    struct timespec now;
    uint64_t withheld;
    va_list args;
    bool passes;

    pthread_mutex_lock(&bucket_lock);
    clock_gettime(CLOCK_MONOTONIC, &now);
    passes = take_token(&buckets[condition], now.tv_sec * NS_PER_S + now.tv_nsec, &withheld);
    pthread_mutex_unlock(&bucket_lock);
    if (!passes)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (withheld > 0 && !write_withheld(condition, withheld))
        withhold(condition, withheld);
    if (!write_line(lkd_condition_info(condition), text))
        withhold(condition, 1);
}

void lkd_log_fini(void)
{
    for (int i = 0; i < LKD_N_CONDITIONS; i++) {
        uint64_t withheld;

        pthread_mutex_lock(&bucket_lock);
        withheld = buckets[i].withheld;
        buckets[i].withheld = 0;
        pthread_mutex_unlock(&bucket_lock);
        if (withheld > 0 && !write_withheld((enum lkd_condition_id)i, withheld))
            withhold((enum lkd_condition_id)i, withheld);
    }
}
