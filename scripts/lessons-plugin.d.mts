import type { Plugin } from 'vite';

export function lessons(): Plugin;

export function listOf(folder: string): string;
