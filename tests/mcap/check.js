// SPDX-License-Identifier: Apache-2.0
// Reads a recording with the format's official reader and its embedded schemas alone, and compares
// every number with what `linkage export` says.
//
//   node check.js whole|cut FILE TOPIC=CSV...
//
// whole: through the summary and its indexes; cut: from front to back, without an end.
import { open, readFile } from "node:fs/promises";
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import protobuf from "protobufjs";
import descriptor from "protobufjs/ext/descriptor.js";

const fail = (text) => {
  console.error(text);
  process.exit(1);
};

// Protobuf numbers of 64 bits as the nearest double, as the export writes them.
const number = (value) => (typeof value === "object" ? value.toNumber() : Number(value));

class Decoder {
  constructor(schema) {
    if (schema.encoding !== "protobuf") fail(`schema ${schema.name}: encoding ${schema.encoding}`);
    const set = descriptor.FileDescriptorSet.decode(schema.data);
    this.type = protobuf.Root.fromDescriptor(set).lookupType(schema.name);
  }

  // Values by column: "field" or "field.component".
  decode(data) {
    const message = this.type.decode(data);
    const row = new Map();
    for (const field of this.type.fieldsArray) {
      const value = message[field.name];
      field.resolve();
      if (field.repeated) {
        row.set(field.name, value);
        continue;
      }
      if (field.resolvedType instanceof protobuf.Type) {
        for (const inner of field.resolvedType.fieldsArray)
          row.set(`${field.name}.${inner.name}`, number(value[inner.name]));
      } else if (field.type === "string") {
        row.set(field.name, value);
      } else {
        row.set(field.name, number(value));
      }
    }
    return row;
  }
}

async function* readIndexed(file) {
  const handle = await open(file);
  const readable = {
    size: async () => BigInt((await handle.stat()).size),
    read: async (offset, length) => {
      const buffer = new Uint8Array(Number(length));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, Number(offset));
      if (bytesRead !== buffer.length) fail(`short read at ${offset}`);
      return buffer;
    },
  };
  const reader = await McapIndexedReader.Initialize({ readable });
  const said = reader.statistics;
  let messages = 0n;

  for await (const attachment of reader.readAttachments())
    yield { type: "Attachment", ...attachment };
  for await (const metadata of reader.readMetadata()) yield { type: "Metadata", ...metadata };
  for await (const message of reader.readMessages()) {
    const channel = reader.channelsById.get(message.channelId);
    messages++;
    yield { type: "Message", message, channel, schema: reader.schemasById.get(channel.schemaId) };
  }
  if (said.messageCount !== messages || said.chunkCount !== reader.chunkIndexes.length)
    fail(`statistics: ${said.messageCount} messages, ${said.chunkCount} chunks`);
  await handle.close();
}

async function* readStream(file) {
  const reader = new McapStreamReader({ validateCrcs: true });
  const schemas = new Map();
  const channels = new Map();

  reader.append(await readFile(file));
  for (let record; (record = reader.nextRecord()); ) {
    if (record.type === "Schema") schemas.set(record.id, record);
    if (record.type === "Channel") channels.set(record.id, record);
    if (record.type !== "Message") {
      yield record;
      continue;
    }
    const channel = channels.get(record.channelId);
    yield { type: "Message", message: record, channel, schema: schemas.get(channel.schemaId) };
  }
  if (reader.done()) fail(`${file} has an end, it should not`);
}

// A CSV of `linkage export`: columns without their units, rows of numbers.
async function readCsv(path) {
  const [head, ...lines] = (await readFile(path, "utf8")).trimEnd().split("\n");
  const columns = head.split(",").map((name) => name.replace(/ \[.*\]$/, ""));
  const units = head.split(",").map((name) => /\[(.*)\]$/.exec(name)?.[1]);
  return { columns, units, rows: lines.map((line) => line.split(",").map(Number)) };
}

// NaN, infinities and the sign of zero count.
const same = (a, b) => Object.is(a, b);

function compare(topic, csv, row, n) {
  const expected = csv.rows[n];
  if (!expected) fail(`${topic}: more messages than the ${csv.rows.length} rows of the CSV`);
  csv.columns.forEach((column, i) => {
    if (column === "time" && !row.has("time")) return;
    if (!row.has(column)) fail(`${topic}: no field ${column}`);
    if (!same(row.get(column), expected[i]))
      fail(`${topic} row ${n} ${column}: ${row.get(column)}, the CSV says ${expected[i]}`);
  });
}

function checkUnits(topic, csv, channel) {
  csv.columns.forEach((column, i) => {
    if (column === "time") return;
    if (channel.metadata.get(column) !== csv.units[i])
      fail(`${topic} ${column}: unit ${channel.metadata.get(column)}, the CSV says ${csv.units[i]}`);
  });
}

const [how, file, ...topics] = process.argv.slice(2);
const tables = new Map();
for (const argument of topics) {
  const [topic, path] = argument.split("=");
  tables.set(topic, await readCsv(path));
}

const decoders = new Map();
const counts = new Map();
const seen = { Attachment: [], Metadata: [] };
let last = 0n;
for await (const item of how === "whole" ? readIndexed(file) : readStream(file)) {
  if (item.type in seen) seen[item.type].push(item.name);
  if (item.type !== "Message") continue;
  const { message, channel, schema } = item;
  const topic = channel.topic;
  if (!decoders.has(topic)) {
    decoders.set(topic, new Decoder(schema));
    if (tables.has(topic)) checkUnits(topic, tables.get(topic), channel);
  }
  const row = decoders.get(topic).decode(message.data);
  const n = counts.get(topic) ?? 0;
  if (tables.has(topic)) compare(topic, tables.get(topic), row, n);
  if (topic === "/events" && !row.get("id")) fail("an event without an id");
  if (topic === "/cycle" && message.logTime < last) fail("log times of /cycle go back");
  if (topic === "/cycle") last = message.logTime;
  counts.set(topic, n + 1);
}

for (const [topic, csv] of tables)
  if ((counts.get(topic) ?? 0) !== csv.rows.length || csv.rows.length === 0)
    fail(`${topic}: ${counts.get(topic)} messages, the CSV has ${csv.rows.length} rows`);
if (!seen.Attachment.includes("model.yaml")) fail("the model is not attached");
if (!seen.Metadata.includes("linkaged")) fail("no metadata");
if (how === "whole" && !seen.Metadata.includes("linkaged.end")) fail("no metadata at the end");
console.log(`${how}: ${[...counts].map(([topic, n]) => `${topic} ${n}`).join(", ")}`);
