import type { Plugin } from 'vite';

export function examples(): Plugin;

export function checkExamples(folder: string): Promise<void>;
