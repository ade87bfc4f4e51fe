/**
 * Finds who runs on a CPU before its first switch: the thread that leaves in the switch has run since events of the
 * CPU are complete, that is from its first event or the end of a loss on. A forward pass learns it too late, so the
 * chunk results of the CPU's streams are searched ahead of the merge; the thread's mode follows from their system
 * call events and the switch.
 * Also finds lost switches: small events still fit into a buffer that has refused larger ones. If a system call comes
 * between the last switch, to a kernel thread, and a loss, a switch was already lost before that call.
 * Nothing reaches over a loss, and the search is bounded: a CPU that does not switch while `PATIENCE_BYTES` of the
 * host's packets are read is left unknown up to its switch, so that what waits for it fits into memory.
 */
import type {
  Concluded,
  LookAhead,
  PacketsAhead,
  ReducedHost,
  StreamAhead,
} from '../../../analysis/contract.ts';
import { createRunMerger, type RunMerger } from '../../../analysis/merge-runs.ts';
import { groupBy } from '../../../base/group-by.ts';
import { HIDES_CALLS, HIDES_SWITCHES } from '../../../trace/loss-subjects.ts';
import * as transitions from './transitions.ts';
import { EMPTY_CHUNK, type StateChunk } from './transitions.ts';

/** Bytes of packets searched for a switch; chunk results are about as large. */
const PATIENCE_BYTES = 128 * 1024 * 1024;

/** Replaces a mode if the event that shows it may have been lost. */
const CALL_LOST = 100;

/** Kind of the transition that was found: `T_START` or `T_LOST_EARLIER`. */
interface Found {
  readonly kind: number;
  /** HostNs. */
  readonly time: number;
  readonly cpu: number;
  readonly args: readonly number[];
  /** Text of a start; '' not known. */
  readonly name?: string;
}

/** The first system call event after a switch on its CPU. */
interface Call {
  /** HostNs of the event before. */
  readonly since: number;
  /** HostNs up to which a loss is awaited. */
  readonly limit: number;
}

export class StartFinder implements LookAhead<StateChunk> {
  readonly groups: number[] = [];
  readonly #groups: Group[] = [];
  readonly #groupOf: number[];
  /** Index of each stream in its group. */
  readonly #place: number[] = [];

  constructor(streams: readonly StreamAhead[], packets: PacketsAhead, host: Recorded) {
    const members = groupsOf(streams);
    this.#groupOf = streams.map(() => -1);
    for (const [group, numbers] of members.entries()) {
      const own = numbers.map((number) => streams[number]);
      this.#groups.push(new Group(own, packets, host));
      this.groups.push(Math.min(...own.map(({ order }) => order)));
      numbers.forEach((number, place) => {
        this.#groupOf[number] = group;
        this.#place[number] = place;
      });
    }
  }

  groupOf(stream: number): number {
    return this.#groupOf[stream];
  }

  put(stream: number, sequence: number, chunkResult: StateChunk, floor: number): void {
    this.#groups[this.#groupOf[stream]].put(this.#place[stream], sequence, chunkResult, floor);
  }

  conclude(group: number): Concluded<StateChunk> | undefined {
    return this.#groups[group].conclude();
  }
}

type Recorded = Pick<ReducedHost, 'recordsCalls' | 'losesSwitches'>;

/** Streams of one CPU in one recording; all streams of a recording if one of them does not give its CPU. */
function groupsOf(streams: readonly StreamAhead[]): number[][] {
  const kernel = [...streams.keys()].filter((number) => streams[number].domain === 'kernel');
  const mixed = new Set(
    kernel.filter((number) => streams[number].cpu < 0).map((number) => streams[number].recording),
  );
  const groups = groupBy(kernel, (number) => {
    const { recording, cpu } = streams[number];
    return mixed.has(recording) ? String(recording) : `${recording} ${cpu}`;
  });
  return [...groups.values()];
}

/** Reads the transitions of some streams in order, ahead of the merge of all. */
class Group {
  readonly #merger: RunMerger;
  readonly #packets: PacketsAhead;
  /** HostNs of the first packet of each stream. */
  readonly #begins: readonly number[];
  readonly #host: Recorded;
  readonly #isOneCpu: boolean;
  readonly #scans = new Map<number, CpuScan>();
  /** Scan of the previous transition. */
  #scan: CpuScan | undefined;
  /** Found but not yet returned, in order of time. */
  #found: Found[] = [];
  #until = -Infinity;

  constructor(streams: readonly StreamAhead[], packets: PacketsAhead, host: Recorded) {
    this.#packets = packets;
    this.#host = host;
    this.#isOneCpu = streams.every(({ cpu }) => cpu >= 0);
    this.#begins = streams.map(({ begin }) => (Number.isNaN(begin) ? -Infinity : begin));
    this.#merger = createRunMerger(
      streams,
      (stream, chunkResult, from, to) => this.#read(stream, chunkResult as StateChunk, from, to),
      undefined,
      // Chunk results belong to the other merger.
      () => undefined,
    );
  }

  put(place: number, sequence: number, chunkResult: StateChunk, floor: number): void {
    this.#merger.put(place, sequence, chunkResult, floor);
  }

  conclude(): Concluded<StateChunk> | undefined {
    const read = this.#merger.drain();
    let until = read;
    for (const scan of this.#scans.values()) until = Math.min(until, scan.waitsFrom(read));
    if (!(until > this.#until)) return undefined;
    this.#until = until;
    const certain = this.#found.filter(({ time }) => time <= until);
    this.#found = this.#found.filter(({ time }) => time > until);
    return { chunkResult: chunkResultOf(certain), until };
  }

  #read(stream: number, chunkResult: StateChunk, from: number, to: number): void {
    const { kind, cpu } = chunkResult;
    const follows = this.#host.losesSwitches === true && this.#host.recordsCalls;
    for (let i = from; i < to; i++) {
      let scan = this.#scan;
      if (!follows && this.#isOneCpu && to === chunkResult.length && scan?.isSettled === true) {
        // Only a loss ends the wait: most chunk results have none.
        i = kind.indexOf(transitions.T_LOSS, i);
        if (i < 0) return;
      }
      if (scan?.cpu !== cpu[i]) scan = this.#scan = this.#scanOf(cpu[i]);
      if (follows) this.#add(scan.follow(chunkResult, i));
      if (scan.isSettled && kind[i] !== transitions.T_LOSS) continue;
      if (cpu[i] < 0 && kind[i] === transitions.T_LOSS) {
        // An unknown CPU may be any.
        for (const each of this.#scans.values()) each.read(stream, chunkResult, i);
        continue;
      }
      this.#add(scan.read(stream, chunkResult, i));
    }
  }

  #scanOf(cpu: number): CpuScan {
    let scan = this.#scans.get(cpu);
    if (scan === undefined) {
      scan = new CpuScan(cpu, this.#begins, this.#packets, this.#host.recordsCalls);
      this.#scans.set(cpu, scan);
    }
    return scan;
  }

  #add(found: Found | undefined): void {
    if (found === undefined) return;
    let place = this.#found.length;
    while (place > 0 && this.#found[place - 1].time > found.time) place--;
    this.#found.splice(place, 0, found);
  }
}

/** Knowledge about one CPU since its events are complete. */
class CpuScan {
  readonly cpu: number;
  /** Whether the thread is known, or nothing will show it before the next loss. */
  isSettled = false;
  readonly #begins: readonly number[];
  readonly #packets: PacketsAhead;
  readonly #recordsCalls: boolean;
  /** HostNs; NaN: before the first event. */
  #begin = NaN;
  /** End of earlier losses, HostNs. */
  #lostUntil = -Infinity;
  /** HostNs up to which a switch is awaited, NaN not known yet. */
  #limit = NaN;
  /** First system call event since the begin and the first packet of each stream: 0 none, START_USER + 1, START_CALL + 1, CALL_LOST + 1. */
  readonly #calls: Uint8Array;
  /** Tid that the thread had before it took another one by an exec, -1 none. */
  #earlierTid = -1;
  /** HostNs of the last event since the last switch, inclusive; NaN: none is known. */
  #lastEvent = NaN;
  #firstCall: Call | undefined;

  constructor(cpu: number, begins: readonly number[], packets: PacketsAhead, recordsCalls: boolean) {
    this.cpu = cpu;
    this.#recordsCalls = recordsCalls;
    this.#begins = begins;
    this.#packets = packets;
    this.#calls = new Uint8Array(begins.length);
  }

  /** HostNs before which it will find nothing any more, once all is read up to `read`. */
  waitsFrom(read: number): number {
    const call = this.#firstCall;
    if (call !== undefined && (read === Infinity || read > call.limit)) this.#forgetSwitch();
    return Math.min(this.#waitsForStart(read), this.#firstCall?.since ?? Infinity);
  }

  #waitsForStart(read: number): number {
    if (this.isSettled || Number.isNaN(this.#begin)) return Infinity;
    if (read === Infinity || read > this.#reach()) this.isSettled = true;
    return this.isSettled ? Infinity : this.#begin;
  }

  /** Reads the next transition of the CPU; returns what follows from it. */
  read(stream: number, chunkResult: StateChunk, i: number): Found | undefined {
    const time = chunkResult.time[i];
    switch (chunkResult.kind[i]) {
      case transitions.T_BEGIN:
        if (Number.isNaN(this.#begin)) this.#begin = Math.max(time, this.#lostUntil);
        return undefined;
      case transitions.T_LOSS:
        this.#lose(chunkResult, i);
        return undefined;
      case transitions.T_CALL:
      case transitions.T_NUMBERED_CALL:
      case transitions.T_EXIT_CALL:
        this.#noteCall(time, transitions.START_USER);
        return undefined;
      case transitions.T_RETURN:
        this.#noteCall(time, transitions.START_CALL);
        return undefined;
      case transitions.T_EXEC:
        this.#noteExec(chunkResult, i);
        return undefined;
      case transitions.T_SWITCH:
        this.isSettled = true;
        return this.#startBefore(stream, chunkResult, i);
    }
    return undefined;
  }

  /** Follows a transition while switches are lost; returns a loss that began earlier than recorded. */
  follow({ time, kind, args, place }: StateChunk, i: number): Found | undefined {
    switch (kind[i]) {
      case transitions.T_BEGIN:
        return undefined;
      case transitions.T_SWITCH:
        this.#forgetSwitch();
        break;
      case transitions.T_LOSS: {
        const since = this.#firstCall?.since;
        this.#forgetSwitch();
        const own = args.slice(place[i], place[i] + 3);
        if (since === undefined || (own[2] & HIDES_SWITCHES) === 0) return undefined;
        return { kind: transitions.T_LOST_EARLIER, time: since, cpu: this.cpu, args: [...own] };
      }
      default:
        if (Number.isNaN(this.#lastEvent)) return undefined;
        if (IS_CALL.has(kind[i]) && this.#firstCall === undefined) {
          const limit = this.#packets.reach(this.#lastEvent, PATIENCE_BYTES);
          this.#firstCall = { since: this.#lastEvent, limit };
        }
    }
    this.#lastEvent = time[i];
    return undefined;
  }

  #forgetSwitch(): void {
    this.#lastEvent = NaN;
    this.#firstCall = undefined;
  }

  #lose({ time, args, place }: StateChunk, i: number): void {
    const end = Math.max(time[i], transitions.timeOfWords(args[place[i]], args[place[i] + 1]));
    const hidden = args[place[i] + 2];
    if ((hidden & HIDES_SWITCHES) === 0) {
      // The lost call may have been the first one.
      if ((hidden & HIDES_CALLS) !== 0) this.#noteCall(end, CALL_LOST);
      return;
    }
    // Losses of two streams may overlap.
    if (end > this.#lostUntil) this.#lostUntil = end;
    if (end > this.#begin) this.#begin = end;
    this.isSettled = false;
    this.#limit = NaN;
    this.#calls.fill(0);
    this.#earlierTid = -1;
  }

  #noteCall(time: number, mode: number): void {
    if (time < this.#begin || !this.#recordsCalls) return;
    for (let stream = 0; stream < this.#calls.length; stream++)
      if (this.#calls[stream] === 0 && time >= this.#begins[stream]) this.#calls[stream] = mode + 1;
  }

  #noteExec({ time, args, place }: StateChunk, i: number): void {
    const at = place[i];
    const [tid, oldTid] = [args[at], args[at + 2]];
    if (time[i] >= this.#begin && this.#earlierTid < 0 && oldTid !== transitions.ABSENT && oldTid !== tid)
      this.#earlierTid = oldTid;
  }

  #startBefore(stream: number, chunkResult: StateChunk, i: number): Found | undefined {
    const time = Math.max(this.#begin, this.#begins[stream]);
    if (!(chunkResult.time[i] > time) || chunkResult.time[i] > this.#reach()) return undefined;
    const { args, texts } = chunkResult;
    const at = chunkResult.place[i];
    if (args[at] === transitions.ABSENT) return undefined;
    const tid = this.#earlierTid < 0 ? args[at] : this.#earlierTid;
    if (tid === transitions.ABSENT) return undefined;
    const name = tid === args[at] && args[at + 3] >= 0 ? texts[args[at + 3]] : '';
    const leavesBlocked = (args[at + 2] & 0xff) !== 0;
    const untold = leavesBlocked ? transitions.START_KERNEL : transitions.START_LATE;
    const call = this.#calls[stream];
    const mode = call > 0 && call <= CALL_LOST ? call - 1 : untold;
    return { kind: transitions.T_START, time, cpu: this.cpu, args: [tid, mode], name };
  }

  #reach(): number {
    if (Number.isNaN(this.#limit)) this.#limit = this.#packets.reach(this.#begin, PATIENCE_BYTES);
    return this.#limit;
  }
}

/** Kinds of system call events. */
const IS_CALL: ReadonlySet<number> = new Set([
  transitions.T_CALL,
  transitions.T_NUMBERED_CALL,
  transitions.T_EXIT_CALL,
  transitions.T_RETURN,
]);

function chunkResultOf(found: readonly Found[]): StateChunk {
  if (found.length === 0) return EMPTY_CHUNK;
  const texts = [...new Set(found.map(({ name = '' }) => name).filter((name) => name !== ''))];
  return {
    ...EMPTY_CHUNK,
    length: found.length,
    time: Float64Array.from(found, ({ time }) => time),
    kind: Uint8Array.from(found, ({ kind }) => kind),
    cpu: Int32Array.from(found, ({ cpu }) => cpu),
    place: Uint32Array.from(found, (_, i) => 3 * i),
    args: Int32Array.from(
      found.flatMap(({ args, name }) => (name === undefined ? args : [...args, texts.indexOf(name)])),
    ),
    texts,
    historyText: new Int32Array(texts.length).fill(-1),
  };
}
