/**
 * Rules for findings, in the order in which they are asked, so that the first findings come soon: rules on sums, on
 * critical paths, on calls, on locks once these are read, last those that read files again. Each has the events that it
 * needs, its threshold with the reason, its sentence, and the place where the page shows its numbers: no rule reports
 * what no view shows.
 */
import * as cpuMeasures from './cpu-measures.ts';
import * as waitMeasures from './wait-measures.ts';
import { slowExecutions } from './execution-measures.ts';
import * as lockMeasures from './lock-measures.ts';
import { gaps, lostEvents, lostPackets, misplaced, unsynchronised } from './recording-measures.ts';
import { rule } from './rule.ts';
import { count, listed, name, ns, said, share, word } from '../../words/sentence.ts';
import type { ThreadWaits } from './thread-waits.ts';

const lifePath = ({ row }: ThreadWaits) => ({ tab: 'path', row, criterion: 'main-task' }) as const;

/** Events that show when threads waited, and in which calls. */
const WAITS = [['switch'], ['waking', 'wakeup']] as const;
const CALLS = [['switch'], ['syscall-entry'], ['syscall-exit']] as const;

/** Share of a thread's life that waiting for one thing must take. */
const FIFTH = 0.2;
const FIFTH_BECAUSE = 'without it the thread would end a fifth sooner, which somebody notices';
/** Share of a time that counts as nearly all of it, and smallest share of a third program. */
const MOSTLY = 0.9;
const WORTH_A_WORD = 0.05;
/** Consequences of losses, by what they may hide. */
const LOST_WORDS = {
  states: 'counts and times are too low, and states are unknown meanwhile',
  modes: 'counts and times are too low, and programs are taken to stay in user or kernel mode meanwhile',
  counts: 'counts and times are too low',
} as const;
const ANY = { share: 0, because: 'it is never meant to be' };

export const RULES = {
  'lost-events': rule({
    title: 'Lost events',
    severity: 'recording',
    atLeast: { share: 0.001, because: 'less changes no number in sight' },
    most: 1,
    measure: lostEvents,
    says: ({ share: part, lost, all, hidden }) =>
      said`${share(part)} of the events were lost while recording, ${count(lost)} of ${count(all)}: ${LOST_WORDS[hidden]}.`,
    leadsTo: () => ({ tab: 'info' }),
  }),
  'lost-packets': rule({
    title: 'Lost packets',
    severity: 'recording',
    atLeast: ANY,
    most: 1,
    measure: lostPackets,
    says: ({ packets }) =>
      said`${count(packets)} packets of events were lost while recording: how many events they held is not known.`,
    leadsTo: () => ({ tab: 'info' }),
  }),
  'not-recorded': rule({
    title: 'Not recorded',
    severity: 'recording',
    atLeast: {
      share: 0.001,
      because: 'a gap between recordings is seen from a thousandth of the picture on',
    },
    most: 3,
    measure: gaps,
    says: ({ ns: length, host, share: part }) =>
      said`Of ${name(host, 'recording')} ${ns(length)} between its recordings were not recorded, ${share(part)} of what is shown.`,
    leadsTo: () => ({ tab: 'recordings' }),
  }),
  clocks: rule({
    title: 'Clocks',
    severity: 'recording',
    atLeast: ANY,
    most: 1,
    measure: unsynchronised,
    says: ({ hosts }) =>
      said`The clocks of ${listed(hosts, 'host')} are not synchronised with the others: nothing tells how their times relate.`,
    leadsTo: () => ({ tab: 'sync' }),
  }),
  offsets: rule({
    title: 'Offset',
    severity: 'recording',
    atLeast: ANY,
    most: 3,
    measure: misplaced,
    says: ({ packets }) =>
      said`By the offset that was given ${name(packets, 'packets')} arrived before they were sent: times across these hosts are wrong.`,
    leadsTo: () => ({ tab: 'sync' }),
  }),
  saturated: rule({
    title: 'CPUs',
    severity: 'overview',
    needs: [['switch']],
    atLeast: { share: 0.9, because: 'with less than a tenth to spare most of what wakes up has to wait' },
    most: 2,
    measure: cpuMeasures.saturated,
    says: ({ cpus, isWhole, host, share: part, most, mostNs }) => {
      const [only] = cpus;
      const which =
        cpus.length === 1
          ? said`CPU ${word(String(only))} of ${name(host, 'host')} was`
          : said`The ${plural(cpus.length, 'CPU')} of ${name(host, 'host')} ${isWhole ? '' : 'of which something is known '}were`;
      const time = isWhole ? 'the time' : 'the time that is known';
      return said`${which} busy for ${share(part)} of ${time}${!!most && said`; ${name(most, 'thread')} ran longest, ${ns(mostNs)}`}.`;
    },
    leadsTo: () => ({ tab: 'statistics', section: 'cpu' }),
  }),
  interrupts: rule({
    title: 'Interrupts',
    severity: 'time',
    needs: [['switch'], ['irq-entry'], ['softirq-entry']],
    atLeast: { share: 0.1, because: 'what runs on the CPU is slower by as much' },
    most: 2,
    noun: 'CPU with interrupts',
    measure: cpuMeasures.interrupted,
    says: ({ share: part, cpu, host, ns: took, most, mostNs }) =>
      said`Interrupts took ${share(part)} of CPU ${word(String(cpu))} of ${name(host, 'host')}, ${ns(took)}${!!most && said`, ${name(most, 'interrupt')} most: ${ns(mostNs)}`}.`,
    leadsTo: () => ({ tab: 'statistics', section: 'irq' }),
  }),
  disk: rule({
    title: 'Disk',
    severity: 'time',
    needs: [...WAITS, ['request-issue'], ['request-complete']],
    atLeast: {
      share: waitMeasures.LEAST_DISK_SHARE,
      because: 'a disk that takes less of its time makes no program slow',
    },
    most: 2,
    noun: 'host that waited for disks',
    measure: waitMeasures.diskWaits,
    says: ({ programs: names, longest, longestNs, disk, other, otherNs }) => {
      const meanwhile =
        !!other &&
        said`; the disk served ${name(other, 'program')} for ${ns(otherNs)} while ${name(longest.role.process, 'program')} waited`;
      const { role, lifeNs } = longest;
      const isAlone = names.length === 1 && names[0] === role.label;
      const part = !meanwhile && said`, ${share(longestNs / lifeNs)} of its time`;
      const time = said`${ns(longestNs)}${part}`;
      const what = disk === undefined ? said`disks` : said`the disk ${name(disk, 'disk')}`;
      return isAlone
        ? said`${name(role.label, 'thread')} waited for ${what} for ${time}${meanwhile}.`
        : said`${listed(names, 'program')} waited for ${what}, ${name(role.label, 'thread')} for ${time}${meanwhile}.`;
    },
    leadsTo: ({ longest }) => lifePath(longest),
  }),
  'held-up': rule({
    title: 'Waited for another',
    severity: 'time',
    needs: WAITS,
    atLeast: { share: FIFTH, because: FIFTH_BECAUSE },
    most: 3,
    noun: 'thread that others waited for',
    measure: (facts) => waitMeasures.heldUp(facts, FIFTH),
    says: ({ names, blocker, longest, longestNs, ranNs, share: part }) => {
      const isMostly = ranNs >= MOSTLY * longestNs;
      const rest = isMostly
        ? said`${share(part)} of its time`
        : said`in which ${name(blocker, 'thread')} ran for ${ns(ranNs)}`;
      const time = said`${ns(longestNs)}, ${rest}`;
      return names.length === 1
        ? said`${name(names[0], 'thread')} waited for ${name(blocker, 'thread')}: ${time}.`
        : said`${listed(names, 'thread')} waited for ${name(blocker, 'thread')}; ${name(longest.role.label, 'thread')} longest: ${time}.`;
    },
    leadsTo: ({ longest }) => lifePath(longest),
  }),
  throttled: rule({
    title: 'Held back',
    severity: 'time',
    needs: WAITS,
    atLeast: { share: cpuMeasures.LEAST_READY, because: FIFTH_BECAUSE },
    most: 1,
    measure: cpuMeasures.throttled,
    says: ({ names, longestNs, share: part }) =>
      said`${listed(names, 'thread')} could have run while ${names.length === 1 ? 'its CPU was' : 'their CPUs were'} idle, ${first(names)}${ns(longestNs)}, ${share(part)} of its time: most likely a control group's limit of CPU time.`,
    leadsTo: ({ row }) => ({ tab: 'path', row, criterion: 'main-task' }),
  }),
  'cpu-wait': rule({
    title: 'Waited for a CPU',
    severity: 'time',
    needs: WAITS,
    atLeast: { share: cpuMeasures.LEAST_READY, because: FIFTH_BECAUSE },
    most: 1,
    measure: cpuMeasures.cpuWaits,
    says: ({ names, longestNs, share: part, other }) =>
      said`${listed(names, 'thread')} could have run, ${first(names)}${ns(longestNs)}, ${share(part)} of its time, while others had the CPU${!!other && said`, mostly ${name(other, 'thread')}`}.`,
    leadsTo: ({ row }) => ({ tab: 'path', row, criterion: 'main-task' }),
  }),
  elsewhere: rule({
    title: 'Other machine',
    severity: 'time',
    needs: WAITS,
    atLeast: {
      share: 0.1,
      because: 'whether it was the network is asked as soon as a machine waits for another',
    },
    most: 1,
    measure: waitMeasures.elsewhere,
    says: ({ waiter, host, other, otherNs, networkNs, softirqs }) =>
      softirqs === undefined
        ? said`Of ${ns(waiter.lifeNs)} of ${name(waiter.role.label, 'thread')} on ${name(host, 'host')}, ${name(other, 'host')} took ${ns(otherNs)} and the network ${ns(networkNs)}.`
        : said`${name(waiter.role.label, 'thread')} on ${name(host, 'host')} spent ${ns(otherNs)} on ${name(other, 'host')} and ${ns(networkNs)} on the network; softirqs of ${name(softirqs.host, 'host')} waited ${ns(softirqs.ns)} to run.`,
    leadsTo: ({ waiter }) => lifePath(waiter),
  }),
  programs: rule({
    title: 'Where the time went',
    severity: 'overview',
    needs: WAITS,
    atLeast: { share: 0.5, because: 'what a program does itself is not the work of others' },
    most: 1,
    measure: waitMeasures.programs,
    says: ({ root, programs: [first, ...others] }) => {
      const also = others
        .filter(({ ns: time }, i) => i < 1 || (i < 2 && time >= WORTH_A_WORD * root.lifeNs))
        .map(({ label, ns: time, threads }) => said`${name(label, 'thread')} ${ns(time)}${times(threads)}`);
      const more = also.flatMap((part, i) => said`${i + 1 < also.length ? ', ' : ' and '}${part}`);
      return said`Of ${ns(root.lifeNs)} of ${name(root.role.label, 'thread')}, ${name(first.label, 'thread')} took ${ns(first.ns)}${times(first.threads)}${more}.`;
    },
    leadsTo: ({ root }) => lifePath(root),
  }),
  polling: rule({
    title: 'Busy waiting',
    severity: 'time',
    needs: CALLS,
    atLeast: { share: 0.5, because: 'a thread that waits by asking should hardly run at all' },
    most: 2,
    noun: 'thread that asks in vain',
    measure: cpuMeasures.polling,
    says: ({ name: thread, call, times: asked, ns: ran, share: part }) =>
      said`${name(thread, 'thread')} asked by ${word(call)} ${count(asked)} times in vain and ran ${ns(ran)} meanwhile, ${share(part)} of its time: it waits without sleeping.`,
    leadsTo: () => ({ tab: 'statistics', section: 'syscalls' }),
  }),
  deadlock: rule({
    title: 'Deadlock',
    severity: 'stuck',
    lacks: lockMeasures.holdersOfStuck,
    atLeast: ANY,
    most: 3,
    measure: lockMeasures.deadlocks,
    says: ({ threads, ns: length, isForEver }) =>
      said`${listed(threads, 'thread')} waited for each other's locks for ${ns(length)}: ${isForEver ? 'a deadlock that nothing ended' : 'a deadlock until a wait gave up'}.`,
    leadsTo: ({ wait }) => ({ tab: 'locks', wait }),
  }),
  'lock-order': rule({
    title: 'Lock order',
    severity: 'stuck',
    lacks: lockMeasures.locksOfPrograms,
    atLeast: ANY,
    most: 2,
    measure: lockMeasures.lockOrders,
    says: ({ locks }) =>
      said`${listed(locks, 'lock')} are taken in different orders, which can become a deadlock.`,
    leadsTo: () => ({ tab: 'locks' }),
  }),
  locks: rule({
    title: 'Lock',
    severity: 'time',
    lacks: lockMeasures.holdersOfContended,
    atLeast: { share: 0, because: 'a lock costs the time that it was waited for, of however many threads' },
    most: 3,
    noun: 'lock',
    measure: lockMeasures.costlyLocks,
    says: ({ name: lock, ns: waited, waiters, share: part, inVain, where, most }) => {
      const cost =
        inVain > 0
          ? said`${plural(inVain, 'wait')} in vain`
          : said`${share(part)} of ${waiters === 1 ? 'its' : 'their'} time`;
      return said`${plural(waiters, 'thread')} waited ${ns(waited)} for ${name(lock, 'lock')}${where !== '' && said` ${word(where)}`}, ${cost}${most && said`, longest ${most}`}.`;
    },
    leadsTo: ({ lock, longest }) => ({ tab: 'locks', lock, wait: longest }),
  }),
  'time-outs': rule({
    title: 'Time-outs',
    severity: 'time',
    needs: CALLS,
    atLeast: {
      share: 0.05,
      because: 'a thread that loses less of its time to waits in vain is hardly slower',
    },
    most: 3,
    noun: 'thread with time-outs',
    measure: lockMeasures.timeOuts,
    says: ({ waiter, name: lock, waits, ns: waited, share: part }) =>
      said`${name(waiter, 'thread')} waited ${ns(waited)} for ${name(lock, 'lock')} in vain, ${share(part)} of its time: a time limit ended ${plural(waits, 'wait')}.`,
    leadsTo: ({ lock }) => ({ tab: 'locks', lock }),
  }),
  executions: rule({
    title: 'Slow executions',
    severity: 'time',
    atLeast: { share: 0.1, because: 'slow ones that take less of all time are not why it takes long' },
    most: 1,
    measure: slowExecutions,
    says: ({ definition: { begin, end, where }, executions, slow, later, ...found }) => {
      const { usualNs, shortestNs, longestNs, cause, explained } = found;
      const process = where.find(({ field }) => field === 'process')?.value;
      const program = process !== undefined && said` of ${name(process, 'program')}`;
      const what = said`executions${program} from ${word(begin)} to ${word(end)}`;
      const why =
        cause !== undefined &&
        said`; ${slow > 1 && said`${explained === slow ? 'all' : count(explained)} of them `}${name(cause, 'cause')}`;
      const range = said`${slow > 1 && said`${ns(shortestNs)} to `}${ns(longestNs)} instead of ${ns(usualNs)}`;
      return later !== undefined
        ? said`The ${count(slow)} ${what} of ${name(later, 'recording')} took ${range}${why}.`
        : said`${count(slow)} of ${count(executions)} ${what} took ${range}${why}.`;
    },
    leadsTo: ({ definition }) => ({ tab: 'compare', definition }),
  }),
  'late-wake-ups': rule({
    title: 'Real time',
    severity: 'time',
    needs: WAITS,
    atLeast: ANY,
    most: 2,
    noun: 'real-time priority',
    measure: cpuMeasures.lateWakeUps,
    says: ({ name: thread, priority, longestNs }) =>
      said`${name(thread, 'thread')}, of real-time priority ${word(String(priority))}, got a CPU ${ns(longestNs)} after it was woken.`,
    leadsTo: () => ({ tab: 'statistics', section: 'sched' }),
  }),
};

function times(threads: number) {
  return threads === 1 ? undefined : said` (${count(threads)} threads)`;
}

function plural(number: number, one: string) {
  return said`${count(number)} ${word(number === 1 ? one : `${one}s`)}`;
}

/** Words before a number: the first name, where there are several. */
function first(names: readonly string[]) {
  return said`${names.length > 1 && said`${name(names[0], 'thread')} `}for `;
}
