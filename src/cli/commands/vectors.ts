/** `vectors FILE`: golden vectors of the critical path against the walk. */
import { append } from '../../engine/base/append.ts';
import { readFile } from 'node:fs/promises';
import { checkVector, type VectorOutcome } from '../conformance/check-vectors.ts';
import type { VectorFixture } from '../conformance/fixture.ts';
import { EXIT_FAILED, EXIT_FINE } from '../messages.ts';
import { UsageError } from '../options.ts';
import { print, printJson } from '../output.ts';
import type { Command } from './command.ts';

export const vectors: Command = async (paths, { json }) => {
  if (paths.length !== 1) throw new UsageError('vectors: FILE is expected');
  const outcomes: VectorOutcome[] = [];
  for (const fixture of await readFixtures(paths[0])) append(outcomes, await checkVector(fixture));
  const failed = outcomes.filter(({ outcome }) => outcome === 'fails').map(namedReason);
  const deviations = outcomes.filter(({ outcome }) => outcome === 'deviates').map(namedReason);
  const passed = outcomes.length - failed.length - deviations.length;
  const group = { name: 'vectors', passed, total: outcomes.length, failed, deviations };
  if (json) printJson({ groups: [group] });
  else {
    print(`${passed} of ${outcomes.length} equal, ${deviations.length} deviate for a reason`);
    for (const { name, reason } of deviations) print(`  deviates: ${name}: ${reason}`);
    for (const { name, reason } of failed) print(`  fails: ${name}: ${reason}`);
  }
  return failed.length === 0 ? EXIT_FINE : EXIT_FAILED;
};

function namedReason({ name, reason }: VectorOutcome) {
  return { name, reason };
}

/** @throws UsageError */
async function readFixtures(path: string): Promise<readonly VectorFixture[]> {
  try {
    const { fixtures } = JSON.parse(await readFile(path, 'utf8')) as { fixtures?: readonly VectorFixture[] };
    if (Array.isArray(fixtures)) return fixtures as readonly VectorFixture[];
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new UsageError(`${path}: fixtures are expected`);
}
