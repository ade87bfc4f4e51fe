/**
 * The tracer inside the simulated machine: turns what happens into events, puts them into the buffers of their CPUs,
 * and tells `truth.ts` what was recorded. Buffers lose events as LTTng's do (`buffer.ts`).
 */
import { addNumber } from '../../../src/engine/base/group-by.ts';
import type { TraceModel } from '../../../src/engine/ctf/model.ts';
import type { StructValue } from '../ctf-writer/value.ts';
import { TraceBuffer } from './buffer.ts';
import { modelOf, namesOf, VECTOR_PREFIX, type EventNames } from './event-model.ts';
import type { BlockState, Cpu, Disguise, Frame, Machine, Settings, Thread } from './machine.ts';

/** prev_state of a thread that leaves its CPU. */
const PREV_STATES = {
  new: { runnable: 0, preempted: 0x100, S: 1, D: 2, T: 4, t: 8, I: 0x80, P: 0x40, dead: 0x10, zombie: 0x20 },
  old: { runnable: 0, preempted: 0x400, S: 1, D: 2, T: 4, t: 8, I: 0x82, P: 0x200, dead: 0x20, zombie: 0x10 },
} as const;

/** What a thread asks of the disk. */
export interface DiskRequest {
  readonly sector: number;
  readonly sectors: number;
  readonly thread: Thread;
}

export class Tracer {
  readonly model: TraceModel;
  /** Events recorded, by name. */
  readonly counts = new Map<string, number>();
  /** True times of all events recorded, by ns of the clock since recording began. */
  readonly trueTimes = new Map<number, number>();
  /** Times of the first and last event recorded. */
  first = Infinity;
  last = -Infinity;
  readonly buffers: TraceBuffer[] = [];
  #begin = 0n;
  readonly #names: EventNames;
  readonly #settings: Settings;
  readonly #classes: ReadonlyMap<string, number>;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#names = namesOf(settings);
    this.model = modelOf(settings);
    this.#classes = new Map(this.model.streams[0].events.map(({ name }, index) => [name ?? '', index]));
  }

  /** Starts recording on every CPU. */
  begin(machine: Machine): void {
    this.#begin = machine.cycles;
    for (const cpu of machine.cpus) this.buffers.push(new TraceBuffer(machine, cpu, this.model));
  }

  end(): void {
    for (const buffer of this.buffers) buffer.finish();
  }

  switched(
    machine: Machine,
    cpu: Cpu,
    prev: Thread,
    next: Thread,
    preempted: boolean,
    going?: BlockState,
  ): void {
    const recorded = this.#record(machine, cpu, 'sched_switch', {
      prev_comm: prev.name,
      prev_tid: prev.tid,
      prev_prio: prev.prio,
      prev_state: this.#prevState(machine, prev, preempted, going),
      next_comm: next.name,
      next_tid: next.tid,
      next_prio: next.prio,
    });
    if (recorded) machine.truth.switched(machine, cpu, prev, next, going);
  }

  woken(
    machine: Machine,
    cpu: Cpu,
    thread: Thread,
    how: 'waking' | 'wakeup' | 'wakeup_new',
    target: Cpu,
  ): void {
    if (how === 'waking' && !this.#settings.waking) return;
    const { tid, prio, name } = thread;
    const payload = { comm: name, tid, prio, target_cpu: target.index };
    if (this.#record(machine, cpu, `sched_${how}`, payload)) machine.truth.woken(machine, cpu, thread, how);
  }

  migrated(machine: Machine, cpu: Cpu, thread: Thread, from: Cpu, to: Cpu): void {
    const { tid, prio, name } = thread;
    const payload = { comm: name, tid, prio, orig_cpu: from.index, dest_cpu: to.index };
    if (this.#record(machine, cpu, 'sched_migrate_task', payload)) machine.truth.mentioned(machine, thread);
  }

  forked(machine: Machine, cpu: Cpu, parent: Thread, child: Thread): void {
    const recorded = this.#record(machine, cpu, 'sched_process_fork', {
      parent_comm: parent.name,
      parent_tid: parent.tid,
      parent_pid: parent.pid,
      child_comm: child.name,
      vtids_length: 1,
      vtids: [child.tid],
      child_tid: child.tid,
      child_pid: child.pid,
    });
    if (recorded) machine.truth.forked(machine, parent, child);
  }

  executed(machine: Machine, cpu: Cpu, thread: Thread, filename: string): void {
    const payload = { filename, tid: thread.tid, old_tid: thread.tid };
    if (this.#record(machine, cpu, 'sched_process_exec', payload)) machine.truth.executed(machine, thread);
  }

  exited(machine: Machine, cpu: Cpu, thread: Thread): void {
    const payload = { comm: thread.name, tid: thread.tid, prio: thread.prio };
    if (this.#record(machine, cpu, 'sched_process_exit', payload)) machine.truth.exited(machine, thread);
  }

  freed(machine: Machine, cpu: Cpu, thread: Thread): void {
    const payload = { comm: thread.name, tid: thread.tid, prio: thread.prio };
    if (this.#record(machine, cpu, 'sched_process_free', payload)) machine.truth.freed(machine, thread);
  }

  dumped(machine: Machine, cpu: Cpu, thread: Thread): void {
    const { tid, pid, ppid, name, kernel } = thread;
    const recorded = this.#record(machine, cpu, 'lttng_statedump_process_state', {
      tid,
      vtid: tid,
      pid,
      vpid: pid,
      ppid,
      vppid: ppid,
      name,
      type: kernel ? 1 : 0,
      mode: 5,
      status: 5,
      cpu: thread.cpu.index,
    });
    if (recorded) machine.truth.dumped(machine, thread);
  }

  dumpMark(machine: Machine, cpu: Cpu, mark: 'start' | 'end'): void {
    this.#record(machine, cpu, `lttng_statedump_${mark}`, {});
  }

  entered(machine: Machine, cpu: Cpu, frame: Frame): void {
    if (this.#record(machine, cpu, ...this.#frameEvent(machine, frame, 'entry')))
      machine.truth.entered(machine, cpu, frame);
  }

  left(machine: Machine, cpu: Cpu, frame: Frame): void {
    if (this.#record(machine, cpu, ...this.#frameEvent(machine, frame, 'exit')))
      machine.truth.left(machine, cpu, frame);
  }

  raised(machine: Machine, cpu: Cpu, vector: number): void {
    this.#record(machine, cpu, `${this.#names.softirq}_raise`, { vec: vector });
  }

  called(machine: Machine, cpu: Cpu, call: string, args: StructValue): void {
    if (this.#record(machine, cpu, this.#names.entryOf(call), args)) machine.truth.called(machine, cpu, call);
  }

  returned(machine: Machine, cpu: Cpu, call: string, ret: number): void {
    if (this.#record(machine, cpu, this.#names.exitOf(call), { ret }))
      machine.truth.returned(machine, cpu, call, ret);
  }

  request(machine: Machine, cpu: Cpu, step: 'insert' | 'issue' | 'complete', request: DiskRequest): void {
    const { sector, sectors, thread } = request;
    this.#record(machine, cpu, `block_rq_${step}`, {
      dev: 0xfd_0000,
      sector,
      nr_sector: sectors,
      bytes: sectors * 512,
      tid: thread.tid,
      rwbs: 1,
      comm: thread.name,
    });
  }

  packet(
    machine: Machine,
    cpu: Cpu,
    step: 'dev_queue' | 'if_rx' | 'if_receive_skb',
    fields: StructValue,
  ): void {
    this.#record(machine, cpu, `net_${step}`, fields);
  }

  /** The current thread goes on as a CPU of a virtual machine. */
  guestEntered(machine: Machine, cpu: Cpu, virtual: Cpu): void {
    this.#record(machine, cpu, 'kvm_x86_entry', { vcpu_id: virtual.index });
  }

  guestLeft(machine: Machine, cpu: Cpu): void {
    this.#record(machine, cpu, 'kvm_x86_exit', { exit_reason: 12 });
  }

  #frameEvent(machine: Machine, frame: Frame, side: 'entry' | 'exit'): [string, StructValue] {
    switch (frame.kind) {
      case 'irq':
        return [
          `irq_handler_${side}`,
          side === 'entry' ? { irq: frame.id, name: frame.name } : { irq: frame.id, ret: 1 },
        ];
      case 'softirq':
        return [`${this.#names.softirq}_${side}`, { vec: frame.id }];
      case 'hrtimer':
        return [`${this.#names.hrtimer}_${side}`, { hrtimer: frame.id, now: machine.now, function: 0x7777 }];
      case 'vector':
        return [`${VECTOR_PREFIX}${frame.id}_${side}`, { vector: frame.id === 'local_timer' ? 236 : 253 }];
    }
  }

  #prevState(machine: Machine, thread: Thread, preempted: boolean, going: BlockState | undefined): number {
    const codes = PREV_STATES[this.#settings.generation];
    if (thread.state === 'zombie') return machine.random.chance(0.5) ? codes.dead : codes.zombie;
    if (going !== undefined) return codes[going];
    return preempted ? codes.preempted : codes.runnable;
  }

  #record(machine: Machine, cpu: Cpu, name: string, payload: StructValue): boolean {
    const buffer = this.buffers[cpu.index];
    const eventClass = this.#classes.get(name);
    if (buffer === undefined || eventClass === undefined) return false;
    const { disguise } = this.#settings;
    const fields = disguise === undefined ? payload : disguised(payload, disguise);
    if (!buffer.record({ eventClass, time: machine.cycles, payload: fields })) return false;
    machine.truth.recorded(machine, cpu);
    this.trueTimes.set(Number(machine.cycles - this.#begin), machine.now);
    this.first = Math.min(this.first, machine.now);
    this.last = machine.now;
    addNumber(this.counts, name, 1);
    return true;
  }
}

const TID_FIELDS = [
  'tid',
  'old_tid',
  'prev_tid',
  'next_tid',
  'parent_tid',
  'parent_pid',
  'child_tid',
  'child_pid',
];
const CPU_FIELDS = ['target_cpu', 'orig_cpu', 'dest_cpu'];

function disguised(payload: StructValue, { tid, cpu }: Disguise): StructValue {
  return Object.fromEntries(
    Object.entries(payload).map(([name, value]) => {
      if (TID_FIELDS.includes(name)) return [name, tid(Number(value))];
      return [name, CPU_FIELDS.includes(name) ? cpu(Number(value)) : value];
    }),
  );
}
