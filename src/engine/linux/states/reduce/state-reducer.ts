/**
 * Transitions of all CPUs in total order → the state history of a host. Sequential; the file of its subject handles
 * each transition, this one only orders them.
 */
import type { ReducedHost, Reducer } from '../../../analysis/contract.ts';
import type { HistorySink } from '../../../history/types.ts';
import { directionOf, flagsOfLetters, STATE_KERNEL } from '../../events/values.ts';
import {
  HIDES_CALLS,
  HIDES_INTERRUPTS,
  HIDES_REQUESTS,
  HIDES_SWITCHES,
} from '../../../trace/loss-subjects.ts';
import { isSignalReturn } from '../../../trace/event-kinds.ts';
import { nameInDump, nameOfProgram, textOf, textOfChunk } from '../map/kernel-texts.ts';
import * as transitions from '../map/transitions.ts';
import { EMPTY_CHUNK, type StateChunk } from '../map/transitions.ts';
import { onKnownStart, type KnownStart, onSwitch, type Switch } from './switches.ts';
import * as cpuStates from './cpu-states.ts';
import type { Frame } from './cpu-states.ts';
import { HAS_KNOWN_PACKET, HAS_PACKET, HAS_REQUEST, noteWork } from './cpu-table.ts';
import type { RequestStep } from './disk-requests.ts';
import { createKernelModel, moveTo, type KernelModel } from './kernel-model.ts';
import { kernelTables, kernelTablesSoFar, type ReducedTables } from './kernel-tables.ts';
import { nextLifeOf, onExec, onExit, onFork, onFree, onProcessDump } from './lives.ts';
import { loseLate } from './late-log.ts';
import { addLoss, type LossPiece, overlapsLoss } from './losses.ts';
import { loseRunnable, loseUnseen } from './lost-runs.ts';
import { PACKET_RECEIVED, PACKET_SENT } from './packet-rows.ts';
import { noteSoftirqWait } from './softirq-rows.ts';
import { forgetAllFrames } from './suspended-softirqs.ts';
import { beginRecording } from './recordings.ts';
import { beginCall, endCall, isBlocked, returnFromCall, setLastCpu, threadOf } from './thread-states.ts';
import { CALLED, CALLED_WHOLE, findThread, IN_CALL, learn, threadCount } from './thread-table.ts';
import { onWakeUp, type WakeUp } from './wake-ups.ts';
import { createWasmReducer } from './wasm-reducer.ts';

/**
 * A class with the time as a field of the model: numbers other than small integers cost an allocation each time they
 * are kept in a closure's variable or passed to a function that is not inlined.
 */
export class StateReducer implements Reducer<StateChunk, ReducedTables> {
  readonly #kernel: KernelModel;
  /** HostNs at which later recordings begin. */
  readonly #recordings: number[];
  // One object of each, reused: events must not cost an allocation.
  readonly #switch: Switch = {
    prevTid: 0,
    nextTid: 0,
    prevState: 0,
    prevName: -1,
    nextName: -1,
    prevPid: -1,
  };
  readonly #frame: Frame = { kind: 0, id: 0, id2: 0, name: -1, ret: -1 };
  readonly #wakeUp: WakeUp = { tid: 0, target: -1, name: -1, waking: false };
  /** Merges chunk results, with frequent transitions in compiled code; undefined: there is none. */
  readonly merge: Reducer<StateChunk>['merge'];
  /** The history's indices of the present chunk result's texts. */
  #known: Pick<StateChunk, 'historyText'> = EMPTY_CHUNK;
  /** Losses that may hide switches and have not ended, in order of their ends. */
  readonly #openPieces: LossPiece[] = [];
  /** Losses that begin after the present time's events if the CPU's thread is a kernel thread. */
  readonly #earlier: LossPiece[] = [];
  /** Ends of losses that have begun early and whose recorded transition is still to come, by number of the CPU. */
  readonly #begun = new Map<number, number>();
  /** Last `T_START` of each CPU. */
  readonly #starts = new Map<number, KnownStart & { readonly time: number }>();
  /** Row of the previous transition's CPU, -1 none. */
  #cpu = -1;

  constructor(sink: HistorySink, host: ReducedHost) {
    this.#kernel = createKernelModel(sink, host);
    this.#recordings = [...(host.recordings ?? [])];
    // Recordings of one program are rare, and only TypeScript handles what they leave open.
    if (this.#kernel.program !== undefined) return;
    const compiled = createWasmReducer(this.#kernel, {
      stopAt: () =>
        Math.min(
          this.#recordings.at(0) ?? Infinity,
          this.#openPieces.at(0)?.to ?? Infinity,
          this.#earlier.at(0)?.from ?? Infinity,
        ),
      pass: (chunkResult, i, known) => {
        this.#known = known;
        this.#pass(chunkResult, i);
      },
    });
    if (compiled !== undefined) this.merge = (chunkResults, limit) => compiled.merge(chunkResults, limit);
  }

  run(chunkResult: StateChunk, from: number, to: number): void {
    this.#known = chunkResult;
    for (let i = from; i < to; i++) this.#pass(chunkResult, i);
  }

  advance(): void {
    // All calls take effect at once: nothing is held back here.
  }

  soFar(end: number): ReducedTables {
    return kernelTablesSoFar(this.#kernel, Math.max(this.#kernel.now, end));
  }

  finish(end: number): ReducedTables {
    const kernel = this.#kernel;
    this.#passEnds(end);
    if (end > kernel.now) moveTo(kernel, end);
    markLossyWaits(kernel);
    return kernelTables(kernel, kernel.now);
  }

  /** Row of a CPU; mostly that of the previous transition. */
  #cpuAt(number: number): number {
    if (this.#cpu < 0 || this.#kernel.cpus.number[this.#cpu] !== number)
      this.#cpu = cpuStates.cpuOf(this.#kernel, number);
    return this.#cpu;
  }

  #pass(chunkResult: StateChunk, i: number): void {
    const kernel = this.#kernel;
    const time = chunkResult.time[i];
    if (this.#earlier.length > 0) this.#beginEarlier(({ from }) => from < time);
    if (this.#openPieces.length > 0) this.#passEnds(time);
    if (this.#recordings.length > 0) this.#passBegin(time);
    // Merge key: a chunk whose times begin before its stream's greatest time continues there.
    if (time > kernel.now) moveTo(kernel, time);
    this.#step(chunkResult, i);
  }

  #textOf(chunkResult: StateChunk, index: number): number {
    return textOfChunk(this.#kernel.texts, chunkResult, this.#known, index);
  }

  #step(chunkResult: StateChunk, i: number): void {
    const kernel = this.#kernel;
    const at = chunkResult.place[i];
    const { args } = chunkResult;
    const kind = chunkResult.kind[i];
    if (kind === transitions.T_LOSS) {
      this.#stepLoss(chunkResult, at, chunkResult.cpu[i]);
      return;
    }
    const cpu = this.#cpuAt(chunkResult.cpu[i]);
    switch (kind) {
      case transitions.T_SWITCH:
        this.#stepSwitch(chunkResult, at, cpu);
        break;
      case transitions.T_CALL:
      case transitions.T_NUMBERED_CALL:
      case transitions.T_EXIT_CALL:
      case transitions.T_RETURN:
        if (this.#earlier.length > 0) this.#beginEarlier((piece) => piece.cpu === chunkResult.cpu[i]);
        if (kernel.recordsCalls && isThread(kernel, cpu)) this.#stepCall(chunkResult, at, cpu, kind);
        break;
      case transitions.T_ENTER:
      case transitions.T_LEAVE:
        this.#stepInterrupt(chunkResult, at, cpu, kind === transitions.T_ENTER);
        break;
      case transitions.T_WAKEUP_NEW:
      case transitions.T_WAKING:
      case transitions.T_WAKEUP:
        this.#stepWakeUp(chunkResult, at, cpu, kind);
        break;
      case transitions.T_RAISE:
        cpuStates.raiseSoftirq(kernel, cpu, args[at]);
        break;
      case transitions.T_SENT:
      case transitions.T_RECEIVED:
        this.#stepPacket(chunkResult, args[at], cpu, kind);
        break;
      case transitions.T_INSERT:
      case transitions.T_ISSUE:
      case transitions.T_REQUEUE:
      case transitions.T_COMPLETE:
      case transitions.T_MERGE:
        this.#stepRequest(chunkResult, at, cpu, kind);
        break;
      case transitions.T_GUEST_ENTRY:
        if (isThread(kernel, cpu) && args[at] !== transitions.ABSENT)
          kernel.threads.vcpu[kernel.cpus.current[cpu]] = args[at];
        cpuStates.setGuest(kernel, cpu, true);
        break;
      case transitions.T_GUEST_EXIT:
        cpuStates.setGuest(kernel, cpu, false);
        break;
      default:
        this.#stepRarely(chunkResult, kind, at, cpu);
    }
  }

  #stepCall(chunkResult: StateChunk, at: number, cpu: number, kind: number): void {
    const kernel = this.#kernel;
    const { args } = chunkResult;
    const thread = kernel.cpus.current[cpu];
    noteCall(kernel, thread, kind !== transitions.T_RETURN);
    if (kind === transitions.T_RETURN) returnFromCall(kernel, thread);
    else if (kind === transitions.T_EXIT_CALL) beginCall(kernel, thread, textOf(kernel.texts, 'exit'));
    else if (kind === transitions.T_NUMBERED_CALL && isSignalReturn(args[at + 1], args[at + 2] === 1))
      endCall(kernel, thread);
    else {
      const name = this.#textOf(chunkResult, args[at]);
      beginCall(kernel, thread, name >= 0 ? name : textOf(kernel.texts, `call ${args[at + 1]}`));
    }
    cpuStates.refreshCpu(kernel, cpu);
  }

  #stepSwitch(chunkResult: StateChunk, at: number, cpu: number): void {
    const { args } = chunkResult;
    const event = this.#switch;
    event.prevTid = args[at];
    event.nextTid = args[at + 1];
    event.prevState = args[at + 2];
    event.prevName = this.#textOf(chunkResult, args[at + 3]);
    event.nextName = this.#textOf(chunkResult, args[at + 4]);
    event.prevPid = args[at + 5];
    onSwitch(this.#kernel, cpu, event);
  }

  #stepInterrupt(chunkResult: StateChunk, at: number, cpu: number, enters: boolean): void {
    const { args } = chunkResult;
    const frame = this.#frame;
    const name = this.#textOf(chunkResult, args[at + 3]);
    frame.kind = args[at];
    frame.id = args[at] === transitions.FRAME_VECTOR ? name : args[at + 1];
    frame.id2 = args[at + 2];
    frame.name = name;
    frame.ret = !enters && frame.kind === transitions.FRAME_IRQ ? args[at + 4] : transitions.ABSENT;
    if (enters) cpuStates.enterInterrupt(this.#kernel, cpu, frame);
    else cpuStates.leaveInterrupt(this.#kernel, cpu, frame);
  }

  #stepWakeUp(chunkResult: StateChunk, at: number, cpu: number, kind: number): void {
    const kernel = this.#kernel;
    const { args } = chunkResult;
    const event = this.#wakeUp;
    event.tid = args[at];
    event.target = args[at + 1];
    event.name = this.#textOf(chunkResult, args[at + 2]);
    event.waking = kind === transitions.T_WAKING;
    if (kind !== transitions.T_WAKEUP_NEW) kernel.cpus.seen.wakeUps[0] = 1;
    if (kind === transitions.T_WAKEUP_NEW && event.tid !== 0) {
      nextLifeOf(kernel, threadOf(kernel, event.tid), 'wakeup_new of a dead thread: new incarnation');
    }
    onWakeUp(kernel, cpu, event);
  }

  #stepPacket(chunkResult: StateChunk, index: number, cpu: number, kind: number): void {
    const { packets, softirqs, now, cpus } = this.#kernel;
    const direction = kind === transitions.T_SENT ? PACKET_SENT : PACKET_RECEIVED;
    if (kind === transitions.T_RECEIVED && index !== transitions.PACKET_IS_QUEUED)
      noteWork(cpus, cpu, index >= 0 ? HAS_PACKET | HAS_KNOWN_PACKET : HAS_PACKET);
    if (index < 0) return;
    if (kind === transitions.T_RECEIVED) noteSoftirqWait(softirqs, cpus, cpu);
    packets.add(now, direction, cpus, cpu, chunkResult, index);
  }

  #stepRequest(chunkResult: StateChunk, at: number, cpu: number, kind: number): void {
    const { args } = chunkResult;
    const { requests, threads, cpus, texts } = this.#kernel;
    const tid = args[at + 4];
    const letters = this.#textOf(chunkResult, args[at + 6]);
    const flags = letters >= 0 ? flagsOfLetters(texts.text[letters]) : args[at + 5];
    if (kind === transitions.T_COMPLETE) noteWork(cpus, cpu, HAS_REQUEST);
    requests[STEPS_OF_REQUESTS[kind]]({
      device: args[at],
      sector: transitions.wideOf(args[at + 1], args[at + 2]),
      sectors: args[at + 3],
      direction: directionOf(flags, args[at + 3]),
      thread: tid > 0 ? findThread(threads, tid) : cpus.current[cpu],
    });
  }

  /** Handles a loss, which makes unknown what it may hide; one on an unknown CPU may have been on any. */
  #stepLoss({ args }: StateChunk, at: number, number: number): void {
    const end = Math.max(this.#kernel.now, transitions.timeOfWords(args[at], args[at + 1]));
    if (this.#begun.get(number) === end) this.#begun.delete(number);
    else this.#lose(number, end, args[at + 2]);
  }

  #lose(number: number, end: number, hidden: number): void {
    const kernel = this.#kernel;
    const { now, losses, cpus } = kernel;
    const hides = (bits: number) => (hidden & bits) !== 0;
    const first = number < 0 ? 0 : this.#cpuAt(number);
    const last = number < 0 ? cpus.length - 1 : first;
    for (let cpu = first; cpu <= last; cpu++) {
      addLoss(losses, cpus.number[cpu], now, end, hidden);
      if (hides(HIDES_INTERRUPTS)) cpuStates.forgetInterrupts(kernel, cpu);
      if (hides(HIDES_SWITCHES)) cpuStates.forgetThread(kernel, cpu);
      else if (hides(HIDES_CALLS)) cpuStates.forgetCall(kernel, cpu);
      cpuStates.refreshCpu(kernel, cpu);
    }
    if (hides(HIDES_INTERRUPTS)) forgetAllFrames(kernel);
    if (hides(HIDES_REQUESTS)) kernel.requests.lose();
    if (hides(HIDES_SWITCHES | HIDES_CALLS))
      for (const thread of loseLate(kernel)) refreshThread(kernel, thread);
    if (!hides(HIDES_SWITCHES)) return;
    loseRunnable(kernel);
    this.#expectEnd(losses.pieces.at(-1));
    // Losses without length, after which the CPU's thread is known.
    for (let cpu = first; cpu <= last; cpu++) if (this.#starts.get(cpu)?.time === now) this.#start(cpu);
  }

  /** Handles transitions that happen once in a thread's life or not in every trace. */
  #stepRarely(chunkResult: StateChunk, kind: number, at: number, cpu: number): void {
    const kernel = this.#kernel;
    const { args } = chunkResult;
    const text = (index: number) => this.#textOf(chunkResult, index);
    switch (kind) {
      case transitions.T_BEGIN: {
        noteWindow(kernel, cpu, chunkResult.windows[args[at]].last);
        break;
      }
      case transitions.T_MIGRATE:
        onMigrate(kernel, args[at], args[at + 1]);
        break;
      case transitions.T_FORK: {
        const [parentTid, childTid, parentPid, childPid] = args.subarray(at, at + 4);
        onFork(kernel, { parentTid, childTid, parentPid, childPid, name: text(args[at + 4]) });
        break;
      }
      case transitions.T_EXEC:
        if (args[at] !== transitions.ABSENT)
          onExec(kernel, cpu, args[at], args[at + 2], nameOfProgram(kernel.texts, text(args[at + 1])));
        break;
      case transitions.T_SIGNAL: {
        const [tid, group, result] = args.subarray(at, at + 3);
        const thread = tid > 0 && group === 0 && result === 0 ? findThread(kernel.threads, tid) : -1;
        // It does not count as a mention of a thread.
        if (thread >= 0) kernel.threads.signalled[thread] = 1;
        break;
      }
      case transitions.T_DELIVER:
        if (kernel.cpus.current[cpu] >= 0) kernel.threads.signalled[kernel.cpus.current[cpu]] = 0;
        break;
      case transitions.T_EXIT:
        onExit(kernel, args[at]);
        break;
      case transitions.T_FREE:
        onFree(kernel, args[at]);
        break;
      case transitions.T_PROCESS: {
        const [tid, pid, ppid, type] = args.subarray(at, at + 4);
        const name = nameInDump(kernel.texts, text(args[at + 4]));
        onProcessDump(kernel, { tid, pid, ppid, type, name });
        break;
      }
      case transitions.T_PARENT: {
        // A fork in the recording has a kernel event of its own.
        if (args[at + 3] !== 0 || args[at + 4] !== 0) break;
        const [tid, pid, parent] = args.subarray(at, at + 3);
        const ppid = parent === pid ? transitions.ABSENT : parent;
        onProcessDump(kernel, { tid, pid, ppid, type: transitions.ABSENT, name: transitions.ABSENT });
        break;
      }
      case transitions.T_START: {
        const [tid, mode] = args.subarray(at, at + 2);
        this.#starts.set(cpu, { time: kernel.now, tid, mode, name: text(args[at + 2]) });
        this.#start(cpu);
        break;
      }
      case transitions.T_LOST_EARLIER: {
        const to = transitions.timeOfWords(args[at], args[at + 1]);
        this.#earlier.push({ cpu: kernel.cpus.number[cpu], from: kernel.now, to, hidden: args[at + 2] });
        break;
      }
      case transitions.T_FREQUENCY:
        setFrequency(kernel, cpuStates.cpuOf(kernel, args[at]), args[at + 1]);
        break;
    }
  }

  #start(cpu: number): void {
    const start = this.#starts.get(cpu);
    if (start !== undefined) onKnownStart(this.#kernel, cpu, start);
  }

  /** Begins losses earlier than their packets say if a kernel thread seems to run, which makes no calls. */
  #beginEarlier(isDue: (piece: LossPiece) => boolean): void {
    const { cpus, threads } = this.#kernel;
    for (let i = this.#earlier.findIndex(isDue); i >= 0; i = this.#earlier.findIndex(isDue)) {
      const [{ cpu, to, hidden }] = this.#earlier.splice(i, 1);
      const thread = cpus.current[this.#cpuAt(cpu)];
      if (thread < 0 || threads.mode[thread] !== STATE_KERNEL) continue;
      this.#begun.set(cpu, to);
      this.#lose(cpu, to, hidden);
    }
  }

  /** Notes the begin of a loss that may hide switches. */
  #expectEnd(piece: LossPiece | undefined): void {
    if (piece === undefined || piece.to <= this.#kernel.now) return;
    const pieces = this.#openPieces;
    const place = pieces.findLastIndex(({ to }) => to <= piece.to) + 1;
    pieces.splice(place, 0, piece);
  }

  /** Handles the ends of losses before `time` (HostNs). */
  #passEnds(time: number): void {
    const kernel = this.#kernel;
    for (let piece = this.#openPieces.at(0); piece !== undefined && piece.to < time;) {
      if (piece.to > kernel.now) moveTo(kernel, piece.to);
      loseUnseen(kernel, piece);
      this.#openPieces.shift();
      piece = this.#openPieces.at(0);
    }
  }

  /** Begins the next recording once it is reached. */
  #passBegin(time: number): void {
    const begins = this.#recordings;
    if (time < begins[0]) return;
    // A recording without events is skipped with the next one.
    while (begins.length > 0 && begins[0] <= time) begins.shift();
    this.#starts.clear();
    this.#openPieces.length = this.#earlier.length = 0;
    this.#begun.clear();
    beginRecording(this.#kernel, time);
  }
}

const STEPS_OF_REQUESTS: Readonly<Record<number, RequestStep>> = {
  [transitions.T_INSERT]: 'insert',
  [transitions.T_ISSUE]: 'issue',
  [transitions.T_REQUEUE]: 'requeue',
  [transitions.T_COMPLETE]: 'complete',
  [transitions.T_MERGE]: 'merge',
};

/** Notes the begin or return of a call, which proves that the thread is a program's. */
function noteCall({ threads, now }: KernelModel, thread: number, begins: boolean): void {
  const evidence = threads.evidence[thread];
  if ((evidence & CALLED_WHOLE) !== 0) return;
  const isWhole = !begins && (evidence & IN_CALL) !== 0;
  threads.evidence[thread] &= ~IN_CALL;
  learn(threads, thread, CALLED | (begins ? IN_CALL : isWhole ? CALLED_WHOLE : 0), now);
}

/** Whether a real thread is current, not the idle one: only real ones make system calls. */
function isThread({ cpus, threads }: KernelModel, cpu: number): boolean {
  const current = cpus.current[cpu];
  return current >= 0 && threads.tid[current] !== 0;
}

/** Derives the state of a thread that may be on a CPU, and that of the CPU, again. */
function refreshThread(kernel: KernelModel, thread: number): void {
  const cpu = kernel.threads.onCpu[thread];
  if (cpu >= 0) cpuStates.refreshCpu(kernel, cpu);
}

function onMigrate(kernel: KernelModel, tid: number, target: number): void {
  if (tid === 0) return;
  const thread = threadOf(kernel, tid);
  kernel.threads.migrations[thread]++;
  if (kernel.threads.onCpu[thread] < 0) setLastCpu(kernel, thread, target);
}

function setFrequency({ cpus, sink }: KernelModel, cpu: number, khz: number): void {
  if (cpus.frequencyAttribute[cpu] < 0) {
    const attribute = sink.attribute(['cpus', String(cpus.number[cpu]), 'frequency'], 'integer');
    cpus.frequencyAttribute[cpu] = attribute;
  }
  sink.set(cpus.frequencyAttribute[cpu], khz >>> 0);
}

/** Notes the begin of a chunk whose last event of the CPU is at `last` (HostNs). */
function noteWindow({ cpus, now }: KernelModel, cpu: number, last: number): void {
  if (Number.isNaN(cpus.first[cpu])) cpus.first[cpu] = now;
  if (!(cpus.last[cpu] >= last)) cpus.last[cpu] = last;
}

/** Marks waits cut by the end of the trace, as their wake-up may have been lost there. */
function markLossyWaits(kernel: KernelModel): void {
  const { threads, losses, sink } = kernel;
  for (let thread = 0; thread < threadCount(threads); thread++) {
    if (!isBlocked(kernel, thread) || !Number.isNaN(threads.replaced[thread])) continue;
    if (!overlapsLoss(losses, threads.blockedSince[thread], Infinity)) continue;
    sink.settle(threads.stateAttribute[thread], threads.state[thread] + 256, threads.state[thread]);
  }
}
