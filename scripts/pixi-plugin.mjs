/**
 * Vite plugin: leaves out of the page what Pixi registers when it is imported. Its index names what loads the renderers for
 * WebGPU and Canvas 2D, events, accessibility and filters, so that bundles carry them although nothing asks for them.
 */

/** Files of Pixi that register extensions, and of which nothing else is needed. */
const REGISTERS = /[\\/]pixi\.js[\\/]lib[\\/](?:index|rendering[\\/]init|spritesheet[\\/]init)\.mjs$/;

/** @returns {import('vite').Plugin} */
export function pixi() {
  return {
    name: 'wakepath-pixi',
    apply: 'build',
    transform: {
      filter: { id: REGISTERS },
      handler: (code) => ({ code, map: null, moduleSideEffects: false }),
    },
  };
}
