/** A kernel as `scripts/wasm-plugin.mjs` gives it: WebAssembly in base64. */
declare module 'wasm:*' {
  const base64: string;
  export default base64;
}
