/** Hosts that are virtual machines of others: found by their CPUs, or as the user says. */
import type { GuestChoice } from '../../engine/graph/guests.ts';
import { machineText } from '../../engine/words/machine-text.ts';
import type { GuestInfo, MachineInfo } from '../../engine/protocol/sync.ts';
import { useApp } from '../context/app-context.ts';
import { plural, visibleText } from '../format/text.ts';

interface GuestListProps {
  readonly guests: readonly GuestInfo[];
  readonly nameOf: (host: number) => string;
}

export function GuestList({ guests, nameOf }: GuestListProps) {
  const { experiment } = useApp();
  const textOf = (machine: MachineInfo): string =>
    `${visibleText(machineText(machine))} of ${nameOf(machine.host)}`;
  const choose = (guest: number, choice: GuestChoice | undefined) => {
    const others = experiment.guests.value.filter((other) => other.guest !== guest);
    experiment.guests.value = choice === undefined ? others : [...others, choice];
  };
  return (
    <ul class="sync-hosts sync-guests" aria-label="Virtual machines">
      {guests.map((info) => (
        <li key={info.guest}>
          <label>
            <b>{nameOf(info.guest)}</b>{' '}
            <select
              value={chosen(info)}
              onChange={(event) => choose(info.guest, choiceOf(info, event.currentTarget.value))}
            >
              <option value="found">is the machine with its CPUs</option>
              <option value="none">is no virtual machine</option>
              {info.machines.map((machine, i) => (
                <option key={i} value={i}>
                  is {textOf(machine)}, {plural(machine.cpus, 'CPU')}
                </option>
              ))}
            </select>
          </label>{' '}
          <span class="muted">{remark(info, textOf)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Value of the option that is shown as chosen. */
function chosen({ machine, machines, isGiven }: GuestInfo): string {
  if (!isGiven) return 'found';
  const at = machines.findIndex(({ host, pid }) => host === machine?.host && pid === machine.pid);
  return at < 0 ? 'none' : String(at);
}

function choiceOf({ guest, machines }: GuestInfo, value: string): GuestChoice | undefined {
  if (value === 'found') return undefined;
  return { guest, machine: value === 'none' ? undefined : machines[Number(value)] };
}

function remark(
  { machine, isGiven, isSynchronised }: GuestInfo,
  textOf: (machine: MachineInfo) => string,
): string {
  if (machine === undefined) return isGiven ? '' : 'none, or more than one';
  const which = isGiven ? '' : textOf(machine);
  const problem =
    'the relation of their clocks is not known, so the time that its host took is not known either';
  return isSynchronised ? which : [which, problem].filter(Boolean).join(': ');
}
