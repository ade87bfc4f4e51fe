/**
 * Cache of pieces of rows by level and time tile, asked for when a frame needs them and kept within a budget. There is no
 * queue: a frame that still needs a piece asks again, so that pieces that scrolled away are never fetched.
 */
import { addTo } from '../../../engine/base/group-by.ts';
import type { RowPiece } from './block-geometry.ts';
import { columnNs, tileNs } from './levels.ts';
import type { PlotRange } from './plot-scale.ts';
import { isLayerRow } from '../rows/row-kinds.ts';
import type { Series } from './series.ts';
import type { TimelineSource } from '../timeline-source.ts';

const MOST_REQUESTS = 16;
const BYTE_BUDGET = 96 * 2 ** 20;
/** Samples of load beyond either end of a tile, for smoothing across tiles. */
const LOAD_MARGIN = 2;
/**
 * Time after which a tile at the reading line is asked for again while reading, ms. It grows by as much each time, since
 * an answer costs the whole tile, however little is new.
 */
const REFRESH_MS = 1000;
const REFRESH_GROWTH = 1.25;
const LONGEST_REFRESH_MS = 10_000;

interface Entry {
  readonly piece: RowPiece;
  readonly bytes: number;
  /** Display ns up to which the piece was final when it was asked for. */
  readonly finalTo: number;
  /** Time at which it is asked for again, unless it is final. */
  readonly againMs: number;
  /** Time between two requests, ms. */
  readonly refreshMs: number;
}

type Asking = Pick<TimelineSource, 'ask'>;

export class TileStore {
  /** Entries in order of use, least recent first. */
  readonly #entries = new Map<string, Entry>();
  readonly #pending = new Set<string>();
  readonly #plots = new Map<string, PlotRange>();
  /** Value of `#changes` at which all pieces were final, by block of rows and tile, to skip looking them up. */
  readonly #settled = new WeakMap<readonly Series[], Map<string, number>>();
  #requests = 0;
  #bytes = 0;
  #watermark = Infinity;
  /** Number that grows when all pieces become outdated. */
  #edition = 0;
  /** Number that grows with every answer and with the watermark: pieces may have to be asked for. */
  #changes = 0;
  /** Number that grows with every answer: there is something new to draw. */
  version = 0;

  /** @param onArrival called with every answer; `isNew`: some of its pieces were missing before */
  constructor(
    private readonly source: Asking,
    private readonly onArrival: (isNew: boolean) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get busy(): boolean {
    return this.#requests > 0;
  }

  piece(series: Series, level: number, tile: number): RowPiece | undefined {
    return this.#entries.get(keyOf(series, level, tile))?.piece;
  }

  /** Least and greatest number of a row of numbers and their unit; undefined: nothing came yet. */
  plotted(series: Series): PlotRange | undefined {
    return this.#plots.get(series.key);
  }

  /** Everything before `watermark` (display ns) is final; Infinity when all is read. */
  setWatermark(watermark: number): void {
    if (watermark !== this.#watermark) this.#changes++;
    this.#watermark = watermark;
  }

  /** Marks all pieces as outdated, also those being loaded: visible ones are asked for again at once. */
  outdate(): void {
    for (const [key, entry] of this.#entries) this.#entries.set(key, outdated(entry));
    this.#edition++;
    this.#changes++;
  }

  /** Asks for missing and outdated pieces of rows. False: some have to wait, as too many requests are running. */
  want(rows: readonly Series[], level: number, tile: number): boolean {
    const place = `${level}:${tile}`;
    const settled = this.#settled.get(rows);
    if (settled?.get(place) === this.#changes) return true;
    /** Series that are asked for together. */
    const missing = new Map<string, Series[]>();
    let complete = true;
    let final = true;
    for (const series of rows) {
      if (series.kind === 'none') continue;
      const found = this.#look(series, level, tile);
      final &&= found === 'final';
      if (found === 'missing') addTo(missing, requestOf(series), series);
    }
    for (const list of missing.values()) complete = this.#ask(list, level, tile) && complete;
    if (final) this.#settled.set(rows, (settled ?? new Map<string, number>()).set(place, this.#changes));
    return complete;
  }

  /** 'waiting': asked for, or not final and asked for a moment ago. */
  #look(series: Series, level: number, tile: number): 'final' | 'waiting' | 'missing' {
    const key = keyOf(series, level, tile);
    if (this.#pending.has(key)) return 'waiting';
    const entry = this.#entries.get(key);
    if (!entry) return 'missing';
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const end = (tile + 1) * tileNs(level);
    if (entry.finalTo >= Math.min(end, this.#watermark)) return 'final';
    return this.now() > entry.againMs ? 'missing' : 'waiting';
  }

  /** Sends a request for some rows, unless too many are running. */
  #ask(rows: readonly Series[], level: number, tile: number): boolean {
    if (this.#requests >= MOST_REQUESTS) return false;
    const keys = rows.map((series) => keyOf(series, level, tile));
    for (const key of keys) this.#pending.add(key);
    this.#requests++;
    const finalTo = this.#watermark;
    const edition = this.#edition;
    const isNew = keys.some((key) => !this.#entries.has(key));
    void askPieces(this.source, rows, level, tile)
      .then((answers) => {
        answers.forEach(({ piece, bytes }, i) => {
          if (piece.kind === 'plot') this.#plots.set(rows[i].key, piece.plot);
          const entry = { piece, bytes, finalTo, ...this.#refreshOf(keys[i]) };
          this.#put(keys[i], edition === this.#edition ? entry : outdated(entry));
        });
      })
      .finally(() => {
        for (const key of keys) this.#pending.delete(key);
        this.#requests--;
        this.#changes++;
        this.version++;
        this.onArrival(isNew);
      });
    return true;
  }

  /** Time at which a piece that has just come is asked for again. */
  #refreshOf(key: string): Pick<Entry, 'againMs' | 'refreshMs'> {
    const before = this.#entries.get(key)?.refreshMs;
    const refreshMs = Math.min(
      LONGEST_REFRESH_MS,
      before === undefined ? REFRESH_MS : before * REFRESH_GROWTH,
    );
    return { againMs: this.now() + refreshMs, refreshMs };
  }

  #put(key: string, entry: Entry): void {
    this.#bytes += entry.bytes - (this.#entries.get(key)?.bytes ?? 0);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    for (const [oldest, { bytes }] of this.#entries) {
      if (this.#bytes <= BYTE_BUDGET) break;
      this.#entries.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}

function outdated(entry: Entry): Entry {
  return { ...entry, finalTo: -Infinity, againMs: -Infinity };
}

/** Key of the series that are asked for together: states of one history, or densities. */
function requestOf(series: Series): string {
  if (series.kind === 'states') return `states ${series.row.host} ${layerOf(series)}`;
  return series.kind === 'density' ? 'densities' : series.key;
}

/** Pieces of rows that are asked for together. */
async function askPieces(
  source: Asking,
  rows: readonly Series[],
  level: number,
  tile: number,
): Promise<Pick<Entry, 'piece' | 'bytes'>[]> {
  const [series] = rows;
  const { host, attribute } = series.row;
  const from = tile * tileNs(level);
  const range = { from, to: from + tileNs(level), bucketNs: columnNs(level) };
  switch (series.kind) {
    case 'states': {
      const attributes = rows.map(({ row }) => row.attribute);
      const answer = await source.ask('tile', { host, attributes, layer: layerOf(series), ...range });
      const bytes = (answer.begin.length * 28 + answer.shares.length) / rows.length;
      return rows.map((_, row) => ({ piece: { kind: 'states', spans: { tile: answer, row } }, bytes }));
    }
    case 'load': {
      const { attributes, capacity } = series;
      const beyond = LOAD_MARGIN * range.bucketNs;
      const wider = { ...range, from: from - beyond, to: range.to + beyond };
      const load = await source.ask('load', { host, attributes, ...wider });
      const margin = Math.round((load.used.length * beyond) / (wider.to - wider.from));
      const bytes = load.used.byteLength + load.unknown.byteLength;
      return [{ piece: { kind: 'load', load, margin, capacity }, bytes }];
    }
    case 'plot': {
      const question = { host, attributes: [attribute], layer: layerOf(series), ...range };
      const plot = await source.ask('plot', question);
      return [{ piece: { kind: 'plot', plot }, bytes: plot.least.byteLength + plot.most.byteLength }];
    }
    case 'density': {
      const answer = await source.ask('density', { rows: rows.map(({ row }) => row.id), ...range });
      const buckets = answer.length / rows.length;
      return rows.map((_, row) => {
        const values = answer.subarray(row * buckets, (row + 1) * buckets);
        return { piece: { kind: 'density', values }, bytes: values.byteLength };
      });
    }
    case 'none':
      return [];
  }
}

/** Prefix of the ids of a layer's rows; undefined: the row is of no layer. */
function layerOf({ row }: Series): string | undefined {
  return isLayerRow(row) ? row.id.slice(0, row.id.indexOf(':')) : undefined;
}

function keyOf(series: Series, level: number, tile: number): string {
  return `${series.key}@${level}:${tile}`;
}
