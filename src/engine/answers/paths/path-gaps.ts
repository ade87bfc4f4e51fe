/** Gaps of a path: time that it does not explain, and events that should have been recorded to explain it. */
import type { GuestChoice, HostedMachine } from '../../graph/guests.ts';
import type { HistoryGraph } from '../../graph/history-graph.ts';
import { BLOCKED, RUNNING, UNKNOWN } from '../../graph/path-codes.ts';
import type { Path } from '../../graph/path.ts';
import type { KernelTables } from '../../linux/states/reduce/kernel-tables.ts';
import * as values from '../../linux/events/values.ts';
import { type EventKind, firstName } from '../../trace/event-kinds.ts';
import { HIDES_WAKERS } from '../../trace/loss-subjects.ts';
import { recordingCommand } from '../../words/recording-commands.ts';
import { machineText } from '../../words/machine-text.ts';
import type { PathAnswer } from '../../protocol/paths.ts';
import type { Recorder } from '../../protocol/session.ts';
import { areSynchronised } from '../../sync/host-clocks.ts';
import { type PathGraph, type PathHost, type GuestOnPath, guestsOnPath } from './path-finder.ts';

/** ns of the path without an explanation: unknown states, and waits whose end has no known cause. */
export function unexplainedNs({ graph }: PathGraph, path: Path): number {
  const { segments: s } = path;
  let sum = 0;
  for (let i = 0; i < s.length; i++)
    if (s.label[i] === UNKNOWN || endedByNobody(graph, path, i)) sum += s.to[i] - s.from[i];
  return sum;
}

/** Causes that tell at most on which CPU a wait was ended (`causeOfSignal` of the state reducer). */
const NOBODY_KNOWN: ReadonlySet<string> = new Set(['idle context', 'ipi']);

/** Whether segment `i` is a wait for which it is not known who or what ended it. */
function endedByNobody(graph: HistoryGraph, { segments: s }: Path, i: number): boolean {
  if (s.label[i] !== BLOCKED) return false;
  const kind = values.causeOf(s.cause[i]);
  if (kind !== values.CAUSE_OTHER) return kind === values.CAUSE_NONE || kind === values.CAUSE_UNKNOWN;
  const detail = values.detailOf(s.cause[i]);
  return detail >= 0 && NOBODY_KNOWN.has(graph.text(s.worker[i], detail));
}

type Missing = PathAnswer['missing'][number];

/** Kinds of events other than switches and wake-ups that end waits. */
const INTERRUPTS: readonly EventKind[] = ['irq-entry', 'softirq-entry', 'hrtimer-entry'];

const LARGER_BUFFERS: Readonly<Record<Recorder, string>> = {
  lttng: 'lttng enable-channel --kernel --subbuf-size=4M --num-subbuf=8 CHANNEL',
  perf: 'perf record -m 16M',
  'trace-cmd': 'trace-cmd record -b 16384',
  perfetto: 'buffers { size_kb: 65536 }',
};

/** Command of LTTng, the only tracer that records packet headers. */
const RECORD_PACKETS = recordingCommand([firstName('packet-sent'), firstName('packet-received')], 'lttng');

/** @param choices the user's statements about virtual machines */
export function missingData(
  known: PathGraph,
  path: Path,
  choices: readonly GuestChoice[] = [],
): readonly Missing[] {
  const { graph, hosts } = known;
  const own = hosts[graph.place(path.worker).host];
  const thread = graph.place(path.worker).thread;
  const found: Missing[] = [];
  const add = (text: string, command = ''): void => {
    if (!found.some((other) => other.text === text)) found.push({ text, command });
  };
  if (thread >= 0 && own.tables.threads.ran[thread] === 0)
    add('The thread never ran while it was traced: there is nothing to explain.');
  for (const host of hosts) addEvents(host, add);
  if (hosts.some((host, place) => !host.hasInterrupts && blamesOthers(known, path, place)))
    add(
      'No interrupts and timers were recorded: where one of them ended a wait, the thread that it interrupted seems to have ended it, or nobody is named.',
      recordingCommand(INTERRUPTS.map(firstName), own.recorder),
    );
  if (waitsOnPackets(path) && isApart(known, own))
    add(
      'How the clocks of these hosts relate is not known, so the path goes from none to another. *Sync* says why.',
    );
  else if (waitsOnPackets(path))
    addPackets(
      hosts.map(({ tables }) => tables),
      add,
    );
  if (crossesFailedClocks(known, path))
    add(
      'The clocks of hosts on this path cannot be reconciled: one of them was set or ran unevenly. Times across these hosts may be wrong.',
    );
  // Clocks are known only after all packets are read.
  if (known.sync !== undefined)
    for (const guest of guestsOnPath(known, path, choices)) addGuest(known, guest, add);
  const lost = hosts.some(({ tables, clock }) =>
    tables.losses.some(
      ({ from, to, hidden }) =>
        (hidden & HIDES_WAKERS) !== 0 &&
        clock.toExperiment(from) < path.to &&
        clock.toExperiment(to) > path.from,
    ),
  );
  if (lost)
    add(
      `Events were lost in this range: waits may have ended by others than those shown. Larger buffers lose less${own.recorder === 'perf' ? ', but for what perf leaves out by itself (see *Info*)' : ''}.`,
      LARGER_BUFFERS[own.recorder],
    );
  return found;
}

function addEvents({ tables, recorder }: PathHost, add: (text: string, command: string) => void): void {
  const { threads, wakeUps } = tables;
  const ran = threads.runs.some((runs) => runs > 0);
  if (ran && wakeUps === 'none')
    add(
      'No wake-ups were recorded: it is not known who ended a wait.',
      recordingCommand([firstName('waking')], recorder),
    );
  if (wakeUps === 'wakeup')
    add(
      `${firstName('waking')} was not recorded: a wake-up from another CPU looks as if that CPU's idle loop or an interrupt gave it.`,
      recordingCommand([firstName('waking')], recorder),
    );
}

/** Whether the path goes from its thread to other threads of the host, or a wait there has no known waker. */
function blamesOthers({ graph }: PathGraph, path: Path, place: number): boolean {
  const { worker, segments: s } = path;
  for (let i = 0; i < s.length; i++) {
    const { host, thread } = graph.place(s.worker[i]);
    if (host !== place) continue;
    if (s.label[i] === RUNNING && s.worker[i] !== worker && thread >= 0) return true;
    if (values.causeOf(s.cause[i]) === values.CAUSE_OTHER && endedByNobody(graph, path, i)) return true;
  }
  return false;
}

function addPackets(tables: readonly KernelTables[], add: (text: string, command: string) => void): void {
  if (tables.every(({ packets }) => packets.length === 0))
    add(
      'No network packets were recorded: it is not known which thread a wait for the network was for.',
      RECORD_PACKETS,
    );
  else add('The other end of some packets is not in the traces: trace that host too.', '');
}

/** Adds why the time that a host took from its virtual machine is not known. */
function addGuest(
  { names }: PathGraph,
  { guest, machine, isGiven, isSynchronised, alike }: GuestOnPath,
  add: (text: string, command: string) => void,
): void {
  const named = (each: HostedMachine): string => `${machineText(each)} of host ${names[each.host]}`;
  if (machine === undefined && !isGiven)
    add(
      `Host ${names[guest]} could be a virtual machine: ${alike.map(named).join(', ')}. Say which in the Sync tab, or by --guest, to learn what its host took from its running time.`,
      '',
    );
  if (machine !== undefined && !isSynchronised)
    add(
      `Host ${names[guest]} is taken for a virtual machine, ${named(machine)}, but how their clocks relate is not known: the time that its host took from it is not known either.`,
      RECORD_PACKETS,
    );
}

/** Whether the path goes between two hosts whose packets contradict every linear relation of their clocks. */
function crossesFailedClocks({ graph, hosts, sync }: PathGraph, { segments: { worker } }: Path): boolean {
  const failed = (sync?.pairs ?? []).filter(({ state }) => state === 'failed');
  if (failed.length === 0) return false;
  const places = Array.from(worker, (each) => hosts[graph.place(each).host].index);
  return failed.some(({ a, b }) =>
    places.some((to, i) => {
      const from = places[i - 1];
      return (from === a && to === b) || (from === b && to === a);
    }),
  );
}

/** Whether packets were recorded on a host, and on another one whose clock is not related to its own. */
function isApart({ hosts, clock, sync }: PathGraph, own: PathHost): boolean {
  if (sync === undefined || own.tables.packets.length === 0) return false;
  return hosts.some(
    ({ index, tables }) =>
      index !== own.index && tables.packets.length > 0 && !areSynchronised(clock, own.index, index),
  );
}

/** Whether the path has a wait for the network without going to the sender. */
function waitsOnPackets({ segments: s }: Path): boolean {
  return s.label.some((label, i) => label === BLOCKED && values.causeOf(s.cause[i]) === values.CAUSE_NETWORK);
}
