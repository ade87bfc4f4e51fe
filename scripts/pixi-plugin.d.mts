import type { Plugin } from 'vite';

export function pixi(): Plugin;
