/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of a DBC file, statement by statement. Statements that are irrelevant to a sender or
 * receiver are skipped. A statement with an unknown name is refused, because it may be a typing
 * error. An error in a statement about a message is stored with that message, because that message
 * may not be needed. */
#include "dbc_parts.h"
#include "linkage/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORPHANS    0xc0000000u /* identifier of the pseudo-message for signals without a message */
#define ID_MAX     0x1fffffffu
#define EXTENDED   "it has extended multiplexing"
#define FD_FORMATS 0xc000u /* formats 14 and 15 of VFrameFormat are those of CAN FD */

static bool grow(struct dbc_reader *r, void *array, int n, int *room, size_t size)
{
    void *old, *bigger;

    if (n < *room)
        return true;
    memcpy(&old, array, sizeof(old));
    bigger = reallocarray(old, (size_t)*room * 2 + 16, size);
    if (bigger == NULL) {
        r->no_memory = true;
        return false;
    }
    memcpy(array, &bigger, sizeof(bigger));
    *room = *room * 2 + 16;
    return true;
}

/* Store an error that concerns no message and has no effect, as a note.
 * Return: false if the error is not of this kind. */
static bool keep_note(struct dbc_reader *r)
{
    struct dbc *dbc = r->dbc;

    if (r->of >= 0 || !r->words.is_harmless || r->no_memory)
        return false;
    if (!grow(r, &dbc->note, dbc->n_notes, &r->room_notes, sizeof(*dbc->note)))
        return false;
    dbc->note[dbc->n_notes] = strdup(r->words.error->text);
    r->no_memory = dbc->note[dbc->n_notes] == NULL;
    dbc->n_notes += !r->no_memory;
    r->words.failed = false;
    return !r->no_memory;
}

/* ---- messages and signals ---- */

static bool check_id(struct dbc_reader *r, const struct dbc_token *token, double number)
{
    uint32_t id = (uint32_t)number;

    if (id == ORPHANS)
        return true;
    if (id & DBC_EXTENDED ? (id & ~DBC_EXTENDED) > ID_MAX : id > 0x7ff)
        return dbc_refuse(
            &r->words, token,
            "the identifier %u, expected at most 2047, or 2147483648 and more for one "
            "of 29 bits",
            id);
    if (dbc_find_id(r->dbc, number) < r->of)
        return dbc_refuse(&r->words, token, "the identifier %u once more, expected one a message",
                          id);
    return true;
}

static bool check_message(struct dbc_reader *r, const struct dbc_token *token)
{
    struct dbc_message *m = &r->dbc->message[r->of];

    if (dbc_find_message(r->dbc, m->name) < r->of)
        return dbc_refuse(&r->words, token, "message '%s' once more, expected another name",
                          m->name);
    if (m->bytes > DBC_BYTES_MAX)
        m->passed_over = "it is longer than a frame";
    if (m->is_extended && m->id == (ORPHANS & ~DBC_EXTENDED))
        m->passed_over = "its signals are in no message";
    m->is_fd = m->bytes > 8;
    return true;
}

/* Read BO_ id name: bytes sender */
static bool read_message(struct dbc_reader *r)
{
    struct dbc_words *w = &r->words;
    struct dbc_message *m;
    struct dbc_token id_token = w->now, token;
    double id, bytes;

    if (r->dbc->n_messages == DBC_MESSAGES_MAX)
        return dbc_refuse(w, &w->now, "more than %d messages, expected fewer", DBC_MESSAGES_MAX);
    if (!grow(r, &r->dbc->message, r->dbc->n_messages, &r->room_messages, sizeof(*m)))
        return false;
    r->of = r->dbc->n_messages++;
    m = &r->dbc->message[r->of];
    *m = (struct dbc_message){.id = UINT32_MAX,
                              .cycle_s = -1,
                              .signal = r->dbc->n_signals,
                              .selector = -1,
                              .line = id_token.line,
                              .column = id_token.column};
    if (!dbc_take_whole(w, "an identifier", 0, UINT32_MAX, &id))
        return false;
    m->id = (uint32_t)id & ~DBC_EXTENDED;
    m->is_extended = id >= DBC_EXTENDED;
    token = w->now;
    m->line = token.line;
    m->column = token.column;
    if (!dbc_take_name(w, "a name of the message", m->name) || !check_id(r, &id_token, id) ||
        !dbc_take_mark(w, ':') || !dbc_take_whole(w, "a number of bytes", 0, 65535, &bytes))
        return false;
    m->bytes = (int)bytes;
    return dbc_take_name(w, "the sender, or Vector__XXX", m->sender) && check_message(r, &token);
}

/* Read the role of a signal. M: it is the selector. m3: it is present if the selector is 3. m3M:
 * both, which is extended multiplexing. */
static bool read_role(struct dbc_reader *r, struct dbc_message *m, struct dbc_signal *s)
{
    struct dbc_words *w = &r->words;
    const char *text = w->now.text;
    size_t size = w->now.size, i = 1;

    if (w->now.kind != DBC_WORD)
        return true;
    if (dbc_is(w, "M")) {
        if (m->selector >= 0)
            m->passed_over = EXTENDED;
        m->selector = r->dbc->n_signals - 1;
        s->role = DBC_SELECTOR;
        dbc_next(w);
        return true;
    }
    for (; i < size && text[i] >= '0' && text[i] <= '9' && i < 10; i++)
        s->selection = s->selection * 10 + (uint32_t)(text[i] - '0');
    if (text[0] != 'm' || i == 1 || (i < size && !(text[i] == 'M' && i + 1 == size)))
        return dbc_refuse(w, &w->now,
                          "'%.*s', expected ':', or M or m0, m1 .. of a multiplexed one",
                          size < 40 ? (int)size : 40, text);
    if (i < size && m->passed_over == NULL)
        m->passed_over = EXTENDED;
    s->role = DBC_SELECTED;
    dbc_next(w);
    return true;
}

/* Read start|bits@order sign (factor,offset) [low|high] */
static bool read_layout(struct dbc_words *w, struct dbc_signal *s)
{
    double start, bits, order;

    if (!dbc_take_mark(w, ':') || !dbc_take_whole(w, "a start bit", 0, 65535, &start) ||
        !dbc_take_mark(w, '|') || !dbc_take_whole(w, "a number of bits", 1, 64, &bits) ||
        !dbc_take_mark(w, '@') || !dbc_take_whole(w, "0 (Motorola) or 1 (Intel)", 0, 1, &order))
        return false;
    s->start = (int)start;
    s->bits = (int)bits;
    s->is_motorola = order == 0;
    s->is_signed = dbc_is(w, "-");
    if (!s->is_signed && !dbc_is(w, "+"))
        return dbc_take_mark(w, '+');
    dbc_next(w);
    return dbc_take_mark(w, '(') && dbc_take_number(w, "a factor", &s->factor) &&
           dbc_take_mark(w, ',') && dbc_take_number(w, "an offset", &s->offset) &&
           dbc_take_mark(w, ')') && dbc_take_mark(w, '[') &&
           dbc_take_number(w, "a lowest value", &s->low) && dbc_take_mark(w, '|') &&
           dbc_take_number(w, "a highest value", &s->high) && dbc_take_mark(w, ']') &&
           dbc_take_string(w, "a unit in quotes", s->unit, sizeof(s->unit));
}

static bool check_signal(struct dbc_reader *r, const struct dbc_message *m,
                         const struct dbc_signal *s, const struct dbc_token *token)
{
    struct dbc_words *w = &r->words;

    if (dbc_find_signal(r->dbc, r->of, s->name) < r->dbc->n_signals - 1)
        return dbc_refuse(w, token, "signal '%s' of '%s' once more, expected another name", s->name,
                          m->name);
    if (s->factor == 0)
        return dbc_refuse(w, token, "the factor of '%s' is 0, expected another", s->name);
    if (s->low > s->high)
        return dbc_refuse(w, token, "'%s' is from %g to %g, expected the lower one first", s->name,
                          s->low, s->high);
    if (m->passed_over == NULL && dbc_first_bit(s) + s->bits > 8 * m->bytes)
        return dbc_refuse(w, token, "'%s' ends at bit %d of '%s', expected at most %d for %d bytes",
                          s->name, dbc_first_bit(s) + s->bits, m->name, 8 * m->bytes, m->bytes);
    return true;
}

/* Read SG_ name role: layout "unit" receiver, receiver */
static bool read_signal(struct dbc_reader *r)
{
    struct dbc_words *w = &r->words;
    const struct dbc_token token = w->now;
    struct dbc_message *m;
    struct dbc_signal *s;

    if (r->dbc->n_messages == 0)
        return dbc_refuse(w, &token, "a signal before any message, expected BO_");
    m = &r->dbc->message[r->dbc->n_messages - 1];
    if (r->dbc->n_signals == DBC_SIGNALS_MAX || m->n_signals == DBC_SIGNALS_OF_MAX)
        return dbc_refuse(w, &token, "more than %d signals, or %d in a message, expected fewer",
                          DBC_SIGNALS_MAX, DBC_SIGNALS_OF_MAX);
    if (!grow(r, &r->dbc->signal, r->dbc->n_signals, &r->room_signals, sizeof(*s)))
        return false;
    s = &r->dbc->signal[r->dbc->n_signals];
    *s = (struct dbc_signal){.initial = NAN, .line = token.line, .column = token.column};
    r->of = r->dbc->n_messages - 1;
    if (!dbc_take_name(w, "a name of the signal", s->name))
        return false;
    r->dbc->n_signals++;
    m->n_signals++;
    if (!read_role(r, m, s) || !read_layout(w, s) || !check_signal(r, m, s, &token))
        return false;
    while (w->now.kind != DBC_END && w->now.line == token.line) /* skip the receivers */
        dbc_next(w);
    return !w->failed;
}

/* ---- senders ---- */

/* Skip an invalid node name to the next blank. Return: false after a refusal. */
static bool pass_node(struct dbc_reader *r)
{
    struct dbc_words *w = &r->words;
    const struct dbc_token begin = w->now;
    const char *end;

    do {
        end = w->now.text + w->now.size;
        dbc_next(w);
    } while (w->now.kind != DBC_END && w->now.text == end);
    if (w->failed)
        return false;
    w->is_harmless = true;
    dbc_refuse(w, &begin, "'%.*s', expected a name of a node",
               end - begin.text < 40 ? (int)(end - begin.text) : 40, begin.text);
    return keep_note(r);
}

/* Read BU_: node node */
static bool read_nodes(struct dbc_reader *r)
{
    struct dbc_words *w = &r->words;

    if (!dbc_take_mark(w, ':'))
        return false;
    while (w->now.kind != DBC_END && w->now.column > 1 && !dbc_begins(w)) {
        if (w->now.kind != DBC_WORD) {
            if (!pass_node(r))
                return false;
            continue;
        }
        if (r->dbc->n_nodes == DBC_NODES_MAX)
            return dbc_refuse(w, &w->now, "more than %d nodes, expected fewer", DBC_NODES_MAX);
        if (!grow(r, &r->dbc->node, r->dbc->n_nodes, &r->room_nodes, sizeof(*r->dbc->node)) ||
            !dbc_take_name(w, "a node", r->dbc->node[r->dbc->n_nodes]))
            return false;
        r->dbc->n_nodes++;
    }
    return true;
}

/* Read BO_TX_BU_ id : node,node; */
static bool read_senders(struct dbc_reader *r, const struct dbc_token *begin)
{
    struct dbc_words *w = &r->words;
    int message;

    if (!dbc_take_message(r, &message) || !dbc_take_mark(w, ':'))
        return false;
    while (w->now.kind == DBC_WORD && message >= 0) {
        struct dbc_sender *s;

        if (r->dbc->n_senders == DBC_SIGNALS_MAX)
            return dbc_refuse(w, &w->now, "more than %d senders, expected fewer", DBC_SIGNALS_MAX);
        if (!grow(r, &r->dbc->sender, r->dbc->n_senders, &r->room_senders, sizeof(*s)))
            return false;
        s = &r->dbc->sender[r->dbc->n_senders];
        s->message = message;
        if (!dbc_take_name(w, "a node", s->node))
            return false;
        r->dbc->n_senders++;
        if (dbc_is(w, ","))
            dbc_next(w);
    }
    return dbc_pass_statement(w, begin);
}

/* ---- statements ---- */

/* Skip the names of sections, each on an indented line. */
static bool pass_names(struct dbc_words *w)
{
    if (!dbc_take_mark(w, ':'))
        return false;
    while (w->now.kind == DBC_WORD && w->now.column > 1)
        dbc_next(w);
    return !w->failed;
}

/* Skip BS_:, which is empty, or has a rate and two registers of an obsolete chip. */
static bool pass_timing(struct dbc_words *w)
{
    if (!dbc_take_mark(w, ':'))
        return false;
    while (w->now.kind == DBC_NUMBER || dbc_is(w, ":") || dbc_is(w, ","))
        dbc_next(w);
    return !w->failed;
}

static bool pass_version(struct dbc_words *w)
{
    char version[DBC_NAME_SIZE];

    return dbc_take_string(w, "a version in quotes", version, sizeof(version));
}

/* Return true for statements that end in a semicolon and are ignored. */
static bool is_passed_over(const struct dbc_words *w)
{
    static const char *const names[] = {"CM_",
                                        "VAL_TABLE_",
                                        "VAL_",
                                        "EV_",
                                        "EV_DATA_",
                                        "SIG_GROUP_",
                                        "ENVVAR_DATA_",
                                        "BA_DEF_REL_",
                                        "BA_REL_",
                                        "CAT_DEF_",
                                        "BA_DEF_DEF_REL_",
                                        "BA_DEF_SGTYPE_",
                                        "BA_SGTYPE_",
                                        "SGTYPE_",
                                        "SGTYPE_VAL_",
                                        "SIG_TYPE_REF_",
                                        "CAT_",
                                        "FILTER",
                                        "NS_DESC_",
                                        "SIGTYPE_VALTYPE_",
                                        "BU_SG_REL_",
                                        "BU_EV_REL_",
                                        "BU_BO_REL_"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (dbc_is(w, names[i]))
            return true;
    return false;
}

static bool read_section(struct dbc_reader *r, const struct dbc_token *name)
{
    static const struct {
        const char *name;
        bool (*read)(struct dbc_reader *r, const struct dbc_token *begin);
    } statements[] = {
        {"BO_TX_BU_", read_senders},       {"BA_DEF_", dbc_read_definition},
        {"BA_DEF_DEF_", dbc_read_default}, {"BA_", dbc_read_attribute},
        {"SIG_VALTYPE_", dbc_read_kind},   {"SG_MUL_VAL_", dbc_read_selection},
    };
    struct dbc_words *w = &r->words;

    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
        if (dbc_is(w, statements[i].name)) {
            dbc_next(w);
            return statements[i].read(r, name);
        }
    if (is_passed_over(w))
        return dbc_pass_statement(w, name);
    return dbc_refuse(w, name, "'%.*s' begins nothing of a DBC file, expected BO_, SG_, CM_ ..",
                      name->size < 40 ? (int)name->size : 40, name->text);
}

static bool read_statement(struct dbc_reader *r)
{
    struct dbc_words *w = &r->words;
    const struct dbc_token name = w->now;
    static const struct {
        const char *name;
        bool (*pass)(struct dbc_words *w);
        bool (*read)(struct dbc_reader *r);
    } plain[] = {{"VERSION", pass_version, NULL}, {"NS_", pass_names, NULL},
                 {"BS_", pass_timing, NULL},      {"BU_", NULL, read_nodes},
                 {"BO_", NULL, read_message},     {"SG_", NULL, read_signal}};

    if (name.kind != DBC_WORD)
        return dbc_refuse(w, &name, "no keyword, expected BO_, SG_, CM_ ..");
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
        if (dbc_is(w, plain[i].name)) {
            dbc_next(w);
            return plain[i].pass != NULL ? plain[i].pass(w) : plain[i].read(r);
        }
    return read_section(r, &name);
}

static void spoil(struct dbc_reader *r, struct dbc_message *m)
{
    if (m->mistake == NULL)
        m->mistake = strdup(r->words.error->text);
    r->no_memory |= m->mistake == NULL;
    m->passed_over = "there is a mistake in it";
}

/* Store an error with the message of the statement, and with any other message that has the same
 * identifier, because the statement may mean either.
 * Return: false if the error concerns no message, or if the rest of the text cannot be read. */
static bool keep_mistake(struct dbc_reader *r)
{
    struct dbc_message *m = r->of >= 0 ? &r->dbc->message[r->of] : NULL;

    if (m == NULL || r->words.is_lost || r->no_memory)
        return false;
    spoil(r, m);
    for (int i = 0; i < r->of; i++)
        if (r->dbc->message[i].id == m->id && r->dbc->message[i].is_extended == m->is_extended &&
            m->id <= ID_MAX)
            spoil(r, &r->dbc->message[i]);
    r->words.failed = false;
    return !r->no_memory;
}

/* Read all statements.
 * Return: false: the text is refused. */
static bool read_all(struct dbc_reader *r)
{
    while (r->words.now.kind != DBC_END) {
        const struct dbc_token begin = r->words.now;

        r->of = -1;
        r->words.is_harmless = false;
        if (read_statement(r) && !r->words.failed)
            continue;
        if (!keep_note(r) && !keep_mistake(r))
            return false;
        dbc_recover(&r->words, &begin);
    }
    return !r->words.failed;
}

/* Apply defaults to messages, and check that selected signals have a selector. */
static bool finish(struct dbc_reader *r)
{
    for (int i = 0; i < r->dbc->n_messages; i++) {
        struct dbc_message *m = &r->dbc->message[i];

        if (m->cycle_s < 0)
            m->cycle_s = r->cycle_ms / 1000;
        if (!r->has_format[i])
            m->is_fd = m->is_fd || r->format;
        for (int k = m->signal; k < m->signal + m->n_signals && m->passed_over == NULL; k++) {
            const struct dbc_signal *s = &r->dbc->signal[k];
            const struct dbc_token token = {.line = s->line, .column = s->column};

            r->of = i;
            if (s->role == DBC_SELECTED && m->selector < 0 &&
                !dbc_refuse(&r->words, &token,
                            "'%s' is multiplexed, expected a selector 'M' in '%s'", s->name,
                            m->name) &&
                !keep_mistake(r))
                return false;
        }
    }
    return true;
}

int dbc_read_text(const char *name, const char *text, size_t size, struct dbc **ret_dbc,
                  struct lk_error *ret_error)
{
    struct dbc_reader r = {.fd_formats = FD_FORMATS};
    struct lk_error unused;
    bool good;

    r.dbc = calloc(1, sizeof(*r.dbc));
    r.has_format = calloc(DBC_MESSAGES_MAX, sizeof(bool));
    if (r.dbc != NULL)
        r.dbc->name = strdup(name);
    good = r.dbc != NULL && r.has_format != NULL && r.dbc->name != NULL;
    r.no_memory = !good;
    if (good) {
        dbc_words_begin(&r.words, name, text, size, ret_error != NULL ? ret_error : &unused);
        good = !r.words.failed && read_all(&r) && finish(&r);
    }
    free(r.has_format);
    if (good) {
        *ret_dbc = r.dbc;
        return 0;
    }
    dbc_free(r.dbc);
    if (!r.no_memory)
        return LK_E_TEXT;
    lk_error_set(ret_error, "%s: no memory for it", name);
    return -ENOMEM;
}

int dbc_read(const char *path, struct dbc **ret_dbc, struct lk_error *ret_error)
{
    char *text;
    size_t size;
    int code = lk_file_read(path, DBC_SIZE_MAX + 1, &text, &size);

    if (code != 0) {
        lk_error_set(ret_error, "%s: %s", path, lk_file_error(code));
        return LK_E_TEXT;
    }
    if (size > DBC_SIZE_MAX) {
        lk_error_set(ret_error, "%s: more than %u bytes, expected fewer", path, DBC_SIZE_MAX);
        code = LK_E_TEXT;
    } else {
        code = dbc_read_text(path, text, size, ret_dbc, ret_error);
    }
    free(text);
    return code;
}
