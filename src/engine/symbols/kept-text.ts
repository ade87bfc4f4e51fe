/** Kept symbols as a text, which goes with a part of a trace without the files of its programs. */
import { objectOf } from '../base/json-object.ts';
import type { KeptModule } from './kept-symbols.ts';
import type { LoadedSegment, SymbolAt } from './symbols.ts';

/** Writes symbols as a text. */
export function keptText(modules: readonly KeptModule[]): string {
  return JSON.stringify(
    modules.map(({ firstPage, places, ...rest }) => {
      return { ...rest, firstPage: String(firstPage), places: [...places] };
    }),
  );
}

/** Modules with valid form in such a text, which may come from anybody. */
export function keptModules(text: string): KeptModule[] {
  const all = objectOf(text);
  if (!Array.isArray(all)) return [];
  return all.flatMap((module: unknown): KeptModule[] => {
    const { key, firstPage, loads, places, symbols } = (module ?? {}) as Partial<Record<string, unknown>>;
    if (typeof key !== 'string' || typeof firstPage !== 'string' || !/^\d{1,20}$/.test(firstPage)) return [];
    const [at, found] = [listOf<number>(places, Number.isSafeInteger), listOf<SymbolAt>(symbols, isSymbol)];
    const segments = listOf<LoadedSegment>(loads, isSegment);
    if (at === undefined || segments === undefined || at.length !== found?.length) return [];
    return [
      { key, firstPage: BigInt(firstPage), loads: segments, places: Float64Array.from(at), symbols: found },
    ];
  });
}

function listOf<One>(value: unknown, isOne: (one: unknown) => boolean): One[] | undefined {
  return Array.isArray(value) && value.every(isOne) ? (value as One[]) : undefined;
}

function isSegment(value: unknown): boolean {
  const { from, to, offset } = (value ?? {}) as Partial<Record<string, unknown>>;
  return [from, to, offset].every(Number.isSafeInteger);
}

function isSymbol(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { inlined = [], object = { name: '', offset: 0 } } = value as Partial<Record<string, unknown>>;
  const { name, offset } = (object ?? {}) as Partial<Record<string, unknown>>;
  const isObject = typeof name === 'string' && Number.isSafeInteger(offset);
  return isPlace(value) && listOf(inlined, isPlace) !== undefined && isObject;
}

/** Whether names are texts and places whole numbers, if present. */
function isPlace(value: unknown): boolean {
  const { function: name, file, line, begin } = (value ?? {}) as Partial<Record<string, unknown>>;
  const isText = (text: unknown) => text === undefined || typeof text === 'string';
  const isNumber = (number: unknown) => number === undefined || Number.isSafeInteger(number);
  return isText(name) && isText(file) && isNumber(line) && isNumber(begin);
}
