/** A compiled module, and its instance for the memory in use. */
import { DECODE, type StreamModule } from './stream-module.ts';

/** (bit position in the window) → position reached; the rest is in the memory's state. */
export type Decode = (position: number) => number;

export class GeneratedCode {
  readonly module: StreamModule;
  readonly #compiled: WebAssembly.Module;
  #memory: WebAssembly.Memory | undefined;
  #decode: Decode | undefined;

  constructor(module: StreamModule) {
    this.module = module;
    this.#compiled = new WebAssembly.Module(module.binary);
  }

  decodeIn(memory: WebAssembly.Memory): Decode {
    if (this.#decode !== undefined && this.#memory === memory) return this.#decode;
    const { exports } = new WebAssembly.Instance(this.#compiled, { env: { memory } });
    this.#memory = memory;
    this.#decode = exports[DECODE] as Decode;
    return this.#decode;
  }
}
