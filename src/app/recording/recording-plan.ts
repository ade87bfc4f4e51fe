/** Commands that record what questions need. Pure. */
import { KIT, QUESTIONS, type Question } from './questions.ts';
import type { Recorder } from '../../engine/protocol/session.ts';
import { perfCommand, perfettoLine, traceCmdCommand } from '../../engine/words/recording-commands.ts';

export type Span = 'while' | 'snapshot' | 'rotation';

const PROGRAM = './the-slow-thing';
const FOLDER = 'my-trace';

/**
 * Commands that record what these questions need, one each line, for a shell whose user may record the kernel. For LTTng
 * they are those of the recording kit, or the kit itself if it covers all of them.
 * @param ids of `QUESTIONS`; none that this tracer records: nothing is to be recorded, ''
 */
export function recordingPlan(ids: ReadonlySet<string>, span: Span, recorder: Recorder): string {
  const asked = questionsOf(ids);
  if (asked.length === 0) return '';
  const events = unique(asked.flatMap(({ record }) => record.others ?? []));
  if (recorder !== 'lttng') return events.length === 0 ? '' : BY_OTHERS[recorder](events, span).join('\n');
  const kernel = unique(asked.flatMap(({ record }) => record.kernel ?? []));
  if (!asked.some(({ record }) => record.kit)) return byHand(asked, kernel, span).join('\n');
  const commands = span === 'while' ? [byKit(kernel)] : byHand(asked, kernel, span);
  return ['make -C recording', ...commands].join('\n');
}

const isKernelEvent = (event: string): boolean => event.includes(':');

const BY_OTHERS: Readonly<
  Record<Exclude<Recorder, 'lttng'>, (events: readonly string[], span: Span) => readonly string[]>
> = {
  perf: byPerf,
  'trace-cmd': (events) => [traceCmdCommand(events.filter(isKernelEvent), PROGRAM)],
  perfetto: (events) => [
    "cat > wakepath.cfg <<'END'",
    'buffers { size_kb: 65536 }',
    'data_sources { config { name: "linux.process_stats" process_stats_config { scan_all_processes_on_start: true } } }',
    'data_sources { config { name: "linux.ftrace" ftrace_config {',
    ...events.filter(isKernelEvent).map((event) => `  ${perfettoLine(event)}`),
    '} } }',
    'duration_ms: 10000',
    'END',
    'tracebox -o my-trace.pftrace --txt -c wakepath.cfg',
  ],
};

/** Commands of perf. A snapshot is written on a signal, from buffers that are overwritten; for hours there is a file each minute. */
function byPerf(events: readonly string[], span: Span): readonly string[] {
  const options = { while: '', snapshot: '--overwrite --switch-output', rotation: '--switch-output=60s' }[
    span
  ];
  const command = perfCommand(events, PROGRAM);
  if (span === 'while') return [command];
  const recording = command.replace('perf record', `perf record ${options}`);
  return span === 'rotation'
    ? [recording]
    : [
        `${recording} &`,
        '# When the slow thing has just happened, while the program still runs:',
        'kill -USR2 $!',
      ];
}

/** Events that the kit's script always records. */
const KNOWN_TO_KIT = new Set([...KIT.scheduler, ...KIT.interrupts, ...KIT.disks, ...KIT.network]);

function byKit(kernel: readonly string[]): string {
  const others = kernel.filter((name) => !KNOWN_TO_KIT.has(name));
  const setting = others.length > 0 ? `WAKEPATH_KERNEL_EVENTS='${others.join(' ')}' ` : '';
  return `${setting}recording/record.sh ${FOLDER} ${PROGRAM}`;
}

function byHand(asked: readonly Question[], kernel: readonly string[], span: Span): string[] {
  const calls = asked.some(({ record }) => record.calls);
  const programs = unique(asked.flatMap(({ record }) => record.programs ?? []));
  const kit = asked.some(({ record }) => record.kit);
  const libraries = [...KIT.kitLibraries.map((name) => `$PWD/recording/build/${name}`), ...KIT.ustLibraries];
  const start = `${kit ? `LD_PRELOAD="${libraries.join(' ')}" ` : ''}${PROGRAM}`;
  return [
    `lttng create ${FOLDER} --output="$PWD/${FOLDER}"${span === 'snapshot' ? ' --snapshot' : ''}`,
    ...kernelCommands(kernel, calls, span),
    ...programCommands(programs, span),
    ...(kit ? FILE_COMMANDS : []),
    'lttng start',
    ...SPAN_COMMANDS[span](start),
    'lttng destroy',
  ];
}

/** Commands that copy the files with names of functions and locks, as the kit does. */
const FILE_COMMANDS = [
  `mkdir -p ${FOLDER}/elf`,
  `cp -L ${PROGRAM} $(ldd ${PROGRAM} | awk '{ for (i = 1; i <= NF; i++) if (index($i, "/") == 1) print $i }') ${FOLDER}/elf/`,
];

/** Command for a state dump, which names processes and modules. A recording that begins later needs a new dump while they live. */
const STATE_DUMP = 'lttng regenerate statedump';

const SPAN_COMMANDS: Readonly<Record<Span, (start: string) => readonly string[]>> = {
  while: (start) => [start, 'lttng stop'],
  snapshot: (start) => [
    `${start} &`,
    '# When the slow thing has just happened, while the program still runs:',
    `${STATE_DUMP} && lttng snapshot record`,
  ],
  rotation: (start) => [
    `${start} &`,
    `while sleep 60 && kill -0 $! 2>/dev/null; do lttng rotate && ${STATE_DUMP}; done`,
    'lttng stop',
  ],
};

/** Buffer options. A snapshot contains only what the buffers hold, so they are larger. */
function bufferOptions(span: Span, options: readonly string[]): string {
  return span === 'snapshot' ? '--subbuf-size=4M --num-subbuf=16' : options.join(' ');
}

function kernelCommands(events: readonly string[], calls: boolean, span: Span): string[] {
  if (events.length === 0 && !calls) return [];
  return [
    `lttng enable-channel --kernel kernel ${bufferOptions(span, KIT.kernelBuffers)}`,
    ...(events.length > 0 ? [`lttng enable-event --kernel --channel=kernel '${events.join(',')}'`] : []),
    ...(calls ? ['lttng enable-event --kernel --channel=kernel --syscall --all'] : []),
  ];
}

function programCommands(events: readonly string[], span: Span): string[] {
  if (events.length === 0) return [];
  return [
    `lttng enable-channel --userspace programs ${bufferOptions(span, KIT.programBuffers)}`,
    `lttng enable-event --userspace --channel=programs '${events.join(',')}'`,
    `lttng add-context --userspace --channel=programs ${KIT.contexts.join(' ')}`,
  ];
}

function questionsOf(ids: ReadonlySet<string>): readonly Question[] {
  return QUESTIONS.filter(({ id }) => ids.has(id));
}

/** Notes on what to do besides the commands, one sentence each. */
export function recordingNotes(ids: ReadonlySet<string>, span: Span, recorder: Recorder): string[] {
  const asked = questionsOf(ids);
  if (recorder !== 'lttng') return notesOfOthers(asked, span, recorder);
  const kit =
    'The recording kit is the folder recording of the source of Wakepath; it takes liblttng-ust-dev, make and a C compiler.';
  const kernel = 'Recording the kernel takes root, or the group tracing, and LTTng’s kernel modules.';
  return [
    ...(asked.some(({ record }) => record.kit) ? [kit] : []),
    ...(needsKernel(asked) ? [kernel] : []),
    ...SPAN_NOTES[span],
    'Lost events are shown as losses. A larger --subbuf-size loses less.',
  ];
}

function notesOfOthers(
  asked: readonly Question[],
  span: Span,
  recorder: Exclude<Recorder, 'lttng'>,
): string[] {
  const isLttngs = ({ record: { others } }: Question) =>
    others === undefined || (recorder !== 'perf' && !others.some((event) => isKernelEvent(event)));
  const left = asked.filter(isLttngs).map(({ question }) => `“${question}”`);
  return [
    ...(left.length > 0 ? [`Only LTTng records what answers ${left.join(' and ')}.`] : []),
    ...OTHER_NOTES[recorder],
    ...(recorder === 'perf' && span === 'rotation'
      ? ['Each minute a file perf.data.TIME is complete; --switch-max-files=60 keeps the last hour.']
      : []),
  ];
}

const OTHER_NOTES: Readonly<Record<Exclude<Recorder, 'lttng'>, readonly string[]>> = {
  perf: [
    'It takes root. -a records all threads: without it nothing is known of those that a program waits for.',
    'Drop the program and its libraries beside it for names of their functions. Call stacks need frame pointers (-fno-omit-frame-pointer).',
    'Do not set -F or -c: they leave out most switches.',
  ],
  'trace-cmd': ['It takes root. Lost events are shown as losses; -b 16384 gives each CPU 16 MB.'],
  perfetto: ['Also on Android: adb shell perfetto --txt -c - -o /data/misc/perfetto-traces/my-trace.pftrace'],
};

function needsKernel(asked: readonly Question[]): boolean {
  return asked.some(({ record }) => record.calls === true || (record.kernel ?? []).length > 0);
}

const SPAN_NOTES: Readonly<Record<Span, readonly string[]>> = {
  while: [],
  snapshot: ['Nothing is written until “snapshot record”, which writes the last 64 MB of each CPU.'],
  rotation: [
    'Each minute a folder is complete in my-trace/archives: open one of them, or some together, with the folder elf if there is one, and delete old ones.',
  ],
};

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
