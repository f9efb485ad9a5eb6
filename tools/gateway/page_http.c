/* SPDX-License-Identifier: Apache-2.0 */
/* Serves files over HTTP: the files of the page, which are embedded in the program, and
 * recordings. */
#include "recordings.h"
#include "viewer.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART 16384 /* size of a part [bytes] */

static bool find_page(struct page_request *request, const char *path, const char **ret_type)
{
    for (size_t i = 0; i < n_page_files; i++)
        if (strcmp(page_files[i].path, path) == 0) {
            *request = (struct page_request){
                .is_open = true, .data = page_files[i].data, .size = page_files[i].size};
            *ret_type = page_files[i].type;
            return true;
        }
    return false;
}

/* Open the recording with the present size, because the recording may be growing. */
static bool find_recording(struct page_request *request, struct gate_web *web, struct lws *wsi,
                           const char *path, char *ret_name, size_t size)
{
    int file = recordings_open(web, path, ret_name, size);
    struct stat about;

    if (file < 0 || fstat(file, &about) != 0) {
        if (file >= 0)
            close(file);
        return false;
    }
    peers_settle(&web->peers, wsi); /* the ticket is its login */
    *request = (struct page_request){.is_open = true, .file = file, .size = (size_t)about.st_size};
    return true;
}

/* Add the name of the file for the browser. Characters other than letters, digits and "-_." become
 * '_'. */
static int add_name(struct lws *wsi, const char *name, unsigned char **at, unsigned char *end)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    char text[NAME_MAX + 64];
    int n = snprintf(text, sizeof(text), "attachment; filename=\"");

    for (; *name != '\0'; name++)
        text[n++] = strchr(plain, *name) != NULL ? *name : '_';
    text[n++] = '"';
    return lws_add_http_header_by_name(wsi, (const unsigned char *)"content-disposition:",
                                       (const unsigned char *)text, n, at, end);
}

int page_http_begin(struct page_request *request, struct lws *wsi, struct gate_web *web,
                    const char *path)
{
    unsigned char head[LWS_PRE + 2048], *at = head + LWS_PRE, *end = head + sizeof(head) - 1;
    const char *type = "application/octet-stream";
    char name[NAME_MAX + 1] = "";

    page_http_end(request);
    if (!find_page(request, path, &type) &&
        !find_recording(request, web, wsi, path, name, sizeof(name))) {
        lws_return_http_status(wsi, HTTP_STATUS_NOT_FOUND, NULL);
        return -1;
    }
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, type, request->size, &at, end) ||
        lws_add_http_header_by_name(wsi, (const unsigned char *)"cache-control:",
                                    (const unsigned char *)"no-cache", 8, &at, end) ||
        (*name != '\0' && add_name(wsi, name, &at, end)) ||
        lws_finalize_write_http_header(wsi, head + LWS_PRE, &at, end))
        return 1;
    lws_callback_on_writable(wsi);
    return 0;
}

/* Read the next @n bytes of the file.
 * Return: true if they could be read. */
static bool read_part(struct page_request *request, unsigned char *part, size_t n)
{
    if (request->data != NULL) {
        memcpy(part, request->data + request->sent, n);
        return true;
    }
    return pread(request->file, part, n, (off_t)request->sent) == (ssize_t)n;
}

int page_http_go_on(struct page_request *request, struct lws *wsi)
{
    unsigned char room[LWS_PRE + PART];
    size_t n = request->size - request->sent;
    bool is_last = n <= PART;

    if (!request->is_open)
        return 0;
    n = is_last ? n : PART;
    if (!read_part(request, room + LWS_PRE, n))
        return -1;
    request->sent += n;
    if (lws_write(wsi, room + LWS_PRE, n, is_last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0)
        return 1;
    if (is_last) {
        page_http_end(request);
        return lws_http_transaction_completed(wsi) ? -1 : 0;
    }
    lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, PAGE_HTTP_S);
    lws_callback_on_writable(wsi);
    return 0;
}

void page_http_end(struct page_request *request)
{
    if (request->is_open && request->data == NULL)
        close(request->file);
    *request = (struct page_request){0};
}
