# SPDX-License-Identifier: Apache-2.0
"""A client of websockets that may also misbehave: RFC 6455 by hand, over a plain socket."""
import base64, os, socket, struct

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Refused(Exception):
    pass


class Socket:
    def __init__(self, port, protocols, headers=(), host=None, receive_bytes=None, path='/', patience_s=60, tls=None):
        self.socket = socket.socket()
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(patience_s)
        self.socket.connect(('127.0.0.1', port))
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname='localhost')
        self.rest = b''
        lines = [f'GET {path} HTTP/1.1', f'Host: {host or f"127.0.0.1:{port}"}', 'Upgrade: websocket',
                 'Connection: Upgrade', 'Sec-WebSocket-Version: 13',
                 'Sec-WebSocket-Key: ' + base64.b64encode(os.urandom(16)).decode()]
        if protocols:
            lines.append('Sec-WebSocket-Protocol: ' + protocols)
        self.socket.sendall('\r\n'.join([*lines, *headers, '', '']).encode())
        head = b''
        try:
            while b'\r\n\r\n' not in head:
                part = self.socket.recv(4096)
                if not part:
                    raise Refused(head.decode(errors='replace'))
                head += part
        except ConnectionError as error:
            raise Refused(str(error)) from error
        head, self.rest = head.split(b'\r\n\r\n', 1)
        self.head = head.decode()
        if ' 101 ' not in self.head.splitlines()[0]:
            raise Refused(self.head)

    def send(self, opcode, data, final=True):
        mask = os.urandom(4)
        n = len(data)
        size = bytes([0x80 | n]) if n < 126 else struct.pack('>BH', 0x80 | 126, n) if n < 65536 else \
            struct.pack('>BQ', 0x80 | 127, n)
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
        self.socket.sendall(bytes([(0x80 if final else 0) | opcode]) + size + mask + masked)

    def take(self, n):
        while len(self.rest) < n:
            part = self.socket.recv(65536)
            if not part:
                raise ConnectionError('the other side has closed')
            self.rest += part
        data, self.rest = self.rest[:n], self.rest[n:]
        return data

    def receive(self):
        """the next message: opcode and bytes; answers what the protocol asks for"""
        whole, kind = b'', None
        while True:
            first, n = self.take(2)
            if n == 126:
                n, = struct.unpack('>H', self.take(2))
            elif n == 127:
                n, = struct.unpack('>Q', self.take(8))
            data, opcode = self.take(n), first & 0x0f
            if opcode == PING:
                self.send(PONG, data)
            elif opcode == CLOSE:
                return CLOSE, data
            elif opcode != PONG:
                whole, kind = whole + data, kind or opcode
                if first & 0x80:
                    return kind, whole

    def close(self):
        self.socket.close()
