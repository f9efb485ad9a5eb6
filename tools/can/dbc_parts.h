/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of a DBC file, in two parts: dbc_read.c has what is declared, dbc_attributes.c what is
 * said about it later. All functions return false after a refusal, or without memory. */
#ifndef TOOLS_CAN_DBC_PARTS_H
#define TOOLS_CAN_DBC_PARTS_H

#include "dbc_words.h"

#define DBC_EXTENDED 0x80000000u /* of an identifier in the file: it has 29 bits */

/** struct dbc_reader - values of attributes for messages without their own: @cycle_ms;
 * @of: message that the present statement is about, -1: none
 * @fd_formats: bit i: the format i of VFrameFormat is one of CAN FD;  @format: the default one */
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

/** dbc_find_id() - the message with this identifier, as the file writes it. Return: -1: none. */
int dbc_find_id(const struct dbc *dbc, double number);
/** dbc_take_message() - the message that an identifier in a later statement means; -1: one that is
 * not there. */
bool dbc_take_message(struct dbc_reader *r, int *ret);

/** dbc_read_definition() .. - statements behind their keyword. @begin: that, for messages */
bool dbc_read_definition(struct dbc_reader *r, const struct dbc_token *begin);
bool dbc_read_default(struct dbc_reader *r, const struct dbc_token *begin);
bool dbc_read_attribute(struct dbc_reader *r, const struct dbc_token *begin);
bool dbc_read_kind(struct dbc_reader *r, const struct dbc_token *begin);
bool dbc_read_selection(struct dbc_reader *r, const struct dbc_token *begin);

#endif
