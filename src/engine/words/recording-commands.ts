/** Commands that record events, for the user's tracer; events that it does not have are recorded by LTTng. */
import { matcherOf } from '../base/glob.ts';
import type { Recorder } from '../protocol/session.ts';
import * as kinds from '../trace/event-kinds.ts';

/** Recorded program in commands. */
const PROGRAM = './program';

/** Command of perf, with larger buffers than usual, as a busy scheduler overflows those. */
export function perfCommand(events: readonly string[], program = PROGRAM): string {
  return `perf record -a -g -m 4M -k CLOCK_MONOTONIC -e '${events.join(',')}' ${program}`;
}

export function traceCmdCommand(events: readonly string[], program = PROGRAM): string {
  const wanted = events.map((event) => `-e ${/[*?]/.test(event) ? `'${event}'` : event}`);
  return `trace-cmd record -C mono ${wanted.join(' ')} ${program}`;
}

/** Line of Perfetto's configuration for an event: all events of its system, or this one. */
export function perfettoLine(event: string): string {
  return `ftrace_events: "${event.replace(/:.*\*$/, ':*').replace(':', '/')}"`;
}

/** Scheduler events, without which others say little. */
const SCHEDULER = 'sched:*';

/** Whether an event is part of LTTng's state dump; other tracers give names of threads and processes differently. */
const isStateDump = (name: string): boolean => kinds.STATE_DUMPS.some((pattern) => matcherOf(pattern)(name));

/** Names of missing events, given by their first names, in a tracer's words; those that only LTTng has stay. */
export function namesFor(recorder: Recorder, missing: readonly string[]): readonly string[] {
  if (recorder === 'lttng') return missing;
  return missing.filter((name) => !isStateDump(name)).map((name) => kinds.ftraceName(name) ?? name);
}

/** Tracer of hosts; where they have several, the one whose commands record most. */
export function recorderOf(hosts: readonly { readonly recorder: Recorder }[]): Recorder {
  return hosts.some(({ recorder }) => recorder === 'lttng') ? 'lttng' : (hosts.at(0)?.recorder ?? 'lttng');
}

/** Commands that record events, given by their first names; '' if there are none. */
export function recordingCommand(missing: readonly string[], recorder: Recorder): string {
  if (recorder === 'lttng') return lttngCommand(missing);
  const wanted = missing.filter((name) => !isStateDump(name));
  const own = wanted.flatMap((name) => (kinds.ftraceName(name) === undefined ? [] : [name]));
  const others = wanted.filter((name) => kinds.ftraceName(name) === undefined);
  const [system] = SCHEDULER.split('*');
  const events = own.flatMap(withPartners).flatMap((name) => kinds.ftraceName(name) ?? []);
  const names = [SCHEDULER, ...new Set(events.filter((name) => !name.startsWith(system)))];
  const command = {
    perf: perfCommand,
    'trace-cmd': traceCmdCommand,
    perfetto: (all: readonly string[]) => all.map(perfettoLine).join(' '),
  }[recorder];
  return [
    ...(own.length > 0 ? [command(names)] : []),
    ...(others.length > 0 ? [lttngCommand(others)] : []),
  ].join(' && ');
}

/** Kinds of events that say nothing without each other. */
const PARTNERS: readonly (readonly kinds.EventKind[])[] = [
  ['waking', 'wakeup', 'wakeup-new'],
  ['syscall-entry', 'syscall-exit'],
  ['irq-entry', 'irq-exit'],
  ['softirq-entry', 'softirq-exit'],
  ['hrtimer-entry', 'hrtimer-exit'],
];

function withPartners(name: string): readonly string[] {
  return PARTNERS.find(([first]) => kinds.isKind(first, name))?.map(kinds.firstName) ?? [name];
}

/** Events of programs about their own locks, which a library of LTTng records. */
export const PROGRAM_LOCKS = 'lttng_ust_pthread:*';
export const RECORD_LOCKS = `lttng enable-event --userspace '${PROGRAM_LOCKS}' && lttng add-context --userspace --type=vtid && LD_PRELOAD=liblttng-ust-pthread-wrapper.so PROGRAM`;

function lttngCommand(missing: readonly string[]): string {
  const isCall = (name: string): boolean =>
    kinds.isKind('syscall-entry', name) || kinds.isKind('syscall-exit', name);
  const others = missing.filter((name) => !isCall(name)).flatMap(withPartners);
  const commands = [
    ...(missing.some(isCall) ? ['lttng enable-event --kernel --syscall --all'] : []),
    ...enable(
      'kernel',
      others.filter((name) => !kinds.isPerfName(name)),
    ),
    ...enable(
      'userspace',
      others.filter((name) => kinds.isPerfName(name) && name !== PROGRAM_LOCKS),
    ),
    ...(others.includes(PROGRAM_LOCKS) ? [RECORD_LOCKS] : []),
  ];
  return commands.join(' && ');
}

function enable(domain: string, events: readonly string[]): readonly string[] {
  return events.length > 0 ? [`lttng enable-event --${domain} ${events.join(',')}`] : [];
}

/** Advice on what should have been recorded for paths that follow waits for locks. */
export const NO_LOCK_EVENTS = {
  text: 'No events of locks were recorded, nor futex calls: nothing tells which waits were for a lock. Programs that run with LD_PRELOAD=liblttng-ust-pthread-wrapper.so tell of their locks.',
  command: "lttng enable-event --userspace 'lttng_ust_pthread:*'",
} as const;
