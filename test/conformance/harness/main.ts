/**
 * `npm run conform -- DIR GOLDEN`, or `npm run conform -- FILE…` with packs of cases and golden vectors of the critical path:
 * what is read against what an independent reader found. Exit code 1 when something is wrong.
 */
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { summarisePaths } from '../../../src/cli/commands/canonical.ts';
import { print, printJson } from '../../../src/cli/output.ts';
import { type DecodeMemory, openDecodeMemory } from '../../../src/engine/ctf/decode/wasm/decode-memory.ts';
import { checkVectors } from './check-vectors.ts';
import {
  checkCase,
  compareTrace,
  conformGroup,
  type ConformGroup,
  type GoldenCase,
  type GoldenTrace,
} from './conform.ts';
import type { VectorFixture } from './fixture.ts';

type Golden<T> = Readonly<Record<string, T>>;

/** @returns the exit code */
export async function runConform(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean' }, decoder: { type: 'string', default: 'wasm' } },
  });
  const memory = openDecodeMemory(values.decoder === 'ts' ? 'ts' : 'wasm');
  const groups = await groupsOf(positionals, memory);
  if (values.json === true) printJson({ groups });
  else groups.forEach(printGroup);
  return groups.every(({ failed }) => failed.length === 0) ? 0 : 1;
}

async function groupsOf(paths: readonly string[], memory: DecodeMemory | undefined): Promise<ConformGroup[]> {
  const [first, golden] = paths;
  if (first === undefined) throw new TypeError('DIR GOLDEN, or FILE…, is expected');
  if (!(await stat(first)).isDirectory()) {
    const groups: ConformGroup[] = [];
    for (const path of paths) groups.push(await conformFile(path, memory));
    return groups;
  }
  if (paths.length !== 2) throw new TypeError('DIR GOLDEN is expected');
  const file = await readJson(golden);
  // The recorded traces have their entries one level down.
  const entries = ('traces' in file ? file.traces : file) as Golden<GoldenTrace>;
  const group = await conformGroup(basename(first), entries, async (expected, name) => {
    const { summary, faults } = await summarisePaths([join(first, name)], memory);
    return compareTrace(expected, { ...summary, faults });
  });
  return [group];
}

async function conformFile(path: string, memory: DecodeMemory | undefined): Promise<ConformGroup> {
  const { cases, fixtures } = (await readJson(path)) as {
    readonly cases?: Golden<GoldenCase>;
    readonly fixtures?: readonly VectorFixture[];
  };
  if (fixtures !== undefined) return checkVectors(fixtures);
  if (cases === undefined) throw new TypeError(`${path}: cases or fixtures are expected`);
  return conformGroup(basename(path, '.json'), cases, (golden) => checkCase(golden, memory));
}

async function readJson(path: string): Promise<Golden<unknown>> {
  return JSON.parse(await readFile(path, 'utf8')) as Golden<unknown>;
}

function printGroup({ name, passed, total, failed, deviations }: ConformGroup): void {
  const others = deviations.length === 0 ? '' : `, and ${deviations.length} read otherwise for a reason`;
  print(`${name}: ${passed} of ${total}${others}`);
  for (const { name: entry, reason } of deviations) print(`  otherwise: ${entry}: ${reason}`);
  for (const { name: entry, reason } of failed) print(`  ${entry}: ${reason}`);
}
