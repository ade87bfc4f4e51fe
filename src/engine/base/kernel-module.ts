/**
 * The module of a kernel (ARCHITECTURE.md "Compiled kernels").
 * @param base64 what `kernel:NAME` exports
 * @throws where there is no WebAssembly, or a policy forbids it
 */
export function kernelModule(base64: string): WebAssembly.Module {
  return new WebAssembly.Module(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
}
