#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A wire that takes its time: usage: slow_wire.py LISTEN TARGET PORT... DELAY_MS

Listens on address LISTEN at each PORT, and passes what comes on to TARGET, and back, DELAY_MS later
each way. SIGUSR1: nothing passes any more, and connections stay open; SIGUSR2: it goes on.
"""
import asyncio
import signal
import sys

listen, target, delay = sys.argv[1], sys.argv[2], float(sys.argv[-1]) / 1e3
passing = asyncio.Event()


async def carry(reader, writer):
    loop, queue = asyncio.get_running_loop(), asyncio.Queue(1000)

    async def deliver():
        while True:
            due, data = await queue.get()
            await asyncio.sleep(max(0, due - loop.time()))
            await passing.wait()
            writer.write(data)
            await writer.drain()

    delivery = asyncio.create_task(deliver())
    try:
        while data := await reader.read(65536):
            await queue.put((loop.time() + delay, data))
        await asyncio.sleep(delay)
    except OSError:
        pass
    delivery.cancel()
    writer.close()


async def connect(reader, writer, port):
    try:
        far_reader, far_writer = await asyncio.open_connection(target, port)
    except OSError:
        writer.close()
        return
    await asyncio.gather(carry(reader, far_writer), carry(far_reader, writer),
                         return_exceptions=True)


async def main():
    loop = asyncio.get_running_loop()
    passing.set()
    loop.add_signal_handler(signal.SIGUSR1, passing.clear)
    loop.add_signal_handler(signal.SIGUSR2, passing.set)
    for port in map(int, sys.argv[3:-1]):
        await asyncio.start_server(lambda r, w, p=port: connect(r, w, p), listen, port)
    await asyncio.Event().wait()

asyncio.run(main())
