import type { Plugin } from 'vite';

export function offline(): Plugin;

export function writeServiceWorker(folder: string): Promise<void>;
