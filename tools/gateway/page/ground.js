// SPDX-License-Identifier: Apache-2.0
// The grid on the ground: below the first picture of the mechanism, perpendicular to the vertical.
import { BufferAttribute, BufferGeometry, LineSegments, Vector3 } from 'three';
import { niceLength } from './marks.js';
import { corners, vector } from './shapes.js';

const CELLS = 24; // along a side

export class Ground {
  /** @param box [[low, high], ...] of the mechanism, along x, y, z */
  constructor(scene, box, material) {
    const up = vector(scene.up).normalize();
    const half = CELLS / 2;
    const places = [];
    for (let i = -half; i <= half; i++) places.push(i, -half, 0, i, half, 0, -half, i, 0, half, i, 0);
    this.cell = niceLength(scene.size / 4);
    this.level = Math.min(...corners(box).map((corner) => corner.dot(up)));
    const data = Float32Array.from(places, (place) => place * this.cell);
    this.lines = new LineSegments(new BufferGeometry().setAttribute('position', new BufferAttribute(data, 3)), material);
    this.lines.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), up);
  }

  /** the grid follows the centre of the view by whole cells, so that a vehicle is seen to move over it */
  lay(target) {
    const place = target.clone().applyQuaternion(this.lines.quaternion.clone().inverse());
    place.set(Math.round(place.x / this.cell) * this.cell, Math.round(place.y / this.cell) * this.cell, this.level);
    this.lines.position.copy(place.applyQuaternion(this.lines.quaternion));
  }
}
