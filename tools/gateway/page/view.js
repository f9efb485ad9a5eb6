// SPDX-License-Identifier: Apache-2.0
// The mechanism in 3D: shapes as the gateway gives them, placed by the poses of bodies. Poses are seven numbers a
// body: x y z of the centre of mass, w x y z of the quaternion that turns its vectors into the world.

const VERTEX = `
attribute vec3 place; attribute vec3 normal;
uniform mat4 model, camera; uniform vec3 size;
varying vec3 n;
void main() {
  n = mat3(model[0].xyz, model[1].xyz, model[2].xyz) * (normal / max(size, vec3(1e-9)));
  gl_Position = camera * (model * vec4(place * size, 1.0));
}`;
const FRAGMENT = `
precision mediump float;
uniform vec4 color; uniform vec3 light; uniform float flatness;
varying vec3 n;
void main() {
  float shade = length(n) > 0.0 ? 0.55 + 0.45 * abs(dot(normalize(n), light)) : 1.0;
  gl_FragColor = vec4(color.rgb * mix(shade, 1.0, flatness), 1.0);
}`;

// ---- vectors and quaternions ----

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const add = (a, b, by = 1) => [a[0] + by * b[0], a[1] + by * b[1], a[2] + by * b[2]];
const unit = (a) => { const n = Math.hypot(...a) || 1; return a.map((v) => v / n); };

function turn([w, x, y, z], v) {
  const t = cross([x, y, z], v).map((c) => 2 * c);
  return add(add(v, t, w), cross([x, y, z], t));
}

function times([aw, ax, ay, az], [bw, bx, by, bz]) {
  return [aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw];
}

function matrixOf(q, p) {
  const [x, y, z] = [turn(q, [1, 0, 0]), turn(q, [0, 1, 0]), turn(q, [0, 0, 1])];
  return new Float32Array([...x, 0, ...y, 0, ...z, 0, ...p, 1]);
}

// ---- forms of size 1: triangles with normals ----

function box() {
  const out = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-0.5, 0.5]) {
      const corner = (u, v) => { const c = []; c[axis] = side; c[(axis + 1) % 3] = u; c[(axis + 2) % 3] = v; return c; };
      const normal = [0, 0, 0];
      normal[axis] = side * 2;
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) out.push(...corner(u / 2, v / 2), ...normal);
    }
  }
  return out;
}

function cylinder(n = 24) {
  const out = [];
  const rim = (i, z) => [0.5 * Math.cos(2 * Math.PI * i / n), 0.5 * Math.sin(2 * Math.PI * i / n), z];
  const round = (i) => [Math.cos(2 * Math.PI * i / n), Math.sin(2 * Math.PI * i / n), 0];
  for (let i = 0; i < n; i++) {
    for (const [k, z] of [[i, -0.5], [i + 1, -0.5], [i + 1, 0.5], [i, -0.5], [i + 1, 0.5], [i, 0.5]]) out.push(...rim(k, z), ...round(k));
    for (const z of [-0.5, 0.5]) out.push(0, 0, z, 0, 0, 2 * z, ...rim(i, z), 0, 0, 2 * z, ...rim(i + 1, z), 0, 0, 2 * z);
  }
  return out;
}

function sphere(n = 16) {
  const out = [];
  const at = (i, k) => {
    const [a, b] = [2 * Math.PI * i / n, Math.PI * k / n];
    return [Math.sin(b) * Math.cos(a), Math.sin(b) * Math.sin(a), Math.cos(b)];
  };
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < n; k++) {
      for (const [u, v] of [[i, k], [i + 1, k], [i + 1, k + 1], [i, k], [i + 1, k + 1], [i, k + 1]]) {
        const p = at(u, v);
        out.push(...p.map((c) => c / 2), ...p);
      }
    }
  }
  return out;
}

// ---- the view ----

// of a mechanism's size: how far it may be from the middle of the picture; how far apart its places may be to be seen at once
const [LEASH, FAR] = [0.1, 4];

export class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.gl = canvas.getContext('webgl', { antialias: true });
    this.frames = 0;
    this.overlay = []; // lines in the world that nothing hides: { points, color }
    if (!this.gl) return;
    const gl = this.gl;
    this.program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
    }
    gl.bindAttribLocation(this.program, 0, 'place');
    gl.bindAttribLocation(this.program, 1, 'normal');
    gl.linkProgram(this.program);
    this.uniform = {};
    for (const name of ['model', 'camera', 'size', 'color', 'light', 'flatness']) this.uniform[name] = gl.getUniformLocation(this.program, name);
    this.forms = { box: this.upload(box()), cylinder: this.upload(cylinder()), sphere: this.upload(sphere()) };
    this.loose = gl.createBuffer();
    this.listen();
  }

  upload(numbers) {
    const gl = this.gl;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
    return { buffer, n: numbers.length / 6 };
  }

  /** another model: its scene, or nothing */
  show(scene) {
    this.scene = scene ?? null;
    this.changed = true;
    if (!scene) return;
    this.poses = Float64Array.from(scene.poses);
    this.box = this.bounds();
    this.target = this.box.map(([low, high]) => (low + high) / 2);
    this.held = scene.joints.some((joint) => joint.body < 0 || joint.to < 0);
    this.distance = 1.8 * scene.size;
    this.up = unit(scene.up);
    const helper = Math.abs(this.up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    this.right = unit(cross(helper, this.up));
    this.ahead = cross(this.up, this.right);
    this.turned = 0.6;
    this.raised = 0.35;
  }

  /** least and largest coordinates of all that is drawn */
  bounds() {
    const places = this.scene.shapes.map((shape) => {
      const [q, p] = this.place(shape.body);
      return add(p, turn(q, shape.points[0] ?? shape.position));
    });
    return [0, 1, 2].map((i) => {
      const all = places.map((place) => place[i]);
      return all.length > 0 ? [Math.min(...all), Math.max(...all)] : [0, 0];
    });
  }

  /** what the ground holds is looked at as a whole, wherever it swings, until it gets far */
  widen() {
    const span = () => Math.max(this.scene.size, ...this.box.map(([low, high]) => high - low));
    const before = span();
    for (let i = 0; i < this.poses.length; i += 7) {
      for (let k = 0; k < 3; k++) this.box[k] = [Math.min(this.box[k][0], this.poses[i + k]), Math.max(this.box[k][1], this.poses[i + k])];
    }
    this.held = span() <= FAR * this.scene.size;
    this.distance *= (this.held ? span() : this.scene.size) / before;
    this.target = this.box.map(([low, high]) => (low + high) / 2);
  }

  /** what drives away is followed, once it leaves the middle of the picture */
  follow() {
    const n = this.poses.length / 7;
    const mean = [0, 1, 2].map((i) => { let sum = 0; for (let b = 0; b < n; b++) sum += this.poses[7 * b + i] / n; return sum; });
    const way = add(mean, this.target, -1);
    const far = Math.hypot(...way) - LEASH * this.scene.size;
    if (n > 0 && far > 0 && Number.isFinite(far)) this.target = add(this.target, unit(way), far);
  }

  /** other poses of all bodies; those of another model are passed over */
  move(poses) {
    if (!this.scene || poses.length !== this.poses.length) return;
    this.poses.set(poses);
    if (this.held && this.poses.every(Number.isFinite)) this.widen();
    if (!this.held) this.follow();
    this.changed = true;
  }

  listen() {
    const turnBy = (a, b) => {
      this.turned += a;
      this.raised = Math.max(-1.5, Math.min(1.5, this.raised + b));
      this.changed = true;
    };
    const zoomBy = (by) => { this.distance *= by; this.changed = true; };
    this.canvas.onpointerdown = (event) => this.canvas.setPointerCapture(event.pointerId);
    this.canvas.onpointermove = (event) => { if (event.buttons) turnBy(-event.movementX * 0.008, event.movementY * 0.008); };
    this.canvas.addEventListener('wheel', (event) => { event.preventDefault(); zoomBy(Math.exp(event.deltaY * 0.001)); }, { passive: false });
    this.canvas.onkeydown = (event) => {
      const keys = { ArrowLeft: () => turnBy(-0.1, 0), ArrowRight: () => turnBy(0.1, 0), ArrowUp: () => turnBy(0, 0.1),
        ArrowDown: () => turnBy(0, -0.1), '+': () => zoomBy(0.9), '-': () => zoomBy(1 / 0.9) };
      if (keys[event.key]) { keys[event.key](); event.preventDefault(); }
    };
  }

  place(body) {
    if (body < 0) return [[1, 0, 0, 0], [0, 0, 0]];
    const p = this.poses;
    return [Array.from(p.slice(7 * body + 3, 7 * body + 7)), Array.from(p.slice(7 * body, 7 * body + 3))];
  }

  camera() {
    const side = add(this.right.map((v) => v * Math.sin(this.turned)), this.ahead, Math.cos(this.turned));
    const back = unit(add(side.map((v) => v * Math.cos(this.raised)), this.up, Math.sin(this.raised)));
    const eye = add(this.target, back, this.distance);
    const right = unit(cross(this.up, back));
    const up = cross(back, right);
    const near = this.distance * 0.02;
    const far = this.distance * 50;
    const f = 2;
    const g = f * this.canvas.height / this.canvas.width;
    const [a, b] = [(far + near) / (near - far), 2 * far * near / (near - far)];
    this.light = unit(add(back, this.up, 0.6));
    const row = (v) => [g * v.right, f * v.up, a * v.back, -v.back];
    const column = (i) => row({ right: right[i], up: up[i], back: back[i] });
    const last = row({ right: -dot(right, eye), up: -dot(up, eye), back: -dot(back, eye) });
    last[2] += b;
    return new Float32Array([...column(0), ...column(1), ...column(2), ...last]);
  }

  attributes(buffer) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 24, 0);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12);
  }

  line(points, matrix, color) {
    const gl = this.gl;
    gl.uniformMatrix4fv(this.uniform.model, false, matrix);
    gl.uniform3f(this.uniform.size, 1, 1, 1);
    gl.uniform4fv(this.uniform.color, color);
    gl.uniform1f(this.uniform.flatness, 1);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.loose);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points.flatMap((p) => [...p, 0, 0, 0])), gl.STREAM_DRAW);
    this.attributes(this.loose);
    gl.drawArrays(gl.LINE_STRIP, 0, points.length);
  }

  span(shape) {
    const [qa, pa] = this.place(shape.body);
    const [qb, pb] = this.place(shape.to);
    const from = add(pa, turn(qa, shape.points[0]));
    const to = add(pb, turn(qb, shape.points[1]));
    const way = add(to, from, -1);
    const side = unit(cross(way, Math.abs(way[2]) < 0.9 * Math.hypot(...way) ? [0, 0, 1] : [1, 0, 0]));
    const wide = shape.spring ? 0.02 * this.scene.size : 0;
    const points = [from];
    for (let i = 1; i < 16; i++) points.push(add(add(from, way, (i + 0.5) / 17), side, i % 2 ? wide : -wide));
    return [...points, to];
  }

  solid(shape) {
    const gl = this.gl;
    const [q, p] = this.place(shape.body);
    const form = this.forms[shape.kind];
    const matrix = matrixOf(times(q, shape.orientation), add(p, turn(q, shape.position)));
    gl.uniformMatrix4fv(this.uniform.model, false, matrix);
    gl.uniform3fv(this.uniform.size, shape.size);
    gl.uniform4fv(this.uniform.color, shape.color);
    gl.uniform1f(this.uniform.flatness, 0);
    this.attributes(form.buffer);
    gl.drawArrays(gl.TRIANGLES, 0, form.n);
  }

  /** @param always also when it looks as before */
  draw(always = false) {
    const gl = this.gl;
    if (!gl) return;
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(this.canvas.clientWidth * scale), Math.round(this.canvas.clientHeight * scale)];
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    else if (!this.changed && !always) return;
    this.changed = false;
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (!this.scene) return;
    gl.enable(gl.DEPTH_TEST);
    gl.useProgram(this.program);
    gl.enableVertexAttribArray(0);
    gl.enableVertexAttribArray(1);
    gl.uniformMatrix4fv(this.uniform.camera, false, this.camera());
    gl.uniform3fv(this.uniform.light, this.light);
    for (const shape of this.scene.shapes) {
      if (shape.kind === 'span') this.line(this.span(shape), matrixOf([1, 0, 0, 0], [0, 0, 0]), shape.color);
      else if (shape.kind === 'line') this.line(shape.points, matrixOf(...this.place(shape.body)), shape.color);
      else this.solid(shape);
    }
    gl.disable(gl.DEPTH_TEST);
    for (const { points, color } of this.overlay) this.line(points, matrixOf([1, 0, 0, 0], [0, 0, 0]), color);
    this.frames++;
  }

  /** a place in the world on the canvas [px] */
  project(place) {
    const m = this.camera();
    const row = (i) => m[i] * place[0] + m[4 + i] * place[1] + m[8 + i] * place[2] + m[12 + i];
    return [(1 + row(0) / row(3)) * this.canvas.clientWidth / 2, (1 - row(1) / row(3)) * this.canvas.clientHeight / 2];
  }

  /** a point, and a direction, of a body in the world */
  placed(body, point) {
    const [q, p] = this.place(body);
    return add(p, turn(q, point));
  }
}
