# SPDX-License-Identifier: Apache-2.0
"""A small master of XCP on Ethernet, after the tables of ASAM MCD-1 XCP, and a reader of what it needs of an A2L file."""
import re, select, socket, struct, time

PATIENCE_S = 60
NOT_NOW = 0x33   # temporarily not accessible


class Refused(Exception):
    """an error packet; its code is the first argument"""


class Silence(Exception):
    """nothing came"""


def patiently(what):
    """a daemon that is slow to answer is temporarily not accessible, which a master asks again"""
    end_s = time.monotonic() + PATIENCE_S
    while True:
        try:
            return what()
        except Refused as error:
            if error.args[0] != NOT_NOW or time.monotonic() > end_s:
                raise
            time.sleep(0.05)


class Master:
    def __init__(self, port, tcp=False, receive_bytes=None):
        self.tcp = tcp
        self.socket = socket.socket(type=socket.SOCK_STREAM if tcp else socket.SOCK_DGRAM)
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        elif not tcp:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.connect(('127.0.0.1', port))
        self.counter, self.rest, self.packets, self.counters = 0, b'', [], []

    def close(self):
        self.socket.close()

    # ---- packets ----

    def send(self, *packets):
        """in one datagram"""
        frames = b''
        for packet in packets:
            frames += struct.pack('<HH', len(packet), self.counter) + packet
            self.counter = (self.counter + 1) % 65536
        self.socket.send(frames)

    def receive(self, patience_s=PATIENCE_S):
        """the next packet"""
        end_s = time.monotonic() + patience_s
        while not self.packets:
            if not select.select([self.socket], [], [], max(0, end_s - time.monotonic()))[0]:
                raise Silence
            came = self.socket.recv(65536)
            if not came and self.tcp:
                raise ConnectionResetError
            self.rest += came
            while len(self.rest) >= 4 and len(self.rest) >= 4 + int.from_bytes(self.rest[:2], 'little'):
                size, counter = struct.unpack_from('<HH', self.rest)
                self.packets.append(self.rest[4:4 + size])
                self.counters.append(counter)
                self.rest = self.rest[4 + size:]
            if not self.tcp and self.rest:
                raise ValueError('a datagram with half a packet')
        return self.packets.pop(0)

    def ask(self, *bytes_or_format):
        """a command and its answer without the first byte; measurements and events that come meanwhile are kept"""
        self.send(struct.pack(bytes_or_format[0], *bytes_or_format[1:]))
        return self.answer()

    def answer(self):
        kept = []
        while True:
            packet = self.receive()
            if packet[0] in (0xff, 0xfe):
                break
            kept.append(packet)
        self.packets = kept + self.packets
        if packet[0] == 0xfe:
            raise Refused(packet[1], packet)
        return packet[1:]

    # ---- session ----

    def connect(self):
        resource, mode, self.max_cto, self.max_dto, protocol, transport = struct.unpack('<BBBHBB', self.ask('<BB', 0xff, 0))
        return resource, mode, protocol, transport

    def disconnect(self):
        self.ask('<B', 0xfe)

    def identify(self, kind):
        mode, size = struct.unpack('<BxxI', self.ask('<BB', 0xfa, kind))
        if mode != 0:
            raise ValueError('transfer mode')
        return self.upload(size)

    # ---- memory ----

    def set_mta(self, address, extension=0):
        self.ask('<BxxBI', 0xf6, extension, address)

    def upload(self, size):
        data = b''
        while size > 0:
            n = min(size, self.max_cto - 1)
            data += self.ask('<BB', 0xf5, n)
            size -= n
        return data

    def read(self, address, size=8, extension=0):
        return self.ask('<BBxBI', 0xf4, size, extension, address)

    def value(self, address):
        return struct.unpack('<d', self.read(address))[0]

    def write(self, address, data):
        """DOWNLOAD"""
        def once():
            self.set_mta(address)
            self.ask(f'<BB{len(data)}s', 0xf0, len(data), data)
        patiently(once)

    def write_short(self, address, data):
        patiently(lambda: self.ask(f'<BBxBI{len(data)}s', 0xed, len(data), 0, address, data))

    def set(self, address, *values):
        self.write(address, struct.pack(f'<{len(values)}d', *values))

    def checksum(self, address, size):
        self.set_mta(address)
        return struct.unpack('<BxxI', self.ask('<BxxxI', 0xf3, size))

    # ---- measurement ----

    def allocate(self, lists):
        """lists of ODTs of (address, size)"""
        self.ask('<B', 0xd6)
        self.ask('<BxH', 0xd5, len(lists))
        for i, odts in enumerate(lists):
            self.ask('<BxHB', 0xd4, i, len(odts))
        for i, odts in enumerate(lists):
            for k, entries in enumerate(odts):
                self.ask('<BxHBB', 0xd3, i, k, len(entries))
        for i, odts in enumerate(lists):
            for k, entries in enumerate(odts):
                self.ask('<BxHBB', 0xe2, i, k, 0)
                for address, size in entries:
                    self.ask('<BBBBI', 0xe1, 0xff, size, 0, address)

    def mode(self, number, event, prescaler=1, mode=0x10):
        self.ask('<BBHHBB', 0xe0, mode, number, event, prescaler, 0)

    def start(self, *numbers):
        for number in numbers:
            self.ask('<BBH', 0xde, 2, number)
        self.ask('<BB', 0xdd, 1)

    def stop(self):
        self.ask('<BB', 0xdd, 0)


def read_a2l(text):
    """what there is to measure and to set, by name: address, type, limits, unit; and the EPK with its address"""
    text = re.sub(r'/begin A2ML.*?/end A2ML', '', text, flags=re.S)
    words = re.findall(r'"(?:[^"\\]|\\.)*"|[^\s"]+', text)
    units, measured, calibrated = {}, {}, {}
    for i, word in enumerate(words):
        if word != '/begin':
            continue
        kind, name, rest = words[i + 1], words[i + 2], words[i + 4:i + 40]
        if kind == 'COMPU_METHOD':
            units[name] = rest[2].strip('"') if rest[0] == 'IDENTICAL' else ''
        elif kind == 'MEASUREMENT':
            at = rest[rest.index('ECU_ADDRESS') + 1]
            measured[name] = (int(at, 16), rest[0], float(rest[4]), float(rest[5]), units[rest[1]])
        elif kind == 'CHARACTERISTIC':
            calibrated[name] = (int(rest[1], 16), rest[2], float(rest[5]), float(rest[6]), units[rest[4]])
    epk = words[words.index('EPK') + 1].strip('"'), int(words[words.index('ADDR_EPK') + 1], 16)
    return measured, calibrated, epk
