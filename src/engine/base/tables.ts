/**
 * Tables of numbers in one memory, which a compiled kernel can share: a typed array per column, `capacity` long.
 * Without WebAssembly the memory is an ordinary buffer, and everything else is the same.
 *
 * When a table grows its columns are replaced by new views, and when the memory grows all columns are: read them from
 * their table each time. A kernel finds them through the table's *directory*, which never moves.
 */
import { freeBuffers } from './buffers.ts';

export type TableColumn = Float64Array | Int32Array | Uint32Array | Uint8Array;

/** Form of a column: its type, numbers per row, and the content of new rows. */
export interface ColumnForm<A extends TableColumn> {
  readonly array: new (buffer: ArrayBufferLike, byteOffset: number, length: number) => A;
  readonly width: number;
  readonly fill: number;
}

/**
 * Forms of columns.
 * @param fill content of new rows
 * @param width numbers per row
 */
export const f64 = (fill = 0, width = 1): ColumnForm<Float64Array> => ({ array: Float64Array, width, fill });
export const i32 = (fill = 0, width = 1): ColumnForm<Int32Array> => ({ array: Int32Array, width, fill });
export const u32 = (fill = 0, width = 1): ColumnForm<Uint32Array> => ({ array: Uint32Array, width, fill });
export const u8 = (fill = 0, width = 1): ColumnForm<Uint8Array> => ({ array: Uint8Array, width, fill });

export type TableForm = Readonly<Record<string, ColumnForm<TableColumn>>>;

/** Columns by name. A column's `byteOffset` is its address in the memory. */
export type Table<F extends TableForm> = {
  -readonly [Name in keyof F]: F[Name] extends ColumnForm<infer A> ? A : never;
};

/** Rows that no longer change. */
export type ReadRows<F extends TableForm> = { readonly length: number } & Readonly<Table<F>>;

interface Place {
  readonly table: Record<string, TableColumn>;
  readonly form: TableForm;
  capacity: number;
  /** Address of each column. */
  readonly addresses: Map<string, number>;
  readonly directory: number;
}

/** Unused room where a table was. */
interface Gap {
  address: number;
  bytes: number;
}

const PAGE = 65_536;
/** Largest memory with 32-bit addresses, bytes. */
const LARGEST = 65_536 * PAGE;
const WORD = 4;
/** Address 0 stays unused. */
const FIRST_ADDRESS = 64;

/** Memory of tables, which lie side by side, and in gaps that tables left when they grew. */
export class TableMemory {
  /** Undefined where there is no WebAssembly. */
  readonly wasm: WebAssembly.Memory | undefined;
  /** Counts how often columns were replaced. */
  moves = 0;
  #buffer: ArrayBuffer;
  #used = FIRST_ADDRESS;
  readonly #places: Place[] = [];
  /** Gaps by address; no two are adjacent. */
  #gaps: Gap[] = [];

  constructor() {
    this.wasm = typeof WebAssembly === 'undefined' ? undefined : new WebAssembly.Memory({ initial: 1 });
    this.#buffer = this.wasm?.buffer ?? new ArrayBuffer(PAGE);
  }

  /** A new table, as an object that also has `others`, the fields of its owner. */
  table<F extends TableForm, O extends object>(form: F, capacity: number, others?: O): Table<F> & O {
    const table = shapedAs(form, others);
    const directory = this.#take(directoryBytes(form));
    const addresses = columnAddresses(form, capacity, this.#take(bytesOf(form, capacity)));
    const place = { table, form, capacity, addresses, directory };
    this.#places.push(place);
    this.#view([place]);
    fillRows(place, 0);
    return table as Table<F> & O;
  }

  /** Gives a table room for more rows; the old ones stay. */
  widen(table: object, capacity: number): void {
    const place = this.#placeOf(table);
    const { form, capacity: rows, addresses } = place;
    // One by one, so that the next columns can take the room that the first ones leave.
    for (const [name, before] of addresses) {
      const left = columnBytes(form[name], rows);
      const address = this.#take(columnBytes(form[name], capacity));
      new Uint8Array(this.#buffer).copyWithin(address, before, before + left);
      addresses.set(name, address);
      this.#free({ address: before, bytes: left });
    }
    place.capacity = capacity;
    this.#view([place]);
    fillRows(place, rows);
  }

  /** Address of the u32 addresses of a table's columns, in order of its form, followed by its capacity in rows. */
  directoryOf(table: object): number {
    return this.#placeOf(table).directory;
  }

  #placeOf(table: object): Place {
    const place = this.#places.find((known) => known.table === table);
    if (place === undefined) throw new Error('a table of another memory');
    return place;
  }

  /** Room filled with zeros: a gap, or the end of the used memory. */
  #take(bytes: number): number {
    const gap = this.#gaps.find((left) => left.bytes >= bytes);
    if (gap !== undefined) {
      const { address } = gap;
      gap.address += bytes;
      gap.bytes -= bytes;
      new Uint8Array(this.#buffer, address, bytes).fill(0);
      return address;
    }
    const address = this.#used;
    const end = address + bytes;
    if (end > this.#buffer.byteLength) {
      this.#grow(Math.max(end, Math.min(2 * this.#buffer.byteLength, LARGEST)));
      this.#view(this.#places);
    }
    // Only now, so that nothing is taken if the memory could not grow.
    this.#used = end;
    return address;
  }

  /** Frees the place of a table, and joins it with adjacent gaps. */
  #free(place: Gap): void {
    const gaps = [...this.#gaps, place].sort((a, b) => a.address - b.address);
    this.#gaps = [];
    for (const gap of gaps) {
      const before = this.#gaps.at(-1);
      if (before !== undefined && before.address + before.bytes === gap.address) before.bytes += gap.bytes;
      else if (gap.bytes > 0) this.#gaps.push(gap);
    }
  }

  #grow(bytes: number): void {
    const { wasm } = this;
    if (wasm !== undefined) {
      wasm.grow(Math.ceil((bytes - this.#buffer.byteLength) / PAGE));
      this.#buffer = wasm.buffer;
      return;
    }
    const larger = new ArrayBuffer(bytes);
    new Uint8Array(larger).set(new Uint8Array(this.#buffer));
    this.#buffer = larger;
  }

  /** Replaces the columns of tables that moved, or whose buffer was replaced. */
  #view(places: readonly Place[]): void {
    this.moves++;
    for (const { table, form, capacity, addresses, directory } of places) {
      viewColumns(table, form, capacity, this.#buffer, addresses);
      writeDirectory(table, form, capacity, new Uint32Array(this.#buffer, directory));
    }
  }
}

/** Number of rows, as a table of one row. */
export const LOG_LENGTH = { length: i32() };

interface Page<F extends TableForm> {
  readonly length: number;
  readonly table: Table<F>;
}

/** Rows of a table log of any form. */
export interface LogRows {
  readonly length: number;
  readonly columns: Readonly<Record<string, TableColumn>>;
}

/**
 * A table to which rows are appended, by kernels too while there is room, as both see the number of rows; nobody reads
 * it meanwhile. When it is full its rows move to buffers of their own and it begins again: a log grows with the trace,
 * and shared memory never shrinks. `keep`, if given, takes such rows.
 */
export class TableLog<F extends TableForm> {
  /** The rows appended last. */
  readonly rows: Table<F>;
  /** Number of rows in `rows`, as a table of one row. */
  readonly count: Table<typeof LOG_LENGTH>;
  readonly #form: F;
  readonly #capacity: number;
  readonly #keep: ((rows: LogRows) => void) | undefined;
  /** Number of rows that were given to `keep`, which precede those held here. */
  kept = 0;
  /** Pages of rows between those given to `keep` and `rows`. */
  #pages: Page<F>[] = [];

  constructor(memory: TableMemory, form: F, capacity: number, keep?: (rows: LogRows) => void) {
    this.#form = form;
    this.#capacity = capacity;
    this.#keep = keep;
    this.rows = memory.table(form, capacity);
    this.count = memory.table(LOG_LENGTH, 1);
  }

  /** Number of all appended rows. */
  get length(): number {
    return this.#pages.reduce((sum, { length }) => sum + length, this.kept + this.count.length[0]);
  }

  /** Index of a new row in `rows`. */
  add(): number {
    if (this.count.length[0] === this.#capacity) this.#startPage();
    return this.count.length[0]++;
  }

  /** Appends a row; each column has one number per row. */
  append(row: Readonly<Record<keyof F, number>>): void {
    const at = this.add();
    for (const name of Object.keys(this.#form)) this.rows[name][at] = row[name];
  }

  /** Moves the rows of the full table to a page. */
  #startPage(): void {
    const length = this.#capacity;
    const table = this.#join([this.#last()], length);
    this.count.length[0] = 0;
    if (this.#keep === undefined) {
      this.#pages.push({ length, table });
    } else {
      this.kept += length;
      this.#keep({ length, columns: table });
    }
  }

  /** The first `length` of the rows held here, in new buffers. */
  first(length: number): ReadRows<F> {
    return { length, ...this.#join([...this.#pages, this.#last()], length) };
  }

  /**
   * All rows held here, in buffers that the log keeps; the former ones are freed, even if an earlier call returned
   * them.
   */
  all(): ReadRows<F> {
    const length = this.length - this.kept;
    const table = this.#join([...this.#pages, this.#last()], length, this.#pages);
    this.#pages = [{ length, table }];
    this.count.length[0] = 0;
    return { length, ...table };
  }

  #last(): Page<F> {
    return { length: this.count.length[0], table: this.rows };
  }

  /** @param spent pages that are no longer read */
  #join(pages: readonly Page<F>[], length: number, spent: readonly Page<F>[] = []): Table<F> {
    const columns = shapedAs(this.#form);
    for (const [name, { array, width }] of Object.entries(this.#form)) {
      const column = new array(new ArrayBuffer(bytesPerNumber(array) * width * length), 0, width * length);
      let at = 0;
      for (const page of pages) {
        const rows = Math.min(page.length, length - at);
        column.set(page.table[name].subarray(0, rows * width), at * width);
        at += rows;
      }
      freeBuffers(spent.map(({ table }) => table[name]));
      columns[name] = column;
    }
    return columns as Table<F>;
  }
}

/** A table whose columns are views of `buffer` from an address on, with the contents there. */
export function tableIn<F extends TableForm>(
  form: F,
  capacity: number,
  buffer: ArrayBuffer,
  address: number,
): Table<F> {
  const table = shapedAs(form);
  viewColumns(table, form, capacity, buffer, columnAddresses(form, capacity, address));
  return table as Table<F>;
}

/** A table of new rows in a new buffer. */
export function tableOf<F extends TableForm>(form: F, capacity: number): Table<F> {
  const table = tableIn(form, capacity, new ArrayBuffer(bytesOf(form, capacity)), 0);
  fillRows({ table, form }, 0);
  return table;
}

/** The first rows of a table, with the columns of a form, in new buffers. */
export function firstRows<F extends TableForm>(form: F, table: Readonly<Table<F>>, length: number): Table<F> {
  const rows = shapedAs(form);
  for (const [name, { width }] of Object.entries(form)) rows[name] = table[name].slice(0, length * width);
  return rows as Table<F>;
}

/** The rows of several tables, one behind the other. */
export function joinTables<F extends TableForm>(form: F, parts: readonly Readonly<Table<F>>[]): Table<F> {
  const [first] = Object.keys(form);
  const joined = tableOf(form, parts.reduce((sum, part) => sum + part[first].length, 0) / form[first].width);
  for (const name of Object.keys(form)) {
    let at = 0;
    for (const part of parts) {
      joined[name].set(part[name], at);
      at += part[name].length;
    }
  }
  return joined;
}

/** A table without rows. */
export function noRows<F extends TableForm>(form: F): Table<F> {
  return tableOf(form, 0);
}

/**
 * A table whose columns are still to be set. All fields exist from the start: V8 turns an object that gets more than a
 * dozen by computed names or `Object.assign` into a dictionary, where every read is a lookup. As they are set again
 * later, V8 treats no column as constant.
 */
function shapedAs(form: TableForm, others?: object): Record<string, TableColumn> {
  return { ...form, ...others } as unknown as Record<string, TableColumn>;
}

/** Addresses of columns that lie one behind the other. */
function columnAddresses(form: TableForm, capacity: number, begin: number): Map<string, number> {
  const addresses = new Map<string, number>();
  let at = begin;
  for (const [name, column] of Object.entries(form)) {
    addresses.set(name, at);
    at += columnBytes(column, capacity);
  }
  return addresses;
}

function viewColumns(
  table: Record<string, TableColumn>,
  form: TableForm,
  capacity: number,
  buffer: ArrayBuffer,
  addresses: ReadonlyMap<string, number>,
): void {
  for (const [name, address] of addresses) {
    const { array, width } = form[name];
    table[name] = new array(buffer, address, capacity * width);
  }
}

/** Fills new rows; the room that was taken holds zeros. */
function fillRows({ table, form }: Pick<Place, 'table' | 'form'>, from: number): void {
  for (const [name, { width, fill }] of Object.entries(form))
    if (fill !== 0) table[name].fill(fill, from * width);
}

/** Bytes that a table takes in a memory. */
export function bytesOf(form: TableForm, capacity: number): number {
  return Object.values(form).reduce((bytes, column) => bytes + columnBytes(column, capacity), 0);
}

function columnBytes({ array, width }: ColumnForm<TableColumn>, capacity: number): number {
  return aligned(bytesPerNumber(array) * width * capacity);
}

/** Bytes that the directory of a table takes. */
export function directoryBytes(form: TableForm): number {
  return aligned(WORD * (Object.keys(form).length + 1));
}

/** Addresses of a table's columns, in the order of its form, and its capacity in rows. */
export function writeDirectory(
  table: Readonly<Record<string, TableColumn>>,
  form: TableForm,
  capacity: number,
  directory: Uint32Array,
): void {
  let entry = 0;
  for (const name of Object.keys(form)) directory[entry++] = table[name].byteOffset;
  directory[entry] = capacity;
}

function bytesPerNumber(array: ColumnForm<TableColumn>['array']): number {
  return (array as unknown as { readonly BYTES_PER_ELEMENT: number }).BYTES_PER_ELEMENT;
}

/** Rounds bytes up to a multiple of 8, the alignment of columns. */
export function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/** A range of memory that is handed out piece by piece until it is used up. */
export class Arena {
  #at: number;
  readonly #end: number;

  /** Addresses, half-open; the first one is 8-aligned. */
  constructor(begin: number, end: number) {
    this.#at = begin;
    this.#end = end;
  }

  /** Takes bytes, 8-aligned and not cleared; their address, or undefined if not enough are left. */
  take(bytes: number): number | undefined {
    const at = this.#at;
    if (at + bytes > this.#end) return undefined;
    this.#at = aligned(at + bytes);
    return at;
  }
}
