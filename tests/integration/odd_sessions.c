/* SPDX-License-Identifier: Apache-2.0 */
#include "odd_sessions.h"
#include <stdbool.h>
#include <string.h>

/* Return a random number (Marsaglia's xorshift64*). */
uint64_t odd_draw(struct odd *z, uint64_t n)
{
    z->random ^= z->random >> 12;
    z->random ^= z->random << 25;
    z->random ^= z->random >> 27;
    return (z->random * UINT64_C(0x2545f4914f6cdd1d) >> 16) % n;
}

static bool one_in(struct odd *z, unsigned int n)
{
    return odd_draw(z, n) == 0;
}

static void put(struct odd *z, const void *data, size_t n)
{
    if (n > sizeof(z->bytes) - z->n)
        return;
    memcpy(z->bytes + z->n, data, n);
    z->n += n;
}

static void put_byte(struct odd *z, uint64_t byte)
{
    unsigned char c = (unsigned char)byte;

    put(z, &c, 1);
}

static void put_big(struct odd *z, uint64_t value, int n)
{
    while (n-- > 0)
        put_byte(z, value >> (8 * n));
}

static void put_noise(struct odd *z, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_byte(z, odd_draw(z, 256));
}

/* ---- greetings ---- */

static void put_mechanism(struct odd *z)
{
    static const char *const names[] = {"NULL", "CURVE", "PLAIN",     "GSSAPI",
                                        "null", "",      "CURVECURVE"};
    char name[20] = "";

    if (one_in(z, 12)) {
        put_noise(z, 20);
        return;
    }
    strcpy(name, one_in(z, 12) ? names[odd_draw(z, 7)] : z->mechanism);
    put(z, name, 20);
}

/* Append a greeting of version 3, mostly valid. */
static void put_greeting(struct odd *z)
{
    size_t begin = z->n;

    put(z, "\xff\0\0\0\0\0\0\0\1\x7f", 10);
    put_byte(z, one_in(z, 12) ? odd_draw(z, 256) : 3);
    put_byte(z, one_in(z, 4) ? odd_draw(z, 256) : 0);
    put_mechanism(z);
    put_byte(z, one_in(z, 8) ? odd_draw(z, 256) : 0); /* flag "as server" */
    for (int i = 0; i < 31; i++)
        put_byte(z, 0);
    if (one_in(z, 12))
        z->bytes[begin + odd_draw(z, 64)] ^= (unsigned char)(1 + odd_draw(z, 255));
    if (one_in(z, 10))
        z->n = begin + odd_draw(z, 64);
}

/* Append a routing id: one that the other side would assign next, one that it might assign, a long
 * one, or none. The numbers of ids begin with the first value of rand() in a process that has not
 * called srand(). */
static void put_identity(struct odd *z, int size_bytes)
{
    static const uint32_t firsts[] = {0, 1, 0x6b8b4567, 0x7fffffff, 0xffffffff};
    uint64_t first =
        one_in(z, 2) ? firsts[odd_draw(z, 5)] : 0x6b8b4567 + odd_draw(z, z->peers / 4 + 1);
    size_t n = odd_draw(z, 256);

    switch (odd_draw(z, 4)) {
    case 0:
    case 1:
        put_big(z, 5, size_bytes);
        put_byte(z, 0);
        put_big(z, first + odd_draw(z, 16), 4);
        return;
    case 2:
        put_big(z, 0, size_bytes);
        return;
    default:
        put_big(z, n, size_bytes);
        put_noise(z, n);
    }
}

/* Append a greeting of version 1 or 2, which contains the identity. */
static void put_old_greeting(struct odd *z)
{
    if (one_in(z, 2)) {
        put(z, "\xff\0\0\0\0\0\0\0\1\x7f", 10);
        put_byte(z, odd_draw(z, 3));  /* revision */
        put_byte(z, odd_draw(z, 14)); /* socket type */
        put_byte(z, 0);
        put_identity(z, 1);
        return;
    }
    put_byte(z, 1 + odd_draw(z, 250)); /* version 1: size, flags, identity */
    put_byte(z, one_in(z, 4) ? odd_draw(z, 256) : 0);
    put_noise(z, odd_draw(z, 250));
}

/* ---- frames ---- */

enum { MORE = 1, LONG = 2, COMMAND = 4 };

/* Append @data in a frame whose header is mostly correct. */
static void put_frame(struct odd *z, unsigned int flags, const unsigned char *data, size_t n)
{
    static const uint64_t sizes[] = {0,
                                     1,
                                     255,
                                     256,
                                     UINT64_C(1) << 20,
                                     UINT64_C(1) << 31,
                                     UINT64_C(1) << 32,
                                     INT64_MAX,
                                     UINT64_MAX - 8,
                                     UINT64_MAX};
    uint64_t size = n;

    if (one_in(z, 30))
        size = sizes[odd_draw(z, sizeof(sizes) / sizeof(sizes[0]))];
    if (one_in(z, 40))
        flags |= (unsigned int)odd_draw(z, 256);
    if (size > 255 || one_in(z, 10))
        flags |= LONG;
    put_byte(z, flags);
    put_big(z, size, flags & LONG ? 8 : 1);
    put(z, data, n);
}

/* Make the bytes from @begin on the content of a frame. */
static void frame_rest(struct odd *z, unsigned int flags, size_t begin)
{
    static unsigned char content[ODD_SIZE_MAX];
    size_t n = z->n - begin;

    memcpy(content, z->bytes + begin, n);
    z->n = begin;
    put_frame(z, flags, content, n);
}

static void put_name(struct odd *z, const char *name)
{
    size_t n = strlen(name);

    put_byte(z, one_in(z, 20) ? odd_draw(z, 256) : n);
    put(z, name, n);
}

static void put_property(struct odd *z)
{
    static const char *const types[] = {"DEALER", "REQ", "SUB",  "XSUB",   "PUB", "XPUB",
                                        "ROUTER", "REP", "PAIR", "STREAM", "",    "dealer"};
    static const char *const names[] = {"Identity", "Resource", "X-none",
                                        "",         "IDENTITY", "Socket-Type"};
    const char *type = types[odd_draw(z, 12)];

    switch (odd_draw(z, 4)) {
    case 0:
        put_name(z, "Socket-Type");
        put_big(z, one_in(z, 20) ? odd_draw(z, UINT32_MAX) : strlen(type), 4);
        put(z, type, strlen(type));
        return;
    case 1:
        put_name(z, "Identity");
        put_identity(z, 4);
        return;
    default:
        put_name(z, names[odd_draw(z, 6)]);
        put_identity(z, 4);
    }
}

static void put_ready(struct odd *z)
{
    const char *type = z->types[odd_draw(z, 2)];
    size_t begin = z->n;

    put_name(z, one_in(z, 20) ? "READ" : "READY");
    if (!one_in(z, 16)) {
        put_name(z, "Socket-Type");
        put_big(z, strlen(type), 4);
        put(z, type, strlen(type));
    }
    for (uint64_t n = one_in(z, 2) ? odd_draw(z, 4) : 0; n > 0; n--)
        put_property(z);
    if (one_in(z, 2)) {
        put_name(z, "Identity");
        put_identity(z, 4);
    }
    frame_rest(z, COMMAND, begin);
}

static void put_command(struct odd *z)
{
    static const char *const names[] = {"PING",  "PONG",  "ERROR",   "SUBSCRIBE", "CANCEL",
                                        "HELLO", "READY", "MESSAGE", "INITIATE",  "WELCOME",
                                        "JOIN",  "LEAVE", "X",       ""};
    size_t begin = z->n;

    put_name(z, names[odd_draw(z, sizeof(names) / sizeof(names[0]))]);
    put_noise(z, one_in(z, 3) ? 2 : odd_draw(z, 64));
    frame_rest(z, COMMAND | (one_in(z, 8) ? MORE : 0), begin);
}

/* Append a command of CURVE, with random bytes in place of encrypted ones. */
static void put_curve(struct odd *z)
{
    static const struct {
        const char *name;
        size_t size;
    } known[] = {
        {"HELLO", 194}, {"INITIATE", 249}, {"MESSAGE", 25}, {"WELCOME", 160}, {"READY", 30}};
    uint64_t i = one_in(z, 2) ? 0 : odd_draw(z, 5);
    size_t begin = z->n;

    put_name(z, known[i].name);
    if (i == 0) { /* version 1.0 and padding, then keys and boxes */
        put_byte(z, one_in(z, 6) ? odd_draw(z, 256) : 1);
        for (int k = 0; k < 73; k++)
            put_byte(z, 0);
        put_noise(z, one_in(z, 6) ? odd_draw(z, 200) : 120);
    } else {
        put_noise(z, one_in(z, 4) ? odd_draw(z, 400) : known[i].size);
    }
    frame_rest(z, one_in(z, 8) ? 0 : COMMAND, begin);
}

/* Append messages like subscriptions, requests and samples, and messages of many parts. */
static void put_messages(struct odd *z)
{
    uint64_t n = one_in(z, 8) ? odd_draw(z, 300) : 1 + odd_draw(z, 6);

    while (n-- > 0) {
        unsigned char content[300];
        size_t size = odd_draw(z, one_in(z, 4) ? sizeof(content) : 12);

        for (size_t i = 0; i < size; i++)
            content[i] = (unsigned char)odd_draw(z, 256);
        if (size > 0 && one_in(z, 2))
            content[0] = (unsigned char)odd_draw(z, 2); /* a subscription, or its end */
        put_frame(z, one_in(z, 3) ? MORE : 0, content, size);
    }
}

/* ---- sessions ---- */

static void put_any(struct odd *z)
{
    switch (odd_draw(z, 8)) {
    case 0:
        put_ready(z);
        break;
    case 1:
    case 2:
        put_command(z);
        break;
    case 3:
        put_curve(z);
        break;
    case 4:
        put_noise(z, odd_draw(z, 100));
        break;
    case 5:
        put_greeting(z);
        break;
    default:
        put_messages(z);
    }
}

void odd_session(struct odd *z)
{
    z->n = z->pause = 0;
    if (one_in(z, 8))
        put_old_greeting(z);
    else
        put_greeting(z);
    if (one_in(z, 2))
        z->pause = z->n;
    if (!one_in(z, 8) && strcmp(z->mechanism, "NULL") == 0)
        put_ready(z);
    else if (!one_in(z, 8))
        put_curve(z);
    for (uint64_t n = odd_draw(z, 6); n > 0; n--)
        put_any(z);
    if (one_in(z, 6))
        z->n = odd_draw(z, z->n + 1);
    if (z->pause > z->n)
        z->pause = z->n;
}
