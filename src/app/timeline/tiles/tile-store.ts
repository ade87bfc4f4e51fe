/**
 * Pieces of rows by level and time tile, asked for when a frame wants them and kept until the budget is used up. No
 * queue: a frame that still wants a piece asks again, so that what scrolled away is never fetched.
 */
import { addTo } from '../../../engine/base/group-by.ts';
import type { DisplayNs } from '../../../engine/base/units.ts';
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
 * While reading, a tile at the reading line is asked for again after this time, and each time this much later: it costs
 * what is drawn of it, however little is new.
 */
const REFRESH_MS = 1000;
const REFRESH_GROWTH = 1.25;
const LONGEST_REFRESH_MS = 10_000;

interface Entry {
  readonly piece: RowPiece;
  readonly bytes: number;
  /** Display ns up to which the piece was final when it was asked for. */
  readonly finalTo: number;
  /** When it is asked for again, unless it is final. */
  readonly againMs: number;
  /** Time from one asking to the next, ms. */
  readonly refreshMs: number;
}

type Asking = Pick<TimelineSource, 'ask'>;

export class TileStore {
  /** Entries in order of use, least recent first. */
  readonly #entries = new Map<string, Entry>();
  readonly #pending = new Set<string>();
  readonly #plots = new Map<string, PlotRange>();
  /** Value of `#changes` at which all pieces were final, by block of rows and tile: nothing to look up again. */
  readonly #settled = new WeakMap<readonly Series[], Map<string, number>>();
  readonly #source: Asking;
  readonly #onArrival: (isNew: boolean) => void;
  readonly #now: () => number;
  #requests = 0;
  #bytes = 0;
  #watermark = Infinity;
  /** Grows when everything is outdated. */
  #edition = 0;
  /** Grows with every arrival, and with what is final: pieces may have to be asked for. */
  #changes = 0;
  /** Grows with every arrival: there is something else to draw. */
  version = 0;

  /** @param onArrival hears of every answer; `isNew`: of some of its pieces there was nothing to draw before */
  constructor(
    source: Asking,
    onArrival: (isNew: boolean) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#source = source;
    this.#onArrival = onArrival;
    this.#now = now;
  }

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

  /** Marks all pieces as outdated, also those under way: they are asked for again at once while they are shown. */
  outdate(): void {
    for (const [key, entry] of this.#entries) this.#entries.set(key, outdated(entry));
    this.#edition++;
    this.#changes++;
  }

  /** Asks for the pieces of rows that are missing or outdated. False: some have to wait for a free request. */
  want(rows: readonly Series[], level: number, tile: number): boolean {
    const place = `${level}:${tile}`;
    const settled = this.#settled.get(rows);
    if (settled?.get(place) === this.#changes) return true;
    /** Series with states to ask for, by host and history. */
    const states = new Map<string, Series[]>();
    const densities: Series[] = [];
    let complete = true;
    let final = true;
    for (const series of rows) {
      if (series.kind === 'none') continue;
      const found = this.#look(series, level, tile);
      final &&= found === 'final';
      if (found !== 'missing') continue;
      if (series.kind === 'states') addTo(states, `${series.row.host} ${layerOf(series)}`, series);
      else if (series.kind === 'density') densities.push(series);
      else if (series.kind === 'plot') complete = this.#askPlot(series, level, tile) && complete;
      else complete = this.#askLoad(series, level, tile) && complete;
    }
    for (const list of states.values()) complete = this.#askStates(list, level, tile) && complete;
    if (densities.length > 0) complete = this.#askDensity(densities, level, tile) && complete;
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
    return this.#now() > entry.againMs ? 'missing' : 'waiting';
  }

  /** Rows of one history. */
  #askStates(rows: readonly Series[], level: number, tile: number): boolean {
    const { host } = rows[0].row;
    const attributes = rows.map((series) => series.row.attribute);
    return this.#ask(rows, level, tile, async (from, to) => {
      const layer = layerOf(rows[0]);
      const question = { host, attributes, layer, from, to, bucketNs: columnNs(level) };
      const answer = await this.#source.ask('tile', question);
      const bytes = (answer.begin.length * 28 + answer.shares.length) / rows.length;
      return rows.map((_, row) => ({ piece: { kind: 'states', spans: { tile: answer, row } }, bytes }));
    });
  }

  #askLoad(series: Series & { kind: 'load' }, level: number, tile: number): boolean {
    return this.#ask([series], level, tile, async (from, to) => {
      const beyond = LOAD_MARGIN * columnNs(level);
      const answer = await this.#source.ask('load', {
        host: series.row.host,
        attributes: series.attributes,
        from: from - beyond,
        to: to + beyond,
        bucketNs: columnNs(level),
      });
      const margin = Math.round((answer.used.length * beyond) / (to - from + 2 * beyond));
      return [
        {
          piece: { kind: 'load', load: answer, margin, capacity: series.capacity },
          bytes: answer.used.byteLength + answer.unknown.byteLength,
        },
      ];
    });
  }

  #askPlot(series: Series, level: number, tile: number): boolean {
    const { host, attribute } = series.row;
    return this.#ask([series], level, tile, async (from, to) => {
      const question = { host, attributes: [attribute], layer: layerOf(series), from, to };
      const plot = await this.#source.ask('plot', { ...question, bucketNs: columnNs(level) });
      this.#plots.set(series.key, plot);
      return [{ piece: { kind: 'plot', plot }, bytes: plot.least.byteLength + plot.most.byteLength }];
    });
  }

  #askDensity(rows: readonly Series[], level: number, tile: number): boolean {
    return this.#ask(rows, level, tile, async (from, to) => {
      const ids = rows.map((series) => series.row.id);
      const answer = await this.#source.ask('density', { rows: ids, from, to, bucketNs: columnNs(level) });
      const buckets = answer.length / rows.length;
      return rows.map((_, row) => ({
        piece: { kind: 'density', values: answer.subarray(row * buckets, (row + 1) * buckets) },
        bytes: buckets * 4,
      }));
    });
  }

  /** One request for some rows, unless too many are under way. */
  #ask(
    rows: readonly Series[],
    level: number,
    tile: number,
    request: (
      from: DisplayNs,
      to: DisplayNs,
    ) => Promise<readonly { readonly piece: RowPiece; readonly bytes: number }[]>,
  ): boolean {
    if (this.#requests >= MOST_REQUESTS) return false;
    const keys = rows.map((series) => keyOf(series, level, tile));
    for (const key of keys) this.#pending.add(key);
    this.#requests++;
    const finalTo = this.#watermark;
    const edition = this.#edition;
    const isNew = keys.some((key) => !this.#entries.has(key));
    const from = tile * tileNs(level);
    void request(from, from + tileNs(level))
      .then((answers) => {
        keys.forEach((key, i) => {
          const entry = { ...answers[i], finalTo, ...this.#refreshOf(key) };
          this.#put(key, edition === this.#edition ? entry : outdated(entry));
        });
      })
      .finally(() => {
        for (const key of keys) this.#pending.delete(key);
        this.#requests--;
        this.#changes++;
        this.version++;
        this.#onArrival(isNew);
      });
    return true;
  }

  /** When a piece that has just come is asked for again. */
  #refreshOf(key: string): Pick<Entry, 'againMs' | 'refreshMs'> {
    const before = this.#entries.get(key)?.refreshMs;
    const refreshMs = Math.min(
      LONGEST_REFRESH_MS,
      before === undefined ? REFRESH_MS : before * REFRESH_GROWTH,
    );
    return { againMs: this.#now() + refreshMs, refreshMs };
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

/** The word that begins the ids of a layer's rows; undefined: it is another row. */
function layerOf({ row }: Series): string | undefined {
  return isLayerRow(row) ? row.id.slice(0, row.id.indexOf(':')) : undefined;
}

function keyOf(series: Series, level: number, tile: number): string {
  return `${series.key}@${level}:${tile}`;
}
