import type { Plugin } from 'vite';

export function singleFile(): Plugin;
export function addressOfScript(name: string): string;
