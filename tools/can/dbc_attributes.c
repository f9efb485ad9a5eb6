/* SPDX-License-Identifier: Apache-2.0 */
/* Statements about earlier declarations: attributes, number formats of signals, selections. */
#include "dbc_parts.h"

#include <math.h>
#include <string.h>

int dbc_find_id(const struct dbc *dbc, double number)
{
    for (int i = 0; i < dbc->n_messages; i++) {
        const struct dbc_message *m = &dbc->message[i];

        if ((m->is_extended ? m->id | DBC_EXTENDED : m->id) == (uint32_t)number)
            return i;
    }
    return -1;
}

bool dbc_take_message(struct dbc_reader *r, int *ret)
{
    double id;

    if (!dbc_take_whole(&r->words, "an identifier", 0, UINT32_MAX, &id))
        return false;
    *ret = r->of = dbc_find_id(r->dbc, id);
    return true;
}

/* ---- attributes ---- */

static bool ends_in_fd(const char *text)
{
    size_t n = strlen(text);

    return n >= 3 && strcmp(text + n - 3, "_FD") == 0;
}

/* Read BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN",..; */
bool dbc_read_definition(struct dbc_reader *r, const struct dbc_token *begin)
{
    struct dbc_words *w = &r->words;
    char name[DBC_NAME_SIZE];

    if (dbc_is(w, "BO_"))
        dbc_next(w);
    if (w->now.kind != DBC_STRING)
        return dbc_pass_statement(w, begin);
    if (!dbc_take_string(w, "an attribute", name, sizeof(name)))
        return false;
    if (strcmp(name, "VFrameFormat") != 0 || !dbc_is(w, "ENUM"))
        return dbc_pass_statement(w, begin);
    dbc_next(w);
    r->fd_formats = 0;
    for (int i = 0; w->now.kind == DBC_STRING; i++) {
        if (!dbc_take_string(w, "a format", name, sizeof(name)))
            return false;
        if (i < 64 && ends_in_fd(name))
            r->fd_formats |= UINT64_C(1) << i;
        if (dbc_is(w, ","))
            dbc_next(w);
    }
    return dbc_pass_statement(w, begin);
}

/* Read a frame format, given by its number in VFrameFormat or by its name. */
static bool take_format(struct dbc_reader *r, bool *ret_is_fd)
{
    struct dbc_words *w = &r->words;
    char name[DBC_NAME_SIZE];
    double number;

    if (w->now.kind == DBC_STRING) {
        if (!dbc_take_string(w, "a format", name, sizeof(name)))
            return false;
        *ret_is_fd = ends_in_fd(name);
        return true;
    }
    if (!dbc_take_whole(w, "a format", 0, 63, &number))
        return false;
    *ret_is_fd = (r->fd_formats >> (int)number & 1) != 0;
    return true;
}

/* Read BA_DEF_DEF_ "GenMsgCycleTime" 100; */
bool dbc_read_default(struct dbc_reader *r, const struct dbc_token *begin)
{
    struct dbc_words *w = &r->words;
    char name[DBC_NAME_SIZE];
    bool is_fd;

    if (!dbc_take_string(w, "an attribute", name, sizeof(name)))
        return false;
    if (strcmp(name, "GenMsgCycleTime") == 0) {
        if (!dbc_take_whole(w, "a time in ms", 0, 1e6, &r->cycle_ms))
            return false;
    } else if (strcmp(name, "VFrameFormat") == 0) {
        if (!take_format(r, &is_fd))
            return false;
        r->format = is_fd;
    }
    return dbc_pass_statement(w, begin);
}

/* Read BA_ "NAME" BO_ id value; */
static bool read_of_message(struct dbc_reader *r, const char *name)
{
    struct dbc_words *w = &r->words;
    struct dbc_message *m;
    double cycle_ms;
    bool is_fd;
    int i;

    if (!dbc_take_message(r, &i))
        return false;
    if (i < 0)
        return true;
    m = &r->dbc->message[i];
    if (strcmp(name, "GenMsgCycleTime") == 0) {
        if (!dbc_take_whole(w, "a time in ms", 0, 1e6, &cycle_ms))
            return false;
        m->cycle_s = cycle_ms / 1000;
    } else if (strcmp(name, "VFrameFormat") == 0) {
        if (!take_format(r, &is_fd))
            return false;
        r->has_format[i] = true;
        m->is_fd = is_fd || m->bytes > 8;
    } else if (strcmp(name, "SystemMessageLongSymbol") == 0) {
        return dbc_take_string(w, "a long name", m->long_name, sizeof(m->long_name));
    }
    return true;
}

/* Read BA_ "NAME" SG_ id signal value; */
static bool read_of_signal(struct dbc_reader *r, const char *name)
{
    struct dbc_words *w = &r->words;
    char signal[DBC_NAME_SIZE];
    struct dbc_signal *s;
    int i, k;

    if (!dbc_take_message(r, &i) || !dbc_take_name(w, "a signal", signal))
        return false;
    k = i < 0 ? -1 : dbc_find_signal(r->dbc, i, signal);
    if (k < 0)
        return true;
    s = &r->dbc->signal[k];
    if (strcmp(name, "GenSigStartValue") == 0)
        return dbc_take_number(w, "a raw value", &s->initial);
    if (strcmp(name, "SystemSignalLongSymbol") == 0)
        return dbc_take_string(w, "a long name", s->long_name, sizeof(s->long_name));
    return true;
}

bool dbc_read_attribute(struct dbc_reader *r, const struct dbc_token *begin)
{
    struct dbc_words *w = &r->words;
    char name[DBC_NAME_SIZE];
    bool good = true;

    if (!dbc_take_string(w, "an attribute", name, sizeof(name)))
        return false;
    if (dbc_is(w, "BO_")) {
        dbc_next(w);
        good = read_of_message(r, name);
    } else if (dbc_is(w, "SG_")) {
        dbc_next(w);
        good = read_of_signal(r, name);
    }
    return good && dbc_pass_statement(w, begin);
}

/* ---- further statements about signals ---- */

/* Find the signal of a later statement. It must exist. */
static bool take_signal(struct dbc_reader *r, int *ret_message, struct dbc_signal **ret)
{
    struct dbc_words *w = &r->words;
    const struct dbc_token token = w->now;
    char name[DBC_NAME_SIZE];
    int k;

    if (!dbc_take_message(r, ret_message) || !dbc_take_name(w, "a signal", name))
        return false;
    k = *ret_message < 0 ? -1 : dbc_find_signal(r->dbc, *ret_message, name);
    if (k < 0) {
        w->is_harmless = true;
        return dbc_refuse(w, &token, "there is no signal '%s' in such a message, expected one",
                          name);
    }
    *ret = &r->dbc->signal[k];
    return true;
}

/* Read SIG_VALTYPE_ id signal : 1; */
bool dbc_read_kind(struct dbc_reader *r, const struct dbc_token *begin)
{
    struct dbc_words *w = &r->words;
    struct dbc_token token;
    struct dbc_signal *s = NULL;
    double kind;
    int message;

    if (!take_signal(r, &message, &s))
        return false;
    if (dbc_is(w, ":"))
        dbc_next(w);
    token = w->now;
    if (!dbc_take_whole(w, "0, 1 (float) or 2 (double)", 0, 2, &kind))
        return false;
    if (kind > 0 && s->bits != (kind == 1 ? 32 : 64))
        return dbc_refuse(w, &token, "'%s' has %d bits, expected %d of a %s", s->name, s->bits,
                          kind == 1 ? 32 : 64, kind == 1 ? "float" : "double");
    s->kind = (enum dbc_kind)kind;
    return dbc_pass_statement(w, begin);
}

/* Read SG_MUL_VAL_ id signal selector low-high, low-high; If the statement means the same as
 * m<low>, the multiplexing is not extended. */
bool dbc_read_selection(struct dbc_reader *r, const struct dbc_token *begin)
{
    struct dbc_words *w = &r->words;
    char selector[DBC_NAME_SIZE];
    struct dbc_message *m;
    struct dbc_signal *s = NULL;
    double low, high;
    int message;
    bool is_plain;

    if (!take_signal(r, &message, &s) || !dbc_take_name(w, "a selector", selector) ||
        !dbc_take_number(w, "a value", &low) || !dbc_take_number(w, "-VALUE", &high))
        return false;
    m = &r->dbc->message[message];
    is_plain = m->selector >= 0 && strcmp(r->dbc->signal[m->selector].name, selector) == 0 &&
               s->role == DBC_SELECTED && low == s->selection && fabs(high) == low &&
               !dbc_is(w, ",");
    if (!is_plain && m->passed_over == NULL)
        m->passed_over = "it has extended multiplexing";
    return dbc_pass_statement(w, begin);
}
