/* SPDX-License-Identifier: Apache-2.0 */
/* The web server: admission of connections, and distribution of parcels from the line.
 *
 * Without encryption the server listens on loopback only. But a browser on this machine opens
 * connections to loopback on behalf of any site. Therefore a connection with an origin is accepted
 * only from pages of this machine and of --allow-origin. The requested host name must be one of
 * this machine, because another site may let its own name resolve to this machine. With TLS, other
 * host names have no valid certificate, and a page must come from the gateway itself. */
#include "message.h"
#include "recordings.h"
#include "tls.h"
#include "viewer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HTTP_SECONDS  5                     /* time limit of the TLS handshake, and of a request */
#define LIBRARY_LINES 10                    /* largest number of library lines per REFUSED_NS */
#define REFUSED_NS    UINT64_C(10000000000) /* time between lines about refusals */
#define EVENTS        100                   /* stored events for later connections */
#define PING_SECONDS  20
#define GONE_SECONDS  60

/* ---- admission ---- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Return true if @host is this machine, such as "localhost" or "127.0.0.1:8765". */
static bool is_here(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        size_t n = strlen(names[i]);

        if (begins(host, names[i]) && (host[n] == '\0' || host[n] == ':'))
            return true;
    }
    return false;
}

static bool is_allowed(const struct gate_options *options, const char *origin, const char *host)
{
    bool is_clear = options->tls_cert == NULL;

    if (is_clear && begins(origin, "http://") && is_here(origin + strlen("http://")))
        return true;
    if (is_clear && strcmp(origin, "file://") == 0) /* viewers that are programs, not pages */
        return true;
    if (!is_clear && begins(origin, "https://") && strcmp(origin + strlen("https://"), host) == 0)
        return true;
    for (int i = 0; i < options->n_origins; i++)
        if (strcmp(origin, options->origin[i]) == 0)
            return true;
    return false;
}

/* Copy a header; "" if it is missing. Return: false: the header is too long. */
static bool read_header(struct lws *wsi, enum lws_token_indexes token, char *ret, int size)
{
    *ret = '\0';
    return lws_hdr_total_length(wsi, token) == 0 || lws_hdr_copy(wsi, ret, size, token) >= 0;
}

/* Evict the oldest page without a token. A legitimate page logs in at once, so an old page without
 * a token is none.
 * Return: true if there was such a page. */
static bool free_page(struct gate_web *web)
{
    struct page *oldest = NULL;

    for (struct page *p = web->pages; p != NULL; p = p->next)
        if (p->role == PAGE_NOBODY)
            oldest = p;
    if (oldest != NULL)
        lws_set_timeout(oldest->wsi, PENDING_TIMEOUT_KILLED_BY_PARENT, LWS_TO_KILL_ASYNC);
    return oldest != NULL;
}

/* Log a refused connection, at most every ten seconds, because a refused client may retry often. */
static void say_refused(struct gate_web *web, enum gate_refusal why, const char *what,
                        const char *text)
{
    uint64_t now_ns = gate_clock_ns();

    if (web->refused_ns[why] == 0 || now_ns > web->refused_ns[why] + REFUSED_NS) {
        fprintf(stderr, "linkage-gateway: refused %s%s\n", what, text);
        web->refused_ns[why] = now_ns;
    }
}

static bool has_place(struct gate_web *web, bool is_page)
{
    char text[64];

    if (is_page ? web->n_viewers + web->n_pages < GATE_SESSIONS || free_page(web)
                : web->n_viewers < GATE_VIEWERS && web->n_viewers + web->n_pages < GATE_SESSIONS)
        return true;
    snprintf(text, sizeof(text), "there are %d viewers and %d pages", web->n_viewers, web->n_pages);
    say_refused(web, GATE_NO_PLACE, is_page ? "a page: " : "a viewer: ", text);
    return false;
}

static bool may_connect(struct gate_web *web, struct lws *wsi, bool is_page)
{
    char host[128], origin[256];

    if (!read_header(wsi, WSI_TOKEN_HOST, host, sizeof(host)) ||
        !read_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof(origin)))
        return false;
    if (web->options->tls_cert == NULL && !is_here(host))
        return false;
    if (*origin != '\0' && !is_allowed(web->options, origin, host)) {
        say_refused(web, GATE_OTHER_SITE, "a page of another site, see --allow-origin: ", origin);
        return false;
    }
    return has_place(web, is_page);
}

/* Return true if the request of a file names a host of this machine. */
static bool may_read(const struct gate_web *web, struct lws *wsi)
{
    char host[128];

    return read_header(wsi, WSI_TOKEN_HOST, host, sizeof(host)) &&
           (web->options->tls_cert != NULL || is_here(host));
}

/* ---- from the line ---- */

static void take_meaning(struct gate_web *web)
{
    gate_meaning_drop(web->meaning);
    web->meaning = gate_hub_meaning(web->hub);
    for (int i = 0; i < GATE_TOPICS; i++)
        if (web->latest[i] != NULL && web->latest[i]->meaning != 0) {
            gate_parcel_drop(web->latest[i]);
            web->latest[i] = NULL;
        }
    for (struct viewer *v = web->viewers; v != NULL; v = v->next)
        viewer_change(v);
    for (struct page *p = web->pages; p != NULL; p = p->next)
        page_change(p);
}

static bool is_same(const struct gate_parcel *a, const struct gate_parcel *b)
{
    return a != NULL && a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static void keep_event(struct gate_web *web, struct gate_parcel *parcel)
{
    if (web->events.n == 2 * EVENTS) /* each event is stored twice: for pages and for viewers */
        gate_parcel_drop(gate_queue_take(&web->events));
    gate_queue_put(&web->events, gate_parcel_hold(parcel));
}

static void take_parcel(struct gate_web *web, struct gate_parcel *parcel)
{
    struct gate_parcel *before = web->latest[parcel->topic];
    uint32_t present = web->meaning != NULL ? web->meaning->number : 0;
    bool is_new = parcel->topic == GATE_PARAMETERS && !is_same(before, parcel);

    if (parcel->topic == GATE_EVENT || parcel->topic == GATE_EVENTS)
        keep_event(web, parcel);
    if (parcel->topic == GATE_MEANING) {
        take_meaning(web);
    } else if (parcel->meaning == 0 || parcel->meaning == present) {
        web->latest[parcel->topic] = gate_parcel_hold(parcel);
        gate_parcel_drop(before);
        for (struct viewer *v = web->viewers; v != NULL; v = v->next) {
            if (is_new)
                viewer_parameters(v);
            viewer_take(v, parcel);
        }
        for (struct page *p = web->pages; p != NULL; p = p->next)
            page_take(p, parcel);
    }
    gate_parcel_drop(parcel);
}

static void take_all(struct gate_web *web)
{
    struct gate_parcel *parcel;

    while ((parcel = gate_hub_take(web->hub)) != NULL)
        take_parcel(web, parcel);
}

/* ---- callbacks of the library ---- */

static struct gate_web *web_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

static int on_viewer(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                     size_t size)
{
    struct viewer *viewer = user;

    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return may_connect(web_of(wsi), wsi, false) ? 0 : -1;
    case LWS_CALLBACK_ESTABLISHED:
        if (!peers_settle(&web_of(wsi)->peers, wsi))
            return -1;
        viewer_open(viewer, web_of(wsi), wsi);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return viewer_receive(viewer, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return viewer_write(viewer);
    case LWS_CALLBACK_CLOSED:
        if (viewer != NULL && viewer->is_open)
            viewer_close(viewer);
        return 0;
    default:
        return 0;
    }
}

static int on_page(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t size)
{
    struct page *page = user;

    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return may_connect(web_of(wsi), wsi, true) ? 0 : -1;
    case LWS_CALLBACK_ESTABLISHED:
        return page_open(page, web_of(wsi), wsi);
    case LWS_CALLBACK_TIMER: /* time limit of the login */
        return page->role == PAGE_NOBODY ? -1 : 0;
    case LWS_CALLBACK_RECEIVE:
        return page_receive(page, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return page_write(page);
    case LWS_CALLBACK_CLOSED:
        if (page != NULL && page->is_open)
            page_close(page);
        return 0;
    default:
        return 0;
    }
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t size)
{
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: /* websocket with an unknown subprotocol */
        return -1;
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION: /* @in: descriptor of the connection */
        return peers_admit(&web_of(wsi)->peers, (int)(intptr_t)in) ? 0 : 1;
    case LWS_CALLBACK_WSI_CREATE:
        peers_add(&web_of(wsi)->peers, wsi);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        peers_remove(&web_of(wsi)->peers, wsi);
        return 0;
    case LWS_CALLBACK_OPENSSL_PERFORM_CLIENT_CERT_VERIFICATION: /* @size: 1: valid */
        return size == 1 ? 0 : 1;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        take_all(web_of(wsi));
        return 0;
    case LWS_CALLBACK_HTTP:
        if (!may_read(web_of(wsi), wsi))
            return -1;
        return page_http_begin(user, wsi, web_of(wsi), in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return page_http_go_on(user, wsi);
    case LWS_CALLBACK_CLOSED_HTTP:
        if (user != NULL)
            page_http_end(user);
        return 0;
    default:
        return lws_callback_http_dummy(wsi, reason, user, in, size);
    }
}

static void wake(void *context)
{
    lws_cancel_service(context);
}

/* Log messages of the library, most of which are about invalid requests. The rate is limited,
 * because unauthorised clients can cause such messages. */
static void log_line(int level, const char *line)
{
    static uint64_t began_ns, n, n_left_out;
    uint64_t now_ns = gate_clock_ns();

    (void)level;
    if (now_ns > began_ns + REFUSED_NS) {
        if (n_left_out > 0)
            fprintf(stderr, "linkage-gateway: %" PRIu64 " lines of the library left out\n",
                    n_left_out);
        began_ns = now_ns;
        n = n_left_out = 0;
    }
    if (n++ < LIBRARY_LINES)
        fprintf(stderr, "linkage-gateway: %s", line);
    else
        n_left_out++;
}

/* Log the addresses for viewers and pages. A token follows '#', because browsers do not send this
 * part of an address to any server. */
static void say_addresses(const struct gate_web *web)
{
    const struct gate_options *options = web->options;

    const char *s = options->tls_cert != NULL ? "s" : "";

    fprintf(stderr, "linkage-gateway: viewers connect to ws%s://%s:%d\n", s, options->address,
            options->port);
    if (options->tls_clients != NULL) { /* certificates are the login, so no token is needed */
        fprintf(stderr, "linkage-gateway: to look, or to operate: https://%s:%d/\n",
                options->address, options->port);
        return;
    }
    fprintf(stderr, "linkage-gateway: to look:    http%s://%s:%d/#%s\n", s, options->address,
            options->port, web->look_token);
    fprintf(stderr, "linkage-gateway: to operate: http%s://%s:%d/#%s\n", s, options->address,
            options->port, web->operate_token);
}

int gate_web_run(const struct gate_options *options, struct gate_hub *hub)
{
    static const struct lws_protocols protocols[] = {
        {"http", on_http, sizeof(struct page_request), 0, 0, NULL, 0},
        {"foxglove.sdk.v1", on_viewer, sizeof(struct viewer), 4096, 0, NULL, 0},
        {"foxglove.websocket.v1", on_viewer, sizeof(struct viewer), 4096, 0, NULL, 0},
        {PAGE_PROTOCOL, on_page, sizeof(struct page), 4096, 0, NULL, 0},
        {.name = NULL},
    };
    static const lws_retry_bo_t patience = {.secs_since_valid_ping = PING_SECONDS,
                                            .secs_since_valid_hangup = GONE_SECONDS};
    struct gate_web web = {.options = options, .hub = hub};
    struct lws_context_creation_info info = {
        .port = options->port,
        .iface = options->address,
        .protocols = protocols,
        .user = &web,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .timeout_secs = HTTP_SECONDS,
        .max_http_header_pool =
            PEERS_MAX, /* one header buffer for each connection, because libwebsockets would poll a
                          connection that waits for a buffer without pause */
        .fd_limit_per_thread =
            PEERS_MAX -
            16, /* at this limit libwebsockets accepts no connection until another is closed */
        .retry_and_idle_policy = &patience,
        .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                   LWS_SERVER_OPTION_HTTP_HEADERS_SECURITY_BEST_PRACTICES_ENFORCE,
    };

    tls_fill(options, &info);
    lws_set_log_level(LLL_ERR, log_line);
    snprintf(web.session, sizeof(web.session), "linkage-%016llx",
             (unsigned long long)gate_utc_ns());
    if (page_make_token(web.look_token) != 0 || page_make_token(web.operate_token) != 0) {
        complain("no random numbers for tokens");
        return 1;
    }
    web.context = lws_create_context(&info);
    if (web.context == NULL) {
        complain("cannot listen at %s:%d: %s", options->address, options->port,
                 options->tls_cert == NULL ? "another program does?"
                                           : "another program does, or a file of TLS is none?");
        return 1;
    }
    web.meaning = gate_hub_meaning(hub);
    hub->web = web.context;
    hub->wake = wake;
    say_addresses(&web);
    while (!hub->stop && lws_service(web.context, 0) >= 0)
        continue;
    pthread_mutex_lock(&hub->lock);
    hub->wake = NULL;
    pthread_mutex_unlock(&hub->lock);
    lws_context_destroy(web.context);
    for (int i = 0; i < GATE_TOPICS; i++)
        gate_parcel_drop(web.latest[i]);
    gate_queue_clear(&web.events);
    recordings_forget(&web);
    gate_meaning_drop(web.meaning);
    return 0;
}
