/** The compiled code that reads rows for sums (`src/wasm/aggregates`), compiled once for all analyses of a thread. */
import aggregates from 'wasm:aggregates';
import { kernelModule } from '../../base/kernel-module.ts';

let compiled: WebAssembly.Module | undefined;

/** @throws where there is no WebAssembly */
export function aggregatesModule(): WebAssembly.Module {
  return (compiled ??= kernelModule(aggregates));
}
