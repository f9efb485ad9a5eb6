/* SPDX-License-Identifier: Apache-2.0 */
/* A DBC file: the messages of a CAN bus, their signals, and the attributes needed to send and
 * receive them. Comments, value tables and other attributes are ignored.
 *
 *     dbc_read() or dbc_read_text()   dbc_find_message() ...   dbc_free()
 *
 * Bounds: a text of DBC_SIZE_MAX bytes, DBC_MESSAGES_MAX messages, DBC_SIGNALS_MAX signals in all
 * and DBC_SIGNALS_OF_MAX of a message. Texts that are not UTF-8 are read as Latin-1, as most tools
 * write them.
 * Thread: any.  RT: no. */
#ifndef TOOLS_CAN_DBC_H
#define TOOLS_CAN_DBC_H

#include "linkage/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DBC_SIZE_MAX       (16u << 20)
#define DBC_MESSAGES_MAX   4096
#define DBC_SIGNALS_MAX    32768
#define DBC_SIGNALS_OF_MAX 4096
#define DBC_NODES_MAX      1024
#define DBC_NAME_SIZE      128
#define DBC_UNIT_SIZE      32
#define DBC_BYTES_MAX      64 /* bytes of a frame of CAN FD */

/** enum dbc_kind - number format of a signal. */
enum dbc_kind { DBC_INTEGER, DBC_FLOAT, DBC_DOUBLE };

/** enum dbc_role - role of a signal. DBC_SELECTOR: multiplexor, whose value selects which of the
 * DBC_SELECTED signals are present. */
enum dbc_role { DBC_PLAIN, DBC_SELECTOR, DBC_SELECTED };

/** struct dbc_signal - a signal of a message: value = raw @factor + @offset.
 * @long_name:     value of the attribute SystemSignalLongSymbol, "" without it
 * @start:         number of the signal's lowest bit or, if @is_motorola, of its highest bit. DBC
 *                 counts 8 bits per byte, from the lowest bit of each byte
 * @low, @high:    range of the value; both 0: no range
 * @selection:     value of the selector for which the signal is present
 * @initial:       raw value of the attribute GenSigStartValue
 * @line, @column: position of the signal's name in the file */
struct dbc_signal {
    char name[DBC_NAME_SIZE];
    char long_name[DBC_NAME_SIZE];
    char unit[DBC_UNIT_SIZE];
    int start;
    int bits;
    bool is_motorola;
    bool is_signed;
    enum dbc_kind kind;
    double factor;
    double offset;
    double low;
    double high;
    enum dbc_role role;
    uint32_t selection;
    double initial;
    int line;
    int column;
};

/** struct dbc_message - a message.
 * @sender:      name of the sending node
 * @id:          identifier of 11 bits, or of 29 bits if @is_extended
 * @bytes:       length of the data
 * @is_fd:       message of CAN FD
 * @cycle_s:     cycle time from the attribute GenMsgCycleTime, 0: none
 * @signal:      index of the first of the @n_signals signals of the message
 * @selector:    index of the selector among all signals, or -1
 * @passed_over: reason why the message cannot be sent or received, static text; NULL: it can
 * @mistake:     first error in the statements about the message, "name:line:column: error,
 *               expectation", or NULL. With an error the message is skipped, and @n_signals counts
 *               the signals whose names were read */
struct dbc_message {
    char name[DBC_NAME_SIZE];
    char long_name[DBC_NAME_SIZE];
    char sender[DBC_NAME_SIZE];
    uint32_t id;
    bool is_extended;
    int bytes;
    bool is_fd;
    double cycle_s;
    int signal;
    int n_signals;
    int selector;
    const char *passed_over;
    char *mistake;
    int line;
    int column;
};

/** struct dbc_sender - a further node that sends @message. */
struct dbc_sender {
    int message;
    char node[DBC_NAME_SIZE];
};

/** struct dbc - content of a DBC file.
 * @name: name of the file in messages
 * @note: @n_notes errors without an effect, as "name:line:column: error" */
struct dbc {
    char *name;
    struct dbc_message *message;
    int n_messages;
    struct dbc_signal *signal;
    int n_signals;
    char (*node)[DBC_NAME_SIZE];
    int n_nodes;
    struct dbc_sender *sender;
    int n_senders;
    char **note;
    int n_notes;
};

/** dbc_read_text() - Read the text of a DBC file. An error in the statements about one message is
 * stored with that message. If there is any other error, the text is refused.
 * @text: @size bytes followed by a zero
 * @name: name of the text in messages
 * Return: 0, LK_E_TEXT (@ret_error: "name:line:column: error, expectation"), -ENOMEM. */
int dbc_read_text(const char *name, const char *text, size_t size, struct dbc **ret_dbc,
                  struct lk_error *ret_error);
/** dbc_read() - Read the DBC file at @path, like dbc_read_text().
 * Return: also LK_E_TEXT if the file cannot be read. */
int dbc_read(const char *path, struct dbc **ret_dbc, struct lk_error *ret_error);
/** dbc_free() - Release @dbc, which may be NULL. */
void dbc_free(struct dbc *dbc);

/** dbc_find_message(), dbc_find_signal() - Find a message, or a signal of message @message, by its
 * name or its long name.
 * Return: an index, -1: none. */
int dbc_find_message(const struct dbc *dbc, const char *name);
int dbc_find_signal(const struct dbc *dbc, int message, const char *name);
/** dbc_has_node() - Return true if BU_ lists the node. */
bool dbc_has_node(const struct dbc *dbc, const char *name);
/** dbc_is_sent_by() - Return true if @node is a sender of the message. */
bool dbc_is_sent_by(const struct dbc *dbc, int message, const char *node);
/** dbc_message_name(), dbc_signal_name() - Return the long name if there is one, otherwise the
 * name. */
const char *dbc_message_name(const struct dbc_message *message);
const char *dbc_signal_name(const struct dbc_signal *signal);
/** dbc_first_bit() - Return the index of the signal's first bit in its message. Bits count from the
 * first byte, and within a byte from the lowest (Intel) or highest bit (Motorola). */
int dbc_first_bit(const struct dbc_signal *signal);

#endif
