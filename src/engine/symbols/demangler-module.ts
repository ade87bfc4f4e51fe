/**
 * The library that demangles names, as WebAssembly with limited memory and time. Its own JavaScript is left out, as
 * it cannot restart after a trap. A separate part of the bundle, loaded for the first name that needs it.
 */
import demangler from 'wasm:gecko-profiler-demangle/index_bg.wasm';
import { assert } from '../base/assert.ts';
import { kernelBytes } from '../base/kernel-module.ts';
import { withLimits } from '../base/wasm-limits.ts';

/** Pages of 64 KiB besides its own: a name's text may use a quarter of them. */
const GROWTH = 24;
/** Function calls for a name: a hundred times what the longest real names take. Some take exponential time. */
const MOST_STEPS = 2_000_000;

interface Demangler {
  readonly memory: WebAssembly.Memory;
  /** Address and size of the text. */
  demangle_any(at: number, bytes: number): readonly [number, number];
  __wbindgen_malloc(bytes: number, align: number): number;
  __wbindgen_free(at: number, bytes: number, align: number): void;
  __wbindgen_start(): void;
  /** Function calls left. */
  readonly steps: WebAssembly.Global<'i32'>;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class DemanglerModule {
  readonly #module: WebAssembly.Module;
  #instance: Demangler | undefined;

  constructor() {
    const limited = withLimits(kernelBytes(demangler), { growth: GROWTH, steps: 'steps' });
    assert(limited !== undefined, 'the library that demangles has another form');
    this.#module = new WebAssembly.Module(limited);
  }

  /** Demangles a name, perhaps to the name itself; undefined: a limit was reached. */
  demangle(name: string): string | undefined {
    try {
      this.#instance ??= this.#begin();
      this.#instance.steps.value = MOST_STEPS;
      return demangleBy(this.#instance, encoder.encode(name));
    } catch {
      // After a trap its memory may be in any state.
      this.#instance = undefined;
      return undefined;
    }
  }

  #begin(): Demangler {
    // It prepares a table of JavaScript objects, of which it gets none.
    const imports = { './index_bg.js': { __wbindgen_init_externref_table: () => undefined } };
    const instance = new WebAssembly.Instance(this.#module, imports).exports as unknown as Demangler;
    instance.__wbindgen_start();
    return instance;
  }
}

function demangleBy(instance: Demangler, name: Uint8Array): string {
  const given = instance.__wbindgen_malloc(name.length, 1) >>> 0;
  new Uint8Array(instance.memory.buffer).set(name, given);
  const [at, bytes] = instance.demangle_any(given, name.length);
  const text = decoder.decode(new Uint8Array(instance.memory.buffer, at >>> 0, bytes >>> 0));
  instance.__wbindgen_free(at, bytes, 1);
  return text;
}
