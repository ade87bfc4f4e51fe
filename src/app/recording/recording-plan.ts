/** Commands that record what is asked. Pure. */
import { QUESTIONS, type Question } from './questions.ts';

/** Span of time that is recorded. */
export type Span = 'while' | 'snapshot' | 'rotation';

/** Where the tools of the recording kit are, beside the README of the project. */
const KIT = ['libwakepath-stacks.so', 'libwakepath-locks.so'];

/**
 * The commands that record what these questions need, one each line, for a shell whose user may record the kernel.
 * @param ids of `QUESTIONS`; none: nothing is to be recorded, ''
 */
export function recordingPlan(ids: ReadonlySet<string>, span: Span): string {
  const asked = QUESTIONS.filter(({ id }) => ids.has(id)).map(({ record }) => record);
  if (asked.length === 0) return '';
  const kernel = unique(asked.flatMap((part) => part.kernel ?? []));
  const calls = asked.some((part) => part.calls);
  const programs = unique(asked.flatMap((part) => part.programs ?? []));
  const kit = asked.some((part) => part.kit) ? KIT.map((name) => `recording/build/${name}`) : [];
  const preload = [...kit, ...unique(asked.flatMap((part) => part.preload ?? []))];
  return [
    ...(kit.length > 0 ? ['make -C recording'] : []),
    `lttng create my-trace --output="$PWD/my-trace"${span === 'snapshot' ? ' --snapshot' : ''}`,
    ...kernelCommands(kernel, calls, span),
    ...programCommands(programs, span),
    ...(span === 'rotation' ? ['lttng enable-rotation --timer=60s'] : []),
    'lttng start',
    `${preload.length > 0 ? `LD_PRELOAD="${preload.join(' ')}" ` : ''}./the-slow-thing`,
    ...(span === 'snapshot' ? ['lttng snapshot record'] : ['lttng stop']),
    'lttng destroy',
  ].join('\n');
}

/** A snapshot has what the buffers hold, so they are larger. */
function bufferOptions(span: Span, size: string): string {
  return span === 'snapshot' ? '--subbuf-size=4M --num-subbuf=16' : `--subbuf-size=${size} --num-subbuf=8`;
}

function kernelCommands(events: readonly string[], calls: boolean, span: Span): string[] {
  if (events.length === 0 && !calls) return [];
  return [
    `lttng enable-channel --kernel kernel ${bufferOptions(span, '1M')}`,
    ...(events.length > 0
      ? [`lttng enable-event --kernel --channel=kernel ${events.map((name) => `'${name}'`).join(',')}`]
      : []),
    ...(calls ? ['lttng enable-event --kernel --channel=kernel --syscall --all'] : []),
  ];
}

/** Without these contexts it is not known whose the events are. */
function programCommands(events: readonly string[], span: Span): string[] {
  if (events.length === 0) return [];
  return [
    `lttng enable-channel --userspace programs ${bufferOptions(span, '256K')}`,
    `lttng enable-event --userspace --channel=programs '${events.join(',')}'`,
    'lttng add-context --userspace --channel=programs --type=vpid --type=vtid',
  ];
}

/** Things to do besides the commands, a sentence each. */
export function recordingNotes(ids: ReadonlySet<string>, span: Span): string[] {
  const asked = QUESTIONS.filter(({ id }) => ids.has(id));
  return [
    ...(needsKernel(asked)
      ? ['Recording the kernel takes root, or the group tracing, and LTTng’s kernel modules.']
      : []),
    ...SPAN_NOTES[span],
    'Lost events are shown as losses. A larger --subbuf-size loses less.',
  ];
}

function needsKernel(asked: readonly Question[]): boolean {
  return asked.some(({ record }) => record.calls === true || (record.kernel ?? []).length > 0);
}

const SPAN_NOTES: Readonly<Record<Span, readonly string[]>> = {
  while: [],
  snapshot: [
    'Nothing is written until “snapshot record”: run it when the slow thing has just happened. It writes the last 64 MB of each CPU.',
  ],
  rotation: [
    'Each minute a folder is complete in my-trace/archives: open one of them, or some together, and delete old ones.',
  ],
};

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
