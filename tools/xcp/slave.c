/* SPDX-License-Identifier: Apache-2.0 */
/* Commands for the session, for memory access, and for calibration. */
#include "slave.h"
#include "codes.h"
#include "linkage/crc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* address extensions: numbers of the image; file for GET_ID; last text for GET_ID */
enum { NUMBERS, FILE_TEXT, LAST_TEXT };

uint16_t xcp_get16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

uint32_t xcp_get32(const uint8_t *bytes)
{
    return xcp_get16(bytes) | (uint32_t)xcp_get16(bytes + 2) << 16;
}

void xcp_put16(uint8_t *bytes, uint16_t value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

void xcp_put32(uint8_t *bytes, uint32_t value)
{
    xcp_put16(bytes, (uint16_t)value);
    xcp_put16(bytes + 2, (uint16_t)(value >> 16));
}

int xcp_frame_take(const uint8_t *bytes, size_t size, size_t *ret_size)
{
    if (size < XCP_FRAME)
        return 0;
    *ret_size = xcp_get16(bytes);
    if (*ret_size == 0 || *ret_size > XCP_MAX_CTO)
        return -1;
    return size - XCP_FRAME >= *ret_size;
}

/* ---- memory ---- */

/* Return the @size bytes to be read at an address; NULL: the address is invalid. */
static const uint8_t *find_bytes(struct xcp_slave *slave, uint8_t extension, uint32_t address,
                                 size_t size)
{
    enum xcp_region region;
    const char *text = extension == FILE_TEXT ? slave->image->a2l : slave->text;
    size_t room = extension == FILE_TEXT ? slave->image->a2l_size : strlen(slave->text);

    if (extension == NUMBERS)
        return xcp_image_at(slave->image, address, size, &region);
    if (extension > LAST_TEXT || text == NULL || address > room || size > room - address)
        return NULL;
    return (const uint8_t *)text + address;
}

static int upload(struct xcp_slave *slave, struct xcp_packet *p)
{
    size_t n = p->in[1];
    const uint8_t *bytes;

    if (n == 0 || n > XCP_MAX_CTO - 1)
        return XCP_E_OUT_OF_RANGE;
    bytes = find_bytes(slave, slave->mta_extension, slave->mta, n);
    if (bytes == NULL)
        return XCP_E_ACCESS_DENIED;
    memcpy(p->answer + 1, bytes, n);
    p->n = 1 + n;
    slave->mta += (uint32_t)n;
    return XCP_E_NONE;
}

static void set_mta(struct xcp_slave *slave, uint8_t extension, uint32_t address)
{
    slave->mta_extension = extension;
    slave->mta = address;
}

static int build_checksum(struct xcp_slave *slave, struct xcp_packet *p)
{
    uint32_t size = xcp_get32(p->in + 4);
    const uint8_t *bytes;

    if (size == 0 || size > XCP_CHECKSUM_MAX) {
        xcp_put32(p->answer + 4, XCP_CHECKSUM_MAX); /* largest size of one request */
        p->n = 8;
        return XCP_E_OUT_OF_RANGE;
    }
    bytes = find_bytes(slave, slave->mta_extension, slave->mta, size);
    if (bytes == NULL)
        return XCP_E_ACCESS_DENIED;
    p->answer[1] = 9; /* XCP_CRC_32 */
    xcp_put32(p->answer + 4, lk_crc32(0, bytes, size));
    p->n = 8;
    slave->mta += size;
    return XCP_E_NONE;
}

/* ---- calibration ---- */

static const struct xcp_input *find_input(const struct xcp_image *image, int place)
{
    for (int i = 0; i < image->n_inputs; i++)
        if (place >= image->input[i].place && place < image->input[i].place + image->input[i].n)
            return &image->input[i];
    return NULL;
}

/* Check all values before the first value is commanded. */
static int check_values(const struct xcp_slave *slave, int place, int n, const double *values)
{
    for (int i = 0; i < n; i++) {
        const struct xcp_input *input = find_input(slave->image, place + i);

        if (input == NULL || !isfinite(values[i]) || values[i] < input->low ||
            values[i] > input->high)
            return XCP_E_OUT_OF_RANGE;
    }
    return XCP_E_NONE;
}

/* Write numbers to the inputs. Only complete doubles are accepted, because a part of one would be
 * another value. */
static int download(struct xcp_slave *slave, uint8_t extension, uint32_t address,
                    const uint8_t *bytes, size_t size)
{
    double values[XCP_MAX_CTO / 8];
    uint32_t offset = address - slave->image->region[XCP_INPUTS].address;
    int n = (int)(size / 8), error;
    enum xcp_region region;

    if (extension != NUMBERS)
        return find_bytes(slave, extension, address, size) != NULL ? XCP_E_WRITE_PROTECTED
                                                                   : XCP_E_ACCESS_DENIED;
    if (xcp_image_at(slave->image, address, size, &region) == NULL)
        return XCP_E_ACCESS_DENIED;
    if (region != XCP_INPUTS)
        return XCP_E_WRITE_PROTECTED;
    if (offset % 8 != 0 || size % 8 != 0)
        return XCP_E_OUT_OF_RANGE;
    memcpy(values, bytes, size);
    error = check_values(slave, (int)(offset / 8), n, values);
    return error == XCP_E_NONE
               ? slave->calls.write(slave->calls.context, (int)(offset / 8), n, values)
               : error;
}

static int download_next(struct xcp_slave *slave, const struct xcp_packet *p)
{
    size_t n = p->in[1];
    int error;

    if (n == 0 || n > XCP_MAX_CTO - 2)
        return XCP_E_OUT_OF_RANGE;
    if (p->size < 2 + n)
        return XCP_E_SYNTAX;
    error = download(slave, slave->mta_extension, slave->mta, p->in + 2, n);
    if (error == XCP_E_NONE)
        slave->mta += (uint32_t)n;
    return error;
}

static int short_download(struct xcp_slave *slave, const struct xcp_packet *p)
{
    size_t n = p->in[1];
    int error;

    if (n == 0 || n > XCP_MAX_CTO - 8)
        return XCP_E_OUT_OF_RANGE;
    if (p->size < 8 + n)
        return XCP_E_SYNTAX;
    error = download(slave, p->in[3], xcp_get32(p->in + 4), p->in + 8, n);
    if (error == XCP_E_NONE)
        set_mta(slave, p->in[3], xcp_get32(p->in + 4) + (uint32_t)n);
    return error;
}

/* ---- session ---- */

static void describe_slave(struct xcp_packet *p)
{
    p->answer[1] = XCP_RESOURCE_CALIBRATION | XCP_RESOURCE_DAQ;
    p->answer[2] = 0x80; /* little-endian, byte addresses; GET_COMM_MODE_INFO is supported */
    p->answer[3] = XCP_MAX_CTO;
    xcp_put16(p->answer + 4, XCP_MAX_DTO);
    p->answer[6] = XCP_VERSION >> 8;
    p->answer[7] = XCP_VERSION >> 8;
    p->n = 8;
}

static int connect_master(struct xcp_slave *slave, struct xcp_packet *p)
{
    if (p->in[1] != 0)
        return XCP_E_MODE_NOT_VALID;
    if (slave->image == NULL)
        return XCP_E_NOT_NOW; /* no daemon, or no model is loaded */
    xcp_slave_end(slave, false);
    slave->connected = true;
    describe_slave(p);
    return XCP_E_NONE;
}

/* Prepare the text that GET_ID requests. The master reads it with UPLOAD, like all texts of
 * variable length. */
static int identify(struct xcp_slave *slave, struct xcp_packet *p)
{
    const struct xcp_image *image = slave->image;
    uint8_t extension = LAST_TEXT;
    size_t size;

    switch (p->in[1]) {
    case 0: /* name of the model */
    case 1: /* name of the A2L file */
        snprintf(slave->text, sizeof(slave->text), "%s", image->title);
        break;
    case 2: /* file name with suffix */
        snprintf(slave->text, sizeof(slave->text), "%s.a2l", image->title);
        break;
    case 4: /* content of the A2L file */
        extension = FILE_TEXT;
        break;
    case 5:
        snprintf(slave->text, sizeof(slave->text), "%s", image->epk);
        break;
    default:
        p->n = 8; /* length 0: this text does not exist */
        return XCP_E_NONE;
    }
    size = extension == FILE_TEXT ? image->a2l_size : strlen(slave->text);
    xcp_put32(p->answer + 4, (uint32_t)size);
    p->n = 8;
    set_mta(slave, extension, 0);
    return XCP_E_NONE;
}

static int level_1(struct xcp_packet *p)
{
    if (p->in[1] != XCP_GET_VERSION)
        return XCP_E_UNKNOWN;
    p->answer[2] = p->answer[4] = XCP_VERSION >> 8;
    p->answer[3] = p->answer[5] = XCP_VERSION & 0xff;
    p->n = 6;
    return XCP_E_NONE;
}

static int memory_command(struct xcp_slave *slave, struct xcp_packet *p)
{
    switch (p->in[0]) {
    case XCP_SET_MTA:
        set_mta(slave, p->in[3], xcp_get32(p->in + 4));
        return XCP_E_NONE;
    case XCP_SHORT_UPLOAD:
        set_mta(slave, p->in[3], xcp_get32(p->in + 4));
        return upload(slave, p);
    case XCP_UPLOAD:
        return upload(slave, p);
    case XCP_BUILD_CHECKSUM:
        return build_checksum(slave, p);
    case XCP_DOWNLOAD:
        return download_next(slave, p);
    case XCP_SHORT_DOWNLOAD:
        return short_download(slave, p);
    default:
        return xcp_daq_command(slave, p);
    }
}

static int session_command(struct xcp_slave *slave, struct xcp_packet *p)
{
    switch (p->in[0]) {
    case XCP_CONNECT:
        return connect_master(slave, p);
    case XCP_DISCONNECT:
        xcp_slave_end(slave, false);
        return XCP_E_NONE;
    case XCP_SYNCH:
        return XCP_E_SYNCH;
    case XCP_GET_STATUS:
        p->answer[1] = xcp_slave_is_running(slave) ? 0x40 : 0;
        p->n = 6;
        return XCP_E_NONE;
    case XCP_GET_COMM_MODE_INFO:
        p->answer[7] = 0x10; /* version 1.0 of this slave */
        p->n = 8;
        return XCP_E_NONE;
    case XCP_GET_ID:
        return identify(slave, p);
    case XCP_LEVEL_1:
        return level_1(p);
    default:
        return memory_command(slave, p);
    }
}

/* Return the least size of a command [bytes]. */
static size_t least_size(uint8_t command)
{
    switch (command) {
    case XCP_SET_MTA:
    case XCP_SHORT_UPLOAD:
    case XCP_SHORT_DOWNLOAD:
    case XCP_BUILD_CHECKSUM:
    case XCP_WRITE_DAQ:
    case XCP_SET_DAQ_LIST_MODE:
        return 8;
    case XCP_SET_DAQ_PTR:
    case XCP_ALLOC_ODT_ENTRY:
        return 6;
    case XCP_ALLOC_ODT:
        return 5;
    case XCP_CLEAR_DAQ_LIST:
    case XCP_GET_DAQ_LIST_MODE:
    case XCP_GET_DAQ_LIST_INFO:
    case XCP_GET_DAQ_EVENT_INFO:
    case XCP_START_STOP_DAQ_LIST:
    case XCP_ALLOC_DAQ:
        return 4;
    case XCP_CONNECT:
    case XCP_GET_ID:
    case XCP_UPLOAD:
    case XCP_DOWNLOAD:
    case XCP_START_STOP_SYNCH:
    case XCP_WRITE_DAQ_MULTIPLE:
    case XCP_LEVEL_1:
        return 2;
    default:
        return 1;
    }
}

size_t xcp_slave_command(struct xcp_slave *slave, const uint8_t *packet, size_t size,
                         uint8_t *answer)
{
    struct xcp_packet p = {.in = packet, .size = size, .answer = answer, .n = 1};
    int error;

    if (!slave->connected && packet[0] != XCP_CONNECT)
        return 0;
    memset(answer, 0, XCP_MAX_CTO);
    answer[0] = XCP_RESPONSE;
    error = size < least_size(packet[0]) ? XCP_E_SYNTAX : session_command(slave, &p);
    if (error == XCP_E_NONE)
        return p.n;
    answer[0] = XCP_ERROR;
    answer[1] = (uint8_t)error;
    return p.n > 2 ? p.n : 2;
}

void xcp_slave_init(struct xcp_slave *slave, const struct xcp_calls *calls)
{
    *slave = (struct xcp_slave){.calls = *calls};
}

void xcp_slave_end(struct xcp_slave *slave, bool tell)
{
    const uint8_t event[] = {XCP_EVENT, XCP_EV_SESSION_TERMINATED};

    if (slave->connected && tell)
        slave->calls.send(slave->calls.context, event, sizeof(event));
    xcp_daq_free(slave);
    slave->connected = false;
    slave->lost = 0;
    slave->text[0] = '\0';
    set_mta(slave, NUMBERS, 0);
}
