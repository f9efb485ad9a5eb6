// SPDX-License-Identifier: Apache-2.0
// Values over time for an input that this page has claimed: a step, a ramp, a sine, or a table from a CSV file. The page sends
// them 20 times a second, so that a sine of more than about 2 Hz is coarse.
import { chooseFile, make, show, write } from './dom.js';

const TICK_MS = 50;
const KINDS = {
  step: { text: 'Step', fields: [['to', 'to', 0], ['hold', 'for [s] (0: stays)', 1]],
    value: ({ to, hold, from }, t) => (hold > 0 && t >= hold ? from : to), ends: ({ hold }) => (hold > 0 ? hold : 0) },
  ramp: { text: 'Ramp', fields: [['to', 'to', 0], ['time', 'in [s]', 2]],
    value: ({ to, time, from }, t) => (t >= time ? to : from + (to - from) * t / time), ends: ({ time }) => time },
  sine: { text: 'Sine', fields: [['mean', 'about', 0], ['amplitude', 'amplitude', 1], ['frequency', 'frequency [Hz]', 0.5]],
    value: ({ mean, amplitude, frequency }, t) => mean + amplitude * Math.sin(2 * Math.PI * frequency * t), ends: () => Infinity },
  table: { text: 'Table', fields: [], value: ({ table }, t) => between(table, t), ends: ({ table }) => table.at(-1)[0] },
};
const running = new Set();

function between(table, t) {
  const next = table.findIndex(([time]) => time > t);
  if (next <= 0) return table[next < 0 ? table.length - 1 : 0][1];
  const [[t0, v0], [t1, v1]] = [table[next - 1], table[next]];
  return v0 + (v1 - v0) * (t - t0) / (t1 - t0);
}

/** rows of a CSV file: a time [s] and a value; lines that do not begin with a number are left out. Return: null: no such rows */
export function readTable(text) {
  const rows = text.split(/\r?\n/).map((line) => line.split(/[,;\t]/).map((cell) => (cell.trim() === '' ? NaN : Number(cell))))
    .filter(([time, value]) => Number.isFinite(time) && Number.isFinite(value)).map(([time, value]) => [time, value]);
  const rises = rows.every(([time], i) => i === 0 || time > rows[i - 1][0]);
  return rows.length > 0 && rises ? rows.map(([time, value]) => [time - rows[0][0], value]) : null;
}

function stop(stimulus) {
  running.delete(stimulus);
  write(stimulus.button, 'Run');
}

export function stopStimuli() {
  for (const stimulus of running) stop(stimulus);
}

setInterval(() => {
  const now = performance.now() / 1e3;
  for (const stimulus of running) {
    const { kind, values, target, began } = stimulus;
    if (!target.may()) { stop(stimulus); continue; }
    target.set(KINDS[kind].value(values, now - began));
    if (now - began > KINDS[kind].ends(values) + TICK_MS / 1e3) stop(stimulus);
  }
}, TICK_MS);

async function start(stimulus, kind, fields) {
  const values = { from: stimulus.target.present() };
  for (const [name, field] of fields) values[name] = Number(field.value) || 0;
  if (kind === 'table') {
    const file = await chooseFile('.csv,.txt');
    if (!file) return;
    values.table = readTable(file.text);
    write(stimulus.note, values.table ? '' : `${file.name}: expected rows of a time [s], which rises, and a value`);
    if (!values.table) return;
  }
  Object.assign(stimulus, { kind, values, began: performance.now() / 1e3 });
  running.add(stimulus);
  write(stimulus.button, 'End');
}

/** controls of an input's stimulus. @param box, line where they go: the fields, and what opens them
 * @param target { name, unit, low, high, present(), may(), set(value) }  Return: elements that want a claim */
export function addStimulus(box, target, line) {
  const form = make('form', '', box, { className: 'stimulus', hidden: true });
  const open = make('button', '∿', line, { type: 'button', className: 'open', title: 'step, ramp, sine, table' });
  Object.assign(open, { ariaLabel: `stimulus of ${target.name}`, ariaExpanded: 'false' });
  open.onclick = () => {
    show(form, form.hidden);
    open.ariaExpanded = String(!form.hidden);
  };
  const kind = make('select', '', form, { ariaLabel: 'kind of stimulus' });
  for (const [value, { text }] of Object.entries(KINDS)) make('option', text, kind, { value });
  const places = make('span', '', form, { className: 'places' });
  const stimulus = { target, button: make('button', 'Run', form), note: make('small', '', form) };
  let fields = [];
  kind.onchange = () => {
    places.replaceChildren();
    fields = KINDS[kind.value].fields.map(([name, text, value]) => {
      const unit = ['to', 'mean', 'amplitude'].includes(name) ? ` [${target.unit || '1'}]` : '';
      const label = make('label', `${text}${unit} `, places);
      return [name, make('input', '', label, { type: 'number', step: 'any', value })];
    });
    write(stimulus.note, kind.value === 'table' ? 'a CSV file: time [s], value' : '');
  };
  kind.onchange();
  form.onsubmit = (event) => {
    event.preventDefault();
    if (running.has(stimulus)) stop(stimulus);
    else start(stimulus, kind.value, fields);
  };
  return [stimulus.button];
}
