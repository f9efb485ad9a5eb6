// SPDX-License-Identifier: Apache-2.0
// The picture of the mechanism on the page: its tools, names on hover, forces as arrows, a body that is pushed by the
// mouse, and the hexapod of a motion platform.
import { Hexapod, View } from './pictures.js';
import { by, kept, show, write } from './dom.js';
import { isHeld, setValues } from './inputs.js';
import { newest } from './plots.js';
import { usesOf } from './platform.js';
import { on, rig } from './rig.js';

const LONGEST = 0.2; // of the mechanism's size: the arrow of the largest force of the last seconds
const HALF_MS = 1500; // until half of that largest force is forgotten
const FULL = 0.5; // of the mechanism's size: how far a body is pulled for the whole of its force
const FREE_N = 100; // N, of an input without limits
const AXES = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };

export const view = new View(by('view'));
let [pointer, push, largest, drawn, hasMoved, hexapod] = [null, null, 0, 0, false, null];

const arrowsOf = (kind) => (rig.model?.scene?.arrows ?? []).filter((arrow) => arrow.is_input === kind);
const channelOf = (list, name) => (list ?? []).find((channel) => channel.name === name);

on('model', () => {
  push = null;
  largest = 0;
  hasMoved = false;
  view.show(rig.model?.scene);
  write(by('no-view'), view.why || (rig.model?.no_scene ?? ''));
  show(by('no-view'), by('no-view').textContent !== '');
  show(by('forces-box'), arrowsOf(false).length > 0);
  write(by('pose'), rig.model?.scene ? 'initial pose' : ''); // until another one is heard of
});

on('poses', ({ values }) => {
  hasMoved = true;
  view.move(values);
  write(by('pose'), '');
});

/** the pose of a run that is over is not that of the rig; that of a snapshot is told when it goes on */
export function rest(isInitial) {
  if (!rig.model?.scene || (isInitial && !hasMoved)) return;
  hasMoved = false;
  view.arrows = [];
  if (isInitial) view.move(rig.model.scene.poses);
  if (isInitial && view.isFree) view.fit();
  write(by('pose'), isInitial ? 'initial pose' : 'the pose of the snapshot is seen once the run goes on');
}

// ---- forces ----

function forceArrow(arrow) {
  const channel = channelOf(rig.model.outputs, arrow.channel);
  const force = channel ? [0, 1, 2].map((i) => newest(channel, i)) : [NaN];
  const size = Math.hypot(...force);
  if (!Number.isFinite(size) || size === 0) return null;
  largest = Math.max(largest, size);
  const from = view.placed(arrow.body, arrow.point);
  const to = from.map((value, k) => value + force[k] * LONGEST * rig.model.scene.size / largest);
  return { from, to, color: 'warn', text: pointer ? `${arrow.channel} ${size.toPrecision(3)} N` : '' };
}

function pushArrow() {
  const from = view.placed(push.arrow.body, push.arrow.point);
  return { from, to: from.map((value, k) => value + push.way[k]), color: 'accent', text: `${push.force.toPrecision(3)} N` };
}

function drawArrows() {
  largest *= 0.5 ** ((performance.now() - drawn) / HALF_MS);
  drawn = performance.now();
  const forces = by('forces').checked && hasMoved ? arrowsOf(false).map(forceArrow).filter(Boolean) : [];
  view.arrows = push ? [...forces, pushArrow()] : forces;
  if (push) view.changed = true;
}

// ---- a body that is pushed ----

function beginPush(event) {
  const [left, top] = [event.offsetX, event.offsetY];
  const hit = view.find(left, top);
  const arrow = hit && arrowsOf(true).find(({ body, channel }) => body === hit.shape.body && isHeld(channel));
  if (!arrow) return;
  push = { arrow, left, top, place: hit.place, way: [0, 0, 0], force: 0 };
  view.controls.enabled = false;
  by('view').setPointerCapture(event.pointerId);
}

function movePush({ offsetX, offsetY }) {
  const { arrow } = push;
  const channel = channelOf(rig.model.inputs, arrow.channel);
  const full = FULL * rig.model.scene.size;
  let way = view.unproject(push.place, offsetX - push.left, offsetY - push.top);
  const length = Math.hypot(...way);
  if (length > full) way = way.map((value) => value * full / length);
  const strength = (channel.high ?? FREE_N) / full;
  const force = way.map((value) => value * strength);
  Object.assign(push, { way, force: Math.hypot(...force) });
  setValues(arrow.channel, arrow.in_body_axes ? view.turned(arrow.body, force, true) : force);
}

function endPush() {
  if (!push) return;
  setValues(push.arrow.channel, [0, 0, 0]);
  push = null;
  view.controls.enabled = true;
  view.changed = true;
}

// ---- the hexapod ----

const isHexapod = ({ feet, joints }) => feet?.length === 18 && joints?.length === 18;

function showHexapod() {
  show(by('hexapod-box'), Boolean(hexapod));
  if (!view.why) view.showBeside(by('hexapod-shown').checked ? hexapod : null);
}

on('platform', (platform) => {
  const geometry = isHexapod(platform) && !view.why ? String([platform.feet, platform.joints]) : '';
  if (geometry !== (hexapod?.geometry ?? '')) {
    hexapod?.dispose();
    hexapod = geometry ? Object.assign(new Hexapod(platform), { geometry }) : null;
    showHexapod();
  }
  hexapod?.take(platform, usesOf(platform), ['following', 'holding'].includes(platform.state));
});

// ---- names ----

function drawName() {
  const hit = pointer && !push ? view.find(pointer.left, pointer.top) : null;
  show(by('hover'), Boolean(hit));
  if (!hit) return;
  const { shape } = hit;
  const body = rig.model.scene.bodies[shape.body] ?? 'ground';
  const pushed = arrowsOf(true).find((arrow) => arrow.body === shape.body);
  const tip = pushed ? `\n${isHeld(pushed.channel) ? 'drag it to push it' : `claim ${pushed.channel} to push it`}` : '';
  write(by('hover'), shape.text ?? (shape.name === body ? body : `${body}: ${shape.name}`) + tip);
  const right = pointer.left > by('view').clientWidth / 2;
  Object.assign(by('hover').style, { top: `${pointer.top + 14}px`, left: right ? '' : `${pointer.left + 14}px`,
    right: right ? `${by('view').clientWidth - pointer.left + 6}px` : '' });
  pointer = { ...pointer, seen: true };
}

by('view').addEventListener('pointerdown', (event) => { if (event.button === 0 && rig.model?.scene) beginPush(event); }, true);
by('view').addEventListener('pointermove', (event) => {
  if (push) movePush(event);
  pointer = event.buttons === 0 ? { left: event.offsetX, top: event.offsetY } : null;
  if (!pointer) show(by('hover'), false);
});
for (const kind of ['pointerup', 'pointercancel']) by('view').addEventListener(kind, endPush);
by('view').onpointerleave = () => {
  pointer = null;
  show(by('hover'), false);
};

// ---- tools ----

const look = (name) => { if (rig.model?.scene) (name ? view.lookFrom(view.camera.position.clone().set(...AXES[name])) : view.look()); };
by('fit').onclick = () => view.fit();
for (const button of document.querySelectorAll('[data-look-from]')) button.onclick = () => look(button.dataset.lookFrom);
by('boxes').checked = kept.read('boxes', false);
view.showBoxes(by('boxes').checked);
by('boxes').onchange = ({ target }) => { kept.write('boxes', target.checked); view.showBoxes(target.checked); };
by('hexapod-shown').checked = kept.read('hexapod', true);
by('hexapod-shown').onchange = ({ target }) => { kept.write('hexapod', target.checked); showHexapod(); };
by('forces').onchange = () => { view.changed = true; };
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => view.recolor());

export function drawView() {
  if (rig.model?.scene && !view.why) drawArrows();
  view.draw();
  if (pointer && !pointer.seen && !view.why) drawName();
}
