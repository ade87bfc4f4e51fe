/**
 * Functions in lists of text: `/proc/kallsyms` of the kernel, and the maps that compilers at run time leave for perf
 * (`perf-PID.map`).
 */
import { fail, ok, type Result } from '../base/fault.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { unreadable } from './elf-file.ts';
import { addFunction, functionList, functionTable, lastHolding, symbolsAt } from './function-table.ts';
import type { ModuleSymbols } from './symbols.ts';

interface ListedSymbol {
  /** Address in hexadecimal digits. */
  readonly address: string;
  /** Bytes, 0: up to the next one. */
  readonly size: number;
  readonly nameAt: number;
  readonly rank: number;
}

interface ListFormat {
  /** undefined: the line is something else. */
  parse(line: string): ListedSymbol | undefined;
  /** Whether functions are far from address 0, and counted from the first one. */
  readonly isFar: boolean;
  /** Whether the last one in the list holds, of several functions that cover a place. */
  readonly isLastBest: boolean;
}

const LINE_END = 0x0a;
const PIECE_BYTES = 1024 * 1024;
/** Where names are is kept in 32 bits. */
const LARGEST_LIST = 2 ** 32 - 2;
/** Bytes of the last function of a kernel, behind which none begins. */
const LAST_BYTES = 4096;
/** Limit that no kernel and no compiler exceeds. */
const MOST_SYMBOLS = 2 ** 24;

const KALLSYMS_LINE = /^([0-9a-f]{8,16}) ([A-Za-z?]) (?=\S)/;
/** Ranks by kind of symbol: functions, global before weak before local. Others are data, from address 0 on those of CPUs. */
const RANKS: Readonly<Record<string, number | undefined>> = { T: 0, W: 1, w: 1, t: 2 };
/** Address of what has none, or of what is not shown. */
const NOWHERE = /^0+$/;

const PERF_MAP_LINE = /^(?:0x)?([0-9a-f]{1,16}) (?:0x)?([0-9a-f]{1,12}) (?=\S)/i;

const KALLSYMS: ListFormat = {
  isFar: true,
  isLastBest: false,
  parse(line) {
    const found = KALLSYMS_LINE.exec(line);
    if (found === null) return undefined;
    const [{ length: nameAt }, address, kind] = found;
    const rank = RANKS[kind];
    return rank === undefined || NOWHERE.test(address) ? undefined : { address, size: 0, nameAt, rank };
  },
};

const PERF_MAP: ListFormat = {
  isFar: false,
  isLastBest: true,
  parse(line) {
    const found = PERF_MAP_LINE.exec(line);
    if (found === null) return undefined;
    const [{ length: nameAt }, address, digits] = found;
    const size = parseInt(digits, 16);
    return size === 0 ? undefined : { address, size, nameAt, rank: 0 };
  },
};

/** The functions of a running kernel and its modules. Faults: `symbols-unreadable`, and those of reading. */
export function readKallsyms(source: ByteSource): Promise<Result<ModuleSymbols>> {
  return readList(source, KALLSYMS);
}

/** The functions that a program compiled while it ran. Faults: `symbols-unreadable`, and those of reading. */
export function readPerfMap(source: ByteSource): Promise<Result<ModuleSymbols>> {
  return readList(source, PERF_MAP);
}

async function readList(source: ByteSource, format: ListFormat): Promise<Result<ModuleSymbols>> {
  if (source.size > LARGEST_LIST)
    return fail(unreadable(source, `at most ${LARGEST_LIST} bytes`, `${source.size}`));
  const list = new ListReader(format);
  for (let at = 0; at < source.size; at += PIECE_BYTES) {
    const bytes = await source.read(at, Math.min(PIECE_BYTES, source.size - at));
    if (!bytes.ok) return bytes;
    list.add(bytes.value);
  }
  const { base, functions: found } = list;
  // To who may not know them the kernel lists zeros.
  if (found.length === 0) return fail(unreadable(source, 'addresses of functions', 'none but 0'));
  const functions = functionTable(
    format.isLastBest ? lastHolding(found) : found,
    (from) => from + LAST_BYTES,
  );
  const texts = { source, offset: 0, size: source.size, endsWith: LINE_END };
  return ok({
    firstPage: base,
    loads: [],
    async at(places) {
      const found = await symbolsAt(functions, texts, places);
      return found.map((symbol) => {
        // Behind a tab the kernel says which module a function is of.
        return { function: symbol?.name.split(/[\t\r]/, 1)[0], file: undefined, line: undefined };
      });
    },
  });
}

class ListReader {
  readonly functions = functionList();
  /** Address from which others are counted: that of the first function, or 0. */
  base = 0n;
  /** One character a byte, so that places in a line are places in the file. */
  readonly #decoder = new TextDecoder('latin1');
  /** The begin of a line, whose end is in the next piece. */
  #rest = '';
  /** Where that is in the file. */
  #at = 0;

  constructor(private readonly format: ListFormat) {}

  add(bytes: Uint8Array): void {
    const text = this.#rest + this.#decoder.decode(bytes);
    let begin = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', begin)) {
      this.#addLine(text.slice(begin, end), this.#at + begin);
      begin = end + 1;
    }
    // A line without end is none: it is not gathered.
    this.#rest = text.length - begin > PIECE_BYTES ? '' : text.slice(begin);
    this.#at += text.length - this.#rest.length;
  }

  #addLine(line: string, at: number): void {
    const symbol = this.format.parse(line);
    if (symbol === undefined || this.functions.length >= MOST_SYMBOLS) return;
    const { address, size, nameAt, rank } = symbol;
    const value = BigInt(`0x${address}`);
    if (this.functions.length === 0 && this.format.isFar) this.base = value;
    const from = Number(value - this.base);
    if (Number.isSafeInteger(from) && Number.isSafeInteger(from + size))
      addFunction(this.functions, from, size, at + nameAt, rank);
  }
}
