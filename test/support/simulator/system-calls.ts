/** System calls as threads make them, and what they wait for. */
import type { CallName } from './event-model.ts';
import type { StructValue } from '../ctf-writer/value.ts';
import type { Action, Machine, Program, Thread, Wait } from './machine.ts';

export function waitOf(thread: Thread): Wait {
  return { done: false, thread };
}

/** A system call: entry, some work, what it waits for, exit. */
export function* call(
  machine: Machine,
  thread: Thread,
  name: CallName,
  args: StructValue,
  body: () => Program,
  ret: () => number,
): Program {
  yield enter(machine, thread, name, args);
  yield machine.random.between(200, 3000);
  yield* body();
  yield machine.random.between(100, 1500);
  yield leave(machine, thread, name, ret());
}

export function enter(machine: Machine, thread: Thread, name: CallName, args: StructValue): Action {
  return function* (cpu) {
    thread.call = name;
    machine.tracer.called(machine, cpu, name, args);
    yield 100;
  };
}

export function leave(machine: Machine, thread: Thread, name: CallName, ret: number): Action {
  return function* (cpu) {
    thread.call = undefined;
    machine.tracer.returned(machine, cpu, name, ret);
    yield 100;
  };
}

export function* none(): Program {}
