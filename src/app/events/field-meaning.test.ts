import { expect, it } from 'vitest';
import { addressMeaning, fieldMeaning, shortMeaning } from './field-meaning.ts';

it.each([
  ['syscall_exit_openat', 'ret', -2n, 'ENOENT', '-2 ENOENT'],
  ['compat_syscall_exit_read', 'ret', -11n, 'EAGAIN', '-11 EAGAIN'],
  ['syscall_exit_read', 'ret', 4096n, undefined, undefined],
  ['syscall_exit_mmap', 'ret', -5000n, undefined, undefined],
  ['syscall_entry_openat', 'flags', 0o2000101n, 'O_WRONLY|O_CREAT|O_CLOEXEC', 'O_WRONLY|O_CREAT|O_CLOEXEC'],
  ['syscall_entry_open', 'flags', 0n, 'O_RDONLY', 'O_RDONLY'],
  ['syscall_entry_openat', 'flags', 0o4010002n, 'O_RDWR|O_SYNC', 'O_RDWR|O_SYNC'],
  // Another one on Arm than on x86.
  ['syscall_entry_openat', 'flags', 0o200000n, 'O_RDONLY|0x10000', 'O_RDONLY|0x10000'],
  ['sched_switch', 'prev_state', 0n, 'R: runnable', 'R'],
  ['sched_switch', 'prev_state', 2n, 'D: sleeps, and no signal ends that', 'D'],
  ['sched_switch', 'prev_state', 256n, 'R+: preempted', 'R+'],
  ['sched_switch', 'prev_state', 64n, undefined, undefined],
  ['my_sched_switch', 'prev_state', 2n, undefined, undefined],
  ['block_rq_issue', 'rwbs', 33n, 'WS: write, sync', 'WS'],
  ['block_rq_issue', 'rwbs', 0b10000000001n, 'FW: write, flush before', 'FW'],
  ['block_rq_issue', 'rwbs', 0b1100n, 'RA: read, read ahead', 'RA'],
  ['block_rq_issue', 'rwbs', 1n << 20n, '0x100000', undefined],
  ['block_rq_issue', 'dev', 266338320n, 'device 254:16', '254:16'],
  ['my:event', 'dev', 266338320n, undefined, undefined],
  ['sched_switch', 'next_prio', 20n, 'nice 0', undefined],
  ['sched_waking', 'prio', -51n, 'real-time priority 50', undefined],
  ['sched_waking', 'prio', -101n, 'deadline', undefined],
  ['net_dev_queue', 'len', 60n, undefined, undefined],
])('%s %s=%s', (event, field, value, words, short) => {
  expect([fieldMeaning(event, field, value)?.words, fieldMeaning(event, field, value)?.short]).toEqual([
    words,
    short,
  ]);
});

it('takes integers in any base', () => {
  expect(shortMeaning('syscall_exit_read', 'ret', '-11')).toBe('-11 EAGAIN');
  expect(shortMeaning('block_rq_issue', 'dev', '0xfe00010')).toBe('254:16');
  expect(shortMeaning('syscall_entry_open', 'flags', '0101')).toBe('O_WRONLY|O_CREAT');
  expect(shortMeaning('syscall_entry_open', 'flags', '0')).toBe('O_RDONLY');
});

it('writes addresses with dots', () => {
  expect(addressMeaning('network_header.ipv4.saddr', '[10,0,0,1]')).toBe('10.0.0.1');
  expect(addressMeaning('list', '[10,0,0,1]')).toBeUndefined();
  expect(addressMeaning('daddr', '[1,2]')).toBeUndefined();
});
