// SPDX-License-Identifier: Apache-2.0
// A motion platform of six legs in 3D, beside the mechanism: base, platform, and legs coloured by the use of their strokes. Its
// axes are those of the platform in neutral, z up; the group that has it turns and moves it to its place.
import {
  BufferAttribute, BufferGeometry, Color, CylinderBufferGeometry, DoubleSide, EdgesGeometry, Group, LineBasicMaterial,
  LineSegments, Mesh, MeshLambertMaterial, Quaternion, SphereBufferGeometry, Vector3,
} from 'three';
import { corners, vector } from './shapes.js';

const SMOOTH_MS = 250; // in which it moves from one pose to the next: a little longer than the time between two
const [THICK, TUBE, ROD, BALL] = [0.03, 0.045, 0.024, 0.06]; // of the radius of the base
const SLEEVE = 0.58; // of the leg in neutral, as a tube; the rest is the rod that comes out of it
const [BUSY, NEAR, END] = [0.5, 0.9, 0.99]; // of a stroke: from where its colour changes, and where it is that of a warning and of an end
const ROOM = 0.25; // of the radius, above neutral
const Z = new Vector3(0, 0, 1);

const triples = (list) => Array.from({ length: list.length / 3 }, (_, i) => list.slice(3 * i, 3 * i + 3));

/* a convex plate below a list of corners, which go round it */
function makePlate(points, thickness) {
  const [top, bottom] = [0, -thickness].map((shift) => points.map(([x, y, z]) => [x, y, z + shift]));
  const n = points.length;
  const places = [];
  for (let i = 1; i + 1 < n; i++) places.push(top[0], top[i], top[i + 1], bottom[0], bottom[i + 1], bottom[i]);
  for (let i = 0; i < n; i++) {
    const k = (i + 1) % n;
    places.push(top[i], bottom[i], bottom[k], top[i], bottom[k], top[k]);
  }
  const plate = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(places.flat()), 3));
  plate.computeVertexNormals();
  return plate;
}

/* a rotation about x, y and z by roll, pitch and yaw, in this order */
function turnOf([, , , roll, pitch, yaw]) {
  const about = (axis, angle) => new Quaternion().setFromAxisAngle(vector(axis), angle);
  return about([0, 0, 1], yaw).multiply(about([0, 1, 0], pitch)).multiply(about([1, 0, 0], roll));
}

/* place a cylinder of length 1 along z between two points */
function span(object, from, to) {
  const way = to.clone().sub(from);
  object.position.copy(from).addScaledVector(way, 0.5);
  object.quaternion.setFromUnitVectors(Z, way.clone().normalize());
  object.scale.z = way.length();
}

export class Hexapod {
  /** @param platform as the gateway tells it, with feet and joints */
  constructor({ feet, joints, pose }) {
    this.group = new Group();
    this.feet = triples(feet).map(vector);
    this.joints = triples(joints).map(vector);
    this.radius = Math.max(...this.feet.map(({ x, y }) => Math.hypot(x, y)), ...this.joints.map(({ x, y }) => Math.hypot(x, y)));
    this.floor = Math.min(...this.feet.map(({ z }) => z)) - THICK * this.radius;
    this.pose = [...pose];
    this.materials = ['base', 'rods', 'platform'].map(() => new MeshLambertMaterial({ side: DoubleSide }));
    this.edge = new LineBasicMaterial({ opacity: 0.5, transparent: true });
    this.plate(feet, this.materials[0], 'base of the platform');
    this.top = this.plate(joints, this.materials[2], 'platform');
    Object.assign(this.materials[2], { transparent: true, opacity: 0.55 });
    this.legs = this.feet.map((foot, i) => this.makeLeg(foot, i));
    this.move();
  }

  plate(list, material, text) {
    const plate = new Mesh(makePlate(triples(list), THICK * this.radius), material);
    plate.add(new LineSegments(new EdgesGeometry(plate.geometry, 30), this.edge));
    plate.userData.shape = { body: -1, text };
    this.group.add(plate);
    return plate;
  }

  makeLeg(foot, i) {
    const cylinder = (share) => new CylinderBufferGeometry(share * this.radius, share * this.radius, 1, 24).rotateX(Math.PI / 2);
    const material = new MeshLambertMaterial();
    const sleeve = new Mesh(cylinder(TUBE), material);
    const rod = new Mesh(cylinder(ROD), this.materials[1]);
    const balls = [0, 1].map(() => new Mesh(new SphereBufferGeometry(BALL * this.radius, 16, 12), this.materials[1]));
    const leg = { sleeve, rod, balls, material, length: foot.distanceTo(this.joints[i]), shape: { body: -1, text: `leg ${i + 1}` } };
    for (const part of [sleeve, rod, ...balls]) part.userData.shape = leg.shape;
    this.group.add(sleeve, rod, ...balls);
    return leg;
  }

  /** news of the platform. @param uses of the strokes, 0 to 1, one a leg; isUp: it is neither parked nor on its way */
  take({ pose, actuators }, uses, isUp) {
    this.from = [...this.pose];
    this.to = [...pose];
    this.since = performance.now();
    Object.assign(this, { uses, isUp });
    this.legs.forEach(({ shape }, i) => {
      shape.text = `leg ${i + 1}: ${(1e3 * actuators[i]).toFixed(1)} mm, ${Math.round(100 * uses[i])} % of its stroke`;
    });
    this.dye();
  }

  /** @param colors of the page: names to colours of CSS */
  dye(colors = this.colors) {
    this.colors = colors;
    if (!colors || !this.uses) return;
    const color = (name) => new Color(colors[name]);
    const [base, rods, top] = this.materials;
    base.color.copy(color('line').lerp(color('soft'), 0.4));
    rods.color.copy(color('soft'));
    top.color.copy(color('accent'));
    this.edge.color.copy(color('ink'));
    this.legs.forEach(({ material }, i) => {
      const share = Math.min(Math.max((this.uses[i] - BUSY) / (NEAR - BUSY), 0), 1);
      material.color.copy(this.isUp ? color('accent').lerp(color('warn'), share) : color('soft'));
      if (this.isUp && this.uses[i] >= END) material.color.copy(color('bad'));
    });
  }

  /** Return: whether it looks another way than before */
  step() {
    if (!this.to) return false;
    const share = Math.min((performance.now() - this.since) / SMOOTH_MS, 1);
    this.pose = this.to.map((value, k) => this.from[k] + share * (value - this.from[k]));
    if (share === 1) this.to = null;
    this.move();
    return true;
  }

  move() {
    const turn = turnOf(this.pose);
    const shift = vector(this.pose.slice(0, 3));
    this.top.position.copy(shift);
    this.top.quaternion.copy(turn);
    for (const [i, { sleeve, rod, balls, length }] of this.legs.entries()) {
      const foot = this.feet[i];
      const end = this.joints[i].clone().applyQuaternion(turn).add(shift);
      const way = end.clone().sub(foot);
      const mouth = foot.clone().addScaledVector(way, Math.min(SLEEVE * length / way.length(), 1));
      span(sleeve, foot, mouth);
      span(rod, mouth, end);
      balls[0].position.copy(foot);
      balls[1].position.copy(end);
    }
  }

  /** corners of the room that it needs */
  corners() {
    const r = 1.1 * this.radius;
    const { position, quaternion, scale } = this.group;
    return corners([[-r, r], [-r, r], [this.floor, ROOM * this.radius]])
      .map((corner) => corner.multiply(scale).applyQuaternion(quaternion).add(position));
  }

  dispose() {
    this.group.traverse((object) => { object.geometry?.dispose(); });
    for (const material of [...this.materials, this.edge, ...this.legs.map((leg) => leg.material)]) material.dispose();
  }
}
