// SPDX-License-Identifier: Apache-2.0
// The panel of the motion platform: the ride as a row of steps, actuators between the ends of their strokes, a hexapod as a
// picture, and orders.
import { ask, by, make, show, write } from './dom.js';
import { on, rig, say } from './rig.js';

const STATES = ['parked', 'rising', 'following', 'holding', 'settling'];
const ORDERS = { engage: 'Engage? The platform rises and follows the model.',
  release: 'Release the emergency? The platform may rise again.' };
const NEAR = 0.9; // of a stroke, from which its bar warns
const [ABOUT, ABOVE] = [0.7, 0.45]; // rad: where the hexapod is looked at from
const POSE = [['x', 1e3, 'mm'], ['y', 1e3, 'mm'], ['z', 1e3, 'mm'], ['roll', 1e3, 'mrad'], ['pitch', 1e3, 'mrad'], ['yaw', 1e3, 'mrad']];
let shown = null;

const tenths = (value) => (Math.abs(value) < 0.05 ? '0.0' : value.toFixed(1));
const shareOf = (value, low, high) => (value >= 0 ? value / high : value / low); // of a stroke that is used

/** the use of each stroke, 0 in neutral to 1 at the end */
export const usesOf = ({ actuators, low = [], high = [] }) => actuators.map((value, i) => Math.abs(shareOf(value, low[i], high[i])) || 0);

/* a parked platform stands at the end of its strokes */
const isNear = (value, low, high) => shown.state === 'following' && shareOf(value, low, high) > NEAR;

function drawBars({ actuators, low = [], high = [] }) {
  while (by('strokes').children.length > actuators.length) by('strokes').lastChild.remove();
  for (const [i, value] of actuators.entries()) {
    const row = by('strokes').children[i] ?? make('div', '', by('strokes'), { className: 'stroke' });
    if (!row.firstChild) {
      make('span', String(i + 1), row);
      make('i', '', make('div', '', row, { className: 'track' }));
      make('output', '', row);
    }
    const [, track, text] = row.children;
    const known = low[i] < 0 && high[i] > 0;
    const place = (v) => 100 * (v - low[i]) / (high[i] - low[i]);
    const [zero, at] = known ? [place(0), Math.min(Math.max(place(value), 0), 100)] : [0, 0];
    Object.assign(track.firstChild.style, { left: `${Math.min(zero, at)}%`, width: `${Math.abs(at - zero)}%` });
    track.style.setProperty('--zero', `${zero}%`);
    track.dataset.look = known && isNear(value, low[i], high[i]) ? 'warn' : 'plain';
    track.title = known ? `from ${(1e3 * low[i]).toFixed(0)} to ${(1e3 * high[i]).toFixed(0)}` : '';
    write(text, tenths(1e3 * value));
  }
}

// ---- the picture of a hexapod ----

const triples = (list) => Array.from({ length: list.length / 3 }, (_, i) => list.slice(3 * i, 3 * i + 3));

/** a point of the platform, for its pose: x y z and the angles roll, pitch and yaw */
function move([x, y, z], [px, py, pz, roll, pitch, yaw]) {
  const [cr, sr, cp, sp, cy, sy] = [roll, pitch, yaw].flatMap((angle) => [Math.cos(angle), Math.sin(angle)]);
  return [px + cy * cp * x + (cy * sp * sr - sy * cr) * y + (cy * sp * cr + sy * sr) * z,
    py + sy * cp * x + (sy * sp * sr + cy * cr) * y + (sy * sp * cr - cy * sr) * z,
    pz - sp * x + cp * sr * y + cp * cr * z];
}

function flatten([x, y, z]) {
  const [right, away] = [Math.cos(ABOUT) * y - Math.sin(ABOUT) * x, Math.cos(ABOUT) * x + Math.sin(ABOUT) * y];
  return [right, -(z * Math.cos(ABOVE) - away * Math.sin(ABOVE))];
}

function drawHexapod({ pose, feet, joints, actuators, low, high }) {
  const canvas = by('hexapod');
  show(canvas, feet?.length === 18 && joints?.length === 18);
  if (canvas.hidden || canvas.clientWidth === 0) return;
  const style = getComputedStyle(canvas);
  const color = (name) => style.getPropertyValue(`--${name}`).trim();
  const scale = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  Object.assign(canvas, { width: Math.round(scale * width), height: Math.round(scale * height) });
  const [base, top] = [triples(feet).map(flatten), triples(joints).map((point) => flatten(move(point, pose)))];
  const rise = Math.max(...high);
  const all = [...base, ...[-rise, rise].flatMap((z) => triples(joints).map((point) => flatten(move(point, [0, 0, z, 0, 0, 0]))))];
  const [[left, right], [least, most]] = [0, 1].map((k) => [Math.min(...all.map((at) => at[k])), Math.max(...all.map((at) => at[k]))]);
  const fit = 0.92 * Math.min(width / (right - left), height / (most - least));
  const context = canvas.getContext('2d');
  const corner = [(width - fit * (left + right)) / 2, (height - fit * (least + most)) / 2];
  context.setTransform(scale * fit, 0, 0, scale * fit, ...corner.map((px) => scale * px));
  const trace = (points) => { context.beginPath(); points.forEach(([x, y]) => context.lineTo(x, y)); context.closePath(); };
  context.lineWidth = 1.5 / fit;
  context.strokeStyle = color('soft');
  trace(base);
  context.stroke();
  for (const [i, [x, y]] of base.entries()) {
    context.beginPath();
    context.lineWidth = 4 / fit;
    context.strokeStyle = isNear(actuators[i], low[i], high[i]) ? color('warn') : color('accent');
    context.moveTo(x, y);
    context.lineTo(...top[i]);
    context.stroke();
  }
  Object.assign(context, { lineWidth: 1.5 / fit, strokeStyle: color('ink'), fillStyle: color('accent'), globalAlpha: 0.3 });
  trace(top);
  context.fill();
  context.globalAlpha = 1;
  context.stroke();
}

// ---- all of it ----

function draw() {
  if (!shown || by('platform-panel').hidden) return;
  by('ride').replaceChildren(...STATES.map((name) => make('li', name, null, { className: name === shown.state ? 'now' : '' })));
  show(by('platform-emergency'), shown.emergency);
  let report = 'it does not report';
  if (shown.heard) report = shown.ready ? 'it reports ready' : 'it reports not ready';
  const end = shown.cause ? `; last end: ${shown.cause}` : '';
  write(by('platform-text'), `${report}; the guard changed ${shown.limited} steps${end}`);
  const words = POSE.map(([name, factor, unit], i) => `${name} ${tenths(factor * shown.pose[i])} ${unit}`);
  by('platform-pose').replaceChildren(...words.map((word) => make('span', word)));
  drawBars(shown);
  drawHexapod(shown);
}

export const hasPlatform = () => shown !== null;
on('platform', (platform) => {
  shown = platform.state === undefined ? null : platform;
  draw();
});
for (const button of document.querySelectorAll('[data-order]')) {
  const { order } = button.dataset;
  button.onclick = async () => { if (!ORDERS[order] || await ask(ORDERS[order])) say({ op: 'platform', order }); };
}
on('role', () => { for (const button of document.querySelectorAll('[data-order]')) button.disabled = !rig.operates; });
