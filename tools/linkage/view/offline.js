// SPDX-License-Identifier: Apache-2.0
// The page of linkage view: the data that stand in it (offline.c), by the view of the operator's page.
import { View } from '../../gateway/page/view.js';

const by = (id) => document.getElementById(id);
const { name, speed, times: instants, poses, open, worst, scene } = JSON.parse(by('data').textContent);
const view = new View(by('view'));
const RED = [0.85, 0.05, 0.05, 1];
const AXES = [[[1, 0, 0], [0.85, 0.1, 0.1, 1]], [[0, 1, 0], [0.1, 0.6, 0.1, 1]], [[0, 0, 1], [0.1, 0.1, 0.9, 1]]];
const digits = (value) => Number(value.toPrecision(3));
let shown = 0;
let labels = [];
let began = null; // of a play: when, at which instant

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

function show(i) {
  shown = i;
  by('time').value = i;
  by('now').textContent = `t = ${instants[i].toFixed(3)} s`;
  by('worst').textContent = worst[i] ? `largest gap: ${worst[i].joint}, ${worst[i].shift.toExponential(1)} m` : '';
  view.move(poses[i]);
  mark();
}

function frame(now) {
  if (began) {
    const time = instants[began.at] + Number(by('speed').value) * (now - began.ms) / 1000;
    const next = instants.findIndex((instant) => instant > time);
    show(next < 0 ? instants.length - 1 : Math.max(next - 1, 0));
    if (next < 0 && by('loop').checked) began = { at: 0, ms: now };
    else if (next < 0) by('play').click();
  }
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
  const at = shown === instants.length - 1 ? 0 : shown;
  began = began ? null : { at, ms: performance.now() };
  by('play').textContent = began ? 'Stop' : 'Play';
};
by('speed').onchange = () => { if (began) began = { at: shown, ms: performance.now() }; };
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
window.linkage = { view, show }; // for whoever looks at it by a console
