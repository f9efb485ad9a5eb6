// SPDX-License-Identifier: Apache-2.0
// What the page knows of the rig, and its one connection to the gateway: subprotocol linkage.page.v1 (page.c). Parts of the
// page listen to messages by their `op`; samples are `poses` and `outputs`.
import { by, show } from './dom.js';

const STALE_MS = 1500;
const AGAIN_MS = 1000;
const UNASKED = ['alive', 'set', 'recordings']; // commands whose loss needs no message
const ALIVE_MS = 250; // the gateway holds what this page has claimed for as long as it hears of it

export const rig = { socket: null, heard: 0, status: null, model: null, report: null, operates: false, mayOperate: false,
  held: [], remedies: {} };

const listeners = new Map();

export function on(op, listener) {
  if (!listeners.has(op)) listeners.set(op, []);
  listeners.get(op).push(listener);
}

export function tell(op, message) {
  for (const listener of listeners.get(op) ?? []) listener(message);
}

export function say(message) {
  if (rig.socket?.readyState === WebSocket.OPEN) rig.socket.send(JSON.stringify(message));
  else if (!UNASKED.includes(message.op)) tell('answer', { to: message.op, ok: false, text: 'not sent: there is no connection to the gateway' });
}

export const silentMs = () => performance.now() - rig.heard;
export const isStale = () => rig.status === null || silentMs() > STALE_MS;

function token() {
  const given = location.hash.slice(1);
  if (given) {
    sessionStorage.setItem('token', given);
    history.replaceState(null, '', location.pathname); // no token in the address, nor in the history
  }
  return sessionStorage.getItem('token');
}

function askToken(text) {
  show(by('login'), true);
  show(by('rig'), false);
  by('login-answer').textContent = text;
  by('token').focus();
}

function hear(data) {
  if (typeof data === 'string') {
    const message = JSON.parse(data);
    tell(message.op, message);
  } else {
    const values = new Float64Array(data);
    tell(values[0] === 0 ? 'poses' : 'outputs', { time: values[1], values: values.subarray(2) });
  }
}

export function connect() {
  if (!token() && location.protocol === 'http:') { askToken(''); return; } // else a certificate may do
  const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/`, ['linkage.page.v1']);
  rig.socket = socket;
  socket.binaryType = 'arraybuffer';
  socket.onopen = () => { tell('open'); say({ op: 'login', token: token() ?? '' }); };
  socket.onmessage = ({ data }) => { if (socket === rig.socket) hear(data); };
  socket.onclose = () => {
    if (socket !== rig.socket) return; // another one has taken its place
    rig.operates = false;
    if (by('login').hidden) setTimeout(connect, AGAIN_MS);
  };
}

on('answer', ({ to, text }) => {
  if (to !== 'login') return;
  sessionStorage.removeItem('token');
  askToken(text);
});
on('role', ({ operates, may_operate: mayOperate }) => {
  Object.assign(rig, { operates, mayOperate });
  show(by('login'), false);
  show(by('rig'), true);
});
on('status', (status) => {
  Object.assign(rig, { status, heard: performance.now() });
});
on('inputs', (report) => { rig.report = report; });
on('held', ({ channels }) => { rig.held = channels; });
on('model', (model) => {
  rig.report = null;
  rig.model = model.name === undefined ? null : model;
});

by('login').onsubmit = (event) => {
  event.preventDefault();
  sessionStorage.setItem('token', by('token').value.trim());
  by('token').value = '';
  show(by('login'), false);
  rig.socket?.close();
  connect();
};
setInterval(() => { if (rig.operates) say({ op: 'alive' }); }, ALIVE_MS);
