/** System calls that recorders have by their number alone. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PipeWriter } from '../../../test/support/perf-writer.ts';
import { type Message, perfettoTrace } from '../../../test/support/perfetto-writer.ts';
import { formatText, traceDat } from '../../../test/support/trace-dat-writer.ts';
import { unpackToMemory } from '../../../test/support/unpack-to-memory.ts';
import { loadMetadata } from '../ctf/metadata/load-metadata.ts';
import { callNames } from './system-calls.ts';

/** Places in Linux' own list (`syscall_64.tbl`, `syscall_32.tbl`, `asm-generic/unistd.h`, `arm/tools/syscall.tbl`). */
test.each([
  [
    'x86_64',
    { 0: 'read', 5: 'newfstat', 40: 'sendfile64', 202: 'futex', 334: 'rseq', 424: 'pidfd_send_signal' },
  ],
  ['x86_64', { 335: 'uretprobe', 337: undefined, 469: 'file_setattr', 470: undefined, [-1]: undefined }],
  ['i686', { 3: 'read', 90: 'old_mmap', 162: 'nanosleep', 240: 'futex', 386: 'rseq', 422: 'futex_time64' }],
  ['i386', { 252: 'exit_group', 295: 'openat', 402: 'msgctl', 435: 'clone3', 251: undefined }],
  ['aarch64', { 63: 'read', 98: 'futex', 221: 'execve', 293: 'rseq', 403: undefined, 449: 'futex_waitv' }],
  ['riscv64', { 64: 'write', 79: 'newfstatat', 115: 'clock_nanosleep', 259: 'riscv_flush_icache' }],
  [
    'armv7l',
    { 3: 'read', 217: 'getdents64', 252: 'epoll_wait', 322: 'openat', 398: 'rseq', 401: 'kexec_file_load' },
  ],
  ['mips64', { 0: undefined, 202: undefined }],
])('calls of %s have the names of the kernel: %j', (machine, expected) => {
  const nameOf = callNames(machine);
  const found = Object.keys(expected).map((number) => [number, nameOf(Number(number))]);
  expect(Object.fromEntries(found)).toEqual(expected);
});

test('programs of 32 bits have numbers of their own', () => {
  const nameOf = callNames('x86_64');
  expect([nameOf(4), nameOf(4, true), nameOf(0x40000001)]).toEqual(['newstat', 'write', 'write']);
  expect(callNames('aarch64')(240, true)).toBe('futex');
  expect(callNames('i686')(4, true)).toBeUndefined();
});

const HEADER = '/usr/include/x86_64-linux-gnu/asm/unistd_64.h';
/** Calls by their number's name whose function in the kernel is called otherwise. */
const OTHERWISE: Readonly<Record<string, string>> = {
  ...{ stat: 'newstat', fstat: 'newfstat', lstat: 'newlstat', uname: 'newuname', umount2: 'umount' },
  ...{ sendfile: 'sendfile64', _sysctl: 'sysctl' },
};

test.skipIf(!existsSync(HEADER))('all calls of the C library of this machine are known', () => {
  const defined = [...readFileSync(HEADER, 'utf8').matchAll(/__NR_(\w+) (\d+)/g)];
  const nameOf = callNames('x86_64');
  expect(defined.length).toBeGreaterThan(300);
  expect(defined.map(([, , number]) => nameOf(Number(number)))).toEqual(
    defined.map(([, name]) => OTHERWISE[name] ?? name),
  );
});

const RAW = formatText('sys_enter', 5, [
  ['unsigned short common_type', 0, 2, 0],
  ['unsigned short common_flags', 2, 2, 0],
  ['int common_pid', 4, 4, 1],
  ['long id', 8, 8, 1],
  ['unsigned long args[6]', 16, 48, 0],
]);
const KERNEL = { system: 'raw_syscalls', formats: [RAW] };

/** Event classes of the file's trace with their fields. */
async function classesOf(name: string, bytes: Uint8Array): Promise<Record<string, string[]>> {
  const { files } = await unpackToMemory({ [name]: bytes });
  const metadata = [...files].find(([path]) => path.endsWith('metadata'))?.[1] ?? new Uint8Array();
  const model = await loadMetadata(metadata, 'metadata');
  if (!model.ok) throw new Error(JSON.stringify(model.fault));
  return Object.fromEntries(
    model.value.model.streams[0].events.map(({ name: event = '', payload }) => [
      event.replace(/^raw_syscalls:/, ''),
      payload?.members.map((member) => member.name) ?? [],
    ]),
  );
}

const FIELDS = ['id', 'uaddr', 'op', 'val', 'utime', 'uaddr2', 'val3'];

describe.each([false, true])('big-endian: %s', (isBig) => {
  /** Numbers of 64 bits as two of 32. */
  const long = (value: number) => (isBig ? [0, value] : [value, 0]);
  const record = (call: number) => [
    isBig ? 5 << 16 : 5,
    7,
    ...long(call),
    ...[1, 2, 3, 4, 5, 6].flatMap(long),
  ];

  test('calls in perf.data have names and arguments, those of 32-bit programs other ones', async () => {
    const pipe = new PipeWriter(isBig);
    pipe.feature(6, 'x86_64');
    pipe.tracingData(traceDat(isBig, [], 0, undefined, KERNEL));
    pipe.attribute(2, 5n, 11n, { isRaw: true, period: 1n });
    const vdso = isBig ? [0x5b766473, 0x6f5d0000] : [0x7364765b, 0x00005d6f];
    pipe.other(1, [6, 7, 0xf7f0_0000n, 0x1000n, 0n, ...vdso], 90n, 0, 11n);
    pipe.other(1, [16, 17, 0x7fff_f7f0_0000n, 0x1000n, 0n, ...vdso], 90n, 0, 11n);
    // Process 16 begins process 26, process 6 process 36.
    pipe.other(7, [26, 16, 26, 16, 95n], 95n, 0, 11n);
    pipe.other(7, [36, 6, 36, 6, 96n], 96n, 0, 11n);
    pipe.sample(11n, 7, 100n, 0, record(4));
    pipe.sample(11n, 17, 110n, 0, record(202));
    pipe.sample(11n, 27, 120n, 0, record(1));
    pipe.sample(11n, 37, 130n, 0, record(1));
    pipe.sample(11n, 17, 140n, 0, record(1234));
    const classes = await classesOf('perf.data', pipe.bytes);
    expect(Object.keys(classes).filter((name) => name.startsWith('sys_'))).toEqual([
      ...['sys_enter_write', 'sys_enter_futex', 'sys_enter_exit', 'sys_enter'],
    ]);
    expect(classes.sys_enter_futex.slice(-FIELDS.length)).toEqual(FIELDS);
    expect(classes.sys_enter_write.slice(-5)).toEqual(['id', 'fd', 'buf', 'count', 'args']);
  });

  test('calls in trace.dat', async () => {
    const events = [202, 1234].map((call) => [isBig ? (16 << 27) | 10 : 16 | (10 << 5), ...record(call)]);
    const options = [[5, 'Linux box 6.1.0 x86_64\0']] as const;
    const classes = await classesOf(
      'trace.dat',
      traceDat(isBig, events, 0, undefined, { ...KERNEL, options }),
    );
    expect(Object.keys(classes)).toEqual(['sys_enter_futex', 'sys_enter']);
    expect(classes.sys_enter_futex.slice(-FIELDS.length)).toEqual(FIELDS);
    const elsewhere = await classesOf('trace.dat', traceDat(isBig, events, 0, undefined, KERNEL));
    expect(Object.keys(elsewhere)).toEqual(['sys_enter']);
  });
});

test('calls in a Perfetto trace have names when the machine is told behind them, too', async () => {
  const call = (time: number, number: number): Message => ({ 1: time, 2: 7, 329: { 1: number } });
  const bundle: Message = { 1: { 1: 0, 2: [call(100, 98), call(110, 5000), call(120, 64)] } };
  const machine: Message = { 45: { 1: { 4: 'aarch64' } } };
  const names = async (...packets: readonly Message[]) =>
    Object.keys(await classesOf('trace.pb', perfettoTrace(packets))).filter((name) =>
      name.startsWith('sys_'),
    );
  expect(await names(bundle, machine)).toEqual(['sys_enter_futex', 'sys_enter', 'sys_enter_write']);
  expect(await names(bundle)).toEqual(['sys_enter']);
});
