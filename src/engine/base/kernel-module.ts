/** Method of `Uint8Array` in newer browsers. */
const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

/** The shortest module: magic number and version. */
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/**
 * The module of a kernel (src/wasm/README.md).
 * @param base64 what `wasm:NAME` exports
 * @throws where there is no WebAssembly, or a policy forbids it
 */
export function kernelModule(base64: string): WebAssembly.Module {
  return new WebAssembly.Module(kernelBytes(base64));
}

/** @param base64 what `wasm:NAME` exports */
export function kernelBytes(base64: string): Uint8Array<ArrayBuffer> {
  return fromBase64 === undefined ? bytesOf(base64) : fromBase64(base64);
}

/** Whether modules can be compiled here: browsers can have WebAssembly switched off, and a policy can forbid it. */
export function runsWebAssembly(): boolean {
  try {
    return new WebAssembly.Module(EMPTY_MODULE) instanceof WebAssembly.Module;
  } catch {
    return false;
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  // A plain loop: it runs once for each kernel and thread, so uncompiled, where a call for each byte would take three
  // times as long.
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
