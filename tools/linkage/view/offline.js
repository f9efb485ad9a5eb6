// SPDX-License-Identifier: Apache-2.0
// The page of linkage view: the data that stand in it (offline.c), by the view of the operator's page.
import { View } from '../../gateway/page/view.js';

const by = (id) => document.getElementById(id);
const { name, speed, times: instants, poses, open, worst, scene } = JSON.parse(by('data').textContent);
const view = new View(by('view'));
const RED = [0.85, 0.05, 0.05, 1];
const AXES = [[[1, 0, 0], [0.85, 0.1, 0.1, 1]], [[0, 1, 0], [0.1, 0.6, 0.1, 1]], [[0, 0, 1], [0.1, 0.1, 0.9, 1]]];
const digits = (value) => Number(value.toPrecision(3));
let [shown, now] = [0, instants[0]]; // an instant, and the time that is seen
let labels = [];
let began = null; // of a play: when, at which time

function cross3(at, size) {
  return AXES.map(([axis]) => ({ points: [at.map((v, i) => v - size * axis[i]), at.map((v, i) => v + size * axis[i])], color: [0.5, 0.5, 0.5, 1] }));
}

function arrows(body, length) {
  return AXES.map(([axis, color]) => ({ points: [view.placed(body, [0, 0, 0]), view.placed(body, axis.map((v) => v * length))], color }));
}

function mark() {
  const length = 0.1 * scene.size;
  labels = [];
  const lines = [];
  for (const [i, body] of scene.bodies.entries()) {
    const at = view.placed(i, [0, 0, 0]);
    if (by('centres').checked) lines.push(...cross3(at, length / 3));
    if (by('frames').checked) lines.push(...arrows(i, length));
    if (by('bodies').checked) labels.push({ at, text: body });
  }
  for (const joint of by('joints').checked ? scene.joints : []) {
    const at = view.placed(joint.body, joint.point);
    const ahead = joint.axis?.map((v, i) => joint.point[i] + length * v);
    if (ahead) lines.push({ points: [at, view.placed(joint.body, ahead)], color: [0.6, 0.2, 0.8, 1] });
    if (!open[shown].some((gap) => gap.joint === joint.name)) labels.push({ at, text: `${joint.name} (${joint.type})` });
  }
  by('open').replaceChildren();
  for (const gap of open[shown]) {
    lines.push({ points: [gap.from, gap.to], color: RED });
    labels.push({ at: gap.from, text: gap.joint, open: true });
    by('open').append(Object.assign(document.createElement('li'), { textContent: `joint ${gap.joint} is open by ${digits(gap.shift)} m and `
      + `${digits(gap.tilt)} rad at x ${digits(gap.from[0])}, y ${digits(gap.from[1])}, z ${digits(gap.from[2])}` }));
  }
  by('labels').replaceChildren(...labels.map((label) => {
    label.element = Object.assign(document.createElement('span'), { textContent: label.text, className: label.open ? 'open' : '' });
    return label.element;
  }));
  view.overlay = lines;
}

/* poses between an instant and the next one; a quaternion and its negative are the same rotation */
function between(i, share) {
  const [from, to] = [poses[i], poses[i + 1]];
  if (share === 0 || !to) return from;
  const mixed = from.map((value, k) => value + share * (to[k] - value));
  for (let at = 3; at < mixed.length; at += 7) {
    const parts = [0, 1, 2, 3].map((k) => at + k);
    const sign = Math.sign(parts.reduce((sum, k) => sum + from[k] * to[k], 0)) || 1;
    for (const k of parts) mixed[k] = (1 - share) * from[k] + sign * share * to[k];
    const size = Math.hypot(...parts.map((k) => mixed[k]));
    for (const k of parts) mixed[k] /= size;
  }
  return mixed;
}

/** an instant, or an interpolation between it and the next one */
function show(i, share = 0) {
  shown = i;
  now = share === 0 ? instants[i] : instants[i] + share * (instants[i + 1] - instants[i]);
  by('time').value = i;
  by('now').textContent = `t = ${now.toFixed(3)} s`;
  by('worst').textContent = worst[i] ? `largest gap: ${worst[i].joint}, ${worst[i].shift.toExponential(1)} m` : '';
  view.move(between(i, share));
  mark();
}

/* the index of the last instant at or before a time (bisection) */
function indexAt(time) {
  let [low, high] = [0, instants.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (instants[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

function play(ms) {
  const time = began.time + Number(by('speed').value) * (ms - began.ms) / 1000;
  const last = instants.length - 1;
  const i = indexAt(time);
  show(i, i < last ? Math.max((time - instants[i]) / (instants[i + 1] - instants[i]), 0) : 0);
  if (i === last && by('loop').checked) began = { time: instants[0], ms };
  else if (i === last) by('play').click();
}

function frame(ms) {
  if (began) play(ms);
  const before = view.frames;
  view.draw();
  if (view.frames !== before) {
    for (const { at, element } of labels) [element.style.left, element.style.top] = view.project(at).map((v) => `${v}px`);
  }
  requestAnimationFrame(frame);
}

by('name').textContent = document.title = name;
by('time').max = instants.length - 1;
by('bar').hidden = instants.length < 2;
by('time').oninput = ({ target }) => { began = null; by('play').textContent = 'Play'; show(Number(target.value)); };
by('play').onclick = () => {
  const time = shown === instants.length - 1 ? instants[0] : now;
  began = began ? null : { time, ms: performance.now() };
  by('play').textContent = began ? 'Stop' : 'Play';
};
by('speed').onchange = () => { if (began) began = { time: now, ms: performance.now() }; };
document.onkeydown = (event) => {
  if (event.key !== ' ' || by('bar').hidden || event.target.closest('button, select, input[type=checkbox]')) return;
  by('play').click();
  event.preventDefault();
};
by('boxes').onchange = ({ target }) => view.showBoxes(target.checked);
by('fit').onclick = () => view.fit();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => view.recolor());
for (const id of ['bodies', 'centres', 'frames', 'joints']) by(id).onchange = mark;
if (speed > 0) { // of a mode: a period in a time that the eye can follow
  by('speed').prepend(Object.assign(document.createElement('option'), { value: speed, textContent: speed.toPrecision(2), selected: true }));
  by('loop').checked = true;
  by('play').click();
}
if (view.why) by('open').textContent = `${view.why}: linkage view --png or --svg draws without`;
view.show(scene);
show(0);
requestAnimationFrame(frame);
window.linkage = { view, show }; // for the browser's console
