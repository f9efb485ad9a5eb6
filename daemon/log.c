/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_SIZE   1024
#define INTERVAL_NS INT64_C(1000000000)

static bool journal;

void lkd_log_init(void)
{
    /* "device:inode" of the stream that systemd connected; ours may have been redirected since */
    const char *stream = getenv("JOURNAL_STREAM");
    char own[64];
    struct stat st;

    if (!stream || fstat(STDERR_FILENO, &st))
        return;
    snprintf(own, sizeof(own), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    for (size_t i = 0; own[i] == stream[i]; i++)
        if (!own[i]) {
            journal = true;
            return;
        }
}

static void write_line(enum lkd_log_level level, char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    if (journal)
        fprintf(stderr, "<%d>%s\n", (int)level, text);
    else
        fprintf(stderr, "linkaged: %s\n", text);
}

void lkd_log(enum lkd_log_level level, const char *format, ...)
{
    char text[LINE_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    write_line(level, text);
}

void lkd_log_limited(struct lkd_log_limit *limit, int64_t now_ns, enum lkd_log_level level,
                     const char *format, ...)
{
    char text[LINE_SIZE];
    va_list args;

    if (now_ns < limit->next_ns) {
        limit->withheld++;
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    write_line(level, text);
    if (limit->withheld > 0)
        lkd_log(level, "(%" PRIu64 " lines like this one were left out before)", limit->withheld);
    limit->next_ns = now_ns + INTERVAL_NS;
    limit->withheld = 0;
}
