/* SPDX-License-Identifier: Apache-2.0 */
/* The slave of XCP: commands of a master answered, lists of measurement (DAQ) filled. No sockets,
 * no clock, no memory of its own but this struct: what it needs comes in by calls.
 *
 *     xcp_slave_init()
 *     xcp_slave_command()   a packet of the master: the answer to it
 *     xcp_slave_event()     numbers of the image are new: packets of the lists that run
 *     xcp_slave_end()       the session is over
 *
 * Thread: one. Works within fixed bounds for any packet. */
#ifndef TOOLS_XCP_SLAVE_H
#define TOOLS_XCP_SLAVE_H

#include "image.h"

#define XCP_MAX_CTO        248  /* bytes of a packet with a command or an answer */
#define XCP_MAX_DTO        1400 /* of one with measurements: within a frame of Ethernet */
#define XCP_ENTRY_SIZE_MAX 248
#define XCP_LISTS          64
#define XCP_ODTS           512     /* of all lists together */
#define XCP_ENTRIES        8192    /* of all ODTs together */
#define XCP_CHECKSUM_MAX   0x10000 /* bytes of one checksum */

/** enum xcp_event_number - when lists are filled: with each step that the daemon publishes; with
 * each look at its inputs. */
enum xcp_event_number { XCP_EVENT_STEP, XCP_EVENT_INPUTS, XCP_EVENTS };
extern const char *const xcp_event_names[XCP_EVENTS];

#define XCP_INPUTS_EVERY_MS 200 /* a look at the inputs */

/** xcp_event_cycle() - time between two events: @ret_cycle times ten to the power of @ret_unit
 * [ns]; 0 where 1 to 255 such units do not say it exactly. */
void xcp_event_cycle(const struct xcp_image *image, int event, uint8_t *ret_cycle,
                     uint8_t *ret_unit);

/** struct xcp_entry - so many bytes at an address. @size: 0: not written yet */
struct xcp_entry {
    uint32_t address;
    uint8_t size;
};

/** struct xcp_odt - one packet of a list. @first, @n: its entries;  @size: bytes of them */
struct xcp_odt {
    uint16_t first;
    uint16_t n;
    uint16_t size;
};

/** struct xcp_list - @first, @n: its ODTs;  @mode: enum of codes.h;  @left: events until it is due
 */
struct xcp_list {
    uint16_t first;
    uint16_t n;
    uint16_t event;
    uint8_t mode;
    uint8_t prescaler;
    uint8_t priority;
    uint8_t left;
};

/** struct xcp_calls - what a slave asks for.
 * @write: @n numbers from place @place of XCP_INPUTS on are commanded; the image has them already
 *         if it succeeds. Return: XCP_E_NONE, or an error for the master
 * @fits:  whether so many bytes of packets with their frames will be taken: lists go out as a whole
 * @send:  a packet that is no answer. Return: whether it could be taken */
struct xcp_calls {
    void *context;
    int (*write)(void *context, int place, int n, const double *values);
    bool (*fits)(void *context, size_t size);
    bool (*send)(void *context, const uint8_t *packet, size_t size);
};

enum xcp_allocation { XCP_NOTHING, XCP_FREED, XCP_WITH_LISTS, XCP_WITH_ODTS, XCP_WITH_ENTRIES };

/** struct xcp_slave - @image: not owned; NULL: there is none, and nobody can connect
 * @clock_us: of the newest step: simulated time, which goes on where a run begins anew
 * @mta, @mta_extension: address of the next UPLOAD;  @text: what extension 2 has
 * @pointer: entry for WRITE_DAQ, @pointer_end: of its ODT
 * @lost: packets that could not be sent, or steps that were not published or did not come, since
 * the master was told */
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

/** xcp_slave_command() - @packet: of @size bytes, 1 to XCP_MAX_CTO.
 * @answer: XCP_MAX_CTO bytes. Return: its size; 0: none is due. */
size_t xcp_slave_command(struct xcp_slave *slave, const uint8_t *packet, size_t size,
                         uint8_t *answer);

/** xcp_slave_event() - packets of all running lists of @event. */
void xcp_slave_event(struct xcp_slave *slave, int event);

/** xcp_slave_end() - back to how it was before CONNECT; with an event that says so, if @tell. */
void xcp_slave_end(struct xcp_slave *slave, bool tell);

/** xcp_slave_is_running() - whether a list runs. */
bool xcp_slave_is_running(const struct xcp_slave *slave);

/* ---- daq.c, for slave.c: commands of lists ---- */

/** struct xcp_packet - a command and the answer to it. @answer: zeros, but the first byte */
struct xcp_packet {
    const uint8_t *in;
    size_t size;
    uint8_t *answer;
    size_t n;
};

/** xcp_daq_command() - one of those. Return: enum xcp_error; XCP_E_UNKNOWN also for others. */
int xcp_daq_command(struct xcp_slave *slave, struct xcp_packet *p);
void xcp_daq_free(struct xcp_slave *slave);

#define XCP_FRAME                                                                                  \
    4 /* bytes in front of a packet on Ethernet: its length, a number that counts up */

/** xcp_frame_take() - whether @bytes begin with a frame. @ret_size: of its packet, behind XCP_FRAME
 * Return: 1: all of it is there; 0: more has to come; -1: no packet has such a length. */
int xcp_frame_take(const uint8_t *bytes, size_t size, size_t *ret_size);

uint16_t xcp_get16(const uint8_t *bytes);
uint32_t xcp_get32(const uint8_t *bytes);
void xcp_put16(uint8_t *bytes, uint16_t value);
void xcp_put32(uint8_t *bytes, uint32_t value);

#endif
