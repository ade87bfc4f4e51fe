import type { Plugin } from 'vite';

export function licences(): { readonly page: Plugin; readonly worker: Plugin };

export function licencesText(names: readonly string[]): string;
