/**
 * Questions that a trace can answer, and the events that each needs: the table of the recording guide, and of the Info
 * tab about an open trace.
 */
import { type EventKind, callBegun } from '../../engine/trace/event-kinds.ts';
import { matcherOf } from '../../engine/base/glob.ts';
import type { RecordedEvents } from '../../engine/protocol/events.ts';
import text from '../../../recording/events.sh?raw';

/** @throws if the file has no such line */
function wordsOf(name: string): readonly string[] {
  const words = new RegExp(`^${name}='(.*)'$`, 'm').exec(text)?.[1];
  if (words === undefined) throw new Error(`recording/events.sh has no line ${name}='…'`);
  return words.split(' ');
}

/** Events, buffers, contexts and libraries of the recording kit, from the file that its script reads. */
export const KIT = {
  scheduler: wordsOf('SCHEDULER'),
  interrupts: wordsOf('INTERRUPTS'),
  disks: wordsOf('DISKS'),
  network: wordsOf('NETWORK'),
  locks: wordsOf('LOCKS'),
  stacks: wordsOf('STACKS'),
  addresses: wordsOf('ADDRESSES'),
  contexts: wordsOf('CONTEXTS'),
  kernelBuffers: wordsOf('KERNEL_BUFFERS'),
  programBuffers: wordsOf('PROGRAM_BUFFERS'),
  kitLibraries: wordsOf('KIT_LIBRARIES'),
  ustLibraries: wordsOf('UST_LIBRARIES'),
} as const;

export interface Question {
  readonly id: string;
  /** The question, for a reader who is about to record. */
  readonly question: string;
  readonly where: string;
  /** Where a trace without kernel events answers it; default: nowhere. */
  readonly whereAlone?: string;
  /** Kernel events that it needs: one of each list. */
  readonly kernel: readonly (readonly EventKind[])[];
  /** Events of programs, of which it needs one; `*` stands for any characters. */
  readonly programs?: readonly string[];
  readonly record: Recording;
  /** Its cost, or other advice before recording. */
  readonly note: string;
}

/** Events and contexts to record with LTTng; those for other recorders are in `others`. */
interface Recording {
  /** Events of perf, trace-cmd and Perfetto; undefined: only LTTng records it. `cpu-clock` are samples, of perf alone. */
  readonly others?: readonly string[];
  /** Events of the kernel, besides system calls. */
  readonly kernel?: readonly string[];
  readonly calls?: boolean;
  readonly programs?: readonly string[];
  /** Whether it needs the project's recording kit, and the files of the programs. */
  readonly kit?: boolean;
}

const { scheduler, interrupts, disks, network, locks, stacks, addresses } = KIT;

/** Events of perf and others, like those of LTTng in `KIT`. */
const SCHEDULER = 'sched:*';
const WAITS = [SCHEDULER, 'irq:*', 'timer:hrtimer_expire_*'];

export const QUESTIONS: readonly Question[] = [
  {
    id: 'waits',
    question: 'Why did a thread wait, and for whom?',
    where: 'Timeline, Path',
    kernel: [['switch'], ['waking', 'wakeup'], ['irq-entry'], ['softirq-entry'], ['hrtimer-entry']],
    record: { others: WAITS, kernel: [...scheduler, ...interrupts] },
    note: 'About 200 ns for each event: 5 % of the time of web requests, 18 % of the worst case measured (Giraldeau 2015, chapter 5).',
  },
  {
    id: 'calls',
    question: 'In which system calls, on which files?',
    where: 'Statistics, Selection',
    kernel: [['switch'], ['syscall-entry'], ['syscall-exit']],
    record: { others: [SCHEDULER, 'raw_syscalls:*'], kernel: scheduler, calls: true },
    note: 'In a trace of a busy database they were 64 % of all events (Giraldeau 2015, chapter 4): leave them out where that is too much.',
  },
  {
    id: 'disks',
    question: 'Which disk requests were slow, and who made them?',
    where: 'Statistics, Path',
    kernel: [['request-issue'], ['request-complete']],
    record: { others: [...WAITS, 'block:block_rq_*'], kernel: [...scheduler, ...interrupts, ...disks] },
    note: 'Write the trace to another disk than the one in question.',
  },
  {
    id: 'network',
    question: 'Was it the network, or another machine?',
    where: 'Path, Sync',
    kernel: [['packet-sent'], ['packet-received'], ['switch']],
    record: { kernel: [...scheduler, ...interrupts, ...network] },
    note: 'Record all machines at the same time, by the same commands, and open their folders together: packets align their clocks.',
  },
  {
    id: 'locks',
    question: 'Which lock is contended, and what does its holder do?',
    where: 'Locks, Path',
    whereAlone: 'Locks',
    kernel: [],
    programs: locks,
    record: { programs: [...locks, ...addresses], kit: true },
    note: 'Mutexes, rwlocks, spin locks, semaphores, conditions and barriers of POSIX threads.',
  },
  {
    id: 'stacks',
    question: 'In which function did the time go?',
    where: 'Flame graph, Path',
    whereAlone: 'Flame graph',
    kernel: [],
    programs: ['*:cpu_stack', '*:syscall_stack', 'lttng_profile:*', 'lttng_ust_cyg_profile*'],
    record: { others: [SCHEDULER, 'cpu-clock'], programs: [...stacks, ...addresses], kit: true },
    note: 'Samples of perf need frame pointers (-fno-omit-frame-pointer), those of the kit do not; one each millisecond of CPU time takes up to 10 % of it.',
  },
  {
    id: 'requests',
    question: 'What did the slow requests do differently?',
    where: 'Compare',
    whereAlone: 'Compare',
    kernel: [['switch'], ['waking', 'wakeup']],
    record: {
      kernel: [...scheduler, ...interrupts],
      calls: true,
      programs: ['app:request_begin', 'app:request_end'],
    },
    note: 'Replace app:… by the names of two events of your program that have the number of the request as a field. For a server without such events accept and shutdown are taken.',
  },
  {
    id: 'power',
    question: 'Did a CPU run slowly, or sleep?',
    where: 'Timeline, Resources',
    kernel: [['frequency']],
    record: { others: ['power:cpu_*'], kernel: ['power_cpu_frequency', 'power_cpu_idle'] },
    note: 'Few events. Most virtual machines have none.',
  },
  {
    id: 'guest',
    question: 'Did the host of a virtual machine stop it?',
    where: 'Path, Sync',
    kernel: [['guest-entry'], ['switch']],
    record: {
      others: [...WAITS, 'kvm:kvm_e*'],
      kernel: [...scheduler, ...interrupts, 'kvm_x86_entry', 'kvm_x86_exit', ...network],
    },
    note: 'Record host and guest at the same time; the guest has no such events. Older LTTng calls them kvm_entry and kvm_exit, which tell guest time.',
  },
];

/** A question, and whether the open trace answers it by what its hosts recorded. */
export interface AnsweredQuestion extends Pick<Question, 'id' | 'question' | 'where'> {
  /** Events that no host recorded; empty: it is answered, at least for some hosts. */
  readonly missing: readonly string[];
  /** Hosts for which it is not answered, if it is for others. */
  readonly notOn: readonly number[];
}

/** Subject of `session.ask('recorded')`: the kernel events that each question needs. */
export const RECORDED_NEEDS = QUESTIONS.map(({ kernel }) => kernel);

/** Contents of the open trace that cannot be seen from names of events. */
export interface Contents {
  /** Whether states of threads are known. */
  readonly hasKernel: boolean;
  /** Whether there are call stacks from any source; contexts of kernel events may have them. */
  readonly hasStacks: boolean;
  /** Whether names of events suggest pairs that begin and end work. */
  readonly hasPairs: boolean;
}

/** @param recorded the answer about `RECORDED_NEEDS` */
export function answeredQuestions(
  recorded: readonly RecordedEvents[],
  { hasKernel, hasStacks, hasPairs }: Contents,
): readonly AnsweredQuestion[] {
  return QUESTIONS.map(({ id, question, where: withKernel, whereAlone, programs, record }, at) => {
    const where = hasKernel ? withKernel : (whereAlone ?? withKernel);
    const isAlone = !hasKernel && whereAlone !== undefined;
    const isThere = id === 'stacks' && hasStacks;
    // Requests of a server without events of its own are found by kernel events.
    const needsPairs = id === 'requests' && !hasPairs;
    const lacking = recorded.map(({ host, missing, names }) => ({
      host,
      missing: [
        ...(isAlone ? [] : missing[at]),
        ...((
          needsPairs
            ? !isAlone && names.some((name) => callBegun(name) !== '')
            : isThere || hasAny(names, programs)
        )
          ? []
          : (record.programs ?? []).slice(0, 1)),
      ],
    }));
    const without = lacking.filter(({ missing }) => missing.length > 0);
    const isAnswered = without.length < lacking.length;
    // Hosts may lack different events; the shortest list is shown.
    const least = without.reduce((a, b) => (b.missing.length < a.missing.length ? b : a), without[0]);
    return {
      ...{ id, question, where },
      missing: isAnswered ? [] : (least?.missing ?? []),
      notOn: isAnswered ? without.map(({ host }) => host) : [],
    };
  });
}

function hasAny(names: readonly string[], patterns: readonly string[] | undefined): boolean {
  return patterns === undefined || patterns.map(matcherOf).some((matches) => names.some(matches));
}
