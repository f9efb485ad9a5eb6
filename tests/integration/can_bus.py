# SPDX-License-Identifier: Apache-2.0
"""A bus for linkage-can in place of the kernel's: a socket whose packets are frames of linux/can.h; and the bits of
signals, one by one, as the DBC format numbers them."""
import os, select, socket, struct

EXTENDED, ERROR = 0x80000000, 0x20000000
PATIENCE_S = 60


class Bus:
    """listens at a path; one program is connected at a time"""

    def __init__(self, path):
        self.path = str(path)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(self.path)
        self.listener.listen(1)
        self.listener.settimeout(PATIENCE_S)
        self.peer = None

    def accept(self):
        self.peer, _ = self.listener.accept()
        self.peer.settimeout(PATIENCE_S)

    def send(self, number, data, fd=False):
        room = 64 if fd else 8
        self.peer.send(struct.pack('<IBxxx', number, len(data)) + bytes(data).ljust(room, b'\0'))

    def receive(self):
        """identifier and data of the next frame"""
        packet = self.peer.recv(128)
        number, length = struct.unpack_from('<IB', packet)
        assert len(packet) in (16, 72), len(packet)
        return number, packet[8:8 + length]

    def has_frame(self):
        """whether there is one within a moment"""
        return bool(select.select([self.peer], [], [], 0.1)[0])

    def close(self):
        os.unlink(self.path)   # first of all, so that nobody comes back at once
        self.listener.close()
        if self.peer is not None:
            self.peer.close()


def places(start, bits, motorola):
    """the DBC numbers of the bits of a signal, the highest one first"""
    if not motorola:
        return [start + i for i in reversed(range(bits))]
    found, at = [], start
    for _ in range(bits):
        found.append(at)
        at = at + 15 if at % 8 == 0 else at - 1
    return found


def raw_of(data, start, bits, motorola=False, signed=False):
    """the raw value of a signal in the bytes of a frame"""
    raw = 0
    for at in places(start, bits, motorola):
        raw = raw << 1 | data[at // 8] >> at % 8 & 1
    return raw - (1 << bits) if signed and raw >> (bits - 1) else raw


def put_raw(data, raw, start, bits, motorola=False):
    """the other way"""
    for i, at in enumerate(places(start, bits, motorola)):
        data[at // 8] |= (raw >> (bits - 1 - i) & 1) << at % 8


def crc8(data, polynomial=0x1d):
    """of SAE J1850, by division of polynomials: all ones in front, inverted at the end"""
    number = int.from_bytes(data, 'big') ^ (0xff << 8 * (len(data) - 1))
    number <<= 8
    for i in reversed(range(8, 8 * len(data) + 8)):
        if number >> i & 1:
            number ^= (0x100 | polynomial) << (i - 8)
    return number ^ 0xff
