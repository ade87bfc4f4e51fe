/** Datasets that `inspect export --dataset` writes. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { inspect } from './inspect-run.ts';

/** Files below a folder, ascending. */
export function filesIn(path: string): string[] {
  const entries = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return entries.filter((name) => statSync(join(path, name)).isFile()).sort();
}

export function bufferOf(path: string): ArrayBuffer {
  return new Uint8Array(readFileSync(path)).buffer;
}

export async function exported(trace: string, dataset: string, ...options: readonly string[]): Promise<void> {
  const { code, stderr } = await inspect('export', trace, '--dataset', dataset, ...options);
  expect([code, stderr]).toEqual([0, '']);
}
