/* SPDX-License-Identifier: Apache-2.0 */
/* The operator's page: its files over HTTP, and a connection over websocket with subprotocol
 * linkage.page.v1.
 *
 * The first message is a login with a token, which the program prints at its start: one token to
 * view, one to operate. No message is sent before the login. The page uses no cookies. Therefore a
 * page of another site has no token, even if a browser adds credentials to its requests. One page
 * at a time has the controls: the first page that requested them. Other pages can only view until
 * this page releases the controls or disconnects.
 * Thread: web. */
#ifndef TOOLS_GATEWAY_PAGE_H
#define TOOLS_GATEWAY_PAGE_H

#include "gateway.h"
#include <libwebsockets.h>

#define PAGE_PROTOCOL    "linkage.page.v1"
#define PAGE_TOKEN_SIZE  33          /* 128 bits in hexadecimal digits, and a zero */
#define PAGE_LOGIN_MAX   1024        /* largest message before the login [bytes] */
#define PAGE_LOOK_MAX    (64u << 10) /* largest message of a page that only views */
#define PAGE_OPERATE_MAX (8u << 20)  /* largest message of a page that operates */
#define PAGE_LOGIN_S     10          /* time limit of the login */
#define PAGE_HTTP_S      10          /* time limit for sending a part of a file */
#define PAGE_TICKETS     16          /* tickets for downloads at the same time */

/** enum page_role - role of a connection: not logged in, views, operates. */
enum page_role { PAGE_NOBODY, PAGE_LOOKS, PAGE_OPERATES };

/** struct page_file - a file of the page, embedded in the program. */
struct page_file {
    const char *path;
    const char *type;
    const unsigned char *data;
    size_t size;
};

/** struct page_ticket - permission for one download.
 * @name:     name of the file, NULL: none
 * @until_ns: time at which the permission expires, CLOCK_MONOTONIC */
struct page_ticket {
    char token[PAGE_TOKEN_SIZE];
    char *name;
    uint64_t until_ns;
};

/** page_make_token() - Make a random token.
 * Return: 0; -1: the kernel has no random numbers.
 * page_is_token() - Return true if @given equals @token. The run time does not depend on the
 * position of the first difference. */
int page_make_token(char token[PAGE_TOKEN_SIZE]);
bool page_is_token(const char *given, const char *token);

extern const struct page_file page_files[];
extern const size_t n_page_files;

struct gate_web;

/** struct page - state of a page's connection; zero when the connection begins.
 * @may_operate:     the page logged in with the token or certificate to operate
 * @words, @samples: parcels to be sent; those in @words are sent first
 * @in:              @n_in bytes of an incomplete message */
struct page {
    struct gate_web *web;
    struct lws *wsi;
    struct page *next;
    bool is_open;
    enum page_role role;
    bool may_operate;
    struct gate_queue words;
    struct gate_queue samples;
    char *in;
    size_t n_in;
};

/* Callbacks of a page's connection, like those of viewer.h. page_open() returns 0, or -1 to close
 * the connection. */
int page_open(struct page *page, struct gate_web *web, struct lws *wsi);
void page_close(struct page *page);
int page_receive(struct page *page, const char *data, size_t size);
int page_write(struct page *page);
void page_take(struct page *page, struct gate_parcel *parcel);
void page_change(struct page *page);

/** page_text_model() - Make the description of the present model for a page.
 * page_text_role() - Make a message that states whether the page has the controls.
 * Return: a parcel; NULL: no memory. */
struct gate_parcel *page_text_model(const struct gate_meaning *meaning);
struct gate_parcel *page_text_role(const struct page *page);
/** page_text_answer() - Make the answer to a command of one page.
 * @ok: the command succeeded */
struct gate_parcel *page_text_answer(const char *to, bool ok, const char *text);

/** struct page_request - a file in transfer over HTTP: @data in the program, or the recording
 * @file.
 * @is_open: a transfer is in progress
 * @size:    size of the file [bytes]
 * @sent:    number of bytes sent */
struct page_request {
    bool is_open;
    const unsigned char *data;
    int file;
    size_t size;
    size_t sent;
};

/** page_http_begin() - Begin to send the requested file.
 * page_http_go_on() - Send the next part; call it until the file is sent.
 * Return: the value that libwebsockets requires.
 * page_http_end() - End the transfer; call it also when the connection ends. */
int page_http_begin(struct page_request *request, struct lws *wsi, struct gate_web *web,
                    const char *path);
int page_http_go_on(struct page_request *request, struct lws *wsi);
void page_http_end(struct page_request *request);

#endif
