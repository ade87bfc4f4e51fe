/** Events per bucket of rows of event density: from near counted in the files, else from what is kept of all events. */
import { MOST_BUCKETS } from '../../density/lanes.ts';
import type { HostEvents } from '../../density/thread-events.ts';
import type { DisplayTime } from '../context/display-time.ts';
import type { EventSource } from '../context/event-source.ts';
import { lanesDensity, lanesOfRow } from './event-density.ts';
import { FineDensity } from './fine-density.ts';
import { hostOfRow } from './row-host.ts';
import type { Grid } from './resample.ts';

export interface DensitySource {
  readonly time: DisplayTime;
  readonly lengthNs: () => number;
  readonly threadEvents: (host: number) => Promise<HostEvents | undefined>;
  readonly packetDensity: (row: string, grid: Grid) => Float32Array | undefined;
  /** Everything is read, and its files are there. */
  readonly areFilesRead: () => boolean;
}

export class RowDensity {
  readonly #source: DensitySource;
  readonly #fine: FineDensity | undefined;

  /** @param files undefined: opened from the store without them */
  constructor(source: DensitySource, files: EventSource | undefined) {
    this.#source = source;
    this.#fine = files && new FineDensity(files);
  }

  /** Row by row; none of a row without density. */
  async of(rows: readonly string[], grid: Grid): Promise<Float32Array> {
    const all = new Float32Array(rows.length * grid.length);
    for (const host of new Set(rows.map(hostOfRow))) {
      const places = [...rows.keys()].filter((i) => hostOfRow(rows[i]) === host);
      const own = places.map((i) => rows[i]);
      const events = await this.#source.threadEvents(host);
      const counted = await this.#counted(host, own, events, grid);
      own.forEach((row, i) => {
        const buckets = counted?.subarray(i * grid.length, (i + 1) * grid.length);
        const kept = buckets ?? this.#kept(host, row, events, grid);
        if (kept !== undefined) all.set(kept, places[i] * grid.length);
      });
    }
    return all;
  }

  async #counted(host: number, rows: readonly string[], events: HostEvents | undefined, grid: Grid) {
    const { lengthNs, areFilesRead } = this.#source;
    if (grid.bucketNs >= lengthNs() / MOST_BUCKETS || !areFilesRead()) return undefined;
    return this.#fine?.count(host, rows, events, grid);
  }

  #kept(host: number, row: string, events: HostEvents | undefined, grid: Grid): Float32Array | undefined {
    const lanes = events && lanesOfRow(events, row);
    return lanes
      ? lanesDensity(events, lanes, this.#source.time.of(host), grid)
      : this.#source.packetDensity(row, grid);
  }
}
