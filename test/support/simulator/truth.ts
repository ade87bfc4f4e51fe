/**
 * What a perfect reader of the trace knows (engine/linux/states/RULES.md): written down by the machine
 * while things happen and were recorded, not read from events. What was not recorded is not known here either:
 * before a thread's first evidence, on a CPU before its first event, inside losses.
 */
import { type KnownStart, RecordedLog, startKey } from './known-starts.ts';
import type { BlockState, Cpu, Frame, Machine, Thread } from './machine.ts';

const UNKNOWN = 0;
const USER = 1;
const KERNEL = 2;
const INTERRUPTED = 3;
const PREEMPTED = 4;
const WOKEN = 5;
const NEW = 11;
const ZOMBIE = 12;
const DEAD = 13;
/** Running, in a mode that is not known. */
const RUNNING = 15;

const BLOCK_STATES: Readonly<Record<BlockState, number>> = { S: 6, D: 7, T: 8, t: 8, I: 9, P: 10 };

/** What ended a blocking; `waker` where it was a thread. */
export interface Cause {
  readonly kind: 'thread' | 'timer' | 'disk' | 'network' | 'user input' | 'other' | 'unknown' | 'none';
  /** Of `other` and `unknown`: what exactly. */
  readonly detail: string;
  readonly waker?: ThreadTruth;
}

interface Blocking {
  readonly from: number;
  readonly state: number;
  /** NaN: not ended in the trace. */
  to: number;
  cause: Cause;
  lossy: boolean;
  /** It ended without a wake-up. */
  unexplained: boolean;
}

export interface Step {
  readonly time: number;
  readonly state: number;
}

export interface ThreadTruth {
  readonly tid: number;
  /** 1 for the first thread of this tid that the trace mentions. */
  readonly incarnation: number;
  /** CPU of an idle thread, else -1. */
  readonly idleOf: number;
  readonly first: number;
  /** Changes of state in time order, times not equal; ends with the trace or the next incarnation's begin. */
  readonly steps: Step[];
  readonly blockings: Blocking[];
  /** The last one told; '' none. */
  name: string;
  /** State while it runs outside of calls and interrupts, for its whole life: USER, KERNEL or RUNNING. */
  mode: number;
  end: number;
}

/** What was recorded that tells whether a thread is one of the kernel. */
interface Evidence {
  executed: boolean;
  /** By a state dump or its parent: one of the kernel, or of a program. */
  kernel: boolean;
  program: boolean;
  /** It had such a name at any time. */
  named: boolean;
  /** A system call event came while it was current. */
  called: boolean;
  /** An entry and an exit of it came without a switch or loss in between. */
  calledWhole: boolean;
}

interface CpuStep extends Step {
  readonly thread: ThreadTruth | undefined;
}

/** A stay of a thread on a CPU between two of its events. */
interface Stay {
  readonly tid: number;
  readonly from: number;
  readonly to: number;
}

/** The end of a system call. */
interface Return {
  /** ns. */
  readonly time: number;
  readonly tid: number;
  readonly call: string;
  readonly ret: number;
  /** Its entry was recorded too. */
  readonly whole: boolean;
  /** What was recorded before tells whose it is. */
  readonly told: boolean;
  /** And it told so at the entry. */
  readonly timed: boolean;
}

export interface CpuTruth {
  readonly index: number;
  /** Times of its first and last event. */
  first: number;
  last: number;
  /** Who ran, as the switches tell: before the first one too. */
  readonly stays: Stay[];
  /** Switches to a thread, by tid. */
  readonly arrivals: number[];
  readonly returns: Return[];
  /** States as the values of `cpus/N/state`; `thread` is the current one. */
  readonly steps: CpuStep[];
}

export interface LossPiece {
  readonly cpu: number;
  readonly from: number;
  to: number;
}

interface Seen extends ThreadTruth {
  readonly evidence: Evidence;
  /** A call of it was entered, and it did not leave its CPU since. */
  inCall: boolean;
  state: number;
  cpu: Cpu | undefined;
  call: string | undefined;
  /** Its call is none that goes on behind its switch-out. */
  callEnds: boolean;
  /** A waking that found the thread running, and what gave it. */
  pendingCause: Cause | undefined;
  /** Wake-ups and end, told since its last switch. */
  told: Announced[];
  /** Wake-ups that found it waiting for a CPU: where that was not known, they tell it. */
  readonly wakes: number[];
  /** When switches took it to a CPU. */
  readonly arrivals: Set<number>;
  /** When it was known to run since a loss ended on a CPU, and that CPU. */
  readonly starts: Map<number, number>;
  block: Blocking | undefined;
  /** Told to have left or entered a CPU. */
  ran: boolean;
  exited: boolean;
  freed: boolean;
}

interface Announced {
  readonly time: number;
  readonly effect: () => void;
}

interface SeenCpu extends CpuTruth {
  /** Since when `current` is there. */
  since: number;
  current: Seen | undefined;
  /** It is only known by the switch that follows. */
  isAhead: boolean;
  frames: Frame[];
}

const NOT_ENDED: Cause = { kind: 'none', detail: 'not ended in the trace' };
const UNRECORDED: Cause = { kind: 'unknown', detail: 'no wake-up recorded' };

export class Truth {
  readonly losses: LossPiece[] = [];
  readonly #lives: Seen[] = [];
  /** What the events of a thread are taken for: of a tid that is used again, an earlier life until a sign of the next. */
  readonly #lifeOf = new Map<Thread, Seen>();
  readonly #cpus = new Map<Cpu, SeenCpu>();
  /** System calls whose entry was recorded, by the thread that really made them. */
  readonly #entered = new Map<Thread, string>();
  readonly #generation: 'new' | 'old';
  readonly #log = new RecordedLog();
  readonly #starts: ReadonlyMap<string, KnownStart>;

  /** @param starts what a run before this one has found (`starts`) */
  constructor(generation: 'new' | 'old', starts: ReadonlyMap<string, KnownStart> = new Map()) {
    this.#generation = generation;
    this.#starts = starts;
  }

  /** Who ran before the switches that were recorded, for another run of the same machine. */
  starts(): Map<string, KnownStart> {
    return this.#log.starts();
  }

  get threads(): readonly ThreadTruth[] {
    return this.#lives;
  }

  get cpus(): readonly CpuTruth[] {
    return [...this.#cpus.values()].sort((a, b) => a.index - b.index);
  }

  /**
   * The state that a reader knows of the thread now (numbers of `THREAD_STATES`); undefined before its first mention.
   */
  stateOf(thread: Thread): number | undefined {
    return this.#lifeOf.get(thread)?.state;
  }

  /** An event of the CPU was recorded; called before what it means is told. */
  recorded(machine: Machine, cpu: Cpu): void {
    const seen = this.#cpu(cpu);
    seen.last = machine.now;
    if (!Number.isNaN(seen.first)) return;
    seen.first = seen.since = machine.now;
    this.#log.add({ kind: 'begin', time: machine.now, cpu });
    this.#start(machine, cpu);
  }

  /** Events of the CPU are complete from now on. */
  #start(machine: Machine, cpu: Cpu): void {
    const { now } = machine;
    const start = this.#starts.get(startKey(cpu, now));
    if (start === undefined) return;
    const seenCpu = this.#cpu(cpu);
    const seen = this.mentioned(machine, cpu.current);
    if (seen.cpu !== undefined || isGone(seen)) return;
    if (seen.name === '') seen.name = start.name;
    this.#loseBlock(seen, now, UNRECORDED);
    seen.starts.set(now, cpu.index);
    seen.pendingCause = undefined;
    seen.told = [];
    seen.call = start.inKernel ? 'unknown' : undefined;
    seen.callEnds = start.inKernel && !start.pending;
    seen.ran = true;
    seen.cpu = cpu;
    seenCpu.current = seen;
    seenCpu.isAhead = true;
    this.#refresh(seenCpu, now);
  }

  mentioned(machine: Machine, thread: Thread): Seen {
    const seen = this.#lifeOf.get(thread) ?? this.#presentLife(thread) ?? this.#newLife(machine, thread);
    this.#lifeOf.set(thread, seen);
    return seen;
  }

  /** Mentioned by an event that is taken to give its name. */
  named(machine: Machine, thread: Thread): Seen {
    return nameAs(this.mentioned(machine, thread), thread);
  }

  /** Named by an event that only living threads have: where the tid is known to be dead, this is another one. */
  #alive(machine: Machine, thread: Thread): Seen {
    const seen = this.mentioned(machine, thread);
    return nameAs(isGone(seen) ? this.#newLife(machine, thread) : seen, thread);
  }

  switched(machine: Machine, cpu: Cpu, prev: Thread, next: Thread, blocked: BlockState | undefined): void {
    const { now } = machine;
    const seenCpu = this.#cpu(cpu);
    const isParked = blocked === 'P' && this.#generation === 'old';
    const leavesBlocked = prev.state === 'zombie' || (blocked !== undefined && !isParked);
    this.#log.add({ kind: 'switch', time: now, cpu, prev, next, leavesBlocked, name: prev.name });
    seenCpu.isAhead = false;
    if (!Number.isNaN(seenCpu.since)) seenCpu.stays.push({ tid: prev.tid, from: seenCpu.since, to: now });
    seenCpu.since = now;
    seenCpu.arrivals.push(next.tid);
    const out = prev.state === 'zombie' ? this.named(machine, prev) : this.#alive(machine, prev);
    out.ran = true;
    out.inCall = false;
    this.#loseBlock(out, now, UNRECORDED);
    out.cpu = undefined;
    out.told = [];
    if (blocked === undefined) {
      out.pendingCause = undefined;
      put(out, now, prev.state === 'zombie' ? (out.freed ? DEAD : ZOMBIE) : PREEMPTED);
    } else {
      const state = this.#blockState(blocked);
      put(out, now, state);
      out.block = { from: now, state, to: NaN, cause: NOT_ENDED, lossy: false, unexplained: false };
      out.blockings.push(out.block);
    }
    if (out.callEnds) out.call = undefined;
    out.callEnds = false;
    const coming = this.#alive(machine, next);
    coming.ran = true;
    if (coming.pendingCause) this.#endBlock(coming, now, coming.pendingCause);
    else this.#loseBlock(coming, now, UNRECORDED);
    coming.pendingCause = undefined;
    coming.told = [];
    coming.arrivals.add(now);
    coming.cpu = cpu;
    seenCpu.current = coming;
    this.#refresh(seenCpu, now);
  }

  woken(machine: Machine, cpu: Cpu, thread: Thread, how: 'waking' | 'wakeup' | 'wakeup_new'): void {
    const { now } = machine;
    const seen = how === 'wakeup_new' ? this.#alive(machine, thread) : this.named(machine, thread);
    const source = this.#context(cpu);
    tell(seen, now, () => this.#wake(seen, now, how === 'waking', source));
  }

  #wake(seen: Seen, time: number, waking: boolean, source: Cause): void {
    if (seen.block) {
      this.#endBlock(seen, time, waking ? source : (seen.pendingCause ?? source));
      seen.pendingCause = undefined;
      put(seen, time, WOKEN);
    } else if (seen.state === UNKNOWN || seen.state === NEW) {
      seen.pendingCause = undefined;
      put(seen, time, WOKEN);
    } else if (seen.cpu !== undefined) {
      seen.pendingCause = waking && source.waker !== seen ? source : undefined;
    } else seen.wakes.push(time);
  }

  forked(machine: Machine, parent: Thread, child: Thread): void {
    this.mentioned(machine, parent);
    const known = this.mentioned(machine, child);
    const isFirstSign = known.state === UNKNOWN && !known.ran && !known.exited;
    const born = nameAs(isFirstSign ? known : this.#newLife(machine, child), child);
    // A state dump may have told it before.
    const { evidence } = born;
    if (!evidence.kernel && !evidence.program)
      tellKind(evidence, isFactory(parent.pid) || isFactory(parent.tid));
    put(born, machine.now, NEW);
  }

  dumped(machine: Machine, thread: Thread): void {
    const { evidence } = this.named(machine, thread);
    tellKind(evidence, thread.kernel || isFactory(thread.tid) || isFactory(thread.ppid));
  }

  executed(machine: Machine, thread: Thread): void {
    this.named(machine, thread).evidence.executed = true;
  }

  exited(machine: Machine, thread: Thread): void {
    this.mentioned(machine, thread).exited = true;
  }

  freed(machine: Machine, thread: Thread): void {
    const { now } = machine;
    const seen = this.mentioned(machine, thread);
    seen.exited = true;
    seen.freed = true;
    tell(seen, now, () => this.#free(seen, now));
  }

  #free(seen: Seen, time: number): void {
    if (seen.cpu !== undefined) return;
    this.#loseBlock(seen, time, { kind: 'unknown', detail: 'freed while blocked' });
    put(seen, time, DEAD);
  }

  entered(machine: Machine, cpu: Cpu, frame: Frame): void {
    const seen = this.#cpu(cpu);
    seen.frames.push(frame);
    this.#refresh(seen, machine.now);
  }

  left(machine: Machine, cpu: Cpu, frame: Frame): void {
    const seen = this.#cpu(cpu);
    const at = seen.frames.lastIndexOf(frame);
    if (at >= 0) seen.frames.length = at;
    this.#refresh(seen, machine.now);
  }

  called(machine: Machine, cpu: Cpu, call: string): void {
    const seen = this.#cpu(cpu);
    this.#log.add({ kind: 'entry', time: machine.now, cpu });
    this.#entered.set(cpu.current, call);
    if (seen.current === undefined) return;
    seen.current.call = call;
    seen.current.callEnds = false;
    seen.current.evidence.called = true;
    seen.current.inCall = true;
    this.#refresh(seen, machine.now);
  }

  returned(machine: Machine, cpu: Cpu, call: string, ret: number): void {
    const seen = this.#cpu(cpu);
    this.#log.add({ kind: 'exit', time: machine.now, cpu });
    const whole = this.#entered.get(cpu.current) === call;
    this.#entered.delete(cpu.current);
    const isAnnounced = seen.current !== undefined && !seen.isAhead;
    const timed = seen.current?.call === call;
    seen.returns.push({
      time: machine.now,
      tid: cpu.current.tid,
      call,
      ret,
      whole,
      told: isAnnounced,
      timed,
    });
    if (seen.current === undefined) return;
    seen.current.call = undefined;
    seen.current.callEnds = false;
    seen.current.evidence.called = true;
    seen.current.evidence.calledWhole ||= seen.current.inCall;
    seen.current.inCall = false;
    this.#refresh(seen, machine.now);
  }

  /** Events of the CPU are lost: nothing about it is known from `from` on, which lies behind its last event. */
  lost(cpu: Cpu, from: number): void {
    const seen = this.#cpu(cpu);
    this.#log.add({ kind: 'loss', time: from, cpu });
    if (!this.losses.some((piece) => piece.cpu === cpu.index && Number.isNaN(piece.to))) {
      this.losses.push({ cpu: cpu.index, from, to: NaN });
    }
    const thread = seen.current;
    seen.current = undefined;
    seen.since = NaN;
    seen.frames = [];
    this.#refresh(seen, from);
    if (thread === undefined) return;
    thread.cpu = undefined;
    thread.call = undefined;
    thread.callEnds = false;
    thread.inCall = false;
    thread.pendingCause = undefined;
    put(thread, from, UNKNOWN);
    // A loss is noticed late: what was told behind its begin meets a thread of which nothing is known.
    for (const { time, effect } of thread.told) if (time > from) effect();
  }

  lossEnds(machine: Machine, cpu: Cpu): void {
    const to = machine.now;
    const piece = this.losses.find((each) => each.cpu === cpu.index && Number.isNaN(each.to));
    if (piece === undefined) return;
    piece.to = to;
    this.#log.add({ kind: 'loss-end', time: to, cpu });
    if (!Number.isNaN(this.#cpu(cpu).first)) this.#start(machine, cpu);
  }

  /** Nothing is known after `last`, the trace's last event. */
  finish(last: number): void {
    for (const cpu of this.#cpus.values()) {
      if (cpu.current) cpu.stays.push({ tid: cpu.current.tid, from: cpu.since, to: cpu.last });
    }
    for (const seen of this.#lives) {
      seen.mode = seen.tid === 0 ? KERNEL : modeOf(seen.evidence, this.losses.length > 0);
    }
    for (const { steps } of this.#cpus.values()) {
      (steps as CpuStep[]).forEach((step, index, all) => {
        if (step.state !== CPU_USER || step.thread === undefined) return;
        all[index] = { ...step, state: CPU_OF_MODE[step.thread.mode] };
      });
    }
    for (const seen of this.#lives) {
      if (Number.isNaN(seen.end)) seen.end = last;
      if (seen.idleOf < 0) {
        loseRunnable(seen, this.losses);
        loseBlocked(seen, this.losses);
      }
      hindsight(seen);
      for (const block of seen.blockings) {
        // What the trace does not end goes on behind it: into a loss there, too.
        const to = Number.isNaN(block.to) ? Infinity : block.to;
        block.lossy ||= this.losses.some((piece) => piece.from < to && piece.to > block.from);
      }
    }
  }

  #presentLife({ tid }: Thread): Seen | undefined {
    return tid === 0 ? undefined : this.#lives.findLast((seen) => seen.tid === tid);
  }

  #newLife(machine: Machine, thread: Thread): Seen {
    const { now } = machine;
    const earlier = this.#presentLife(thread);
    if (earlier !== undefined) {
      this.#loseBlock(earlier, now, { kind: 'unknown', detail: 'new incarnation' });
      earlier.end = now;
    }
    const seen: Seen = {
      tid: thread.tid,
      incarnation: (earlier?.incarnation ?? 0) + 1,
      idleOf: thread.tid === 0 ? thread.cpu.index : -1,
      first: now,
      steps: [{ time: now, state: UNKNOWN }],
      blockings: [],
      name: '',
      mode: USER,
      end: NaN,
      evidence: {
        executed: false,
        kernel: false,
        program: false,
        named: false,
        called: false,
        calledWhole: false,
      },
      inCall: false,
      state: UNKNOWN,
      cpu: undefined,
      call: undefined,
      callEnds: false,
      pendingCause: undefined,
      told: [],
      wakes: [],
      arrivals: new Set(),
      starts: new Map(),
      block: undefined,
      ran: false,
      exited: false,
      freed: false,
    };
    this.#lives.push(seen);
    this.#lifeOf.set(thread, seen);
    return seen;
  }

  #cpu(cpu: Cpu): SeenCpu {
    const seen = this.#cpus.get(cpu) ?? newSeenCpu(cpu.index);
    this.#cpus.set(cpu, seen);
    return seen;
  }

  #blockState(blocked: BlockState): number {
    // Before Linux 4.14 idle kernel threads show as uninterruptible.
    return blocked === 'I' && this.#generation === 'old' ? BLOCK_STATES.D : BLOCK_STATES[blocked];
  }

  #endBlock(seen: Seen, time: number, cause: Cause): void {
    if (seen.block === undefined) return;
    seen.block.to = time;
    seen.block.cause = cause;
    seen.block = undefined;
  }

  /** No wake-up ends it, so far as is known. */
  #loseBlock(seen: Seen, time: number, cause: Cause): void {
    if (seen.block !== undefined) seen.block.unexplained = true;
    this.#endBlock(seen, time, cause);
  }

  /** What gives a wake-up that is logged on the CPU now. */
  #context(cpu: Cpu): Cause {
    const { frames, current } = this.#cpu(cpu);
    const frame = frames.at(-1);
    if (frame) return causeOfFrame(frame);
    if (current === undefined) return { kind: 'unknown', detail: 'current thread unknown' };
    if (current.tid === 0) return { kind: 'other', detail: 'idle context' };
    return { kind: 'thread', detail: '', waker: current };
  }

  #refresh(seen: SeenCpu, time: number): void {
    const { current, frames } = seen;
    if (current) {
      const interrupted = frames.some((frame) => !frame.own);
      const inKernel = current.tid === 0 || current.call !== undefined;
      put(current, time, interrupted ? INTERRUPTED : inKernel ? KERNEL : USER);
    }
    const steps = seen.steps as CpuStep[];
    while ((steps.at(-1)?.time ?? -Infinity) >= time) steps.pop();
    steps.push({ time, state: cpuState(seen), thread: current });
  }
}

function nameAs(seen: Seen, { name }: Thread): Seen {
  seen.name = name;
  seen.evidence.named ||= KERNEL_NAME.test(name);
  return seen;
}

/** Names of threads of the kernel that the machine has, among those that Linux gives. */
const KERNEL_NAME = /^(?:kworker\/|ksoftirqd\/\d|kthreadd)/;

/** kthreadd, the parent of all threads of the kernel. */
function isFactory(id: number): boolean {
  return id === 2;
}

function tellKind(evidence: Evidence, isKernel: boolean): void {
  evidence.kernel ||= isKernel;
  evidence.program ||= !isKernel;
}

/** The first that applies. A call that may be another thread's, since switches were lost, does not count against a name. */
function modeOf(evidence: Evidence, losesSwitches: boolean): number {
  const { executed, kernel, program, named, called, calledWhole } = evidence;
  if (executed) return USER;
  if (kernel) return KERNEL;
  if (program) return USER;
  if (named && !(losesSwitches ? calledWhole : called)) return KERNEL;
  return called ? USER : RUNNING;
}

function isGone({ state }: Seen): boolean {
  return state === ZOMBIE || state === DEAD;
}

function newSeenCpu(index: number): SeenCpu {
  return {
    index,
    first: NaN,
    last: NaN,
    since: NaN,
    stays: [],
    arrivals: [],
    returns: [],
    steps: [],
    current: undefined,
    isAhead: false,
    frames: [],
  };
}

/** Tells something of a thread, and keeps it: a loss may take back where the thread was. */
function tell(seen: Seen, time: number, effect: () => void): void {
  seen.told.push({ time, effect });
  effect();
}

function put(seen: Seen, time: number, state: number): void {
  seen.state = state;
  while ((seen.steps.at(-1)?.time ?? -Infinity) >= time) seen.steps.pop();
  if (seen.steps.at(-1)?.state !== state) seen.steps.push({ time, state });
}

/** The mode of a thread is that of its whole life, also before the trace says so. */
function hindsight(seen: Seen): void {
  const steps = seen.steps.map(({ time, state }) => ({ time, state: state === USER ? seen.mode : state }));
  seen.steps.splice(
    0,
    seen.steps.length,
    ...steps.filter((step, i) => i === 0 || step.state !== steps[i - 1].state),
  );
}

/**
 * Who waits for a CPU when a loss begins may run meanwhile, and so may who comes to wait within one and is not seen before
 * its end.
 */
function loseRunnable(seen: Seen, losses: readonly LossPiece[]): void {
  const steps = seen.steps.flatMap(({ time, state }, i): Step[] => {
    if (state !== PREEMPTED && state !== WOKEN && state !== NEW) return [{ time, state }];
    const end = seen.steps[i + 1]?.time ?? seen.end;
    const announcedSteps: Step[] = [];
    let known = state;
    let begin = time;
    for (const until of [...seen.wakes.filter((wake) => wake > time && wake < end), end]) {
      const isSwitchInLost = losses.some(({ cpu, to }) => to === until && cpu === seen.starts.get(until));
      const first = lostFrom(begin, until, losses);
      const lost = isSwitchInLost && first === Infinity ? begin : first;
      // A wake-up tells nothing of who is known to wait.
      if (lost >= until && until < end) continue;
      announcedSteps.push({ time: begin, state: lost === begin ? UNKNOWN : known });
      if (lost > begin && lost < until) announcedSteps.push({ time: lost, state: UNKNOWN });
      if (lost < until) {
        if (until === end)
          announcedSteps.push(
            ...readySteps(seen, lost, end, known === PREEMPTED ? PREEMPTED : WOKEN, losses),
          );
        known = WOKEN;
      }
      begin = until;
    }
    return announcedSteps;
  });
  seen.steps.splice(0, seen.steps.length, ...steps.filter((step, i) => step.state !== steps[i - 1]?.state));
}

/** Who is blocked when a loss begins and is seen next without a wake-up was woken in it. */
function loseBlocked(seen: Seen, losses: readonly LossPiece[]): void {
  for (const block of seen.blockings.filter(({ unexplained }) => unexplained)) {
    const { from, to } = block;
    const lost = Math.min(
      ...losses
        .filter((piece) => piece.from < to && piece.to > from)
        .map((piece) => Math.max(from, piece.from)),
    );
    if (lost === Infinity) continue;
    block.to = lost;
    block.lossy = true;
    block.cause = { kind: 'unknown', detail: 'lost events' };
    const own = [{ time: lost, state: UNKNOWN }, ...readySteps(seen, lost, to, WOKEN, losses)];
    const at = seen.steps.findIndex(({ time }) => time === from);
    seen.steps.splice(lost === from ? at : at + 1, lost === from ? 1 : 0, ...own);
  }
  seen.blockings.splice(0, seen.blockings.length, ...seen.blockings.filter(({ from, to }) => !(to <= from)));
}

/** Behind the last loss it waits for a CPU, if a switch takes it there: nobody woke it. */
function readySteps(
  { arrivals }: Seen,
  lost: number,
  end: number,
  state: number,
  losses: readonly LossPiece[],
): Step[] {
  const ready = Math.max(lost, ...losses.filter(({ from }) => from < end).map(({ to }) => to));
  return arrivals.has(end) && ready < end ? [{ time: ready, state }] : [];
}

/** Since when nothing is known of who waits in [begin, until); Infinity: all is. */
function lostFrom(begin: number, until: number, losses: readonly LossPiece[]): number {
  const around = losses.filter(({ from, to }) => from < begin && begin < to);
  if (around.some(({ to }) => to < until)) return begin;
  const first = Math.min(...losses.map(({ from }) => from).filter((from) => from >= begin && from < until));
  return around.length > 0 && first < until ? begin : first;
}

const CPU_UNKNOWN = 0;
const CPU_IDLE = 1;
const CPU_USER = 2;
const CPU_KERNEL = 3;
const CPU_HARDIRQ = 4;
const CPU_SOFTIRQ = 5;
const CPU_TIMER = 6;
const CPU_RUNNING = 7;

const CPU_OF_MODE: Readonly<Record<number, number>> = {
  [USER]: CPU_USER,
  [KERNEL]: CPU_KERNEL,
  [RUNNING]: CPU_RUNNING,
};

function cpuState({ frames, current }: SeenCpu): number {
  const frame = frames.at(-1);
  if (frame) {
    if (frame.kind === 'softirq') return CPU_SOFTIRQ;
    return frame.kind === 'hrtimer' || frame.id === 'local_timer' ? CPU_TIMER : CPU_HARDIRQ;
  }
  if (current === undefined) return CPU_UNKNOWN;
  if (current.tid === 0) return CPU_IDLE;
  return current.state === KERNEL ? CPU_KERNEL : CPU_USER;
}

const SOFTIRQ_CAUSES: Readonly<Record<number, Cause>> = {
  1: { kind: 'timer', detail: '' },
  2: { kind: 'network', detail: '' },
  3: { kind: 'network', detail: '' },
  4: { kind: 'disk', detail: '' },
  5: { kind: 'disk', detail: '' },
  6: { kind: 'other', detail: 'softirq TASKLET' },
  7: { kind: 'other', detail: 'softirq SCHED' },
  8: { kind: 'timer', detail: '' },
  9: { kind: 'other', detail: 'softirq RCU' },
};

const IRQ_CAUSES: Readonly<Record<string, Cause>> = {
  nvme0q1: { kind: 'disk', detail: '' },
  'virtio1-req.0': { kind: 'disk', detail: '' },
  'virtio0-input.0': { kind: 'network', detail: '' },
  i8042: { kind: 'user input', detail: '' },
  acpi: { kind: 'other', detail: 'irq 9 acpi' },
};

function causeOfFrame(frame: Frame): Cause {
  switch (frame.kind) {
    case 'hrtimer':
      return { kind: 'timer', detail: '' };
    case 'softirq':
      return SOFTIRQ_CAUSES[frame.id as number];
    case 'irq':
      return IRQ_CAUSES[frame.name];
    case 'vector':
      return frame.id === 'local_timer' ? { kind: 'timer', detail: '' } : { kind: 'other', detail: 'ipi' };
  }
}
