/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of the reader of a DBC file: dbc_read.c reads declarations, dbc_attributes.c reads
 * later statements about them. All functions return false after an error in the text, or if memory
 * is exhausted. */
#ifndef TOOLS_CAN_DBC_PARTS_H
#define TOOLS_CAN_DBC_PARTS_H

#include "dbc_words.h"

#define DBC_EXTENDED 0x80000000u /* bit of an identifier in the file: 29-bit identifier */

/** struct dbc_reader - state of the reader.
 * @cycle_ms:   default cycle time of messages without the attribute
 * @of:         index of the message of the present statement, -1: none
 * @fd_formats: bit set: if bit i is set, format i of VFrameFormat is a format of CAN FD
 * @format:     the default format is a format of CAN FD */
struct dbc_reader {
    struct dbc_words words;
    struct dbc *dbc;
    int of;
    int room_messages, room_signals, room_nodes, room_senders, room_notes;
    double cycle_ms;
    uint64_t fd_formats;
    int format;
    bool *has_format;
    bool no_memory;
};

/** dbc_find_id() - Find the message with this identifier in the notation of the file.
 * Return: -1: none. */
int dbc_find_id(const struct dbc *dbc, double number);
/** dbc_take_message() - Read an identifier in a later statement and find its message; -1: unknown
 * message. */
bool dbc_take_message(struct dbc_reader *r, int *ret);

/** dbc_read_definition() .. - Read a statement after its keyword. @begin: token of the keyword, for
 * error messages */
bool dbc_read_definition(struct dbc_reader *r, const struct dbc_token *begin);
bool dbc_read_default(struct dbc_reader *r, const struct dbc_token *begin);
bool dbc_read_attribute(struct dbc_reader *r, const struct dbc_token *begin);
bool dbc_read_kind(struct dbc_reader *r, const struct dbc_token *begin);
bool dbc_read_selection(struct dbc_reader *r, const struct dbc_token *begin);

#endif
