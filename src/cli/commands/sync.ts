/** `sync PATH…`: how the clocks of several hosts relate, by the packets that went between them. */
import type { DisplayNs } from '../../engine/base/units.ts';
import { machineText } from '../../engine/words/machine-text.ts';
import type { JoinedClock } from '../../engine/trace/types.ts';
import type {
  GuestInfo,
  MachineInfo,
  SyncHostInfo,
  SyncInfo,
  SyncPairInfo,
} from '../../engine/protocol/sync.ts';
import { print, printJson } from '../output.ts';
import { onTrace } from '../trace-session.ts';
import { printTable } from './table.ts';
import type { Command } from '../options.ts';
import { guestChoices } from '../named-threads.ts';

export const sync: Command = (paths, options) =>
  onTrace(paths, options, async (session) => {
    const answer = await session.ask('sync', { guests: guestChoices(session, options) });
    if (answer === undefined) return undefined;
    if (options.json) printJson(jsonOf(answer, session.firstNs));
    else printSync(answer);
    return answer.faults;
  });

/** Leaves out unknown values: neither NaN nor infinity is JSON. */
function known(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

function jsonOf({ reference, hosts, pairs, joined, guests }: SyncInfo, firstNs: DisplayNs) {
  const nameOf = (host: number): string => hosts[host].name;
  return {
    reference: nameOf(reference),
    pairs: pairs.map((pair) => ({
      from: nameOf(pair.from),
      to: nameOf(pair.to),
      state: pair.state,
      matched: pair.matched,
      ambiguous: pair.ambiguous,
      weak: pair.weak,
      oneWay: pair.oneWay,
      slope: known(pair.slope),
      offsetNs: known(pair.offsetNs),
      uncertaintyNs: known(pair.uncertaintyNs),
      inversionsBefore: pair.inversionsBefore,
      inversionsAfter: pair.inversionsAfter,
      atNs: pair.atNs === undefined ? undefined : known(pair.atNs - firstNs),
      driftUncertainty: known(pair.driftUncertainty),
      stretches: pair.stretches,
    })),
    hosts: hosts.map(({ name, slope, offsetNs, via, source, uncertaintyNs }) => {
      return { name, slope, offsetNs, via: via.map(nameOf), source, uncertaintyNs: known(uncertaintyNs) };
    }),
    joined: joined.map((each) => ({ ...each, offsetNs: String(each.offsetNs), atNs: String(each.atNs) })),
    guests: guests.map(({ guest, machine, isGiven, machines, isSynchronised }) => {
      const machineOf = ({ host, pid, name, cpus }: MachineInfo) => ({ host: nameOf(host), pid, name, cpus });
      return {
        name: nameOf(guest),
        machine: machine && machineOf(machine),
        isGiven,
        isSynchronised,
        machines: machines.map(machineOf),
      };
    }),
  };
}

function printSync({ reference, hosts, pairs, joined, guests }: SyncInfo): void {
  print(`reference ${hosts[reference].name}`);
  for (const pair of pairs) printPair(pair, hosts);
  joined.forEach(printJoined);
  print();
  printTable(
    ['host', 'clock', 'offset ns', 'drift ppm', '± ns', 'via'],
    hosts.map(({ name, source, offsetNs, slope, uncertaintyNs, via }) => [
      name,
      SOURCES[source],
      Math.round(offsetNs),
      Number(((slope - 1) * 1e6).toFixed(3)),
      Number.isFinite(uncertaintyNs) ? Math.ceil(uncertaintyNs) : '?',
      via.map((host) => hosts[host].name).join(' → '),
    ]),
  );
  if (guests.length > 0) print();
  for (const guest of guests) print(guestText(guest, hosts));
}

function guestText(
  { guest, machine, machines, isGiven, isSynchronised }: GuestInfo,
  hosts: readonly SyncHostInfo[],
): string {
  const named = (each: MachineInfo): string => `${machineText(each)} of ${hosts[each.host].name}`;
  const { name } = hosts[guest];
  if (machine === undefined)
    return isGiven
      ? `${name} is no virtual machine`
      : `${name} is not known to be a virtual machine; there is ${machines.map(named).join(', ')}`;
  return `${name} is ${named(machine)}${isSynchronised ? '' : ', by an unknown clock'}`;
}

const SOURCES: Readonly<Record<SyncHostInfo['source'], string>> = {
  reference: 'reference',
  packets: 'by packets',
  offset: 'as given',
  start: 'not synchronised',
};

function printJoined(joined: JoinedClock): void {
  const { recording, by, clocks, offsetNs, drift, switches, deviationNs, leastNs, greatestNs } = joined;
  print(`${recording} by ${by}: ${switches} common switches`);
  print(`  offset      ${offsetNs} ns from ${clocks[0]} to ${clocks[1]}`);
  print(`  drift       ${(drift * 1e6).toFixed(3)} ppm`);
  print(
    `  spread      ${Math.round(deviationNs)} ns in the median, ${Math.round(leastNs)} to ${Math.round(greatestNs)} ns`,
  );
}

function printPair(pair: SyncPairInfo, hosts: readonly SyncHostInfo[]): void {
  const { state, matched, ambiguous, weak, oneWay, offsetNs, slope, uncertaintyNs, driftUncertainty } = pair;
  print(`${hosts[pair.from].name} → ${hosts[pair.to].name}: ${state}`);
  print(
    `  packets     ${matched} matched, ${ambiguous} of them ambiguous, ${weak} by weaker signs, ${oneWay} on one host only`,
  );
  if (offsetNs !== undefined && slope !== undefined) {
    const within = (value: number, digits: number) => (Number.isFinite(value) ? value.toFixed(digits) : '?');
    print(`  offset      ${offsetNs.toFixed(0)} ± ${within(Math.ceil(uncertaintyNs), 0)} ns`);
    const drift = slope === 1 ? 'within' : ((slope - 1) * 1e6).toFixed(3);
    print(`  drift       ${drift} ± ${within(driftUncertainty * 1e6, 3)} ppm`);
  }
  if (pair.stretches > 1) print(`  stretches   ${pair.stretches}`);
  print(`  inversions  ${pair.inversionsBefore} before, ${pair.inversionsAfter} after`);
}
