/** Lacks of recordings by perf, trace-cmd or Perfetto: the consequence, and the command that records it. */
import type { StructClass } from '../../ctf/model.ts';
import type { Recorder, RecordingLack } from '../../protocol/session.ts';
import { type EventKind, firstName } from '../../trace/event-kinds.ts';
import { recordedProgram } from '../../trace/read-trace.ts';
import type { Trace } from '../../trace/types.ts';
import { namesFor, perfCommand, recordingCommand } from '../../words/recording-commands.ts';
import { eventNamesOf, missingEvents, recorderOf } from './recorded.ts';

type Recorded = Pick<Trace, 'model' | 'domain'>;

/** Groups of kinds of which one is needed, and what is unknown without it. */
const NEEDS: readonly { readonly groups: readonly (readonly EventKind[])[]; readonly without: string }[] = [
  {
    groups: [['switch']],
    without: 'When threads ran, waited and were ready is not known: there are no states and no paths.',
  },
  { groups: [['waking', 'wakeup']], without: 'Who ended a wait is not known.' },
  {
    groups: [['irq-entry'], ['softirq-entry'], ['hrtimer-entry']],
    without:
      'Where an interrupt or a timer ended a wait, the thread that it interrupted seems to have ended it.',
  },
  {
    groups: [['syscall-entry']],
    without: 'In which system call a thread was is not known, and time in the kernel counts as user time.',
  },
];

/** Lacks of the traces of one host; none where LTTng recorded its kernel, as answers name missing events then. */
export function recordingLacks(traces: readonly Recorded[]): readonly RecordingLack[] {
  const recorder = recorderOf(traces);
  if (recorder === 'lttng') return [];
  const host = { eventNames: eventNamesOf(traces) };
  const lacks = NEEDS.flatMap(({ groups, without }): RecordingLack[] => {
    const missing = missingEvents([host], groups);
    if (missing.length === 0) return [];
    const command = recordingCommand(missing, recorder);
    return [{ what: namesFor(recorder, missing).join(', '), without, command }];
  });
  return [...optionLacks(traces, recorder), ...lacks];
}

/** Lacks that come from the options of a recording, whatever events it has. */
function optionLacks(traces: readonly Recorded[], recorder: Recorder): readonly RecordingLack[] {
  const own = traces.filter(({ domain }) => domain !== 'ust');
  const program = own.map(({ model }) => recordedProgram(model)).find((name) => name !== undefined);
  const clocks = own.flatMap(({ model }) => model.clocks.map(({ name }) => name));
  const hasClock = clocks.some((name) => name !== 'perf_clock' && !name.startsWith('ftrace_'));
  const found: RecordingLack[] = [];
  const isPerf = recorder === 'perf';
  const command = isPerf
    ? perfCommand(['sched:*', 'irq:*'])
    : recordingCommand([firstName('switch')], recorder);
  if (program !== undefined)
    found.push({
      what: '-a',
      without: `Only ${program} was recorded: of all other threads, of idle CPUs, and of those that ended its waits nothing is known.`,
      command,
    });
  if (isPerf && !own.some(({ model }) => hasStacks(model)))
    found.push({ what: '-g', without: 'In which functions threads ran and waited is not known.', command });
  if (!hasClock && recorder !== 'perfetto')
    found.push({
      what: isPerf ? '-k CLOCK_MONOTONIC' : '-C mono',
      without: 'Its clock is its own: how its times relate to those of other recordings is not known.',
      command,
    });
  return found;
}

function hasStacks({ streams }: Recorded['model']): boolean {
  const has = (fields: StructClass | undefined) =>
    fields?.members.some(({ name }) => name === 'perf_callchain') ?? false;
  return streams.some(({ eventContext, events }) =>
    [eventContext, ...events.flatMap(({ context, payload }) => [context, payload])].some(has),
  );
}
