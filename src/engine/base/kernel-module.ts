/**
 * The module of a kernel (ARCHITECTURE.md "Compiled kernels").
 * @param base64 what `kernel:NAME` exports
 * @throws where there is no WebAssembly, or a policy forbids it
 */
export function kernelModule(base64: string): WebAssembly.Module {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  // Once for each kernel and thread, so it runs uncompiled: a call for each byte would take three times as long.
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return new WebAssembly.Module(bytes);
}
