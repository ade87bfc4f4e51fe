/**
 * Rows of one chunk → transitions: the rows by the rules of `state-rules.ts`; the places where events were lost; and
 * the merge key, the greatest time so far in the chunk. Keeps no state of the kernel: what an event means for threads
 * is the reducer's.
 */
import type { EventBatch, EventMap } from '../../../analysis/contract.ts';
import { readBy } from '../../../analysis/read-packets.ts';
import { assert } from '../../../base/assert.ts';
import {
  earliestTime,
  lastTime,
  losesBefore,
  losesWithin,
  missingSince,
} from '../../../ctf/decode/rows/rows.ts';
import type { PacketSpans } from '../../../ctf/decode/rows/rows.ts';
import { type ChunkReader, ChunkReaders } from '../../../analysis/compiled/chunk-reader.ts';
import { hiddenBy } from '../../../trace/loss-subjects.ts';
import { type RowMapper, RuleRunner } from './rule-runner.ts';
import { STATE_KINDS } from './state-rules.ts';
import * as transitions from './transitions.ts';
import type { LeafWriter, StateChunk } from './transitions.ts';

export const kernelStateMap: EventMap<StateChunk> = {
  id: 'kernel-state',
  reads: { kinds: STATE_KINDS },
  ...readBy((plan) => stateReaders(new RuleRunner(plan))),
};

/** @internal */
export function stateReaders(mapper: RowMapper): ChunkReaders<StateChunk, StateChunk> {
  return new ChunkReaders(new StateReader(mapper), (_batch, leaf) => leaf, transitions.EMPTY_LEAF);
}

interface Window {
  readonly cpu: number;
  last: number;
}

/** Gives the leaf of one chunk after the other. */
class StateReader implements ChunkReader<StateChunk> {
  readonly #mapper: RowMapper;
  readonly #windows = new Map<number, Window>();
  #packets: PacketSpans | undefined;
  /** HIDES_* bits of a loss in the stream. */
  #hidden = 0;

  constructor(mapper: RowMapper) {
    this.#mapper = mapper;
  }

  start(batch: EventBatch, scale: number): boolean {
    this.#packets = batch.packets;
    this.#hidden = hiddenBy(batch.eventClasses);
    this.#windows.clear();
    return this.#mapper.start(batch, scale);
  }

  read(packet: number): boolean {
    const packets = this.#packets;
    assert(packets !== undefined, 'a chunk was begun');
    const { writer } = this.#mapper;
    writeLossBefore(writer, packets, packet, this.#hidden);
    writer.keyOf(earliestTime(packets, packet));
    const cpu = packets.cpu[packet];
    // Of an unknown CPU nobody can say who ran there, nor who was woken there by whom.
    if (cpu >= 0) {
      if (packets.events[packet] > 0) this.#widenWindow(writer, packets, packet);
      const [from, to] = [packets.firstRow[packet], packets.firstRow[packet + 1]];
      if (!this.#mapper.run(packet, from, to, cpu)) return false;
    }
    writeLossWithin(writer, packets, packet, this.#hidden);
    return true;
  }

  finish(): StateChunk {
    const { texts, packets } = this.#mapper.finish();
    const { length, time, kind, cpu, place, args, memory } = this.#mapper.writer.columns();
    const historyText = new Int32Array(texts.length).fill(-1);
    const windows = [...this.#windows.values()];
    // Named one by one: what is spread would have one shape in this leaf and another in the next.
    return { length, time, kind, cpu, place, args, memory, texts, packets, historyText, windows };
  }

  /** A CPU exists from its first event on. */
  #widenWindow(writer: LeafWriter, packets: PacketSpans, packet: number): void {
    const cpu = packets.cpu[packet];
    const last = packets.lastEvent[packet];
    const window = this.#windows.get(cpu);
    if (window === undefined) {
      const out = writer.append(writer.now, transitions.T_BEGIN, cpu);
      writer.args[out] = this.#windows.size;
      this.#windows.set(cpu, { cpu, last });
    } else window.last = Math.max(window.last, last);
  }
}

/** Losses between the packet before and a packet's first event. Of one that reports them and has none: its end. */
function writeLossBefore(writer: LeafWriter, packets: PacketSpans, packet: number, hidden: number): void {
  if (!losesBefore(packets, packet)) return;
  const from = missingSince(packets, packet);
  const empty = packets.discardedEvents[packet] > 0 && packets.events[packet] === 0;
  const to = empty ? packets.end[packet] : packets.begin[packet];
  if (!Number.isNaN(from)) writeLoss(writer, packets.cpu[packet], from, to, hidden);
}

/** Losses between the last event of the packet that reports them, or is damaged, and its end. */
function writeLossWithin(writer: LeafWriter, packets: PacketSpans, packet: number, hidden: number): void {
  if (!losesWithin(packets, packet)) return;
  const from = lastTime(packets, packet);
  if (!Number.isNaN(from)) writeLoss(writer, packets.cpu[packet], from, packets.end[packet], hidden);
}

function writeLoss(writer: LeafWriter, cpu: number, from: number, to: number, hidden: number): void {
  const begin = writer.keyOf(from);
  const end = to > begin ? to : begin;
  const out = writer.append(begin, transitions.T_LOSS, cpu);
  writer.args[out] = end | 0;
  writer.args[out + 1] = Math.floor(end / 0x1_0000_0000);
  writer.args[out + 2] = hidden;
}
