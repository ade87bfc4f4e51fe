/** Requests for the events read for call stacks. Their kinds have names that no other analysis uses. */
import type { KindRequest } from '../../analysis/contract.ts';
import { findMembers } from '../../ctf/decode/program/members.ts';
import type { EventClass, StreamClass } from '../../ctf/model.ts';
import { callEntry, callExit, EVENT_KINDS } from '../../trace/event-kinds.ts';
import { KERNEL_THREAD, PROGRAM_THREAD } from '../contract/event-mapper.ts';
import { kernelKind } from '../../linux/events/kernel-events.ts';
import { MODULE_KINDS } from './module-events.ts';
import { DURATION, type StackEvent } from './stack-events.ts';
import type { Switches } from '../contract/switches.ts';

export interface StackSettings {
  /** Events of programs that are samples, in order of name. */
  readonly samples: readonly StackEvent[];
  /** Entries and exits of functions. */
  readonly functions: boolean;
  /** Contexts of any events. */
  readonly contexts: boolean;
  /** Whether program events about loaded modules are read. */
  readonly modules: boolean;
  /** Switches that tell in which thread an event happened. */
  readonly switches: Switches;
}

/** Contexts that any event may have: LTTng's, and those that perf adds. */
export const STACK_CONTEXTS = {
  user: { names: ['callstack_user'], kind: 'sequence' },
  kernel: { names: ['callstack_kernel'], kind: 'sequence' },
  perf: { names: ['perf_callchain'], kind: 'sequence' },
} as const;

/** Lines of interpreted code, where they are numbers. */
const LINES = 'lines';
export const LINE_NUMBERS = { names: [LINES], kind: 'sequence', only: 'payload' } as const;

export type StackContext = keyof typeof STACK_CONTEXTS;

/** Events of -finstrument-functions; the fast ones do not tell which function is left. */
export const FUNCTION_ENTRIES: readonly string[] = providers('func_entry');
export const FUNCTION_EXITS: readonly string[] = providers('func_exit');

/** Entries and exits of functions, including those of the kernel. */
export const ALL_FUNCTIONS: readonly string[] = [
  ...[...FUNCTION_ENTRIES, ...FUNCTION_EXITS],
  ...[...EVENT_KINDS['graph-entry'].events, ...EVENT_KINDS['graph-exit'].events],
];

function providers(event: string): string[] {
  return ['lttng_ust_cyg_profile', 'lttng_ust_cyg_profile_fast'].map((provider) => `${provider}:${event}`);
}

const OPEN_CALLS = ['open', 'openat', 'openat2', 'creat'];
const MAP_CALLS = ['mmap', 'mmap2'];
const MAPPING_CALLS: readonly string[] = [...OPEN_CALLS, ...MAP_CALLS, 'close'];

/** Returns from calls that map memory. */
export const MAP_EXITS: readonly string[] = MAP_CALLS.map(callExit);

/** Whether a kernel event happens in the thread whose stacks it has. */
export function isInThread(event: EventClass, stream: StreamClass): boolean {
  return MAPPING_CALLS.map(callEntry).includes(event.name ?? '') || hasStack(event, stream);
}

export function hasStack(event: EventClass, stream: StreamClass): boolean {
  return Object.values(STACK_CONTEXTS).some((want) => findMembers(want, stream, event).length > 0);
}

/** Unique among the names of other events' kinds. */
export const sampleKind = (event: string) => `stack event ${event}`;

const own = (kind: 'int' | 'wide' | 'string' | 'sequence', ...names: string[]) =>
  ({ names, kind, only: 'payload' }) as const;

/** Mappings of files by perf; perf's own conversion to CTF does not tell how much of a file. */
const PERF_MAPS: readonly string[] = ['perf_mmap', 'perf_mmap2', 'perf_ksymbol'];
const PERF_MAP = {
  pid: own('int', 'pid'),
  start: own('wide', 'start'),
  offset: own('wide', 'offset'),
  length: own('wide', 'length'),
  path: own('string', 'filename'),
  build: own('string', 'build_id'),
};
/** `time` is 0 for what existed before the recording. */
const PERF_FORK = { pid: own('int', 'pid'), ppid: own('int', 'ppid'), time: own('wide', 'time') };
const PERF_NAME = { pid: own('int', 'pid'), exec: own('int', 'exec') };

function sampleRequest({ event, field, kind }: StackEvent): KindRequest {
  const stack = own(kind === 'addresses' ? 'sequence' : 'string', field);
  const fields = { ...PROGRAM_THREAD, stack, duration: own('wide', DURATION) };
  if (kind === 'functions') {
    const places = { files: own('string', 'files'), lines: own('string', LINES), numbers: LINE_NUMBERS };
    return { kind: sampleKind(event), events: [event], fields: { ...fields, ...places } };
  }
  return { kind: sampleKind(event), events: [event], fields };
}

export function stackKinds(settings: StackSettings): KindRequest[] {
  const { samples, functions, contexts, modules, switches } = settings;
  const kinds: KindRequest[] = [];
  if (contexts) {
    // Before events that empty their thread's stack.
    kinds.push({
      kind: 'stack-context',
      events: [],
      fields: {
        ...PROGRAM_THREAD,
        ...KERNEL_THREAD,
        id: own('int', 'id'),
        ...STACK_CONTEXTS,
      },
      takes: (_, { model }, streamClass) => {
        const stream = model.streams[streamClass];
        return stream.events.some((event) => hasStack(event, stream));
      },
    });
  }
  if (switches !== 'none') kinds.push(kernelKind('switch', 'next_tid'));
  kinds.push(
    kernelKind('exec', 'tid'),
    kernelKind('exit', 'tid'),
    kernelKind('fork', 'parent_pid', 'child_tid', 'child_pid'),
    { kind: 'stack-forked', events: EVENT_KINDS['thread-parent'].events, fields: PERF_FORK },
    { kind: 'stack-named', events: EVENT_KINDS['thread-name'].events, fields: PERF_NAME },
    { kind: 'stack-mapped', events: PERF_MAPS, fields: PERF_MAP },
    {
      kind: 'stack-close',
      events: [callEntry('close')],
      fields: { ...KERNEL_THREAD, fd: own('int', 'fd') },
    },
    {
      kind: 'stack-open',
      events: OPEN_CALLS.map(callEntry),
      fields: { ...KERNEL_THREAD, path: own('string', 'filename', 'pathname') },
    },
    {
      kind: 'stack-map',
      events: MAP_CALLS.map(callEntry),
      fields: {
        ...KERNEL_THREAD,
        fd: own('int', 'fd'),
        flags: own('int', 'flags'),
        offset: own('wide', 'offset', 'off'),
        length: own('wide', 'len'),
      },
    },
    {
      kind: 'stack-return',
      events: MAPPING_CALLS.map(callExit),
      fields: { ...KERNEL_THREAD, ret: own('wide', 'ret') },
    },
  );
  for (const sample of samples) kinds.push(sampleRequest(sample));
  if (functions) {
    const fields = { ...PROGRAM_THREAD, address: own('wide', 'addr'), site: own('wide', 'call_site') };
    kinds.push(
      { kind: 'function-entry', events: FUNCTION_ENTRIES, fields },
      { kind: 'function-exit', events: FUNCTION_EXITS, fields },
    );
    for (const kind of ['graph-entry', 'graph-exit'] as const) {
      const { events, fields: ofGraph } = EVENT_KINDS[kind];
      kinds.push({ kind, events, fields: { ...PROGRAM_THREAD, ...ofGraph } });
    }
  }
  return modules ? [...kinds, ...MODULE_KINDS] : kinds;
}
