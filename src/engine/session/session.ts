/**
 * One open experiment: reads it with the driver or opens it from the store (`opener.ts`), and answers the page's
 * questions. Runs in the session worker; what differs between environments comes in as `SessionEnvironment`.
 */
import type { GuestChoice } from '../graph/guests.ts';
import type { SourceRef } from '../io/byte-source.ts';
import type { ClockSettings } from '../sync/host-clocks.ts';
import type { Given, OpenOptions, RecentTrace, SessionApi, UpdateListener } from './api.ts';
import type { SessionEnvironment, SessionStore } from './environment.ts';
import type { HostHistory } from './host-history.ts';
import { callInfo, intervalInfo, neighbourInfo } from './interval-info.ts';
import { Opener } from './opener.ts';
import type { OverlayDefinition } from './overlays/overlay-api.ts';
import type { PathRequest } from './paths/path-api.ts';
import type { RangeRequest } from './range.ts';
import { loadOf } from './rows/load.ts';
import { gridOf, tileOf } from './rows/tiles.ts';
import { NO_CPU_STATS } from './statistics/cpu-stats.ts';
import { NO_DURATION } from './statistics/duration-stat.ts';
import type { TraceSummary } from './stored-trace.ts';

/** What is answered while nothing is open. */
const NOTHING = {
  cpu: NO_CPU_STATS,
  counts: { approximate: false, events: [] },
  io: { threads: [], files: [], disks: [], errors: [], missing: [] },
  sched: { threads: [], woken: NO_DURATION, preempted: NO_DURATION, missing: [] },
  irq: { approximate: false, interrupts: [], cpus: [], missing: [] },
  calls: { approximate: false, calls: [], threads: [], pairs: [], missing: [] },
};

export class Session implements SessionApi {
  readonly #store: Promise<SessionStore>;
  readonly #opener: Opener;

  constructor(environment: SessionEnvironment) {
    this.#store = environment.openStore();
    this.#opener = new Opener(environment, this.#store);
  }

  look(given: Given, onUpdate: UpdateListener) {
    return this.#opener.look(given, onUpdate);
  }

  dismiss() {
    return this.#opener.dismiss();
  }

  open(given: Given, options: OpenOptions, onUpdate: UpdateListener) {
    return this.#opener.open(given, options, onUpdate);
  }

  reopen(key: string, onUpdate: UpdateListener, clocks?: ClockSettings) {
    return this.#opener.reopen(key, onUpdate, clocks);
  }

  connect(files: readonly SourceRef[], clocks?: ClockSettings) {
    return this.#opener.connect(files, clocks);
  }

  cancel() {
    return this.#opener.cancel();
  }

  close() {
    return this.#opener.close();
  }

  async recent(): Promise<readonly RecentTrace[]> {
    const { store } = await this.#store;
    await this.#opener.ended();
    const kept = (await store.list()).filter(({ complete }) => complete);
    return kept.map(({ key, name, opened, bytes, info }) => {
      return { key, name, openedMs: opened, bytes, ...(info as TraceSummary) };
    });
  }

  async forget(key: string) {
    await (await this.#store).store.delete(key);
  }

  async storage() {
    const { store, fault, estimate } = await this.#store;
    const kind: 'indexeddb' | 'memory' = store.kind === 'indexeddb' ? 'indexeddb' : 'memory';
    return { kind, fault: fault(), ...(await estimate()) };
  }

  async tile(index: number, attributes: readonly number[], from: number, to: number, bucketNs: number) {
    const host = await this.#host(index);
    return tileOf(host?.query, host?.clock, { attributes, from, to, bucketNs });
  }

  async overlayTile(
    index: number,
    attributes: readonly number[],
    from: number,
    to: number,
    bucketNs: number,
  ) {
    const host = await this.#host(index);
    const overlay = this.#opener.overlays?.hosts.find((other) => other.index === index);
    return tileOf(overlay?.query, host?.clock, { attributes, from, to, bucketNs });
  }

  async load(index: number, attributes: readonly number[], from: number, to: number, bucketNs: number) {
    const host = await this.#host(index);
    const grid = gridOf(from, to, bucketNs);
    return host === undefined ? new Float32Array(grid.length).fill(NaN) : loadOf(host, attributes, grid);
  }

  async density(rows: readonly string[], from: number, to: number, bucketNs: number) {
    const grid = gridOf(from, to, bucketNs);
    const trace = await this.#opener.trace();
    return (await trace?.density(rows, grid)) ?? new Float32Array(rows.length * grid.length);
  }

  async interval(row: string, timeNs: number) {
    if (isOverlay(row)) return this.#opener.overlays?.interval(row, timeNs);
    const host = await this.#host(hostOfRow(row));
    return host && intervalInfo(host, row, timeNs);
  }

  async call(row: string, timeNs: number) {
    const host = await this.#host(hostOfRow(row));
    return host && callInfo(host, row, timeNs);
  }

  async neighbour(row: string, timeNs: number, direction: -1 | 1) {
    if (isOverlay(row)) return this.#opener.overlays?.interval(row, timeNs, direction);
    const host = await this.#host(hostOfRow(row));
    return host && neighbourInfo(host, row, timeNs, direction);
  }

  async moved(row: string, timeNs: number) {
    return (await this.#opener.trace())?.time.moved(hostOfRow(row), timeNs) ?? timeNs;
  }

  async cpuStats(range: RangeRequest | undefined) {
    return (await this.#opener.trace())?.cpu(range) ?? NOTHING.cpu;
  }

  async countStats(range: RangeRequest | undefined) {
    return (await this.#opener.trace())?.counts(range) ?? NOTHING.counts;
  }

  async ioStats(range: RangeRequest | undefined) {
    return (await this.#opener.trace())?.io(range) ?? NOTHING.io;
  }

  async schedStats(range: RangeRequest | undefined) {
    return (await this.#opener.trace())?.sched(range) ?? NOTHING.sched;
  }

  async irqStats(range: RangeRequest | undefined) {
    return (await this.#opener.trace())?.irq(range) ?? NOTHING.irq;
  }

  async callStats(range: RangeRequest | undefined) {
    return (await this.#opener.trace())?.calls(range) ?? NOTHING.calls;
  }

  async path(request: PathRequest) {
    return (await this.#opener.trace())?.path(request);
  }

  async pathParts(request: PathRequest) {
    return (await this.#opener.trace())?.pathParts(request);
  }

  async sync(guests?: readonly GuestChoice[]) {
    return (await this.#opener.trace())?.syncInfo(guests);
  }

  async eventsAround(timeNs: number, limit: number, row?: string) {
    return (await this.#opener.trace())?.eventsAround(timeNs, limit, row) ?? [];
  }

  async overlays() {
    return Promise.resolve(this.#opener.overlays?.info());
  }

  async changeOverlays(definitions: readonly OverlayDefinition[]) {
    const { overlays } = this.#opener;
    const isChanged = await overlays?.change(definitions);
    if (isChanged && this.#opener.overlays === overlays) this.#opener.sendRows();
    return overlays?.info();
  }

  async #host(index: number): Promise<HostHistory | undefined> {
    return (await this.#opener.trace())?.hosts.find((host) => host.index === index);
  }
}

function isOverlay(row: string): boolean {
  return row.startsWith('overlay:');
}

/** Row ids are `KIND:HOST:…`. */
function hostOfRow(row: string): number {
  return Number(row.split(':')[1]);
}
