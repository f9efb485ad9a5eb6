/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of ASAM MCD-1 XCP, part "protocol layer specification". */
#ifndef TOOLS_XCP_CODES_H
#define TOOLS_XCP_CODES_H

#define XCP_VERSION 0x0103 /* version 1.3 */

/* First byte of a packet from the slave. Smaller values are the numbers of measurement packets
 * (ODT). */
enum { XCP_RESPONSE = 0xff, XCP_ERROR = 0xfe, XCP_EVENT = 0xfd };

/* first byte of a packet from the master */
enum xcp_command {
    XCP_CONNECT = 0xff,
    XCP_DISCONNECT = 0xfe,
    XCP_GET_STATUS = 0xfd,
    XCP_SYNCH = 0xfc,
    XCP_GET_COMM_MODE_INFO = 0xfb,
    XCP_GET_ID = 0xfa,
    XCP_SET_MTA = 0xf6,
    XCP_UPLOAD = 0xf5,
    XCP_SHORT_UPLOAD = 0xf4,
    XCP_BUILD_CHECKSUM = 0xf3,
    XCP_DOWNLOAD = 0xf0,
    XCP_SHORT_DOWNLOAD = 0xed,
    XCP_CLEAR_DAQ_LIST = 0xe3,
    XCP_SET_DAQ_PTR = 0xe2,
    XCP_WRITE_DAQ = 0xe1,
    XCP_SET_DAQ_LIST_MODE = 0xe0,
    XCP_GET_DAQ_LIST_MODE = 0xdf,
    XCP_START_STOP_DAQ_LIST = 0xde,
    XCP_START_STOP_SYNCH = 0xdd,
    XCP_GET_DAQ_CLOCK = 0xdc,
    XCP_READ_DAQ = 0xdb,
    XCP_GET_DAQ_PROCESSOR_INFO = 0xda,
    XCP_GET_DAQ_RESOLUTION_INFO = 0xd9,
    XCP_GET_DAQ_LIST_INFO = 0xd8,
    XCP_GET_DAQ_EVENT_INFO = 0xd7,
    XCP_FREE_DAQ = 0xd6,
    XCP_ALLOC_DAQ = 0xd5,
    XCP_ALLOC_ODT = 0xd4,
    XCP_ALLOC_ODT_ENTRY = 0xd3,
    XCP_WRITE_DAQ_MULTIPLE = 0xc7,
    XCP_LEVEL_1 = 0xc0, /* the next byte selects the command */
};
enum { XCP_GET_VERSION = 0x00 };

/** enum xcp_error - reason for refusing a command; 0 is used for SYNCH only. */
enum xcp_error {
    XCP_E_NONE = -1,
    XCP_E_SYNCH = 0x00,
    XCP_E_DAQ_ACTIVE = 0x11,
    XCP_E_UNKNOWN = 0x20,
    XCP_E_SYNTAX = 0x21,
    XCP_E_OUT_OF_RANGE = 0x22,
    XCP_E_WRITE_PROTECTED = 0x23,
    XCP_E_ACCESS_DENIED = 0x24,
    XCP_E_MODE_NOT_VALID = 0x27,
    XCP_E_SEQUENCE = 0x29,
    XCP_E_DAQ_CONFIG = 0x2a,
    XCP_E_MEMORY_OVERFLOW = 0x30,
    XCP_E_GENERIC = 0x31,
    XCP_E_NOT_NOW = 0x33, /* the resource is temporarily not accessible */
};

enum { XCP_EV_DAQ_OVERLOAD = 0x06, XCP_EV_SESSION_TERMINATED = 0x07 };

enum { XCP_RESOURCE_CALIBRATION = 0x01, XCP_RESOURCE_DAQ = 0x04 };

/* mode bits of a list in SET_DAQ_LIST_MODE, and further bits in GET_DAQ_LIST_MODE */
enum {
    XCP_LIST_SELECTED = 0x01,
    XCP_LIST_STIMULATES = 0x02,
    XCP_LIST_TIMESTAMP = 0x10,
    XCP_LIST_NO_PID = 0x20,
    XCP_LIST_RUNNING = 0x40,
};

#endif
