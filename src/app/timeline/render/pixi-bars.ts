/**
 * Draws bars with WebGL by Pixi: one instanced mesh for each block of rows and time tile. Geometry is uploaded when it is
 * first drawn; later frames change uniforms only. Loaded when a trace is opened.
 */
// Without this, Pixi compiles helpers with `new Function`, which the page's content security policy forbids.
import 'pixi.js/unsafe-eval';
// Registers the drawing of meshes without Pixi's other extensions.
import 'pixi.js/mesh';
import {
  Buffer,
  BufferUsage,
  Container,
  GlProgram,
  Geometry,
  Mesh,
  Shader,
  State,
  UniformGroup,
  WebGLRenderer,
} from 'pixi.js';
import { INSTANCE_BYTES, SHARES_AT, SLOT_AT, type Instances } from '../tiles/instances.ts';
import type { Colour, Palette } from '../../draw/palette.ts';
import { BLOCK_ROWS, type BarFrame, type BarItem, type BarRenderer } from './bars.ts';
import { CODE_COUNT, FRAGMENT_SHADER, VERTEX_SHADER } from './bar-shader.ts';

/** Throws where there is no WebGL 2; the caller then draws with Canvas 2D. */
export async function createPixiBars(): Promise<BarRenderer> {
  const renderer = new WebGLRenderer<HTMLCanvasElement>();
  const size = { width: 16, height: 16 };
  await renderer.init({ ...size, backgroundAlpha: 0, antialias: false, skipExtensionImports: true });
  return new PixiBars(renderer);
}

interface Part {
  readonly mesh: Mesh<Geometry, Shader>;
  readonly place: Float32Array;
  readonly rows: Float32Array;
}

class PixiBars implements BarRenderer {
  readonly canvas: HTMLCanvasElement;
  readonly #renderer: WebGLRenderer<HTMLCanvasElement>;
  readonly #stage = new Container();
  readonly #program = new GlProgram({ vertex: VERTEX_SHADER, fragment: FRAGMENT_SHADER, name: 'bars' });
  readonly #state = State.for2d();
  readonly #corners = new Buffer({
    data: new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]),
    usage: BufferUsage.VERTEX | BufferUsage.STATIC,
  });
  readonly #indices = new Buffer({
    data: new Uint16Array([0, 1, 2, 2, 1, 3]),
    usage: BufferUsage.INDEX | BufferUsage.STATIC,
  });
  /** Uniforms of the frame, separate from the colours, which a pan does not send again. */
  readonly #frame = frameUniforms();
  readonly #palette = paletteUniforms();
  readonly #geometries = new Map<Instances, Geometry>();
  /** A pool: part i draws item i of the frame. */
  readonly #parts: Part[] = [];
  uploadedBytes = 0;

  constructor(renderer: WebGLRenderer<HTMLCanvasElement>) {
    this.#renderer = renderer;
    this.canvas = renderer.canvas;
  }

  setPalette(palette: Palette): void {
    const { uniforms } = this.#palette;
    palette.states.forEach((colours, code) => {
      uniforms.uSolid.set(colours.solid.rgb, code * 3);
      uniforms.uTint.set(colours.tint.rgb, code * 3);
      uniforms.uPattern.set(colours.pattern.rgb, code * 3);
    });
    const put = (target: Float32Array, colour: Colour) => target.set(colour.rgb);
    put(uniforms.uSunken, palette.sunken);
    put(uniforms.uLine, palette.strongLine);
    put(uniforms.uLoad, palette.load);
    put(uniforms.uLoadLine, palette.loadLine);
    put(uniforms.uDensity, palette.density);
    this.#palette.update();
  }

  draw(frame: BarFrame): void {
    const { width, height } = this.canvas;
    if (width !== frame.width || height !== frame.height) this.#renderer.resize(frame.width, frame.height);
    const { uniforms } = this.#frame;
    uniforms.uSize[0] = frame.width;
    uniforms.uSize[1] = frame.height;
    uniforms.uRatio = frame.ratio;
    uniforms.uPhase = frame.phase;
    uniforms.uIsolated = frame.isolated;
    this.#frame.update();
    frame.items.forEach((item, index) => this.#place(index, item));
    for (let index = frame.items.length; index < this.#parts.length; index++)
      this.#parts[index].mesh.visible = false;
    this.#renderer.render({ container: this.#stage });
  }

  release(instances: Instances): void {
    const geometry = this.#geometries.get(instances);
    if (!geometry) return;
    this.#geometries.delete(instances);
    for (const { mesh } of this.#parts) if (mesh.geometry === geometry) mesh.geometry = this.#empty();
    const { buffer } = geometry.attributes.aSpan;
    geometry.destroy();
    buffer.destroy();
  }

  dispose(): void {
    this.#stage.destroy({ children: true });
    this.#renderer.destroy({ removeView: true });
    for (const geometry of this.#geometries.values()) geometry.destroy();
    this.#geometries.clear();
  }

  #place(index: number, item: BarItem): void {
    const geometry = this.#geometries.get(item.instances) ?? this.#upload(item.instances);
    const part = this.#parts[index] ?? this.#addPart(geometry);
    if (part.mesh.geometry !== geometry) part.mesh.geometry = geometry;
    part.mesh.visible = true;
    part.place[0] = item.offset;
    part.place[1] = item.scale;
    part.place[2] = item.clipFrom;
    part.place[3] = item.clipTo;
    part.rows.set(item.rows);
  }

  #addPart(geometry: Geometry): Part {
    const place = new Float32Array(4);
    const rows = new Float32Array(BLOCK_ROWS * 2);
    const local = new UniformGroup({
      uPlace: { value: place, type: 'vec4<f32>' },
      uRows: { value: rows, type: 'vec2<f32>', size: BLOCK_ROWS },
    });
    const shader = new Shader({
      glProgram: this.#program,
      resources: { frame: this.#frame, palette: this.#palette, local },
    });
    const mesh = new Mesh({ geometry, shader, state: this.#state });
    this.#stage.addChild(mesh);
    const part = { mesh, place, rows };
    this.#parts.push(part);
    return part;
  }

  #upload(instances: Instances): Geometry {
    const geometry = this.#geometry(instances.bytes, instances.count);
    this.#geometries.set(instances, geometry);
    this.uploadedBytes += instances.bytes.length;
    return geometry;
  }

  #empty(): Geometry {
    return this.#geometry(new Uint8Array(INSTANCE_BYTES), 0);
  }

  #geometry(bytes: Uint8Array<ArrayBuffer>, count: number): Geometry {
    const buffer = new Buffer({ data: bytes, usage: BufferUsage.VERTEX | BufferUsage.STATIC });
    const part = { buffer, stride: INSTANCE_BYTES, instance: true };
    return new Geometry({
      attributes: {
        aCorner: { buffer: this.#corners, format: 'float32x2' },
        aSpan: { ...part, format: 'float32x2', offset: 0 },
        aCode: { ...part, format: 'unorm8x4', offset: SLOT_AT },
        aOnCpu: { ...part, format: 'unorm8x4', offset: SHARES_AT },
        aOther: { ...part, format: 'unorm8x4', offset: SHARES_AT + 4 },
      },
      indexBuffer: this.#indices,
      instanceCount: count,
    });
  }
}

function frameUniforms() {
  const number = () => ({ value: 0, type: 'f32' as const });
  return new UniformGroup({
    uSize: { value: new Float32Array(2), type: 'vec2<f32>' },
    uRatio: number(),
    uPhase: number(),
    uIsolated: number(),
  });
}

function paletteUniforms() {
  const colours = () => ({
    value: new Float32Array(CODE_COUNT * 3),
    type: 'vec3<f32>' as const,
    size: CODE_COUNT,
  });
  const colour = () => ({ value: new Float32Array(3), type: 'vec3<f32>' as const });
  return new UniformGroup({
    uSolid: colours(),
    uTint: colours(),
    uPattern: colours(),
    uSunken: colour(),
    uLine: colour(),
    uLoad: colour(),
    uLoadLine: colour(),
    uDensity: colour(),
  });
}
