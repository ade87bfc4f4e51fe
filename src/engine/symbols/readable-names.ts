/** Demangled names of C++ and Rust functions. */
import { laterCode } from '../base/later-code.ts';
import type { DemanglerModule } from './demangler-module.ts';

/** Pattern of mangled names: by the Itanium C++ ABI, also by older versions of Rust, and by Rust's own scheme. */
const MANGLED = /^_[ZR]/;
/** Longer names stay unchanged. */
const LONGEST_NAME = 16 * 1024;
/**
 * Characters of all names, before and after. A name of 300 bytes can stand for billions: names that take too long
 * stay unchanged.
 */
const MOST_CHARACTERS = 16 * 1024 * 1024;
/** Cost of a name that is given up, characters. */
const GIVEN_UP = 1024 * 1024;

const libraryCode = laterCode(() => import('./demangler-module.ts'));

let library: DemanglerModule | undefined;

/** Demangled names by name, if they differ. The library omits result types. */
export async function readableNames(names: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const readable = new Map<string, string>();
  const mangled = new Set<string>();
  for (const name of names) if (MANGLED.test(name) && name.length <= LONGEST_NAME) mangled.add(name);
  if (mangled.size === 0) return readable;
  const { DemanglerModule } = await libraryCode();
  library ??= new DemanglerModule();
  let left = MOST_CHARACTERS;
  for (const name of mangled) {
    if (left <= 0) break;
    const text = library.demangle(name);
    left -= name.length + (text?.length ?? GIVEN_UP);
    // It drops the first character of names that are not mangled after all.
    if (text !== undefined && text !== '' && text !== name && text !== name.slice(1))
      readable.set(name, text);
  }
  return readable;
}
