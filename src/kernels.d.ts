/** A kernel as `scripts/kernels-plugin.mjs` gives it: WebAssembly in base64. */
declare module 'kernel:*' {
  const base64: string;
  export default base64;
}
