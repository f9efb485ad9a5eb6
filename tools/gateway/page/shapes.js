// SPDX-License-Identifier: Apache-2.0
// Shapes of a mechanism as objects of three: solids with edges, lines, and the lines between two bodies (rods and springs).
import {
  Box3, BoxBufferGeometry, BufferAttribute, BufferGeometry, Color, CylinderBufferGeometry, EdgesGeometry, Group, Line,
  LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial, Quaternion, SphereBufferGeometry, Vector3,
} from 'three';

const WINDINGS = 17; // places of a span
const THIN = 1e-9; // m, for a shape without a thickness
const EDGE_ANGLE = 30; // degrees between two faces whose edge is drawn

export const vector = (list) => new Vector3(...list);
/** the eight corners of [[low, high], ...] along x, y, z */
export const corners = ([xs, ys, zs]) => xs.flatMap((x) => ys.flatMap((y) => zs.map((z) => new Vector3(x, y, z))));
export const empty = (group) => group.remove(...group.children);

export function makeLine(points, material) {
  const line = new Line(new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(points.flat()), 3)), material);
  line.frustumCulled = false; // its places may move
  return line;
}

function cornersOf({ position, orientation: [w, x, y, z], size }) {
  const turn = new Quaternion(x, y, z, w);
  return corners(size.map((length) => [-length / 2, length / 2])).map((corner) => corner.applyQuaternion(turn).add(vector(position)));
}

/* forms of size 1; the axis of a cylinder is z */
function makeForms() {
  const forms = { box: new BoxBufferGeometry(1, 1, 1), cylinder: new CylinderBufferGeometry(0.5, 0.5, 1, 32).rotateX(Math.PI / 2),
    sphere: new SphereBufferGeometry(0.5, 32, 16) };
  const edges = { box: new EdgesGeometry(forms.box, EDGE_ANGLE), cylinder: new EdgesGeometry(forms.cylinder, EDGE_ANGLE) };
  return { forms, edges };
}

export class Shapes {
  constructor() {
    Object.assign(this, makeForms());
    this.shared = new Set([...Object.values(this.forms), ...Object.values(this.edges)]);
    this.materials = new Map();
    this.edge = new LineBasicMaterial({ color: 0, opacity: 0.4, transparent: true });
    this.boxesShown = false;
  }

  /** the shapes of a scene, in the world and in a group for each body */
  show(scene, world) {
    this.scene = scene;
    this.bodies = scene.bodies.map(() => new Group());
    this.spans = [];
    this.boxes = [];
    world.add(...this.bodies);
    // a body of which nothing else is to be seen has its box of inertia
    const bare = new Set(scene.bodies.keys());
    for (const { part, body, to } of scene.shapes) if (part !== 'body' && part !== 'centre') [body, to].forEach((i) => bare.delete(i));
    for (const shape of scene.shapes) this.add(shape, world, bare.has(shape.body));
    this.extents = this.measure(bare);
    this.showBoxes(this.boxesShown);
  }

  /** remove an earlier scene, and free its memory in the graphics processor */
  clear(world) {
    world.traverse((object) => { if (object.geometry && !this.shared.has(object.geometry)) object.geometry.dispose(); });
    for (const material of this.materials.values()) material.dispose();
    this.materials.clear();
    Object.assign(this, { scene: null, bodies: [], spans: [], boxes: [] });
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

  /** corners of what each body shows, in its axes, and last those of the ground; roads do not count */
  measure(bare) {
    const boxes = [...this.bodies, null].map(() => new Box3());
    const of = (body) => boxes[body < 0 ? boxes.length - 1 : body];
    for (const shape of this.scene.shapes) {
      if (shape.part === 'road' || (shape.part === 'body' && !bare.has(shape.body))) continue;
      const isSpan = shape.kind === 'span';
      if (isSpan) of(shape.to).expandByPoint(vector(shape.points[1]));
      const places = shape.points.length === 0 ? cornersOf(shape) : shape.points.slice(0, isSpan ? 1 : undefined).map(vector);
      for (const place of places) of(shape.body).expandByPoint(place);
    }
    return boxes.map((box) => (box.isEmpty() ? [] : corners(['x', 'y', 'z'].map((axis) => [box.min[axis], box.max[axis]]))));
  }

  add(shape, world, isBare) {
    const parent = this.bodies[shape.body] ?? world;
    let object;
    if (shape.kind === 'span') {
      object = makeLine(new Array(WINDINGS).fill([0, 0, 0]), this.material(LineBasicMaterial, shape.color));
      this.spans.push({ shape, line: object });
      world.add(object);
    } else if (shape.kind === 'line') {
      object = makeLine(shape.points, this.material(LineBasicMaterial, shape.color));
      parent.add(object);
    } else {
      object = this.makeSolid(shape, isBare);
      parent.add(object);
    }
    object.userData.shape = shape;
    if (shape.part === 'body' && !isBare) this.boxes.push(object);
  }

  makeSolid(shape, isBare) {
    const [red, green, blue, alpha] = shape.color;
    const color = [red, green, blue, isBare ? 1 : alpha];
    const behind = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }; // its own edges
    const solid = new Mesh(this.forms[shape.kind], this.material(MeshLambertMaterial, color, behind));
    const [w, x, y, z] = shape.orientation;
    solid.position.set(...shape.position);
    solid.quaternion.set(x, y, z, w);
    solid.scale.set(...shape.size.map((length) => Math.max(length, THIN)));
    if (this.edges[shape.kind]) solid.add(new LineSegments(this.edges[shape.kind], this.edge));
    return solid;
  }

  showBoxes(shown) {
    this.boxesShown = shown;
    for (const box of this.boxes) box.visible = shown;
  }

  /** move bodies to their poses, with the rods and springs between them; @param placed where a point of a body is */
  place(poses, placed) {
    for (const [i, body] of this.bodies.entries()) {
      const [px, py, pz, w, x, y, z] = poses.subarray(7 * i, 7 * i + 7);
      body.position.set(px, py, pz);
      body.quaternion.set(x, y, z, w);
    }
    for (const { shape, line } of this.spans) {
      const places = line.geometry.getAttribute('position');
      this.wind(shape, placed).forEach((place, i) => places.setXYZ(i, place.x, place.y, place.z));
      places.needsUpdate = true;
    }
  }

  /** the places of a spring or a rod */
  wind(shape, placed) {
    const from = vector(placed(shape.body, shape.points[0]));
    const to = vector(placed(shape.to, shape.points[1]));
    const way = to.clone().sub(from);
    const helper = Math.abs(way.z) < 0.9 * way.length() ? new Vector3(0, 0, 1) : new Vector3(1, 0, 0);
    const side = way.clone().cross(helper).setLength(shape.spring ? 0.02 * this.scene.size : 0);
    const at = (i) => from.clone().addScaledVector(way, (i + 0.5) / WINDINGS).addScaledVector(side, i % 2 ? 1 : -1);
    return [from, ...Array.from({ length: WINDINGS - 2 }, (_, i) => at(i + 1)), to];
  }
}
