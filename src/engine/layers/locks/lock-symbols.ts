/** Names of locks by the symbols of the programs whose data they are in. */
import { groupBy } from '../../base/group-by.ts';
import { readableNames } from '../../symbols/readable-names.ts';
import type { SymbolFiles } from '../../symbols/symbol-files.ts';
import type { ObjectAt } from '../../symbols/symbols.ts';
import type { LockAddress } from './lock-log.ts';
import type { LockPlaces } from './lock-places.ts';

/** UTF-16 units of a name that are shown. */
const LONGEST_NAME = 200;

/**
 * Symbol by lock: `g_rw`, or `cache+0x28` where it is within a larger object. undefined: it is in no object, or there
 * is no file of the build that the trace names. Files that cannot be used are faults of `files`.
 */
export async function lockSymbols(
  locks: readonly LockAddress[],
  { modules, module }: LockPlaces,
  files: SymbolFiles,
): Promise<readonly (string | undefined)[]> {
  const objects = new Map<number, ObjectAt>();
  const placed = [...locks.keys()].filter((lock) => module[lock] >= 0);
  for (const [row, own] of groupBy(placed, (lock) => module[lock])) {
    const { base, isPic, buildId = '' } = modules[row];
    // A file of the same name may be of another build.
    const symbols = buildId === '' ? undefined : await files.module(modules[row]);
    if (symbols === undefined) continue;
    const begin = isPic ? base : symbols.firstPage;
    const places = Float64Array.from(own, (lock) => Number(BigInt(locks[lock].address) - begin));
    const found = await symbols.objectsAt(places);
    own.forEach((lock, i) => {
      const object = found[i];
      if (object !== undefined) objects.set(lock, object);
    });
  }
  const readable = await readableNames(Array.from(objects.values(), ({ name }) => name));
  return Array.from(locks.keys(), (lock) => {
    const object = objects.get(lock);
    return object && textOf(readable.get(object.name) ?? object.name, object.offset);
  });
}

function textOf(name: string, offset: number): string {
  const shown = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  return offset === 0 ? shown : `${shown}+0x${offset.toString(16)}`;
}
