/** Files of programs with changed bytes and hostile debug information: each look-up ends soon, with faults that have a place. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Fault } from '../../src/engine/base/fault.ts';
import { memorySource } from '../../src/engine/io/memory-source.ts';
import { buildIdOf, debugLinkOf } from '../../src/engine/symbols/build-id.ts';
import { readElf } from '../../src/engine/symbols/elf-file.ts';
import { moduleSymbols } from '../../src/engine/symbols/module-symbols.ts';
import { readKallsyms, readPerfMap } from '../../src/engine/symbols/text-symbols.ts';
import { projectDir } from '../support/shared.ts';
import { type Random, randomOf } from '../support/simulator/random.ts';
import { BYTE_CHANGES } from './byte-mutations.ts';

/** Time for all cases, however busy the machine, ms, and processor time for one, s. */
const ALL_MS = 60_000;
const MOST_SECONDS = 15;
const SEED = 20_261;
const PLACES = 200;

/** Programs and lists of functions in the project, by name. */
function seeds(): ReadonlyMap<string, Uint8Array> {
  const root = projectDir();
  const folders = [
    'public/examples/executions-lock/elf',
    'test/fixtures/attack/elf',
    ...readdirSync(join(root, 'test/fixtures/cases')).map((name) => `test/fixtures/cases/${name}/elf`),
  ];
  const files = folders
    .filter((folder) => statSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory())
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)));
  return new Map(files.map((name) => [name, new Uint8Array(readFileSync(join(root, name)))]));
}

function changed(bytes: Uint8Array, random: Random): Uint8Array {
  const changes = Object.values(BYTE_CHANGES);
  let found = bytes;
  for (let left = random.between(1, 4); left > 0; left--) found = random.pick(changes)(found, random);
  return found;
}

/** Looks places up as the engine does; faults are heard of. */
async function lookUp(name: string, bytes: Uint8Array, random: Random): Promise<Fault[]> {
  const source = memorySource(name, bytes);
  if (/kallsyms|\.map$/.test(name)) {
    const list = await (name.endsWith('.map') ? readPerfMap : readKallsyms)(source);
    if (!list.ok) return [list.fault];
    await list.value.at(Float64Array.from({ length: PLACES }, () => random.between(0, 2 ** 20)));
    return [];
  }
  const elf = await readElf(source);
  if (!elf.ok) return [elf.fault];
  await buildIdOf(elf.value);
  await debugLinkOf(elf.value);
  const faults: Fault[] = [];
  const symbols = moduleSymbols([elf.value], (fault) => faults.push(fault));
  const places = Float64Array.from({ length: PLACES }, () => random.between(0, 2 ** 16));
  await symbols.at(places);
  await symbols.objectsAt(places);
  return faults;
}

const seconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1e6;

test('changed programs and lists of functions', { timeout: 4 * ALL_MS }, async () => {
  const files = [...seeds()];
  expect(files.length).toBeGreaterThan(5);
  const end = performance.now() + ALL_MS;
  let cases = 0;
  for (; performance.now() < end; cases++) {
    const random = randomOf(SEED + cases);
    const [name, bytes] = random.pick(files);
    const before = process.cpuUsage();
    const faults = await lookUp(name, changed(bytes, random), random);
    const took = seconds(process.cpuUsage(before));
    expect(took, `case ${cases}: ${name}`).toBeLessThan(MOST_SECONDS);
    for (const fault of faults) expect(fault.place?.file, `case ${cases}`).toBe(name);
  }
  expect(cases).toBeGreaterThan(20);
});
