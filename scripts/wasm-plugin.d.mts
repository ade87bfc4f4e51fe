import type { Plugin } from 'vite';

export function kernels(): Plugin;

export function kernelSources(
  name: string,
  seen?: (path: string, exports: object) => object,
): Promise<{ readonly sources: ReadonlyMap<string, string>; readonly files: readonly string[] }>;

export function compileKernel(
  name: string,
  sources: ReadonlyMap<string, string>,
): Promise<Uint8Array<ArrayBuffer>>;
