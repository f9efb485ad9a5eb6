// SPDX-License-Identifier: Apache-2.0
// The protocol's own client against a gateway: node check-gateway.cjs PORT
// Where the packages are is in NODE_PATH. It ends when all that a viewer needs has come; whoever starts it bounds it.
const assert = require('assert');
const { FoxgloveClient } = require('@foxglove/ws-protocol');
const WebSocket = require('ws');

const wanted = new Set(['/tf', '/scene', '/outputs', '/status', '/inputs', 'time', 'parameters']);
const topics = new Map();
const client = new FoxgloveClient({
  ws: new WebSocket(`ws://127.0.0.1:${process.argv[2]}`, [FoxgloveClient.SUPPORTED_SUBPROTOCOL]),
});

function seen(what) {
  wanted.delete(what);
  if (wanted.size === 0) {
    client.close();
    process.exit(0);
  }
}

client.on('error', (error) => { throw error; });
client.on('serverInfo', (info) => {
  assert.deepStrictEqual(info.capabilities, ['time', 'parameters', 'parametersSubscribe']);
  assert(info.sessionId.startsWith('linkage-'));
});
client.on('status', (status) => assert.fail(JSON.stringify(status)));
client.on('time', ({ timestamp }) => { assert.strictEqual(typeof timestamp, 'bigint'); seen('time'); });
client.on('parameterValues', ({ parameters, id }) => {
  assert.strictEqual(id, 'asked');
  assert.deepStrictEqual(parameters, [{ name: 'load', value: 1, type: 'float64' }]);
  seen('parameters');
});
client.on('advertise', (channels) => {
  for (const channel of channels) topics.set(client.subscribe(channel.id), channel.topic);
  client.getParameters(['load'], 'asked');
});
client.on('message', ({ subscriptionId, timestamp, data }) => {
  assert(timestamp > 0n && data.byteLength > 0);
  seen(topics.get(subscriptionId));
});
