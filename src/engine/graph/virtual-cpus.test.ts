import { describe, expect, it } from 'vitest';
import { graphOfHosts, type RunHost } from '../../../test/support/graph-run.ts';
import { scenario, type Scenario } from '../../../test/support/scenario.ts';
import { blockerTexts, partsIn, stateWords } from '../answers/paths/path-parts.ts';
import { findPath } from './find-path.ts';
import { findGuests } from './guests.ts';
import { segmentParts } from './segment-parts.ts';
import { graphHostOf } from '../../../test/support/stored-states.ts';

/** Of the guest. */
const A = 10;
/** Of the host: the process of the machine with a thread for each CPU, and others. */
const QEMU = 100;
const CPU_0 = 101;
const CPU_1 = 102;
const HOG = 200;
const KSM = 300;

/** What the guest's clock is ahead of the host's, ns. */
const AHEAD = 7_000;

function hostOf(
  story: Scenario,
  prefix: string,
  end: number,
  ahead: number,
  segmentIntervals?: number,
): RunHost {
  return { ...graphHostOf(story.events, end, segmentIntervals), prefix, toGraph: (time) => time - ahead };
}

/** A host that runs a machine with two CPUs; all is told from time 0 on. */
function host(): Scenario {
  return scenario()
    .add(0, 0, 'lttng_statedump_process_state', {
      tid: CPU_0,
      pid: QEMU,
      ppid: 1,
      name: 'CPU 0/KVM',
      type: 0,
    })
    .add(0, 0, 'lttng_statedump_process_state', {
      tid: CPU_1,
      pid: QEMU,
      ppid: 1,
      name: 'CPU 1/KVM',
      type: 0,
    })
    .add(0, 0, 'lttng_statedump_process_state', { tid: QEMU, pid: QEMU, ppid: 1, name: 'qemu', type: 0 })
    .switch(0, 0, 0, 0, CPU_0)
    .switch(0, 1, 0, 0, CPU_1)
    .add(1, 0, 'kvm_x86_entry', { vcpu_id: 0 })
    .add(1, 1, 'kvm_x86_entry', { vcpu_id: 1 });
}

/** Thread A runs on CPU 0 of the guest. */
function guest(): Scenario {
  return scenario().switch(AHEAD, 0, 0, 0, A).switch(AHEAD, 1, 0, 0, 0);
}

/** `WORKER | STATE(CALL) NS by BLOCKER, …` of each segment of A's path over [0, end). */
async function tell(guestStory: Scenario, hostStory: Scenario, end: number, segmentIntervals?: number) {
  const hosts = [
    hostOf(guestStory, 'guest:', AHEAD + end, AHEAD, segmentIntervals),
    hostOf(hostStory, 'host:', end, 0, segmentIntervals),
  ];
  const { graph, names, workerOf } = await graphOfHosts(hosts);
  const [found] = findGuests(hosts.map(({ tables }, index) => ({ index, tables })));
  const threads = Array.from(found?.machine?.threads ?? [], ([cpu, row]): [number, number] => {
    return [cpu, graph.workerOfThread(1, row)];
  });
  const path = await findPath(graph, {
    worker: workerOf(`guest:${A}`),
    from: 0,
    to: end,
    criterion: 'main task',
  });
  if (path === undefined) throw new Error('a path is expected');
  const parts = await segmentParts(graph, path, { virtualCpus: new Map([[0, new Map(threads)]]) });
  const each = partsIn(graph, path, parts);
  const { segments: s } = path;
  return Array.from({ length: s.length }, (_, i) => {
    const lines: string[] = [];
    let sum = 0;
    each(i, (value, ns, call, number) => {
      const blocker = number < 0 ? '' : ` by ${blockerTexts(parts, names.worker)(number)}`;
      lines.push(`${stateWords(value)}${call === '' ? '' : `(${call})`} ${ns}${blocker}`);
      sum += ns;
    });
    expect(sum).toBe(s.to[i] - s.from[i]);
    return `${names.worker(s.worker[i])} | ${lines.join(', ')}`;
  });
}

describe('running time of a guest', () => {
  it('is only that in which the thread of the host ran', async () => {
    const hostStory = host()
      .switch(20, 0, CPU_0, 0, HOG)
      .switch(50, 0, HOG, 0, KSM)
      .switch(55, 0, KSM, 1, 0)
      .switch(56, 0, 0, 0, CPU_0);
    expect(await tell(guest(), hostStory, 100)).toEqual([
      'guest:10 | Running, user 64, Preempted by the host 30 by host:200, Preempted by the host 5 by host:300, ' +
        "Preempted by the host 1 by nobody: CPU 0 was idle, most likely throttled by a cgroup's CPU limit",
    ]);
  });

  it('may have stood while that waited', async () => {
    const hostStory = host()
      .switch(20, 0, CPU_0, 2, 0)
      .enter(40, 1, 'irq', 6, 'nvme0q0')
      .waking(41, 1, CPU_0)
      .leave(42, 1, 'irq', 6)
      .switch(45, 0, 0, 0, CPU_0)
      .switch(50, 0, CPU_0, 1, 0)
      .waking(69, 1, CPU_0)
      .switch(70, 0, 0, 0, CPU_0);
    expect(await tell(guest(), hostStory, 100)).toEqual([
      'guest:10 | Running, user 55, Blocked on the host 21 by disk, ' +
        "Preempted by the host 5 by nobody: CPU 0 was idle, waking up, or throttled by a cgroup's CPU limit, " +
        'Blocked on the host 19 by host:102',
    ]);
  });

  it('is cut in its system calls and interrupts too', async () => {
    const guestStory = guest()
      .add(AHEAD + 10, 0, 'syscall_entry_read')
      .add(AHEAD + 40, 0, 'syscall_exit_read')
      .enter(AHEAD + 50, 0, 'irq', 5, 'eth0')
      .leave(AHEAD + 70, 0, 'irq', 5);
    const hostStory = host()
      .switch(30, 0, CPU_0, 0, HOG)
      .switch(45, 0, HOG, 0, CPU_0)
      .switch(60, 0, CPU_0, 0, HOG)
      .switch(80, 0, HOG, 0, CPU_0);
    expect(await tell(guestStory, hostStory, 100)).toEqual([
      'guest:10 | Running, user 35, Running, kernel(read) 20, Preempted by the host 35 by host:200, ' +
        'Interrupted 10 by eth0',
    ]);
  });

  it('follows the thread to another CPU, in the guest and on the host', async () => {
    const guestStory = guest()
      .switch(AHEAD + 30, 0, A, 0, 0)
      .switch(AHEAD + 30, 1, 0, 0, A);
    const hostStory = host()
      .switch(10, 0, CPU_0, 0, HOG)
      .switch(20, 1, CPU_1, 0, KSM)
      .add(35, 1, 'sched_migrate_task', { tid: CPU_1, dest_cpu: 0 })
      .switch(50, 0, HOG, 0, CPU_1);
    expect(await tell(guestStory, hostStory, 60)).toEqual([
      'guest:10 | Running, user 20, Preempted by the host 35 by host:200, Preempted by the host 5 by host:300',
    ]);
  });

  it('is as the guest has it where nothing is known of the thread', async () => {
    const late = scenario()
      .add(40, 0, 'lttng_statedump_process_state', {
        tid: CPU_0,
        pid: QEMU,
        ppid: 1,
        name: 'CPU 0/KVM',
        type: 0,
      })
      .add(40, 0, 'lttng_statedump_process_state', {
        tid: CPU_1,
        pid: QEMU,
        ppid: 1,
        name: 'CPU 1/KVM',
        type: 0,
      })
      .switch(45, 0, HOG, 0, CPU_0)
      .switch(45, 1, 0, 0, CPU_1)
      .add(46, 0, 'kvm_entry', { vcpu_id: 0 })
      .add(46, 1, 'kvm_entry', { vcpu_id: 1 })
      .switch(60, 0, CPU_0, 0, HOG)
      .switch(70, 0, HOG, 0, CPU_0)
      .switch(80, 0, CPU_0, 0x10, 0);
    expect(await tell(guest(), late, 100)).toEqual([
      'guest:10 | Running, user 90, Preempted by the host 10 by host:200',
    ]);
  });

  it.each([1, 3, undefined])('is the same whatever segments are (%s)', async (segmentIntervals) => {
    const guestStory = guest();
    const hostStory = host();
    for (let t = 10; t < 200; t += 20) {
      guestStory.add(AHEAD + t, 0, 'syscall_entry_read').add(AHEAD + t + 3, 0, 'syscall_exit_read');
      hostStory.switch(t + 1, 0, CPU_0, 0, HOG).switch(t + 9, 0, HOG, 0, CPU_0);
    }
    expect(await tell(guestStory, hostStory, 200, segmentIntervals)).toEqual([
      'guest:10 | Running, user 110, Running, kernel(read) 10, Preempted by the host 80 by host:200',
    ]);
  });
});
