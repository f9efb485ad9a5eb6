// SPDX-License-Identifier: Apache-2.0
// The mechanism in 3D, by three: shapes as the gateway gives them, placed by the poses of bodies. Poses are seven numbers a
// body: x y z of the centre of mass, w x y z of the quaternion that turns its vectors into the world.
import {
  BoxBufferGeometry, BufferAttribute, BufferGeometry, Color, CylinderBufferGeometry, DirectionalLight, Group, HemisphereLight, Line,
  LineBasicMaterial, Mesh, MeshLambertMaterial, PerspectiveCamera, Quaternion, Scene, SphereBufferGeometry, Spherical,
  Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'orbit-controls';

// of a mechanism's size: how far it may be from the middle of the picture; how far apart its places may be to be seen at once
const [LEASH, FAR] = [0.1, 4];
const [TURNED, RAISED, AWAY] = [0.6, 0.35, 1.8]; // rad, rad, sizes: where a model is looked at from at first
const FIELD = 53; // degrees from the lower to the upper edge
const WINDINGS = 17; // places of a span
// of a key: turn about the vertical [rad], tilt [rad], factor of the distance
const KEYS = { ArrowLeft: [-0.1, 0, 1], ArrowRight: [0.1, 0, 1], ArrowUp: [0, -0.1, 1], ArrowDown: [0, 0.1, 1],
  '+': [0, 0, 0.9], '-': [0, 0, 1 / 0.9] };
const STEEPEST = 1e-3; // rad from the vertical, where left and right are still known

const vector = (list) => new Vector3(...list);
const empty = (group) => group.remove(...group.children);

/* forms of size 1; the axis of a cylinder is z */
const makeSolids = () => ({ box: new BoxBufferGeometry(1, 1, 1), cylinder: new CylinderBufferGeometry(0.5, 0.5, 1, 32).rotateX(Math.PI / 2),
  sphere: new SphereBufferGeometry(0.5, 32, 16) });

function makeLine(points, material) {
  const line = new Line(new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(points.flat()), 3)), material);
  line.frustumCulled = false; // its places may move
  return line;
}

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
    this.marks = new Group();
    this.camera = new PerspectiveCamera(FIELD);
    this.solids = makeSolids();
    this.sky = new HemisphereLight(0xffffff, 0x9aa0a8, 2.2);
    const light = new DirectionalLight(0xffffff, 1.8);
    light.position.set(0.3, 0.8, 1);
    this.camera.add(light, light.target); // from above the shoulder of who looks
    this.listen();
    this.clear();
  }

  /** another model: its scene, or nothing */
  show(scene) {
    this.clear();
    this.scene = scene ?? null;
    if (!scene) return;
    this.poses = Float64Array.from(scene.poses);
    this.bodies = scene.bodies.map(() => new Group());
    this.world.add(...this.bodies);
    this.spans = [];
    for (const shape of scene.shapes) this.add(shape);
    this.place();
    this.box = this.bounds();
    this.held = scene.joints.some((joint) => joint.body < 0 || joint.to < 0);
    this.look();
  }

  /** what an earlier model left, in the memory of the graphics processor, too */
  clear() {
    this.overlay = [];
    this.world.traverse((object) => {
      if (object.geometry && !Object.values(this.solids).includes(object.geometry)) object.geometry.dispose();
    });
    for (const material of this.materials?.values() ?? []) material.dispose();
    this.materials = new Map();
    empty(this.world);
    this.world.add(this.camera, this.sky, this.marks);
    this.changed = true;
  }

  /** @param more of the properties of the material */
  material(Kind, [red, green, blue, alpha], more = {}) {
    const key = JSON.stringify([Kind.name, red, green, blue, alpha, more]);
    if (!this.materials.has(key)) {
      const color = new Color().setRGB(red, green, blue);
      this.materials.set(key, new Kind({ color, opacity: alpha, transparent: alpha < 1, ...more }));
    }
    return this.materials.get(key);
  }

  add(shape) {
    const parent = this.bodies[shape.body] ?? this.world;
    if (shape.kind === 'span') {
      const line = makeLine(new Array(WINDINGS).fill([0, 0, 0]), this.material(LineBasicMaterial, shape.color));
      this.spans.push({ shape, line });
      this.world.add(line);
    } else if (shape.kind === 'line') {
      parent.add(makeLine(shape.points, this.material(LineBasicMaterial, shape.color)));
    } else {
      const solid = new Mesh(this.solids[shape.kind], this.material(MeshLambertMaterial, shape.color));
      const [w, x, y, z] = shape.orientation;
      solid.position.set(...shape.position);
      solid.quaternion.set(x, y, z, w);
      solid.scale.set(...shape.size.map((length) => Math.max(length, 1e-9)));
      parent.add(solid);
    }
  }

  /** bodies where their poses say, and what is between them */
  place() {
    for (const [i, body] of this.bodies.entries()) {
      const [px, py, pz, w, x, y, z] = this.poses.subarray(7 * i, 7 * i + 7);
      body.position.set(px, py, pz);
      body.quaternion.set(x, y, z, w);
    }
    for (const { shape, line } of this.spans) {
      const places = line.geometry.getAttribute('position');
      this.wind(shape).forEach((place, i) => places.setXYZ(i, place.x, place.y, place.z));
      places.needsUpdate = true;
    }
  }

  /** the places of a spring or a rod */
  wind(shape) {
    const from = vector(this.placed(shape.body, shape.points[0]));
    const to = vector(this.placed(shape.to, shape.points[1]));
    const way = to.clone().sub(from);
    const helper = Math.abs(way.z) < 0.9 * way.length() ? new Vector3(0, 0, 1) : new Vector3(1, 0, 0);
    const side = way.clone().cross(helper).setLength(shape.spring ? 0.02 * this.scene.size : 0);
    const at = (i) => from.clone().addScaledVector(way, (i + 0.5) / WINDINGS).addScaledVector(side, i % 2 ? 1 : -1);
    return [from, ...Array.from({ length: WINDINGS - 2 }, (_, i) => at(i + 1)), to];
  }

  /** lines in the world that nothing hides: { points, color } */
  set overlay(lines) {
    for (const mark of this.marks.children) mark.geometry.dispose();
    empty(this.marks);
    for (const { points, color } of lines) {
      const mark = makeLine(points, this.material(LineBasicMaterial, color, { depthTest: false }));
      mark.renderOrder = 1;
      this.marks.add(mark);
    }
    this.changed = true;
  }

  get overlay() {
    return this.marks.children;
  }

  /** least and largest coordinates of all that is drawn */
  bounds() {
    const places = this.scene.shapes.map((shape) => this.placed(shape.body, shape.points[0] ?? shape.position));
    return [0, 1, 2].map((i) => {
      const all = places.map((place) => place[i]);
      return all.length > 0 ? [Math.min(...all), Math.max(...all)] : [0, 0];
    });
  }

  middle() {
    return vector(this.box.map(([low, high]) => (low + high) / 2));
  }

  /** at the whole, from the side */
  look() {
    const up = vector(this.scene.up).normalize();
    const right = new Vector3(...(Math.abs(up.x) < 0.9 ? [1, 0, 0] : [0, 1, 0])).cross(up).normalize();
    const side = right.clone().multiplyScalar(Math.sin(TURNED)).addScaledVector(up.clone().cross(right), Math.cos(TURNED));
    const back = side.multiplyScalar(Math.cos(RAISED)).addScaledVector(up, Math.sin(RAISED));
    this.camera.up.copy(up);
    this.sky.position.copy(up);
    this.camera.position.copy(this.middle()).addScaledVector(back, AWAY * this.scene.size);
    this.controls?.dispose();
    this.controls = new OrbitControls(this.camera, this.canvas); // which takes what is up once
    this.controls.target.copy(this.middle());
    this.controls.enableKeys = false; // turn() has them
    this.controls.screenSpacePanning = true;
    this.controls.minDistance = 0.02 * this.scene.size;
    this.controls.update();
    this.controls.addEventListener('change', () => { this.changed = true; });
  }

  /** who looks goes along */
  shift(way) {
    this.controls.target.add(way);
    this.camera.position.add(way);
  }

  /** what the ground holds is looked at as a whole, wherever it swings, until it gets far */
  widen() {
    const span = () => Math.max(this.scene.size, ...this.box.map(([low, high]) => high - low));
    const [before, middle] = [span(), this.middle()];
    for (let i = 0; i < this.poses.length; i += 7) {
      for (let k = 0; k < 3; k++) this.box[k] = [Math.min(this.box[k][0], this.poses[i + k]), Math.max(this.box[k][1], this.poses[i + k])];
    }
    this.held = span() <= FAR * this.scene.size;
    this.shift(this.middle().sub(middle));
    const away = this.camera.position.clone().sub(this.controls.target).multiplyScalar((this.held ? span() : this.scene.size) / before);
    this.camera.position.copy(this.controls.target).add(away);
  }

  /** what drives away is followed, once it leaves the middle of the picture */
  follow() {
    const way = this.bodies.reduce((sum, body) => sum.addScaledVector(body.position, 1 / this.bodies.length), new Vector3()).sub(this.controls.target);
    const far = way.length() - LEASH * this.scene.size;
    if (far > 0 && Number.isFinite(far)) this.shift(way.setLength(far));
  }

  /** other poses of all bodies; those of another model are passed over */
  move(poses) {
    if (!this.scene || poses.length !== this.poses.length) return;
    this.poses.set(poses);
    this.place();
    if (this.held && this.poses.every(Number.isFinite)) this.widen();
    if (!this.held && this.bodies.length > 0) this.follow();
    this.changed = true;
  }

  /** who looks goes around what is looked at, or nearer */
  turn(about, tilt, factor) {
    const { camera, controls } = this;
    const upright = new Quaternion().setFromUnitVectors(camera.up, new Vector3(0, 1, 0));
    const away = camera.position.clone().sub(controls.target).applyQuaternion(upright);
    const place = new Spherical().setFromVector3(away);
    place.set(Math.max(place.radius * factor, controls.minDistance), Math.min(Math.max(place.phi + tilt, STEEPEST), Math.PI - STEEPEST), place.theta + about);
    away.setFromSpherical(place).applyQuaternion(upright.inverse());
    camera.position.copy(controls.target).add(away);
    controls.update();
  }

  listen() {
    this.canvas.onkeydown = (event) => {
      if (!KEYS[event.key] || !this.controls) return;
      this.turn(...KEYS[event.key]);
      event.preventDefault();
    };
    this.canvas.addEventListener('webglcontextrestored', () => { this.changed = true; });
  }

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
    const { renderer, canvas } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    const scale = window.devicePixelRatio || 1;
    const isOther = canvas.width !== Math.floor(width * scale) || canvas.height !== Math.floor(height * scale);
    if (!renderer || width * height === 0 || !(this.changed || isOther || always)) return;
    this.changed = false;
    if (isOther) {
      renderer.setPixelRatio(scale);
      renderer.setSize(width, height, false);
    }
    this.aim(width, height);
    renderer.render(this.world, this.camera);
    if (this.scene) this.frames++;
  }

  /** a place in the world on the canvas [px] */
  project(place) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.aim(width, height);
    const { x, y } = vector(place).project(this.camera);
    return [(1 + x) * width / 2, (1 - y) * height / 2];
  }

  /** a point of a body in the world; body -1 is the ground */
  placed(body, point) {
    if (body < 0) return point;
    const [px, py, pz, w, x, y, z] = this.poses.subarray(7 * body, 7 * body + 7);
    return vector(point).applyQuaternion(new Quaternion(x, y, z, w)).add(new Vector3(px, py, pz)).toArray();
  }
}
