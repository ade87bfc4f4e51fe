/** Base classes of layers' reducers: one event after the other, in the total order of all streams of a host. */
import type { Reducer, TransitionChunk } from '../../analysis/contract.ts';
import { E_LOSS, E_SWITCH, type EventChunk } from './event-mapper.ts';
import { EventThreads, type KernelThreads } from './event-threads.ts';

/** Reducer whose result at any time is a valid final result. */
export abstract class LayerReducer<Chunk extends TransitionChunk, Result> implements Reducer<Chunk, Result> {
  /** HostNs of the present event; -Infinity: there was none. */
  protected now = -Infinity;

  run(chunk: Chunk, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      this.now = chunk.time[i];
      this.take(chunk, i);
    }
  }

  advance(): void {}

  abstract soFar(end: number): Result;

  finish(end: number): Result {
    return this.soFar(end);
  }

  protected abstract take(chunk: Chunk, i: number): void;
}

/** Reducer of events that happen in threads; tracks who runs on each CPU. */
export abstract class ThreadReducer<Chunk extends EventChunk, Result> extends LayerReducer<Chunk, Result> {
  protected readonly threads: EventThreads;

  /** @param kernel undefined: the host has no kernel trace */
  constructor(kernel: KernelThreads | undefined) {
    super();
    this.threads = new EventThreads(kernel);
  }

  protected take(chunk: Chunk, i: number): void {
    const { kind, cpu, place, args } = chunk;
    const at = place[i];
    if (kind[i] === E_SWITCH) this.threads.switchTo(cpu[i], args[at]);
    else if (kind[i] === E_LOSS) {
      if (args[at] === 0) this.threads.switchTo(cpu[i], -1);
      this.lose(cpu[i], args[at] === 1);
    } else this.event(chunk, i, at);
  }

  /** Handles a loss of events of programs, or of the kernel on a CPU. */
  protected lose(_cpu: number, _isOfPrograms: boolean): void {}

  /** Handles an event of the layer's own kinds; `at` is the index of its first argument. */
  protected abstract event(chunk: Chunk, i: number, at: number): void;
}
