/* SPDX-License-Identifier: Apache-2.0 */
/* Measurement lists (DAQ). A master allocates lists, packets (ODT) of lists, and entries of
 * packets. Then it writes the entries and starts the lists. At each event, the packets of all due
 * lists are filled and sent. */
#include "codes.h"
#include "slave.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD      2 /* bytes at the start of each packet: number of the ODT, number of the list */
#define TIMESTAMP 4 /* further bytes in the first packet of a list */

const char *const xcp_event_names[XCP_EVENTS] = {"step", "inputs"};

void xcp_event_cycle(const struct xcp_image *image, int event, uint8_t *ret_cycle,
                     uint8_t *ret_unit)
{
    double unit_ns = 1e9;
    double ns = event == XCP_EVENT_STEP ? image->step_s * 1e9 : XCP_INPUTS_EVERY_MS * 1e6;

    *ret_cycle = *ret_unit = 0;
    for (int unit = 9; unit >= 0; unit--, unit_ns /= 10) {
        double n = round(ns / unit_ns);

        if (n < 1 || n > 255 || fabs(n * unit_ns - ns) > 1e-6 * ns)
            continue;
        *ret_cycle = (uint8_t)n;
        *ret_unit = (uint8_t)unit;
        return;
    }
}

void xcp_daq_free(struct xcp_slave *slave)
{
    slave->n_lists = slave->n_odts = slave->n_entries = 0;
    slave->pointer_set = false;
    slave->allocated = XCP_NOTHING;
}

bool xcp_slave_is_running(const struct xcp_slave *slave)
{
    for (int i = 0; i < slave->n_lists; i++)
        if ((slave->list[i].mode & XCP_LIST_RUNNING) != 0)
            return true;
    return false;
}

static struct xcp_list *find_list(struct xcp_slave *slave, unsigned int number)
{
    return number < (unsigned int)slave->n_lists ? &slave->list[number] : NULL;
}

/* ---- allocation ---- */

static int alloc_lists(struct xcp_slave *slave, unsigned int n)
{
    if (slave->allocated != XCP_FREED)
        return XCP_E_SEQUENCE;
    if (n > XCP_LISTS)
        return XCP_E_MEMORY_OVERFLOW;
    memset(slave->list, 0, sizeof(slave->list));
    for (unsigned int i = 0; i < n; i++)
        slave->list[i].prescaler = 1;
    slave->n_lists = (int)n;
    slave->allocated = XCP_WITH_LISTS;
    return XCP_E_NONE;
}

static int alloc_odts(struct xcp_slave *slave, unsigned int number, unsigned int n)
{
    struct xcp_list *list = find_list(slave, number);

    if (slave->allocated != XCP_WITH_LISTS && slave->allocated != XCP_WITH_ODTS)
        return XCP_E_SEQUENCE;
    if (list == NULL)
        return XCP_E_OUT_OF_RANGE;
    if (list->n > 0)
        return XCP_E_SEQUENCE;
    if (n > 0xfc || n > (unsigned int)(XCP_ODTS - slave->n_odts)) /* PID 0 to 0xfb: DAQ */
        return XCP_E_MEMORY_OVERFLOW;
    list->first = (uint16_t)slave->n_odts;
    list->n = (uint16_t)n;
    memset(slave->odt + slave->n_odts, 0, n * sizeof(*slave->odt));
    slave->n_odts += (int)n;
    slave->allocated = XCP_WITH_ODTS;
    return XCP_E_NONE;
}

static int alloc_entries(struct xcp_slave *slave, unsigned int number, unsigned int odt,
                         unsigned int n)
{
    const struct xcp_list *list = find_list(slave, number);
    struct xcp_odt *o;

    if (slave->allocated != XCP_WITH_ODTS && slave->allocated != XCP_WITH_ENTRIES)
        return XCP_E_SEQUENCE;
    if (list == NULL || odt >= list->n)
        return XCP_E_OUT_OF_RANGE;
    o = &slave->odt[list->first + odt];
    if (o->n > 0)
        return XCP_E_SEQUENCE;
    if (n > (unsigned int)(XCP_ENTRIES - slave->n_entries))
        return XCP_E_MEMORY_OVERFLOW;
    o->first = (uint16_t)slave->n_entries;
    o->n = (uint16_t)n;
    memset(slave->entry + slave->n_entries, 0, n * sizeof(*slave->entry));
    slave->n_entries += (int)n;
    slave->allocated = XCP_WITH_ENTRIES;
    return XCP_E_NONE;
}

static int allocate(struct xcp_slave *slave, const struct xcp_packet *p)
{
    if (xcp_slave_is_running(slave) && p->in[0] != XCP_FREE_DAQ)
        return XCP_E_DAQ_ACTIVE;
    switch (p->in[0]) {
    case XCP_FREE_DAQ:
        xcp_daq_free(slave);
        slave->allocated = XCP_FREED;
        return XCP_E_NONE;
    case XCP_ALLOC_DAQ:
        return alloc_lists(slave, xcp_get16(p->in + 2));
    case XCP_ALLOC_ODT:
        return alloc_odts(slave, xcp_get16(p->in + 2), p->in[4]);
    default:
        return alloc_entries(slave, xcp_get16(p->in + 2), p->in[4], p->in[5]);
    }
}

/* ---- entries ---- */

static int set_pointer(struct xcp_slave *slave, const struct xcp_packet *p)
{
    const struct xcp_list *list = find_list(slave, xcp_get16(p->in + 2));

    if (list == NULL || p->in[4] >= list->n)
        return XCP_E_OUT_OF_RANGE;
    if ((list->mode & XCP_LIST_RUNNING) != 0)
        return XCP_E_DAQ_ACTIVE;
    if (p->in[5] >= slave->odt[list->first + p->in[4]].n)
        return XCP_E_OUT_OF_RANGE;
    slave->pointer_odt = (uint16_t)(list->first + p->in[4]);
    slave->pointer = p->in[5];
    slave->pointer_set = true;
    return XCP_E_NONE;
}

/* Return the entry at the pointer and advance the pointer; NULL: there is no further entry. */
static struct xcp_entry *take_entry(struct xcp_slave *slave)
{
    const struct xcp_odt *odt = &slave->odt[slave->pointer_odt];

    if (!slave->pointer_set || slave->pointer >= odt->n)
        return NULL;
    return &slave->entry[odt->first + slave->pointer++];
}

static int write_entry(struct xcp_slave *slave, uint8_t bit, uint8_t size, uint8_t extension,
                       uint32_t address)
{
    struct xcp_odt *odt = &slave->odt[slave->pointer_odt];
    size_t head = HEAD + TIMESTAMP; /* also if the packet will have no time stamp */
    enum xcp_region region;
    struct xcp_entry *entry;

    if (xcp_slave_is_running(slave))
        return XCP_E_DAQ_ACTIVE;
    if (bit != 0xff || size == 0 || size > XCP_ENTRY_SIZE_MAX)
        return XCP_E_OUT_OF_RANGE;
    if (extension != 0 || xcp_image_at(slave->image, address, size, &region) == NULL)
        return XCP_E_ACCESS_DENIED;
    entry = take_entry(slave);
    if (entry == NULL)
        return XCP_E_SEQUENCE;
    if (head + odt->size - entry->size + size > XCP_MAX_DTO) {
        slave->pointer--;
        return XCP_E_DAQ_CONFIG;
    }
    odt->size = (uint16_t)(odt->size - entry->size + size);
    *entry = (struct xcp_entry){.address = address, .size = size};
    return XCP_E_NONE;
}

static int write_entries(struct xcp_slave *slave, const struct xcp_packet *p)
{
    int error = XCP_E_NONE;

    if (p->in[1] == 0 || p->size < 2 + 8 * (size_t)p->in[1])
        return XCP_E_SYNTAX;
    for (int i = 0; i < p->in[1] && error == XCP_E_NONE; i++) {
        const uint8_t *at = p->in + 2 + 8 * i;

        error = write_entry(slave, at[0], at[1], at[6], xcp_get32(at + 2));
    }
    return error;
}

static int read_entry(struct xcp_slave *slave, struct xcp_packet *p)
{
    const struct xcp_entry *entry = take_entry(slave);

    if (entry == NULL)
        return XCP_E_SEQUENCE;
    p->answer[1] = 0xff;
    p->answer[2] = entry->size;
    xcp_put32(p->answer + 4, entry->address);
    p->n = 8;
    return XCP_E_NONE;
}

static int clear_list(struct xcp_slave *slave, const struct xcp_packet *p)
{
    struct xcp_list *list = find_list(slave, xcp_get16(p->in + 2));

    if (list == NULL)
        return XCP_E_OUT_OF_RANGE;
    list->mode &= (uint8_t) ~(XCP_LIST_RUNNING | XCP_LIST_SELECTED);
    for (int i = 0; i < list->n; i++) {
        struct xcp_odt *odt = &slave->odt[list->first + i];

        memset(slave->entry + odt->first, 0, odt->n * sizeof(*slave->entry));
        odt->size = 0;
    }
    return XCP_E_NONE;
}

/* ---- lists ---- */

static int set_mode(struct xcp_slave *slave, const struct xcp_packet *p)
{
    struct xcp_list *list = find_list(slave, xcp_get16(p->in + 2));
    unsigned int event = xcp_get16(p->in + 4);

    if (list == NULL || event >= XCP_EVENTS || p->in[6] == 0)
        return XCP_E_OUT_OF_RANGE;
    if ((list->mode & XCP_LIST_RUNNING) != 0)
        return XCP_E_DAQ_ACTIVE;
    /* stimulation and packets without a number are not supported */
    if ((p->in[1] & ~XCP_LIST_TIMESTAMP) != 0)
        return XCP_E_MODE_NOT_VALID;
    list->mode = (uint8_t)((list->mode & XCP_LIST_SELECTED) | p->in[1]);
    list->event = (uint16_t)event;
    list->prescaler = p->in[6];
    list->priority = p->in[7];
    return XCP_E_NONE;
}

static int get_mode(struct xcp_slave *slave, struct xcp_packet *p)
{
    const struct xcp_list *list = find_list(slave, xcp_get16(p->in + 2));

    if (list == NULL)
        return XCP_E_OUT_OF_RANGE;
    p->answer[1] = list->mode;
    xcp_put16(p->answer + 4, list->event);
    p->answer[6] = list->prescaler;
    p->answer[7] = list->priority;
    p->n = 8;
    return XCP_E_NONE;
}

/* Return true if all entries of a list were written, which is necessary before it starts. */
static bool is_complete(const struct xcp_slave *slave, const struct xcp_list *list)
{
    for (int i = 0; i < list->n; i++) {
        const struct xcp_odt *odt = &slave->odt[list->first + i];

        for (int k = 0; k < odt->n; k++)
            if (slave->entry[odt->first + k].size == 0)
                return false;
    }
    return list->n > 0;
}

static int start_list(const struct xcp_slave *slave, struct xcp_list *list)
{
    if (!is_complete(slave, list))
        return XCP_E_DAQ_CONFIG;
    list->mode = (uint8_t)((list->mode & ~XCP_LIST_SELECTED) | XCP_LIST_RUNNING);
    list->left = 1;
    return XCP_E_NONE;
}

static int start_stop_list(struct xcp_slave *slave, struct xcp_packet *p)
{
    struct xcp_list *list = find_list(slave, xcp_get16(p->in + 2));
    int error = XCP_E_NONE;

    if (list == NULL)
        return XCP_E_OUT_OF_RANGE;
    switch (p->in[1]) {
    case 0:
        list->mode &= (uint8_t)~XCP_LIST_RUNNING;
        break;
    case 1:
        error = start_list(slave, list);
        break;
    case 2:
        list->mode |= XCP_LIST_SELECTED;
        break;
    default:
        return XCP_E_MODE_NOT_VALID;
    }
    p->n = 2; /* answer[1] is 0: the ODT numbers of each list begin at 0 */
    return error;
}

static int start_selected(struct xcp_slave *slave)
{
    for (int i = 0; i < slave->n_lists; i++)
        if ((slave->list[i].mode & XCP_LIST_SELECTED) != 0 && !is_complete(slave, &slave->list[i]))
            return XCP_E_DAQ_CONFIG;
    for (int i = 0; i < slave->n_lists; i++)
        if ((slave->list[i].mode & XCP_LIST_SELECTED) != 0)
            start_list(slave, &slave->list[i]);
    return XCP_E_NONE;
}

static int start_stop_synch(struct xcp_slave *slave, const struct xcp_packet *p)
{
    if (p->in[1] == 1)
        return start_selected(slave);
    if (p->in[1] > 3)
        return XCP_E_MODE_NOT_VALID;
    if (p->in[1] == 3) { /* prepare: check whether the selected lists could be started */
        for (int i = 0; i < slave->n_lists; i++)
            if ((slave->list[i].mode & XCP_LIST_SELECTED) != 0 &&
                !is_complete(slave, &slave->list[i]))
                return XCP_E_DAQ_CONFIG;
        return XCP_E_NONE;
    }
    for (int i = 0; i < slave->n_lists; i++)
        if (p->in[1] == 0 || (slave->list[i].mode & XCP_LIST_SELECTED) != 0)
            slave->list[i].mode &= (uint8_t) ~(XCP_LIST_RUNNING | XCP_LIST_SELECTED);
    return XCP_E_NONE;
}

/* ---- properties of lists and events ---- */

static int list_info(struct xcp_slave *slave, struct xcp_packet *p)
{
    const struct xcp_list *list = find_list(slave, xcp_get16(p->in + 2));
    unsigned int most = 0;

    if (list == NULL)
        return XCP_E_OUT_OF_RANGE;
    for (int i = 0; i < list->n; i++)
        if (slave->odt[list->first + i].n > most)
            most = slave->odt[list->first + i].n;
    p->answer[1] = 0x04; /* the list measures */
    p->answer[2] = (uint8_t)list->n;
    p->answer[3] = (uint8_t)most;
    p->n = 6;
    return XCP_E_NONE;
}

static int event_info(struct xcp_slave *slave, struct xcp_packet *p)
{
    unsigned int event = xcp_get16(p->in + 2);

    if (event >= XCP_EVENTS)
        return XCP_E_OUT_OF_RANGE;
    snprintf(slave->text, sizeof(slave->text), "%s", xcp_event_names[event]);
    slave->mta_extension = 2;
    slave->mta = 0;
    p->answer[1] = 0x84; /* measurement; all lists of an event contain values of the same step */
    p->answer[2] = 0xff;
    p->answer[3] = (uint8_t)strlen(slave->text);
    xcp_event_cycle(slave->image, (int)event, &p->answer[4], &p->answer[5]);
    p->n = 7;
    return XCP_E_NONE;
}

static int processor_info(const struct xcp_slave *slave, struct xcp_packet *p)
{
    p->answer[1] = 0x93; /* dynamic lists, prescaler, time stamps, event after lost packets */
    xcp_put16(p->answer + 2, (uint16_t)slave->n_lists);
    xcp_put16(p->answer + 4, XCP_EVENTS);
    p->answer[7] = 0x40; /* each packet begins with the number of its ODT and that of its list */
    p->n = 8;
    return XCP_E_NONE;
}

static int resolution_info(struct xcp_packet *p)
{
    p->answer[1] = 1;
    p->answer[2] = XCP_ENTRY_SIZE_MAX;
    p->answer[3] = 1;
    p->answer[5] = 0x34; /* time stamps of four bytes, in units of 1 us */
    xcp_put16(p->answer + 6, 1);
    p->n = 8;
    return XCP_E_NONE;
}

static int look(struct xcp_slave *slave, struct xcp_packet *p)
{
    switch (p->in[0]) {
    case XCP_GET_DAQ_LIST_MODE:
        return get_mode(slave, p);
    case XCP_GET_DAQ_CLOCK:
        xcp_put32(p->answer + 4, (uint32_t)slave->clock_us);
        p->n = 8;
        return XCP_E_NONE;
    case XCP_GET_DAQ_PROCESSOR_INFO:
        return processor_info(slave, p);
    case XCP_GET_DAQ_RESOLUTION_INFO:
        return resolution_info(p);
    case XCP_GET_DAQ_LIST_INFO:
        return list_info(slave, p);
    case XCP_GET_DAQ_EVENT_INFO:
        return event_info(slave, p);
    default:
        return XCP_E_UNKNOWN;
    }
}

int xcp_daq_command(struct xcp_slave *slave, struct xcp_packet *p)
{
    switch (p->in[0]) {
    case XCP_FREE_DAQ:
    case XCP_ALLOC_DAQ:
    case XCP_ALLOC_ODT:
    case XCP_ALLOC_ODT_ENTRY:
        return allocate(slave, p);
    case XCP_CLEAR_DAQ_LIST:
        return clear_list(slave, p);
    case XCP_SET_DAQ_PTR:
        return set_pointer(slave, p);
    case XCP_WRITE_DAQ:
        return write_entry(slave, p->in[1], p->in[2], p->in[3], xcp_get32(p->in + 4));
    case XCP_WRITE_DAQ_MULTIPLE:
        return write_entries(slave, p);
    case XCP_READ_DAQ:
        return read_entry(slave, p);
    case XCP_SET_DAQ_LIST_MODE:
        return set_mode(slave, p);
    case XCP_START_STOP_DAQ_LIST:
        return start_stop_list(slave, p);
    case XCP_START_STOP_SYNCH:
        return start_stop_synch(slave, p);
    default:
        return look(slave, p);
    }
}

/* ---- events ---- */

static void send_odt(struct xcp_slave *slave, int number, int k)
{
    const struct xcp_list *list = &slave->list[number];
    const struct xcp_odt *odt = &slave->odt[list->first + k];
    uint8_t packet[XCP_MAX_DTO];
    size_t n = HEAD;

    packet[0] = (uint8_t)k;
    packet[1] = (uint8_t)number;
    if (k == 0 && (list->mode & XCP_LIST_TIMESTAMP) != 0) {
        xcp_put32(packet + n, (uint32_t)slave->clock_us);
        n += TIMESTAMP;
    }
    for (int i = 0; i < odt->n; i++) {
        const struct xcp_entry *entry = &slave->entry[odt->first + i];
        enum xcp_region region;
        const uint8_t *bytes = xcp_image_at(slave->image, entry->address, entry->size, &region);

        memcpy(packet + n, bytes, entry->size);
        n += entry->size;
    }
    slave->lost += !slave->calls.send(slave->calls.context, packet, n);
}

/* Return the size of all packets of a list, including frames [bytes]. */
static size_t size_of_list(const struct xcp_slave *slave, const struct xcp_list *list)
{
    size_t size = (list->mode & XCP_LIST_TIMESTAMP) != 0 ? TIMESTAMP : 0;

    for (int k = 0; k < list->n; k++)
        size += XCP_FRAME + HEAD + slave->odt[list->first + k].size;
    return size;
}

/* Notify the master of lost packets before sending further ones. */
static void tell_overload(struct xcp_slave *slave)
{
    const uint8_t event[] = {XCP_EVENT, XCP_EV_DAQ_OVERLOAD};

    if (slave->lost > 0 && slave->calls.send(slave->calls.context, event, sizeof(event)))
        slave->lost = 0;
}

void xcp_slave_event(struct xcp_slave *slave, int event)
{
    if (!xcp_slave_is_running(slave)) {
        slave->lost = 0;
        return;
    }
    tell_overload(slave);
    for (int i = 0; i < slave->n_lists; i++) {
        struct xcp_list *list = &slave->list[i];

        if ((list->mode & XCP_LIST_RUNNING) == 0 || list->event != event || --list->left > 0)
            continue;
        list->left = list->prescaler;
        if (!slave->calls.fits(slave->calls.context, size_of_list(slave, list))) {
            slave->lost += list->n;
            continue;
        }
        for (int k = 0; k < list->n; k++)
            send_odt(slave, i, k);
    }
}
