// SPDX-License-Identifier: Apache-2.0
// The operator's page: one connection to the gateway, subprotocol linkage.page.v1 (page.c), and what it says as
// elements of index.html. Nothing is asked of any other server.
import { Plot, View, missing } from './pictures.js';

const STALE_MS = 1500;
const AGAIN_MS = 1000;
const SET_MS = 50;
const ALIVE_MS = 250; // the gateway holds what this page has claimed for as long as it hears of it
const EVENTS = 200;
const LOOKS = { running: 'good', paused: 'wait', arming: 'wait', armed: 'wait', ready: 'off', empty: 'off', loading: 'wait', fault: 'bad' };
// in which states a command makes sense, and what is asked before it does harm
const COMMANDS = {
  load: { states: ['empty', 'ready', 'armed'] },
  arm: { states: ['ready'] },
  start: { states: ['armed', 'paused'], ask: 'Start? The mechanism moves, and so does what follows it.' },
  pause: { states: ['running'] },
  stop: { states: ['running', 'paused', 'armed', 'arming', 'loading'] },
  reset: { states: ['ready', 'armed', 'paused', 'fault'], ask: 'Reset? The state of the run is lost.' },
  snapshot: { states: ['running', 'paused', 'armed', 'ready'], name: 'Name of the snapshot' },
  restore: { states: ['ready', 'armed', 'paused'], name: 'Name of the snapshot' },
  record: { states: ['ready', 'armed', 'running', 'paused'] },
};

const by = (id) => document.getElementById(id);
const show = (element, shown) => { element.hidden = !shown; };
const rounded = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(5))) : '');
const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString([], { hour12: false });
const view = new View(by('view'));
const page = { socket: null, heard: 0, status: null, model: null, operates: false, mayOperate: false, plots: [], frozen: false, held: [] };
let remedies = {};

function rowOf(texts) {
  const row = make('tr', '');
  for (const text of texts) make('td', text, row);
  return row;
}

function make(tag, text, parent) {
  const element = document.createElement(tag);
  element.textContent = text;
  parent?.append(element);
  return element;
}

// ---- the line ----

function token() {
  const given = location.hash.slice(1);
  if (given) {
    sessionStorage.setItem('token', given);
    history.replaceState(null, '', location.pathname); // no token in the address, nor in the history
  }
  return sessionStorage.getItem('token');
}

function say(message) {
  if (page.socket?.readyState === WebSocket.OPEN) page.socket.send(JSON.stringify(message));
}

function connect() {
  if (!token() && location.protocol === 'http:') { show(by('login'), true); by('token').focus(); return; } // else a certificate may do
  page.socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/`, ['linkage.page.v1']);
  page.socket.binaryType = 'arraybuffer';
  page.socket.onopen = () => say({ op: 'login', token: token() ?? '' });
  page.socket.onmessage = ({ data }) => (typeof data === 'string' ? hear(JSON.parse(data)) : hearSamples(new Float64Array(data)));
  page.socket.onclose = () => { page.operates = false; if (by('login').hidden) setTimeout(connect, AGAIN_MS); };
}

function hear(message) {
  ({ model: hearModel, status: hearStatus, inputs: hearInputs, policy: hearPolicy, event: hearEvent, role: hearRole,
    answer: hearAnswer, held: hearHeld, faults: hearFaults, platform: hearPlatform, missed: hearMissed,
    recordings: hearRecordings, download: hearDownload })[message.op]?.(message);
}

function hearSamples([kind, time, ...values]) {
  if (kind === 0) {
    view.move(values);
  } else {
    for (const plot of page.plots) plot.add(time, values[plot.index]);
  }
}

// ---- the band ----

function reasons(status) {
  const list = [];
  if (status.fault) list.push(status.fault);
  const flags = status.flags.filter((flag) => flag !== 'degraded');
  if (flags.length > 0) list.push(`inputs: ${flags.join(', ')}`);
  if (status.state === 'ready' && status.proof && !status.proof.valid && status.proof.text) list.push(`not armed: ${status.proof.text}`);
  if (status.state === 'armed' && status.proof) list.push(`proven: ${status.proof.text}`);
  if (status.recording?.active) list.push(`recording ${status.recording.file}: ${status.recording.cycles} cycles`);
  if (status.recording?.trouble) list.push(status.recording.trouble);
  if (status.exchange_normal) list.push(`samples at normal priority, late under load: ${status.exchange_normal}`);
  return list.concat(status.degraded.map((text) => `degraded: ${text}`));
}

function drawBand() {
  const silent = performance.now() - page.heard;
  const stale = page.status === null || silent > STALE_MS;
  document.body.classList.toggle('stale', stale);
  if (stale) {
    by('state').textContent = 'no news';
    by('reasons').replaceChildren();
    make('li', page.status === null ? 'the daemon has not answered yet'
      : `nothing heard for ${Math.round(silent / 1000)} s: what is below is old; the rig may do anything`, by('reasons'));
    return;
  }
  const { status } = page;
  const warns = status.state === 'running' && (status.flags.length > 0 || status.degraded.length > 0);
  by('band').dataset.look = warns ? 'warn' : LOOKS[status.state] ?? 'off';
  by('state').textContent = status.state;
  by('model').textContent = status.model;
  by('time').textContent = `t = ${status.time_s.toFixed(2)} s`;
  by('reasons').replaceChildren(...reasons(status).map((text) => make('li', text)));
}

function hearStatus(status) {
  page.status = status;
  page.heard = performance.now();
  by('progress').value = status.proof?.progress ?? 0;
  show(by('arming'), status.state === 'arming');
  document.title = `${status.state} - ${status.model || 'linkaged'}`;
  drawBand();
  drawButtons();
  drawTimes(status);
}

// ---- time ----

function bar(name, durations, period) {
  const row = make('div', '', by('bars'));
  row.className = 'bar';
  make('span', name, row);
  const track = make('span', '', row);
  track.className = 'track';
  for (const [kind, value] of [['max', durations.max_ns], ['', durations.p99_ns]]) {
    const part = make('i', '', track);
    part.className = kind;
    part.style.width = `${Math.min(100 * value / period, 100)}%`;
  }
  make('span', `${Math.round(durations.p99_ns / 1e3)}, max ${Math.round(durations.max_ns / 1e3)} µs`, row);
  return track;
}

function drawTimes(status) {
  by('bars').replaceChildren();
  if (!status.wakeup || !status.compute || !status.period_ns) return;
  bar('wake-up', status.wakeup, status.period_ns);
  const track = bar('step', status.compute, status.period_ns);
  if (status.proof?.share_limit) make('b', '', track).style.left = `${100 * status.proof.share_limit}%`;
  by('deadlines').textContent = `period ${rounded(status.period_ns / 1e3)} µs, the whole bar; p99 dark, largest light\n`
    + `missed deadlines ${status.overruns}: late wake-ups ${status.late_wakeups}, long steps ${status.long_computations}; `
    + `grid points skipped ${status.skipped}`;
}

function hearMissed({ cycles }) {
  show(by('missed-box'), cycles.length > 0);
  const period = page.status?.period_ns ?? 0;
  by('missed').replaceChildren(...cycles.map((cycle) => rowOf([clock(cycle.time), cycle.cause,
    Math.round(cycle.woken_ns / 1e3), Math.round((cycle.ended_ns - period) / 1e3), cycle.step])));
}

// ---- controls ----

function drawButtons() {
  const state = page.status?.state;
  for (const button of document.querySelectorAll('[data-op]')) {
    const fits = COMMANDS[button.dataset.op].states.includes(state);
    button.disabled = !page.operates || !fits;
  }
  for (const control of document.querySelectorAll('[data-order], #fault :is(button, input, select)')) control.disabled = !page.operates;
  document.querySelector('[data-op=record]').textContent = page.status?.recording?.active ? 'End recording' : 'Record';
}

function hearRole({ operates, may_operate: mayOperate }) {
  Object.assign(page, { operates, mayOperate });
  show(by('login'), false);
  show(by('rig'), true);
  show(by('controls-take'), mayOperate && !operates);
  show(by('controls-give'), operates);
  say({ op: 'recordings' });
  by('role').textContent = operates ? 'this page operates the rig' : 'this page looks on';
  drawButtons();
  drawInputs();
}

function hearAnswer({ to, ok, text, id, errors }) {
  if (to === 'login') {
    sessionStorage.removeItem('token');
    show(by('login'), true);
    by('login-answer').textContent = text;
    return;
  }
  if (['set', 'claim', 'release'].includes(to) && ok) return;
  if (to === 'record' && ok) setTimeout(() => say({ op: 'recordings' }), AGAIN_MS);
  const remedy = remedies[id];
  by('answer').dataset.ok = ok;
  by('answer').textContent = [`${to}: ${text}${id ? ` (${id})` : ''}`, ...(errors ?? []).slice(1), ...(ok || !remedy ? [] : [remedy.remedy])].join('\n');
}

function ask(text, name) {
  by('ask-text').textContent = text;
  show(by('ask-name'), name !== undefined);
  by('ask-value').value = name ?? '';
  by('ask').returnValue = 'no';
  by('ask').showModal();
  return new Promise((done) => { by('ask').onclose = () => done(by('ask').returnValue === 'yes' ? by('ask-value').value || true : null); });
}

const actions = {
  load: () => by('file').click(),
  arm: () => say({ op: 'arm', allow_degraded: by('degraded').checked }),
  stop: async () => {
    if (page.status.state !== 'running' || await ask('Stop the run?')) say({ op: 'stop' });
  },
  snapshot: async () => {
    const name = await ask('Keep the state of the run in a file of the daemon.', `state-${page.status.step}`);
    if (typeof name === 'string') say({ op: 'snapshot', name });
  },
  restore: async () => {
    const name = await ask('Go on from a snapshot of the daemon. The state of the run is lost.', '');
    if (typeof name === 'string') say({ op: 'restore', name });
  },
  record: async () => {
    if (page.status.recording?.active) { say({ op: 'record', stop: true }); return; }
    const name = await ask('Record the run. Without a name it is called by model and time.', '');
    if (name) say({ op: 'record', stop: false, name: name === true ? '' : name });
  },
};

async function act(op) {
  if (actions[op]) { await actions[op](); return; }
  if (!COMMANDS[op].ask || await ask(COMMANDS[op].ask)) say({ op });
}

async function loadFile() {
  const [file] = by('file').files;
  by('file').value = '';
  if (!file) return;
  if (page.status?.model && !await ask(`Load ${file.name} in the place of ${page.status.model}?`)) return;
  say({ op: 'load', name: file.name, text: await file.text() });
}

// ---- the model ----

function hearModel(model) {
  page.model = model.name === undefined ? null : model;
  view.show(page.model?.scene);
  by('no-view').textContent = view.why || (page.model?.no_scene ?? '');
  for (const plot of page.plots) plot.remove();
  page.plots = [];
  by('plots').replaceChildren();
  by('channel').replaceChildren(make('option', 'a number ...'));
  const numbers = (page.model?.outputs ?? []).flatMap((channel) => channel.components.map((component, i) => ({
    name: channel.name + (component ? `.${component}` : ''), unit: channel.units[i], index: channel.offset + i })));
  for (const number of numbers) {
    const option = make('option', `${number.name} [${number.unit}]`, by('channel'));
    option.onchoose = () => addPlot(number);
  }
  numbers.slice(0, 2).forEach(addPlot);
  page.report = null;
  drawInputs();
  drawParameters();
}

function addPlot({ name, unit, index }) {
  const box = make('div', '', by('plots'));
  box.className = 'plot';
  const plot = new Plot(box, name, unit);
  plot.index = index;
  page.plots.push(plot);
  const close = make('button', '×', box);
  close.ariaLabel = `close ${name}`;
  close.onclick = () => { plot.remove(); box.remove(); page.plots = page.plots.filter((other) => other !== plot); };
}

function drawParameters() {
  const list = page.model?.parameters ?? [];
  show(by('parameters-section'), list.length > 0);
  by('parameters').replaceChildren(...list.map((parameter) => rowOf([parameter.name, `${rounded(parameter.value)} ${parameter.unit}`,
    limits(parameter.low, parameter.high), parameter.tunable ? 'as an input' : 'no'])));
}

// ---- inputs ----

const limits = (low, high) => (low === null && high === null ? 'none' : `${low === null ? '' : rounded(low)} … ${high === null ? '' : rounded(high)}`);

/* a slider where there are limits, else a field; what is set last is sent, 20 times a second at most */
function makeSetter(channel, component, cell) {
  const bounded = channel.low !== null && channel.high !== null;
  const field = make('input', '', cell);
  field.type = bounded ? 'range' : 'number';
  field.step = 'any';
  if (bounded) Object.assign(field, { min: channel.low, max: channel.high });
  field.value = channel.initial;
  field.ariaLabel = `set ${channel.name} ${channel.components[component]}`;
  field.oninput = () => {
    if (channel.timer === undefined) channel.wanted = channel.components.map((_, i) => channel.report?.commanded[i] ?? channel.initial);
    channel.wanted[component] = Number(field.value);
    channel.timer ??= setTimeout(() => {
      channel.timer = undefined;
      say({ op: 'set', channel: channel.name, values: channel.wanted });
    }, SET_MS);
  };
  return field;
}

function makeInput(channel) {
  const row = make('tr', '');
  channel.cells = ['name', 'owner', 'commanded', 'acting', 'age', 'limits', 'set'].map(() => make('td', '', row));
  channel.cells[0].textContent = `${channel.name} [${channel.units[0] ?? ''}]`;
  channel.cells[5].textContent = limits(channel.low, channel.high);
  channel.claim = make('button', 'Claim', channel.cells[6]);
  channel.setters = channel.components.map((_, i) => makeSetter(channel, i, channel.cells[6]));
  channel.claim.onclick = () => say({ op: page.held.includes(channel.name) ? 'release' : 'claim', channel: channel.name });
  channel.row = row;
  return row;
}

function drawInputs() {
  const channels = page.model?.inputs ?? [];
  if (channels[0]?.row?.parentNode !== by('inputs')) by('inputs').replaceChildren(...channels.map(makeInput));
  for (const [i, channel] of channels.entries()) {
    const report = page.report?.inputs[i];
    channel.report = report;
    const held = page.held.includes(channel.name);
    for (const setter of channel.setters) setter.disabled = !page.operates || !held;
    channel.claim.textContent = held ? 'Release' : 'Claim';
    channel.claim.ariaLabel = `${channel.claim.textContent} ${channel.name}`;
    channel.claim.disabled = !page.operates || (!held && Boolean(report?.bench));
    if (!report) continue;
    for (const [k, setter] of channel.setters.entries()) // shows what is commanded, unless somebody is at it
      if (document.activeElement !== setter && channel.timer === undefined) setter.value = report.commanded[k];
    const tripped = report.condition !== '';
    channel.row.className = tripped || report.stale ? 'tripped' : '';
    [held ? 'this gateway' : report.bench || 'nobody', report.commanded.map(rounded).join(' '), report.acting.map(rounded).join(' ') + (tripped ? ` (${report.action}: ${report.condition})` : ''),
      report.bench ? `${rounded(report.age_steps * page.model.step_s)} s${report.stale ? ' stale' : ''}` : '-'].forEach((text, k) => { channel.cells[k + 1].textContent = text; });
  }
}

function hearInputs(report) {
  page.report = report;
  drawInputs();
  const targets = [...report.inputs.map((input) => input.channel), ...report.claims.map((claim) => claim.bench)];
  if (targets.join() !== page.targets?.join()) {
    page.targets = targets;
    by('targets').replaceChildren(...targets.map((target) => Object.assign(make('option', ''), { value: target })));
  }
}

function hearHeld({ channels }) {
  page.held = channels;
  drawInputs();
}

// ---- faults on purpose ----

function hearFaults({ injections }) {
  by('faults').replaceChildren(...injections.map((fault) => {
    const row = rowOf([fault.kind, fault.target || 'all', rounded(fault.amount), fault.for_s ? `${rounded(fault.for_s)} s` : 'until ended',
      fault.touched, fault.active ? 'active' : 'not active']);
    row.className = fault.active ? 'tripped' : '';
    return row;
  }));
}

async function inject() {
  const number = (name) => Number(by(`fault-${name}`).value) || 0;
  const fault = { op: 'inject', kind: by('fault-kind').value, target: by('fault-target').value.trim(), amount: number('amount'),
    share: number('share'), every_s: number('every'), after_s: number('after'), for_s: number('for') };
  const length = fault.for_s > 0 ? `for ${fault.for_s} s` : 'until all are ended';
  if (await ask(`Inject ${fault.kind} ${fault.amount} into ${fault.target || 'all inputs'} ${length}? The rig is disturbed on purpose.`)) say(fault);
}

// ---- platform ----

const ORDERS = { engage: 'Engage? The platform rises and follows the model.', release: 'Release the emergency? The platform may rise again.' };

function hearPlatform(platform) {
  show(by('platform'), platform.state !== undefined);
  if (platform.state === undefined) return;
  const values = (list, unit) => list.map((value) => (unit * value).toFixed(1)).join(' ');
  by('platform-state').textContent = platform.state + (platform.emergency ? ', emergency' : '');
  let report = 'none';
  if (platform.heard) report = platform.ready ? 'ready' : 'not ready';
  by('platform-text').textContent = [...(platform.cause ? [`last end: ${platform.cause}`] : []), `its report: ${report}`,
    `pose ${values(platform.pose, 1e3)}, actuators ${values(platform.actuators, 1e3)}: mm and mrad from neutral`,
    `steps that the guard changed: ${platform.limited}`].join('\n');
}

// ---- recordings ----

function hearRecordings({ files, why, left_out: leftOut }) {
  by('recordings-why').textContent = why ?? (leftOut > 0 ? `${leftOut} older ones are not listed` : files.length > 0 ? '' : 'none yet');
  by('recordings').replaceChildren(...files.map(({ name, bytes, time }) => {
    const row = rowOf([name, `${rounded(bytes / 1e6)} MB`, new Date(time * 1000).toLocaleString()]);
    const button = make('button', 'Download', make('td', '', row));
    button.ariaLabel = `download ${name}`;
    button.onclick = () => say({ op: 'download', name });
    return row;
  }));
}

function hearDownload({ address, name }) {
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
}

// ---- policy and events ----

function hearPolicy({ policy }) {
  by('policy').replaceChildren(...policy.map((rule) => {
    const row = rowOf([rule.condition + (rule.channel ? ` of ${rule.channel}` : ''), rule.action, rule.limit, rule.count,
      rule.count > 0 ? rule.last_step : '']);
    row.className = rule.count > 0 && rule.action !== 'count' ? 'tripped' : '';
    return row;
  }));
}

function hearEvent({ level, name, id, text, time }) {
  const item = document.createElement('li');
  item.dataset.level = level;
  make('time', clock(time), item);
  make('span', `${name}: ${text}${id ? ` (${id})` : ''}`, item);
  if (level > 2 && remedies[id]) make('small', remedies[id].remedy, item);
  by('events').prepend(item);
  while (by('events').children.length > EVENTS) by('events').lastChild.remove();
}

// ---- begin ----

by('login').onsubmit = (event) => {
  event.preventDefault();
  sessionStorage.setItem('token', by('token').value.trim());
  by('token').value = '';
  show(by('login'), false);
  page.socket?.close();
  connect();
};
for (const button of document.querySelectorAll('[data-op]')) button.onclick = () => act(button.dataset.op);
by('file').onchange = loadFile;
for (const button of document.querySelectorAll('[data-order]')) {
  const { order } = button.dataset;
  button.onclick = async () => { if (!ORDERS[order] || await ask(ORDERS[order])) say({ op: 'platform', order }); };
}
by('fault').onsubmit = (event) => { event.preventDefault(); inject(); };
by('fault-clear').onclick = () => say({ op: 'inject', clear: true });
by('recordings-again').onclick = () => say({ op: 'recordings' });
by('controls-take').onclick = () => say({ op: 'take-controls' });
by('controls-give').onclick = () => say({ op: 'give-controls' });
by('channel').onchange = ({ target }) => { target.selectedOptions[0].onchoose?.(); target.selectedIndex = 0; };
by('freeze').onclick = ({ target }) => {
  page.frozen = !page.frozen;
  target.ariaPressed = String(page.frozen);
};

function frame() {
  view.draw();
  for (const plot of page.plots) plot.draw(page.frozen);
  requestAnimationFrame(frame);
}

matchMedia('(prefers-color-scheme: dark)').onchange = () => { for (const plot of page.plots) plot.recolor(); };
by('no-plots').textContent = missing;
setInterval(drawBand, 250);
setInterval(() => { if (page.operates) say({ op: 'alive' }); }, ALIVE_MS);
requestAnimationFrame(frame);
fetch('conditions.json').then((answer) => answer.json()).then((list) => { remedies = list; }).finally(connect);
window.linkage = { page, view }; // for whoever looks at it by a console
