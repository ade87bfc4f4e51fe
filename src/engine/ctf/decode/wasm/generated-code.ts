/** A module and its instance for the memory in use. */
import { DECODE, type StreamModule } from './stream-module.ts';

/** (bit position in the window) → position reached; the rest is in the memory's state. */
export type Decode = (position: number) => number;

export class GeneratedCode {
  readonly module: StreamModule;
  #memory: WebAssembly.Memory | undefined;
  #decode: Decode | undefined;

  constructor(module: StreamModule) {
    this.module = module;
  }

  decodeIn(memory: WebAssembly.Memory): Decode {
    if (this.#decode !== undefined && this.#memory === memory) return this.#decode;
    const { exports } = new WebAssembly.Instance(this.module.compiled, { env: { memory } });
    this.#memory = memory;
    this.#decode = exports[DECODE] as Decode;
    return this.#decode;
  }
}
