/**
 * Rows of a trace whose events give their CPUs while its packets do not (`trace/event-cpus`): analyses treat the rows
 * of each CPU like those of a stream. Histories get them as packets of one CPU each, in their order; aggregates get a
 * batch for each CPU.
 */
import { createCounts } from '../ctf/decode/rows/class-counts.ts';
import { emptySpans } from '../ctf/decode/rows/packet-spans.ts';
import {
  lastTime,
  placeOf,
  losesBefore,
  losesWithin,
  missingSince,
  type DecodeRequest,
  type FieldWant,
  type PacketSpans,
  type Rows,
} from '../ctf/decode/rows/rows.ts';
import { CPU_FIELD } from '../trace/untold.ts';
import { keepRows } from './clip-rows.ts';
import type { EventBatch } from './contract.ts';

/** Ranks of streams are whole numbers, CPUs are less than this. */
const CPU_RANKS = 2 ** 32;

/** The request with further fields appended to each kind, so that the places of the others stay. */
export function withFields({ kinds }: DecodeRequest, more: readonly FieldWant[]): DecodeRequest {
  return { kinds: kinds.map((want) => ({ ...want, fields: [...want.fields, ...more] })) };
}

/**
 * CPU of each row; -1 where the row does not give it.
 * @param request by which the rows were decoded, with `CPU_FIELD`
 */
export function cpusOfRows({ length, kind, at, words }: Rows, request: DecodeRequest): Int32Array {
  const places = request.kinds.map((want) => placeOf(want, want.fields.lastIndexOf(CPU_FIELD)));
  const cpus = new Int32Array(length).fill(-1);
  for (let row = 0; row < length; row++) {
    const { bit, presence, offset } = places[kind[row]];
    if (((words[at[row] + presence] >>> bit) & 1) === 1) cpus[row] = words[at[row] + offset];
  }
  return cpus;
}

/**
 * The batch with a packet for each run of rows of one CPU. Losses of a packet lie before and after its runs, on CPU -1,
 * as they may have been on any.
 */
export function inRuns(batch: EventBatch, cpus: Int32Array): EventBatch {
  const { rows, packets } = batch;
  const { packet, firstRow } = runsOf(packets, cpus);
  const length = packet.length;
  const rowsOf = (run: number): number => firstRow[run + 1] - firstRow[run];
  const runs = {
    ...emptySpans(length),
    firstRow,
    events: Float64Array.from(packet, (_, run) => rowsOf(run)),
    firstEvent: Float64Array.from(packet, (_, run) => (rowsOf(run) > 0 ? rows.time[firstRow[run]] : NaN)),
    lastEvent: Float64Array.from(packet, (_, run) =>
      rowsOf(run) > 0 ? rows.time[firstRow[run + 1] - 1] : NaN,
    ),
    cpu: Int32Array.from(packet, (_, run) => (rowsOf(run) > 0 ? cpus[firstRow[run]] : -1)),
  };
  for (let run = 0; run < length; run++) {
    if (run === 0 || packet[run - 1] !== packet[run]) loseBefore(runs, run, packets, packet[run]);
    if (packet[run + 1] !== packet[run]) loseWithin(runs, run, packets, packet[run]);
  }
  // Compiled code finds texts by packet.
  const place = rows.place && {
    ...rows.place,
    textBase: Int32Array.from(packet, (from) => rows.place?.textBase[from] ?? 0),
  };
  return { ...batch, rows: { ...rows, place }, packets: runs };
}

/** Packet and first row of each run: the runs of a packet lie between two runs without rows. */
function runsOf({ length, firstRow }: PacketSpans, cpus: Int32Array) {
  const packet: number[] = [];
  const first: number[] = [];
  const begin = (of: number, row: number): void => {
    packet.push(of);
    first.push(row);
  };
  for (let of = 0; of < length; of++) {
    const [from, to] = [firstRow[of], firstRow[of + 1]];
    begin(of, from);
    for (let row = from; row < to; row++) if (row === from || cpus[row] !== cpus[row - 1]) begin(of, row);
    begin(of, to);
  }
  return { packet: Int32Array.from(packet), firstRow: Uint32Array.from([...first, cpus.length]) };
}

function loseBefore(runs: PacketSpans, run: number, packets: PacketSpans, packet: number): void {
  const { begin, end, events } = packets;
  runs.begin[run] = begin[packet];
  if (!losesBefore(packets, packet)) return;
  runs.previousEnd[run] = missingSince(packets, packet);
  runs.lostPackets[run] = 1;
  if (packets.discardedEvents[packet] > 0 && events[packet] === 0) runs.begin[run] = end[packet];
}

function loseWithin(runs: PacketSpans, run: number, packets: PacketSpans, packet: number): void {
  if (!losesWithin(packets, packet)) return;
  runs.begin[run] = lastTime(packets, packet);
  runs.end[run] = packets.end[packet];
  runs.damaged[run] = 1;
}

/**
 * A batch for each CPU that rows name, as if it were a stream; the first has all counts. Rows without a CPU are left
 * out.
 */
export function byCpu(batch: EventBatch, cpus: Int32Array): EventBatch[] {
  const none = createCounts(batch.counts.events.length);
  const numbers = [...new Set(cpus)].filter((cpu) => cpu >= 0).sort((a, b) => a - b);
  if (numbers.length === 0) numbers.push(-1);
  return numbers.map((cpu, i) => {
    const kept = keepRows(batch, (row) => cpus[row] === cpu);
    const { firstRow } = kept.packets;
    return {
      ...kept,
      cpu,
      streamRank: batch.streamRank + (cpu + 1) / CPU_RANKS,
      counts: i === 0 ? batch.counts : none,
      packets: {
        ...kept.packets,
        events: kept.packets.events.map((_, packet) => firstRow[packet + 1] - firstRow[packet]),
        cpu: new Int32Array(kept.packets.length).fill(cpu),
      },
    };
  });
}
