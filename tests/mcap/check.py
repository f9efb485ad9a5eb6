# SPDX-License-Identifier: Apache-2.0
"""Reads a recording by the published layout of its format, and its messages by the schemas in it.

    check.py whole|cut FILE TOPIC=CSV...

whole: through the summary and its indexes; cut: from front to back, without an end. Shares no line
with proto/mcap: records are taken apart here, protobuf's own runtime decodes the messages. Every
number is compared with what `linkage export` says.
"""
import math
import struct
import sys
import zlib

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(1, 9)
ATTACHMENT, ATTACHMENT_INDEX, STATISTICS, METADATA, METADATA_INDEX = range(9, 14)
SUMMARY_OFFSET, DATA_END = 14, 15


class Wrong(Exception):
    """The recording is not what the format, or the CSV, says."""


def need(fact, text):
    if not fact:
        raise Wrong(text)


class Fields:
    """The content of a record, field by field; @at: where it begins in the file."""

    def __init__(self, content):
        self.content = content
        self.at = 0

    def bytes(self, size):
        need(self.at + size <= len(self.content), "a record ends within a field")
        self.at += size
        return self.content[self.at - size:self.at]

    def take(self, kinds):
        """Numbers: H of 2, I of 4, Q of 8 bytes."""
        return struct.unpack("<" + kinds, self.bytes(struct.calcsize("<" + kinds)))

    def number(self, kind):
        return self.take(kind)[0]

    def text(self):
        return bytes(self.bytes(self.number("I"))).decode("utf-8")

    def rest(self):
        return self.bytes(len(self.content) - self.at)

    def pairs(self, key, value):
        """A map or an array of pairs, behind its size in bytes."""
        inner = Fields(self.bytes(self.number("I")))
        found = []
        while inner.at < len(inner.content):
            found.append((key(inner), value(inner)))
        return found


def u16(fields):
    return fields.number("H")


def u64(fields):
    return fields.number("Q")


def walk(data, at, end):
    """Records from @at on: opcode, content, where it begins, where the next one does. Stops at @end
    or where less than a record is left."""
    while at + 9 <= end:
        opcode, size = struct.unpack_from("<BQ", data, at)
        need(opcode != 0, f"a record of no kind at {at}")
        if at + 9 + size > end:
            return
        yield opcode, Fields(data[at + 9:at + 9 + size]), at, at + 9 + size
        at += 9 + size


def record_at(data, at, opcode):
    found = next(walk(data, at, len(data)), None)
    need(found and found[0] == opcode, f"no record of kind {opcode} at {at}")
    return found


class Decoder:
    def __init__(self, name, encoding, data):
        need(encoding == "protobuf", f"schema {name}: encoding {encoding}")
        pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(bytes(data)).file:
            pool.Add(file)
        self.message = message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName(name))

    def decode(self, data):
        """Values by column: "field" or "field.component"."""
        message = self.message.FromString(bytes(data))
        row = {}
        for field in message.DESCRIPTOR.fields:
            value = getattr(message, field.name)
            if field.label == field.LABEL_REPEATED:
                row[field.name] = value
            elif field.message_type:
                row.update((f"{field.name}.{inner.name}", float(getattr(value, inner.name)))
                           for inner in field.message_type.fields)
            else:
                row[field.name] = value if isinstance(value, str) else float(value)
        return row


class Recording:
    """What was found: @messages are (log time, channel, data) in their order."""

    def __init__(self):
        self.schemas = {}
        self.channels = {}
        self.messages = []
        self.attachments = []
        self.metadata = []

    def note(self, opcode, fields):
        if opcode == SCHEMA:
            identity = u16(fields)
            self.schemas[identity] = (fields.text(), fields.text(), fields.bytes(fields.number("I")))
        elif opcode == CHANNEL:
            identity, schema = fields.take("HH")
            topic, encoding = fields.text(), fields.text()
            need(encoding == "protobuf", f"{topic}: messages in {encoding}")
            units = dict(fields.pairs(Fields.text, Fields.text))
            need(schema in self.schemas, f"{topic}: its schema comes later, or never")
            self.channels[identity] = (topic, schema, units)
        elif opcode == MESSAGE:
            channel, _, log_time, _ = fields.take("HIQQ")
            need(channel in self.channels, "a message before its channel")
            self.messages.append((log_time, channel, fields.rest()))
        elif opcode == ATTACHMENT:
            self.note_attachment(fields)
        elif opcode == METADATA:
            self.metadata.append(fields.text())

    def note_attachment(self, fields):
        fields.take("QQ")
        name, _ = fields.text(), fields.text()
        fields.bytes(u64(fields))
        there = zlib.crc32(fields.content[:fields.at])
        need(fields.number("I") in (0, there), f"attachment {name}: checksum")
        self.attachments.append(name)


def open_chunk(fields):
    """The records in a chunk, as bytes."""
    _, _, size, checksum = fields.take("QQQI")
    compression = fields.text()
    records = fields.bytes(u64(fields))
    need(compression == "" and len(records) == size, f"a chunk of {size} bytes in '{compression}'")
    need(checksum in (0, zlib.crc32(records)), "a chunk's checksum")
    return records


def read_stream(data):
    """From front to back: what a file without an end still tells."""
    recording = Recording()
    for opcode, fields, _, _ in walk(data, len(MAGIC), len(data)):
        need(opcode != FOOTER, "the file has an end, it should not")
        if opcode == CHUNK:
            records = open_chunk(fields)
            for inner in walk(records, 0, len(records)):
                recording.note(*inner[:2])
        else:
            recording.note(opcode, fields)
    return recording


def read_summary(data):
    """Indexes and statistics; the checksums of the two sections."""
    need(data[-len(MAGIC):] == MAGIC, "no magic at the end")
    _, footer, at, end = record_at(data, len(data) - len(MAGIC) - 29, FOOTER)
    start, offsets, checksum = footer.take("QQI")
    need(checksum in (0, zlib.crc32(data[start:end - 4])), "the summary's checksum")
    summary = list(walk(data, start, at))
    need(summary[-1][3] == at, "the summary does not reach the footer")
    last = [r for r in walk(data, len(MAGIC), start)][-1]
    need(last[0] == DATA_END and last[3] == start, "no end of the data in front of the summary")
    need(last[1].number("I") in (0, zlib.crc32(data[:last[2]])), "the data's checksum")
    for opcode, fields, _, _ in summary:
        if opcode == SUMMARY_OFFSET:
            group, group_start, length = fields.take("BQQ")
            kinds = {r[0] for r in walk(data, group_start, group_start + length)}
            need(group_start < offsets and kinds == {group}, f"summary group {group}: {kinds}")
    return summary


def read_chunk(data, fields, recording):
    """The messages of one chunk, found through their indexes."""
    _, _, at, length = fields.take("QQQQ")
    indexes = fields.pairs(u16, u64)
    _, chunk, _, end = record_at(data, at, CHUNK)
    records = open_chunk(chunk)
    found = []
    need(end == at + length, "a chunk's length")
    for channel, offset in indexes:
        index = record_at(data, offset, MESSAGE_INDEX)[1]
        need(u16(index) == channel, "an index of another channel")
        found += [(time, place, channel) for time, place in index.pairs(u64, u64)]
    for time, place, channel in sorted(found):
        before = len(recording.messages)
        recording.note(*record_at(records, place, MESSAGE)[:2])
        need(recording.messages[before][:2] == (time, channel), "an index of another message")


def read_indexed(data):
    recording = Recording()
    summary = read_summary(data)
    by_kind = {kind: [r[1] for r in summary if r[0] == kind] for kind in range(16)}
    for kind in (SCHEMA, CHANNEL):
        for fields in by_kind[kind]:
            recording.note(kind, fields)
    for kind, target in ((ATTACHMENT_INDEX, ATTACHMENT), (METADATA_INDEX, METADATA)):
        for fields in by_kind[kind]:
            at, length = fields.take("QQ")
            _, found, _, end = record_at(data, at, target)
            need(end == at + length, "the length of what an index points at")
            recording.note(target, found)
    for fields in by_kind[CHUNK_INDEX]:
        read_chunk(data, fields, recording)
    recording.messages.sort(key=lambda message: message[0])  # of all chunks; the sort is stable
    check_statistics(by_kind, recording)
    return recording


def check_statistics(by_kind, recording):
    need(len(by_kind[STATISTICS]) == 1, "no statistics")
    said = by_kind[STATISTICS][0]
    counts = said.take("QHIIII")
    found = (len(recording.messages), len(recording.schemas), len(recording.channels),
             len(recording.attachments), len(recording.metadata), len(by_kind[CHUNK_INDEX]))
    need(counts == found, f"statistics {counts}, found {found}")
    span = said.take("QQ")
    need(span == (recording.messages[0][0], recording.messages[-1][0]), f"statistics: times {span}")
    for channel, count in said.pairs(u16, u64):
        there = sum(1 for message in recording.messages if message[1] == channel)
        need(count == there, f"statistics of channel {channel}: {count}, found {there}")


class Table:
    """A CSV of `linkage export`: columns with their units, rows of numbers."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            head, *lines = file.read().rstrip("\n").split("\n")
        self.columns = [name.partition(" [")[0] for name in head.split(",")]
        self.units = [name.partition(" [")[2].rstrip("]") for name in head.split(",")]
        self.rows = [[float(value) for value in line.split(",")] for line in lines]

    def check_units(self, topic, units):
        for column, unit in zip(self.columns, self.units):
            need(column == "time" or units.get(column) == unit,
                 f"{topic} {column}: unit {units.get(column)}, the CSV says {unit}")

    def check_row(self, topic, n, row):
        need(n < len(self.rows), f"{topic}: more messages than the {len(self.rows)} rows of the CSV")
        for column, expected in zip(self.columns, self.rows[n]):
            if column == "time" and "time" not in row:
                continue
            need(column in row, f"{topic}: no field {column}")
            need(is_same(row[column], expected),
                 f"{topic} row {n} {column}: {row[column]}, the CSV says {expected}")


def is_same(a, b):
    """NaN, infinities and the sign of zero count."""
    return (math.isnan(a) and math.isnan(b)) or struct.pack("<d", a) == struct.pack("<d", b)


class Scene:
    """What `linkage export --scene` adds: /tf says what /outputs says of the same body, each body of
    the mechanism has shapes."""

    def __init__(self):
        self.poses, self.pictures, self.entities, self.last = {}, 0, {}, None

    def note(self, topic, log_time, row):
        if topic == "/outputs":
            self.last = (log_time, row)
        elif topic == "/tf":
            need(self.last[0] == log_time, "a picture is not of the step before it")
            self.pictures += 1
            for transform in row["transforms"]:
                self.check_transform(transform, log_time)
        elif topic == "/scene":
            self.entities.update((entity.id, entity) for entity in row["entities"])

    def check_transform(self, transform, log_time):
        stamp = transform.timestamp.seconds * 10**9 + transform.timestamp.nanos
        need(stamp == log_time and transform.parent_frame_id == "ground", f"{transform} at {log_time}")
        q, x = transform.rotation, transform.translation
        need(abs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-9, "no unit quaternion")
        if transform.child_frame_id == "coupler":
            there = [self.last[1][f"coupler_pose.{name}"] for name in "x y z qw qx qy qz".split()]
            need(all(map(is_same, there, [x.x, x.y, x.z, q.w, q.x, q.y, q.z])), f"{transform}: {there}")

    def check(self, seconds):
        bodies = {"ground", "crank", "coupler", "rocker"}
        need(set(self.entities) == bodies, f"entities {set(self.entities)}")
        for name, entity in self.entities.items():
            need(entity.frame_id == name and entity.frame_locked, f"entity {name}")
            need(name == "ground" or entity.cylinders and entity.spheres, f"{name} has no shapes")
            need(all(c.size.x > 0 and c.color.a > 0 and c.top_scale == 1 for c in entity.cylinders),
                 f"cylinders of {name}")
        need(self.pictures <= 60 * seconds + 1, f"{self.pictures} pictures in {seconds} s")
        need(self.pictures > 1, "no motion")


class Log:
    """What `linkage export --scene` says of each event as foxglove.Log: its words, the condition's identifier, and of
    warnings and errors what to do."""

    LEVELS = {"state": (2, "LK-2003"), "run": (2, "LK-2005")}

    def __init__(self):
        self.events, self.said = [], []

    def note(self, topic, log_time, row):
        if topic == "/events":
            self.events.append((log_time, row))
        elif topic == "/log":
            self.said.append((log_time, row))

    def check(self):
        need(len(self.said) == len(self.events) > 0, f"{len(self.said)} of {len(self.events)} events in /log")
        for (event_ns, event), (log_ns, said) in zip(self.events, self.said):
            stamp = (said["timestamp.seconds"], said["timestamp.nanos"])
            need(event_ns == log_ns and stamp == (log_ns // 10**9, log_ns % 10**9), f"{said} at {log_ns}")
            identifier, words = event["text"].split(": ", 1) if event["id"] == "condition" else ("", event["text"])
            level, identifier = self.LEVELS.get(event["id"], (said["level"], identifier))
            need(said["name"] == event["id"] and words in said["message"], f"{said}, the event is {event}")
            need(said["level"] == level and identifier in said["message"], f"{said}")


def check(how, path, tables):
    with open(path, "rb") as file:
        data = memoryview(file.read())
    need(data[:len(MAGIC)] == MAGIC, "no magic at the beginning")
    need(data[len(MAGIC)] == HEADER, "no header")
    recording = read_indexed(data) if how == "whole" else read_stream(data)
    decoders = {identity: Decoder(*schema) for identity, schema in recording.schemas.items()}
    counts, last, scene, log = {}, 0, Scene(), Log()
    for topic, _, units in recording.channels.values():
        if topic in tables:
            tables[topic].check_units(topic, units)
    for log_time, channel, content in recording.messages:
        topic, schema, _ = recording.channels[channel]
        row = decoders[schema].decode(content)
        n = counts.get(topic, 0)
        counts[topic] = n + 1
        if topic in tables:
            tables[topic].check_row(topic, n, row)
        scene.note(topic, log_time, row)
        log.note(topic, log_time, row)
        need(topic != "/events" or row["id"], "an event without an id")
        if topic == "/cycle":
            need(log_time >= last, "log times of /cycle go back")
            last = log_time
    for topic, table in tables.items():
        need(counts.get(topic, 0) == len(table.rows) > 0,
             f"{topic}: {counts.get(topic)} messages, the CSV has {len(table.rows)} rows")
    if "/tf" in counts:
        scene.check((recording.messages[-1][0] - recording.messages[0][0]) * 1e-9)
        log.check()
    need("model.yaml" in recording.attachments, "the model is not attached")
    need("linkaged" in recording.metadata, "no metadata")
    need(how == "cut" or "linkaged.end" in recording.metadata, "no metadata at the end")
    print(f"{how}: " + ", ".join(f"{topic} {n}" for topic, n in counts.items()))


def main():
    how, path, *pairs = sys.argv[1:]
    tables = {topic: Table(file) for topic, file in (pair.split("=", 1) for pair in pairs)}
    try:
        check(how, path, tables)
    except Wrong as wrong:
        sys.exit(f"{path}: {wrong}")


main()
