/** A kernel, or a file of a package, as `scripts/wasm-plugin.mjs` gives it: WebAssembly in base64. */
declare module 'wasm:*' {
  const base64: string;
  export default base64;
}
