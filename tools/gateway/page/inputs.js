// SPDX-License-Identifier: Apache-2.0
// The panel of inputs: owner, commanded and acting values of each, and values from this page for those that it has claimed.
import { by, limitsOf, make, rounded, show, unitOf, write } from './dom.js';
import { on, rig, say } from './rig.js';
import { addStimulus, stopStimuli } from './stimulus.js';

const SET_MS = 20; // the least time between two commands for an input, as long as the gateway takes to send one
const ASKED_MS = 1000; // after a command of this page, for which its values are newer than those of the report
const OLD = 0.5; // of the time-out of an input, from which its age is no longer good
const rows = new Map(); // by name of the channel
let claiming = []; // names that are to be claimed, one after the other
let releasing = []; // and to be released

export const isHeld = (name) => rig.operates && rig.held.includes(name);

// ---- values ----

/** set all values of an input; the newest ones are sent, at most once in SET_MS */
export function setValues(name, values) {
  const row = rows.get(name);
  if (!row || !isHeld(name)) return;
  const clamp = (value) => Math.min(Math.max(value, row.channel.low ?? -Infinity), row.channel.high ?? Infinity);
  row.wanted = values.map(clamp);
  row.asked = performance.now();
  row.timer ??= setTimeout(() => {
    row.timer = undefined;
    if (isHeld(name)) say({ op: 'set', channel: name, values: row.wanted });
  }, SET_MS);
}

function setValue(row, i, value) {
  if (!Number.isFinite(value)) return;
  const from = performance.now() - row.asked < ASKED_MS ? row.wanted : row.report?.commanded;
  const values = row.channel.components.map((_, k) => from?.[k] ?? row.channel.initial);
  values[i] = value;
  setValues(row.channel.name, values);
}

// ---- claims ----

function claimNext() {
  claiming = claiming.filter((name) => rig.operates && !rig.held.includes(name));
  if (claiming.length > 0) say({ op: 'claim', channel: claiming[0] });
}

function releaseNext() {
  if (rig.operates && releasing.length > 0) say({ op: 'release', channel: releasing.shift() });
  else releasing = [];
}

/** claim inputs, one after the other */
export function claim(names) {
  claiming = [...names];
  claimNext();
}

/** and release them */
export function release(names) {
  claiming = [];
  releasing = names.filter(isHeld);
  releaseNext();
}

by('claim-all').onclick = () => {
  const free = (rig.report?.inputs ?? []).filter(({ bench }) => !bench).map(({ channel }) => channel);
  if (free.length > 0) claim(free);
  else release(rig.held);
};
on('answer', ({ to, ok }) => {
  if (to === 'release') releaseNext();
  if (to !== 'claim' || claiming.length === 0) return;
  claiming = ok ? claiming.slice(1) : []; // the answer says why
  claimNext();
});

// ---- rows ----

function makeSetter(row, i) {
  const { channel } = row;
  const bounded = channel.low !== null && channel.high !== null;
  const line = make('div', '', row.box, { className: 'setter' });
  const name = `${channel.name} ${channel.components[i]}`.trim();
  make('span', channel.components[i], line, { className: 'component' });
  const limits = bounded ? { min: channel.low, max: channel.high } : {};
  const field = make('input', '', line, { type: 'number', step: 'any', ...limits, value: channel.initial, ariaLabel: `value of ${name}` });
  make('span', unitOf(channel.units[i]), line, { className: 'unit' });
  field.onchange = () => setValue(row, i, field.valueAsNumber);
  field.onkeydown = ({ key }) => { if (key === 'Enter') setValue(row, i, field.valueAsNumber); };
  const setters = [field];
  if (bounded) {
    const more = { value: channel.initial, ariaLabel: `slider of ${name}` };
    const slider = make('input', '', line, { type: 'range', step: 'any', ...limits, ...more });
    slider.oninput = () => { setValue(row, i, slider.valueAsNumber); field.value = rounded(slider.valueAsNumber, 4); };
    setters.push(slider);
  }
  const acting = make('output', '', line, { className: 'acting', title: 'the value that acts' });
  setters.push(...addStimulus(row.box, {
    name, unit: unitOf(channel.units[i]), low: channel.low, high: channel.high,
    present: () => row.report?.commanded[i] ?? channel.initial, may: () => isHeld(channel.name), set: (value) => setValue(row, i, value),
  }, line));
  return { setters, field, acting };
}

function makeRow(channel) {
  const box = make('div', '', by('inputs'), { className: 'input' });
  const row = { channel, box };
  const head = make('div', '', box, { className: 'head' });
  make('b', channel.name, head);
  make('small', `limits ${limitsOf(channel.low, channel.high)}`, head);
  row.owner = make('span', '', head, { className: 'owner' });
  row.claim = make('button', 'Claim', head, { className: 'claim' });
  row.claim.onclick = () => say({ op: rig.held.includes(channel.name) ? 'release' : 'claim', channel: channel.name });
  row.lines = channel.components.map((_, i) => makeSetter(row, i));
  row.age = make('div', '', box, { className: 'age', title: 'age of the newest sample, against the time-out' });
  row.ageBar = make('i', '', row.age);
  row.trip = make('p', '', box, { className: 'trip' });
  return row;
}

function drawAge(row, report) {
  const limit = row.channel.fail_safe?.timeout_steps;
  const share = report.bench && limit > 0 ? Math.min(report.age_steps / limit, 1) : 0;
  show(row.age, share > 0);
  row.ageBar.style.width = `${(100 * share).toFixed(1)}%`;
  row.age.dataset.look = report.stale ? 'bad' : share > OLD ? 'warn' : 'good';
}

function drawRow(row, report) {
  const { channel } = row;
  const held = isHeld(channel.name);
  for (const { setters } of row.lines) for (const setter of setters) setter.disabled = !held;
  write(row.claim, held ? 'Release' : 'Claim');
  row.claim.ariaLabel = `${held ? 'Release' : 'Claim'} ${channel.name}`;
  row.claim.disabled = !rig.operates || (!held && Boolean(report?.bench));
  row.report = report;
  if (!report) return;
  const age = report.bench ? `, ${rounded(report.age_steps * rig.model.step_s, 3)} s${report.stale ? ', stale' : ''}` : '';
  write(row.owner, (held ? 'this page' : report.bench || 'nobody') + age);
  for (const [k, { setters, field, acting }] of row.lines.entries()) {
    write(acting, rounded(report.acting[k], 4));
    for (const setter of setters) { // shows the commanded value, unless the user is editing it
      if (setter.tagName !== 'INPUT' || document.activeElement === setter) continue;
      setter.value = setter === field ? rounded(report.commanded[k], 4) : report.commanded[k];
    }
  }
  drawAge(row, report);
  const tripped = report.condition !== '';
  row.box.classList.toggle('tripped', tripped || report.stale);
  show(row.trip, tripped);
  write(row.trip, tripped ? `${report.action}: ${report.condition}` : '');
}

function draw() {
  const free = (rig.report?.inputs ?? []).some(({ bench }) => !bench);
  write(by('claim-all'), free || rig.held.length === 0 ? 'Claim all' : 'Release all');
  by('claim-all').disabled = !rig.operates || (!free && rig.held.length === 0);
  const reports = new Map((rig.report?.inputs ?? []).map((report) => [report.channel, report]));
  for (const [name, row] of rows) drawRow(row, reports.get(name));
}

on('model', () => {
  stopStimuli();
  rows.clear();
  claiming = [];
  by('inputs').replaceChildren();
  for (const channel of rig.model?.inputs ?? []) rows.set(channel.name, makeRow(channel));
  show(by('no-inputs'), rows.size === 0);
  show(by('claim-all'), rows.size > 0);
  draw();
});
for (const op of ['inputs', 'held', 'role']) on(op, draw);
