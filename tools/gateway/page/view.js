// SPDX-License-Identifier: Apache-2.0
// The mechanism in 3D, by three: shapes as the gateway gives them, placed by the poses of bodies. Poses are seven numbers a
// body: x y z of the centre of mass, w x y z of the quaternion that turns its vectors into the world.
import {
  Box3, DirectionalLight, Group, HemisphereLight, LineBasicMaterial, PerspectiveCamera, Quaternion, Raycaster, Scene,
  Spherical, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'orbit-controls';
import { Ground } from './ground.js';
import { drawMarks } from './marks.js';
import { Shapes, corners, empty, makeLine, vector } from './shapes.js';

// of a mechanism's size: how far it may leave its place in the picture; how far apart its places may be to be seen at once
const [LEASH, FAR] = [0.03, 4];
const [TURNED, RAISED] = [0.6, 0.35]; // rad: where a model is looked at from at first
const FIELD = 35; // degrees from the lower to the upper edge
const SPARE = 0.04; // of a mechanism's size: how much more than it needs is looked at, so that the picture stands still
const MARGIN = 1.05; // of the size of the mechanism, when it is fitted into the picture
// of a key: turn about the vertical [rad], tilt [rad], factor of the distance
const KEYS = { ArrowLeft: [-0.1, 0, 1], ArrowRight: [0.1, 0, 1], ArrowUp: [0, -0.1, 1], ArrowDown: [0, 0.1, 1],
  '+': [0, 0, 0.9], '-': [0, 0, 1 / 0.9] };
const [GAP, WIDE, NARROW, USUAL] = [0.12, 1.6, 0.25, 0.8]; // of its size: what is between it and an object beside it, and the object's width
const [BEHIND, BEFORE, ABOVE, LOOKED] = [9, 3, 3, 0.3]; // m: of a car that is looked after
const TURNS = 0.15; // share of a turn of the car that the picture follows with a sample
const STEEPEST = 1e-3; // rad from the vertical, where left and right are still known

/* an axis of the world that is not along another vector */
const aside = ({ x }) => new Vector3(...(Math.abs(x) < 0.9 ? [1, 0, 0] : [0, 1, 0]));

function makeRenderer(canvas) {
  try {
    return new WebGLRenderer({ canvas, antialias: true, alpha: true });
  } catch {
    return null;
  }
}

export class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = makeRenderer(canvas);
    this.why = this.renderer ? '' : 'this browser has no WebGL';
    this.frames = 0;
    this.world = new Scene();
    this.lines = new Group();
    this.camera = new PerspectiveCamera(FIELD);
    this.shapes = new Shapes();
    this.sky = new HemisphereLight(0xffffff, 0x8f959c, 0.72);
    const light = new DirectionalLight(0xffffff, 0.5);
    light.position.set(0.3, 0.8, 1);
    this.camera.add(light, light.target); // from above the camera
    this.marks = canvas.parentNode.insertBefore(document.createElement('canvas'), canvas.nextSibling);
    this.marks.className = 'marks'; // what is drawn over the picture: axes, scale, forces
    this.arrows = [];
    this.listen();
    this.clear();
  }

  /** another model: its scene, or nothing */
  show(scene) {
    this.clear();
    this.scene = scene ?? null;
    if (!scene) return;
    this.poses = Float64Array.from(scene.poses);
    this.shapes.show(scene, this.world);
    this.place();
    this.box = this.bounds();
    this.held = scene.joints.some((joint) => joint.body < 0 || joint.to < 0);
    this.ground = new Ground(scene, this.box, this.shapes.material(LineBasicMaterial, [0.5, 0.53, 0.57, 0.28]));
    this.world.add(this.ground.lines);
    this.stand();
    this.look();
  }

  get bodies() {
    return this.shapes.bodies;
  }

  clear() {
    this.overlay = [];
    this.arrows = [];
    this.chased = null;
    this.shapes.clear(this.world);
    empty(this.world);
    this.world.add(this.camera, this.sky, this.lines);
    this.fitted = false;
    this.changed = true;
  }

  place() {
    this.shapes.place(this.poses, (body, point) => this.placed(body, point));
  }

  /** lines in the world that nothing hides: { points, color } */
  set overlay(lines) {
    for (const line of this.lines.children) line.geometry.dispose();
    empty(this.lines);
    for (const { points, color } of lines) {
      const line = makeLine(points, this.shapes.material(LineBasicMaterial, color, { depthTest: false }));
      line.renderOrder = 1;
      this.lines.add(line);
    }
    this.changed = true;
  }

  get overlay() {
    return this.lines.children;
  }

  showBoxes(shown) {
    this.shapes.showBoxes(shown);
    this.changed = true;
  }

  /** colours of the page, which may be others from now on */
  recolor() {
    const style = getComputedStyle(this.canvas);
    const color = (name) => style.getPropertyValue(`--${name}`).trim() || '#888';
    this.colors = Object.fromEntries(['ink', 'soft', 'line', 'accent', 'warn', 'bad'].map((name) => [name, color(name)]));
    this.shapes.edge.color.setStyle(this.colors.ink);
    this.beside?.dye(this.colors);
    this.changed = true;
  }

  /** least and largest coordinates of all that is drawn but roads, [[low, high], ...] along x, y, z */
  bounds() {
    const box = new Box3();
    for (const [i, list] of this.shapes.extents.entries()) {
      const body = i < this.bodies.length ? i : -1;
      for (const corner of list) box.expandByPoint(vector(this.placed(body, corner.toArray())));
    }
    if (this.beside?.group.parent) this.expand(box);
    if (box.isEmpty()) box.setFromCenterAndSize(new Vector3(), new Vector3().setScalar(this.scene.size));
    return ['x', 'y', 'z'].map((axis) => [box.min[axis], box.max[axis]]);
  }

  // ---- an object beside the mechanism ----

  /** @param object with a group, or null: no more. Its axes: z up, and its floor on the ground */
  showBeside(object) {
    if (this.beside) this.world.remove(this.beside.group);
    this.beside = object;
    if (this.colors) object?.dye(this.colors);
    if (this.scene) this.stand();
    if (this.scene && this.isFree) this.fit();
    this.changed = true;
  }

  /* behind the mechanism and at its side as it is looked at first; in its own size unless that is quite another one */
  stand() {
    if (!this.beside) return;
    const { group, radius, floor } = this.beside;
    this.world.remove(group);
    const box = this.bounds();
    const up = vector(this.scene.up).normalize();
    const flat = [0, 1, 2].filter((k) => Math.abs(up.getComponent(k)) < 0.7);
    const front = this.front().toArray();
    const side = flat.reduce((best, k) => (Math.abs(front[k]) < Math.abs(front[best]) ? k : best));
    const half = (k) => (box[k][1] - box[k][0]) / 2;
    this.reach = Math.max(...flat.map(half)); // of a mechanism that turns
    const share = 2 * radius / this.scene.size;
    group.scale.setScalar(share > WIDE || share < NARROW ? USUAL / share : 1);
    group.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), up);
    const place = vector(box.map(([low, high]) => (low + high) / 2));
    const way = (this.held ? half(side) : this.reach) + GAP * this.scene.size + group.scale.x * radius;
    place.setComponent(side, place.getComponent(side) - Math.sign(front[side]) * way);
    group.position.copy(place.addScaledVector(up, this.ground.level - group.scale.x * floor - place.dot(up)));
    this.offset = place.clone().sub(this.mean());
    this.world.add(group);
  }

  /* move the object beside the mechanism along with the camera */
  accompany() {
    if (this.beside && !this.held && this.followed) this.beside.group.position.copy(this.followed).add(this.offset);
  }

  /* the room of the object beside the mechanism, and of the mechanism if it turns */
  expand(box) {
    if (!this.held) {
      const middle = box.getCenter(new Vector3());
      const up = vector(this.scene.up);
      for (const [k, axis] of ['x', 'y', 'z'].entries()) {
        if (Math.abs(up.getComponent(k)) > 0.7) continue;
        box.min[axis] = Math.min(box.min[axis], middle[axis] - this.reach);
        box.max[axis] = Math.max(box.max[axis], middle[axis] + this.reach);
      }
    }
    for (const corner of this.beside.corners()) box.expandByPoint(corner);
  }

  middle() {
    return vector(this.box.map(([low, high]) => (low + high) / 2));
  }

  // ---- camera ----

  /** at the whole, from the side */
  look() {
    this.lookFrom(this.front().multiplyScalar(Math.cos(RAISED)).addScaledVector(vector(this.scene.up).normalize(), Math.sin(RAISED)));
  }

  /* the horizontal direction to the camera at first */
  front() {
    const up = vector(this.scene.up).normalize();
    const right = aside(up).cross(up).normalize();
    return right.clone().multiplyScalar(Math.sin(TURNED)).addScaledVector(up.clone().cross(right), Math.cos(TURNED));
  }

  /** at the whole, from a direction */
  lookFrom(away) {
    const up = vector(this.scene.up).normalize();
    this.camera.up.copy(up);
    this.sky.position.copy(up);
    const target = this.middle();
    const back = away.clone().normalize();
    if (Math.abs(back.dot(up)) > 1 - STEEPEST ** 2) back.addScaledVector(aside(up), -STEEPEST);
    this.camera.position.copy(target).addScaledVector(back, this.scene.size);
    this.controls?.dispose();
    this.controls = new OrbitControls(this.camera, this.canvas); // which takes the vertical only once
    Object.assign(this.controls, { enableKeys: false, screenSpacePanning: true, minDistance: 0.02 * this.scene.size });
    this.controls.target.copy(target);
    this.controls.update();
    this.controls.addEventListener('change', () => { this.changed = true; });
    this.controls.addEventListener('start', () => { this.isFree = false; });
    this.fit();
  }

  /** as near as the whole is still seen, from where it is looked at now */
  fit() {
    if (!this.controls) return;
    this.followed = this.mean();
    this.accompany();
    this.box = this.bounds();
    this.isFree = true;
    this.approach();
  }

  approach() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const away = this.camera.position.clone().sub(this.controls.target).normalize();
    this.camera.lookAt(this.controls.target);
    const back = this.camera.quaternion.clone().inverse();
    const steep = Math.tan(FIELD * Math.PI / 360);
    const flat = steep * (width / height || 1);
    const need = corners(this.box).map((corner) => {
      const { x, y, z } = corner.sub(this.middle()).applyQuaternion(back);
      return z + Math.max(Math.abs(x) / flat, Math.abs(y) / steep);
    });
    const distance = Math.max(MARGIN * Math.max(...need), this.controls.minDistance);
    this.controls.target.copy(this.middle());
    this.camera.position.copy(this.controls.target).addScaledVector(away, distance);
    this.controls.update();
    this.fitted = width * height > 0;
    this.changed = true;
  }

  /** move the camera and its target by @way */
  shift(way) {
    this.controls.target.add(way);
    this.camera.position.add(way);
  }

  /** a mechanism on the ground is shown as a whole, wherever it swings, until it gets far; a view chosen by the user is kept */
  widen() {
    const more = SPARE * this.scene.size;
    let grows = false;
    for (const [k, [low, high]] of this.bounds().entries()) {
      const side = this.box[k];
      grows ||= low < side[0] - more / 2 || high > side[1] + more / 2;
      if (low < side[0] - more / 2) side[0] = low - more;
      if (high > side[1] + more / 2) side[1] = high + more;
    }
    this.followed = this.mean();
    this.held = Math.max(...this.box.map(([low, high]) => high - low)) <= FAR * this.scene.size;
    if (grows && this.held && this.isFree) this.approach();
  }

  mean() {
    return this.bodies.reduce((sum, body) => sum.addScaledVector(body.position, 1 / this.bodies.length), new Vector3());
  }

  /** follow a mechanism that moves away, once it has left its place in the picture */
  follow() {
    const way = this.mean().sub(this.followed);
    const far = way.length() - LEASH * this.scene.size;
    if (!(far > 0) || !Number.isFinite(far)) return;
    this.shift(way.setLength(far));
    this.followed.add(way);
    this.accompany();
    this.box = this.box.map(([low, high], k) => [low + way.getComponent(k), high + way.getComponent(k)]);
  }

  /** look along with a body from behind, a car; null: as before */
  chase(body) {
    this.chased = body;
    this.heading = null;
    if (!this.controls) return;
    this.controls.enabled = body === null;
    if (body === null) this.look();
    this.changed = true;
  }

  /* the camera behind the chased body, in the direction in which its x axis points over the ground */
  pursue() {
    const up = vector(this.scene.up).normalize();
    const { position, quaternion } = this.bodies[this.chased];
    const ahead = new Vector3(1, 0, 0).applyQuaternion(quaternion).projectOnPlane(up);
    if (!(ahead.length() > STEEPEST)) return;
    ahead.normalize();
    this.heading = this.heading ? this.heading.lerp(ahead, TURNS).normalize() : ahead;
    this.camera.up.copy(up);
    this.camera.position.copy(position).addScaledVector(this.heading, -BEHIND).addScaledVector(up, ABOVE);
    this.controls.target.copy(position).addScaledVector(this.heading, BEFORE).addScaledVector(up, LOOKED);
    this.followed = this.mean();
    this.accompany();
  }

  /** other poses of all bodies; those of another model are passed over */
  move(poses) {
    if (!this.scene || poses.length !== this.poses.length) return;
    this.poses.set(poses);
    this.place();
    if (this.chased !== null && this.poses.every(Number.isFinite)) this.pursue();
    else if (this.held && this.poses.every(Number.isFinite)) this.widen();
    if (this.chased === null && !this.held && this.bodies.length > 0) this.follow();
    this.changed = true;
  }

  /** turn the camera about the centre of the view, or move it nearer */
  turn(about, tilt, factor) {
    const { camera, controls } = this;
    const upright = new Quaternion().setFromUnitVectors(camera.up, new Vector3(0, 1, 0));
    const away = camera.position.clone().sub(controls.target).applyQuaternion(upright);
    const place = new Spherical().setFromVector3(away);
    const steep = Math.min(Math.max(place.phi + tilt, STEEPEST), Math.PI - STEEPEST);
    place.set(Math.max(place.radius * factor, controls.minDistance), steep, place.theta + about);
    camera.position.copy(controls.target).add(away.setFromSpherical(place).applyQuaternion(upright.inverse()));
    controls.update();
  }

  listen() {
    this.canvas.onkeydown = (event) => {
      if (!KEYS[event.key] || !this.controls) return;
      this.isFree = false;
      this.turn(...KEYS[event.key]);
      event.preventDefault();
    };
    this.canvas.addEventListener('webglcontextrestored', () => { this.changed = true; });
  }

  // ---- the picture ----

  /** the camera as it sees a canvas of this size */
  aim(width, height) {
    const distance = this.camera.position.distanceTo(this.controls?.target ?? this.camera.position) || 1;
    Object.assign(this.camera, { aspect: width / height, near: 0.02 * distance, far: 50 * distance });
    if (this.controls) this.camera.lookAt(this.controls.target);
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  /** @param always also when it looks as before */
  draw(always = false) {
    if (this.beside?.step()) this.changed = true;
    const { renderer, canvas } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    const scale = window.devicePixelRatio || 1;
    const isOther = canvas.width !== Math.floor(width * scale) || canvas.height !== Math.floor(height * scale);
    if (!renderer || width * height === 0 || !(this.changed || isOther || always)) return;
    if (isOther) {
      renderer.setPixelRatio(scale);
      renderer.setSize(width, height, false);
    }
    if (this.scene && !this.fitted) this.fit();
    else if (this.scene && isOther && this.isFree && this.chased === null) this.approach();
    this.changed = false;
    if (!this.colors) this.recolor();
    if (this.controls) this.ground?.lay(this.controls.target);
    this.aim(width, height);
    renderer.render(this.world, this.camera);
    drawMarks(this, width, height, scale);
    if (this.scene) this.frames++;
  }

  /** a place in the world on the canvas [px] */
  project(place) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.aim(width, height);
    const { x, y } = vector(place).project(this.camera);
    return [(1 + x) * width / 2, (1 - y) * height / 2];
  }

  /** metres of a pixel at the distance of the centre of the view */
  get pixel() {
    return 2 * Math.tan(FIELD * Math.PI / 360) * this.camera.position.distanceTo(this.controls.target) / this.canvas.clientHeight;
  }

  /** find the shape at a place of the canvas [px]. Return: { shape, place in the world, distance [m] }, or null */
  find(left, top) {
    if (!this.scene) return null;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ray = new Raycaster();
    this.aim(width, height);
    this.world.updateMatrixWorld();
    ray.linePrecision = 4 * this.pixel;
    ray.setFromCamera({ x: 2 * left / width - 1, y: 1 - 2 * top / height }, this.camera);
    const hit = ray.intersectObjects(this.world.children, true).find(({ object }) => object.userData.shape && object.visible);
    return hit ? { shape: hit.object.userData.shape, place: hit.point.toArray(), distance: hit.distance } : null;
  }

  /** the world's vector of a way on the canvas [px], at the distance of a place */
  unproject(place, right, down) {
    const distance = vector(place).sub(this.camera.position).dot(this.camera.getWorldDirection(new Vector3()));
    const scale = this.pixel * distance / this.camera.position.distanceTo(this.controls.target);
    return new Vector3(right, -down, 0).multiplyScalar(scale).applyQuaternion(this.camera.quaternion).toArray();
  }

  /** a point of a body in the world; body -1 is the ground */
  placed(body, point) {
    if (body < 0) return point;
    return this.turned(body, point).map((value, k) => value + this.poses[7 * body + k]);
  }

  /** a vector of a body in the world, or the other way round */
  turned(body, list, isBack = false) {
    if (body < 0) return list;
    const [w, x, y, z] = this.poses.subarray(7 * body + 3, 7 * body + 7);
    const turn = new Quaternion(x, y, z, w);
    return vector(list).applyQuaternion(isBack ? turn.inverse() : turn).toArray();
  }
}
