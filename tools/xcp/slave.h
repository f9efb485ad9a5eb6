/* SPDX-License-Identifier: Apache-2.0 */
/* The XCP slave: answers commands of a master and fills measurement lists (DAQ). It has no socket,
 * no clock, and no memory except this struct. It accesses its environment through callbacks.
 *
 *     xcp_slave_init()
 *     xcp_slave_command()   executes a packet of the master, and makes the answer
 *     xcp_slave_event()     the image has new numbers; sends the packets of running lists
 *     xcp_slave_end()       ends the session
 *
 * Thread: one. The work for any packet is bounded. */
#ifndef TOOLS_XCP_SLAVE_H
#define TOOLS_XCP_SLAVE_H

#include "image.h"

#define XCP_MAX_CTO        248  /* largest packet with a command or an answer [bytes] */
#define XCP_MAX_DTO        1400 /* largest measurement packet, within an Ethernet frame */
#define XCP_ENTRY_SIZE_MAX 248
#define XCP_LISTS          64
#define XCP_ODTS           512     /* number of ODTs of all lists together */
#define XCP_ENTRIES        8192    /* number of entries of all ODTs together */
#define XCP_CHECKSUM_MAX   0x10000 /* largest number of bytes for one checksum */

/** enum xcp_event_number - events at which lists are filled: a step published by the daemon, and a
 * reply with its inputs. */
enum xcp_event_number { XCP_EVENT_STEP, XCP_EVENT_INPUTS, XCP_EVENTS };
extern const char *const xcp_event_names[XCP_EVENTS];

#define XCP_INPUTS_EVERY_MS 200 /* interval of requests for the inputs */

/** xcp_event_cycle() - Compute the time between two events: @ret_cycle times 10 to the power of
 * @ret_unit [ns]. @ret_cycle is 0 if the time is not a multiple, 1 to 255, of such a unit. */
void xcp_event_cycle(const struct xcp_image *image, int event, uint8_t *ret_cycle,
                     uint8_t *ret_unit);

/** struct xcp_entry - a measured number.
 * @address: address of the number
 * @size:    size of the number [bytes]; 0: entry not written yet */
struct xcp_entry {
    uint32_t address;
    uint8_t size;
};

/** struct xcp_odt - one packet of a list.
 * @first, @n: index of its first entry, number of entries
 * @size:      total size of the entries [bytes] */
struct xcp_odt {
    uint16_t first;
    uint16_t n;
    uint16_t size;
};

/** struct xcp_list - a measurement list.
 * @first, @n: index of its first ODT, number of ODTs
 * @event:     event at which the list is filled
 * @mode:      bits of the mode, see codes.h
 * @prescaler: the list is sent at every @prescaler-th event
 * @left:      number of events until the list is due */
struct xcp_list {
    uint16_t first;
    uint16_t n;
    uint16_t event;
    uint8_t mode;
    uint8_t prescaler;
    uint8_t priority;
    uint8_t left;
};

/** struct xcp_calls - callbacks of a slave.
 * @write: command the @n numbers from index @place of XCP_INPUTS on. If the command succeeds, the
 *         image contains them. Returns XCP_E_NONE, or an error for the master.
 * @fits:  return true if @size bytes of packets with their frames can be queued, because a list is
 *         sent as a whole
 * @send:  send a packet that is not an answer; return true if it was queued */
struct xcp_calls {
    void *context;
    int (*write)(void *context, int place, int n, const double *values);
    bool (*fits)(void *context, size_t size);
    bool (*send)(void *context, const uint8_t *packet, size_t size);
};

enum xcp_allocation { XCP_NOTHING, XCP_FREED, XCP_WITH_LISTS, XCP_WITH_ODTS, XCP_WITH_ENTRIES };

/** struct xcp_slave - the slave.
 * @image:    not owned; NULL: no image, and no master can connect
 * @clock_us: simulated time of the newest step; continues when a run restarts
 * @mta, @mta_extension: address of the next UPLOAD, with its extension
 * @text:     text for the extension LAST_TEXT
 * @pointer:  index of the entry for WRITE_DAQ in @pointer_odt, valid if @pointer_set
 * @lost:     number of packets that could not be sent, and of steps not published or not received,
 *            since the master was last notified */
struct xcp_slave {
    struct xcp_image *image;
    struct xcp_calls calls;
    bool connected;
    uint64_t clock_us;
    uint32_t mta;
    uint8_t mta_extension;
    char text[XCP_NAME_SIZE + 8];
    enum xcp_allocation allocated;
    int n_lists;
    int n_odts;
    int n_entries;
    bool pointer_set;
    uint16_t pointer_odt;
    uint16_t pointer;
    uint64_t lost;
    struct xcp_list list[XCP_LISTS];
    struct xcp_odt odt[XCP_ODTS];
    struct xcp_entry entry[XCP_ENTRIES];
};

void xcp_slave_init(struct xcp_slave *slave, const struct xcp_calls *calls);

/** xcp_slave_command() - Execute a command of the master.
 * @packet: @size bytes, 1 to XCP_MAX_CTO
 * @answer: room for XCP_MAX_CTO bytes
 * Return: size of the answer; 0: no answer is sent. */
size_t xcp_slave_command(struct xcp_slave *slave, const uint8_t *packet, size_t size,
                         uint8_t *answer);

/** xcp_slave_event() - Send the packets of all running lists of @event that are due. */
void xcp_slave_event(struct xcp_slave *slave, int event);

/** xcp_slave_end() - Return to the state before CONNECT.
 * @tell: send an event to the master */
void xcp_slave_end(struct xcp_slave *slave, bool tell);

/** xcp_slave_is_running() - Return true if any list is running. */
bool xcp_slave_is_running(const struct xcp_slave *slave);

/* ---- functions of daq.c for slave.c ---- */

/** struct xcp_packet - a command and its answer.
 * @in:     the command, @size bytes
 * @answer: the answer, @n bytes; zero, except for the first byte */
struct xcp_packet {
    const uint8_t *in;
    size_t size;
    uint8_t *answer;
    size_t n;
};

/** xcp_daq_command() - Execute a command about measurement lists.
 * Return: enum xcp_error; XCP_E_UNKNOWN for other commands. */
int xcp_daq_command(struct xcp_slave *slave, struct xcp_packet *p);
void xcp_daq_free(struct xcp_slave *slave);

#define XCP_FRAME                                                                                  \
    4 /* bytes before a packet in an Ethernet frame: the length of the packet and a counter */

/** xcp_frame_take() - Check whether @bytes begin with a complete frame.
 * @ret_size: size of the packet after the XCP_FRAME bytes
 * Return: 1: the frame is complete; 0: more bytes are needed; -1: invalid length. */
int xcp_frame_take(const uint8_t *bytes, size_t size, size_t *ret_size);

uint16_t xcp_get16(const uint8_t *bytes);
uint32_t xcp_get32(const uint8_t *bytes);
void xcp_put16(uint8_t *bytes, uint16_t value);
void xcp_put32(uint8_t *bytes, uint32_t value);

#endif
