/* SPDX-License-Identifier: Apache-2.0 */
#include "page.h"
#include "hold.h"
#include "recordings.h"
#include "tls.h"
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

#define BURST      16
#define SEND_BYTES (64 << 10)

static void send_parcel(struct page *page, struct gate_parcel *parcel)
{
    gate_queue_put(&page->words, parcel);
    lws_callback_on_writable(page->wsi);
}

/* ---- end of a connection, change of the model ---- */

void page_close(struct page *page)
{
    struct page **place = &page->web->pages;

    while (*place != page)
        place = &(*place)->next;
    *place = page->next;
    page->web->n_pages--;
    if (page->role == PAGE_OPERATES)
        page->web->hub->operator++;
    gate_queue_clear(&page->words);
    gate_queue_clear(&page->samples);
    free(page->in);
    page->is_open = false;
}

void page_change(struct page *page)
{
    if (page->role == PAGE_NOBODY)
        return;
    gate_queue_clear(&page->samples);
    send_parcel(page, page_text_model(page->web->meaning));
}

/* ---- login ---- */

int page_make_token(char token[PAGE_TOKEN_SIZE])
{
    unsigned char bytes[PAGE_TOKEN_SIZE / 2];

    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
        return -1;
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

bool page_is_token(const char *given, const char *token)
{
    unsigned char differs = strlen(given) != PAGE_TOKEN_SIZE - 1;

    for (size_t i = 0; !differs && i + 1 < PAGE_TOKEN_SIZE; i++)
        differs |= (unsigned char)(given[i] ^ token[i]);
    return !differs;
}

static void give_controls(struct page *page)
{
    if (page->role == PAGE_OPERATES) {
        page->role = PAGE_LOOKS;
        page->web->hub->operator++; /* so that its claims are released */
    }
    send_parcel(page, page_text_role(page));
}

/* Return whether a page has the controls. A page that was silent for so long that its claims have
 * ended loses them: its connection may be gone without an end. */
static bool has_operator(struct gate_web *web)
{
    bool is_silent = gate_clock_ns() > web->hub->heard_ns + HOLD_SILENCE_S * UINT64_C(1000000000);

    for (struct page *p = web->pages; p != NULL; p = p->next) {
        if (p->role == PAGE_OPERATES && !is_silent)
            return true;
        if (p->role == PAGE_OPERATES)
            give_controls(p);
    }
    return false;
}

/* Give the controls to this page, unless another page has them. */
static void take_controls(struct page *page)
{
    if (page->role == PAGE_LOOKS && page->may_operate && !has_operator(page->web)) {
        page->role = PAGE_OPERATES;
        page->web->hub->heard_ns = gate_clock_ns();
        page->web->hub->operator++;
    } else if (page->role == PAGE_LOOKS && page->may_operate) {
        send_parcel(page,
                    page_text_answer("controls", false,
                                     "another page has the controls; this one looks on, and may "
                                     "take them once the other has given them back"));
    }
    send_parcel(page, page_text_role(page));
}

/* Send the present state, because this page did not receive the earlier parcels. */
static void tell_all(struct page *page)
{
    static const enum gate_topic topics[] = {GATE_STATUS, GATE_REPORT,    GATE_POLICY,
                                             GATE_HELD,   GATE_FAULTS,    GATE_PLATFORM,
                                             GATE_MISSED, GATE_HISTOGRAMS};
    struct gate_parcel *event;
    size_t place = 0;

    send_parcel(page, page_text_model(page->web->meaning));
    for (size_t i = 0; i < sizeof(topics) / sizeof(*topics); i++)
        if (page->web->latest[topics[i]] != NULL)
            send_parcel(page, gate_parcel_hold(page->web->latest[topics[i]]));
    while ((event = gate_queue_next(&page->web->events, GATE_EVENT, &place)) != NULL)
        send_parcel(page, gate_parcel_hold(event));
}

static void let_in(struct page *page)
{
    page->role = PAGE_LOOKS;
    tell_all(page);
    take_controls(page);
}

static int log_in(struct page *page, const json_t *message)
{
    const char *token = json_string_value(json_object_get(message, "token"));

    if (token == NULL)
        return -1;
    page->may_operate = page_is_token(token, page->web->operate_token);
    if (!page->may_operate && !page_is_token(token, page->web->look_token)) {
        send_parcel(page, page_text_answer("login", false, "this is no token of this gateway"));
        return 0;
    }
    if (!peers_settle(&page->web->peers, page->wsi))
        return -1;
    let_in(page);
    return 0;
}

int page_open(struct page *page, struct gate_web *web, struct lws *wsi)
{
    const enum page_role role = tls_role(web->options, wsi); /* role from its certificate */
    const int room = SEND_BYTES;

    if (role != PAGE_NOBODY && !peers_settle(&web->peers, wsi))
        return -1;
    *page = (struct page){.web = web, .wsi = wsi, .next = web->pages, .is_open = true};
    setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    web->pages = page;
    web->n_pages++;
    if (role == PAGE_NOBODY) {
        lws_set_timer_usecs(wsi, PAGE_LOGIN_S * LWS_USEC_PER_SEC);
        return 0;
    }
    page->may_operate = role == PAGE_OPERATES;
    let_in(page);
    return 0;
}

/* ---- messages from the page ---- */

/* Process a message.
 * Return: 0; -1: close the connection. */
static int on_message(struct page *page, json_t *message)
{
    const char *op = json_string_value(json_object_get(message, "op"));

    if (op == NULL)
        return -1;
    if (page->role == PAGE_NOBODY)
        return strcmp(op, "login") == 0 ? log_in(page, message) : -1;
    if (strcmp(op, "login") == 0) /* already logged in with its certificate */
        return 0;
    if (page->role == PAGE_OPERATES)
        page->web->hub->heard_ns = gate_clock_ns();
    if (strcmp(op, "alive") == 0)
        return 0;
    if (strcmp(op, "take-controls") == 0)
        take_controls(page);
    else if (strcmp(op, "give-controls") == 0)
        give_controls(page);
    else if (strcmp(op, "recordings") == 0)
        send_parcel(page, recordings_text(page->web->options));
    else if (strcmp(op, "download") == 0)
        send_parcel(page, recordings_ticket(page->web,
                                            json_string_value(json_object_get(message, "name"))));
    else if (!gate_operator_knows(op))
        send_parcel(page, page_text_answer(op, false, "there is no such command"));
    else if (page->role != PAGE_OPERATES)
        send_parcel(page, page_text_answer(op, false, "this page looks on: it has no controls"));
    else if (gate_operator_ask(page->web->hub, message) != 0)
        send_parcel(page, page_text_answer(op, false, "too many commands wait"));
    return 0;
}

int page_receive(struct page *page, const char *data, size_t size)
{
    const size_t most[] = {PAGE_LOGIN_MAX, PAGE_LOOK_MAX, PAGE_OPERATE_MAX};
    json_error_t error;
    json_t *message;
    char *grown;
    int r;

    if (page->n_in + size > most[page->role]) {
        lws_close_reason(page->wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, NULL, 0);
        return -1;
    }
    grown = realloc(page->in, page->n_in + size + 1);
    if (grown == NULL)
        return -1;
    page->in = grown;
    memcpy(page->in + page->n_in, data, size);
    page->n_in += size;
    if (lws_remaining_packet_payload(page->wsi) > 0 || !lws_is_final_fragment(page->wsi))
        return 0;
    message = json_loadb(page->in, page->n_in, 0, &error);
    page->n_in = 0;
    r = json_is_object(message) ? on_message(page, message) : -1;
    json_decref(message);
    return r;
}

/* ---- messages to the page ---- */

void page_take(struct page *page, struct gate_parcel *parcel)
{
    if (page->role == PAGE_NOBODY)
        return;
    switch (parcel->topic) {
    case GATE_SAMPLES:
        gate_queue_put(&page->samples, gate_parcel_hold(parcel));
        lws_callback_on_writable(page->wsi);
        return;
    case GATE_STATUS:
    case GATE_REPORT:
    case GATE_POLICY:
    case GATE_EVENT:
    case GATE_ANSWER:
    case GATE_HELD:
    case GATE_FAULTS:
    case GATE_PLATFORM:
    case GATE_MISSED:
    case GATE_HISTOGRAMS:
        send_parcel(page, gate_parcel_hold(parcel));
        return;
    default:
        return;
    }
}

static int write_parcel(struct page *page, const struct gate_parcel *parcel)
{
    bool is_binary = parcel->topic == GATE_SAMPLES;
    unsigned char *room = malloc(LWS_PRE + parcel->size);
    int r = -1;

    if (room == NULL)
        return -1;
    memcpy(room + LWS_PRE, parcel->data, parcel->size);
    if (lws_write(page->wsi, room + LWS_PRE, parcel->size,
                  is_binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT) >= 0)
        r = 0;
    free(room);
    return r;
}

int page_write(struct page *page)
{
    for (int i = 0; i < BURST; i++) {
        struct gate_parcel *parcel = gate_queue_take(&page->words);
        int r;

        if (parcel == NULL)
            parcel = gate_queue_take(&page->samples);
        if (parcel == NULL)
            return 0;
        r = write_parcel(page, parcel);
        gate_parcel_drop(parcel);
        if (r != 0)
            return -1;
        if (lws_send_pipe_choked(page->wsi))
            break;
    }
    lws_callback_on_writable(page->wsi);
    return 0;
}
