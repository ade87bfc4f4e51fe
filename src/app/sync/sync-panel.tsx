/** The Sync tab: relations between the clocks of several hosts, and which hosts are virtual machines of others. */
import { TextButton } from '../controls/button.tsx';
import './sync.css';
import { useSignal } from '@preact/signals';
import type { SyncInfo, SyncPairInfo, GuestInfo, MachineInfo } from '../../engine/protocol/sync.ts';
import { useApp } from '../context/app-context.ts';
import { useComputedOf } from '../controls/computed-of.ts';
import { Pair } from '../controls/pair.tsx';
import { FAULT_MEANINGS } from '../../engine/base/fault-meanings.ts';
import { faultText } from '../../engine/base/fault-text.ts';
import { formatCount, unbroken } from '../format/numbers.ts';
import { hostName, joined, plural, visibleText } from '../format/text.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { WithDamageBanner } from '../context/damage-banner.tsx';
import { cellColumn, explained, numberColumn, textColumn } from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import type { Column } from '../widgets/table/column.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { ClockForm } from './clock-form.tsx';
import { ResidualPlot } from './residual-plot.tsx';
import {
  driftText,
  joinedSentence,
  offsetText,
  signedText,
  STATE_WORDS,
  type SyncProps,
  syncSentence,
} from './sync-words.ts';
import type { GuestChoice } from '../../engine/graph/guests.ts';
import { machineText } from '../../engine/words/machine-text.ts';

export function SyncPanel({ view }: { readonly view: ViewModel }) {
  const { experiment, session } = useApp();
  // Asked again when reading ends, since the packets give the clocks only when all of them are known; and for other clocks.
  const info = useLiveAnswer(
    () => ({
      phase: experiment.progress.value?.phase,
      of: experiment.info.value,
      guests: experiment.guests.value,
    }),
    ({ guests }, signal) => session.ask('sync', { guests }, { signal }),
  );
  const hosts = experiment.info.value?.hosts ?? [];
  const nameOf = (host: number) => hostName(hosts, host);
  const found = info.value;
  if (found === undefined)
    return (
      <div class="empty-state">
        <h3>Not synchronised yet</h3>
        <p>
          When all packets are read they tell how the clocks of the hosts relate. Until then hosts begin
          together.
        </p>
      </div>
    );
  return (
    <div class="sync-panel">
      <section class="sync-answer" aria-label="Answer">
        <WithDamageBanner needs={['signals']} />
        {hosts.length > 1 && (
          <>
            <h3>One time for {hosts.length} hosts</h3>
            <p class="path-sentence">{unbroken(syncSentence(found, nameOf))}</p>
            <HostList info={found} nameOf={nameOf} />
            <ClockForm info={found} nameOf={nameOf} />
          </>
        )}
        <JoinedList joined={found.joined} />
        {found.guests.length > 0 && <GuestList info={found} nameOf={nameOf} />}
        {found.faults.map((fault) => (
          <p key={fault.code} class="sync-fault">
            {faultText(fault)} <span class="muted">{FAULT_MEANINGS[fault.code].advice}</span>
          </p>
        ))}
      </section>
      {hosts.length > 1 && <Pairs info={found} nameOf={nameOf} view={view} />}
    </div>
  );
}

/** Recordings that were joined by common switches, with buttons that separate and join them. */
function JoinedList({ joined }: Pick<SyncInfo, 'joined'>) {
  const { experiment } = useApp();
  const isApart = experiment.clocks.value?.apart === true;
  if (joined.length === 0 && !isApart) return null;
  return (
    <>
      {joined.map((each) => (
        <div key={each.recording}>
          <h3>{visibleText(each.recording)} has another clock</h3>
          <p class="path-sentence">{unbroken(joinedSentence(each))}</p>
        </div>
      ))}
      <TextButton
        text={isApart ? 'Join recordings by their switches' : 'Show as hosts of their own'}
        class="button outlined"
        disabled={!experiment.hasFiles.value}
        onClick={() => void experiment.useClocks(isApart ? {} : { apart: true })}
      />
    </>
  );
}

function HostList({ info, nameOf }: SyncProps) {
  return (
    <ul class="sync-hosts">
      {info.hosts.map(({ host, source, via, offsetNs }) => (
        <li key={host}>
          <b>{nameOf(host)}</b>{' '}
          <span class="muted">
            {source === 'reference' && 'gives the time of the experiment'}
            {source === 'packets' && `by its packets, through ${via.slice(1).map(nameOf).join(', ')}`}
            {source === 'offset' && `by the offset that was given, ${signedText(offsetNs)}`}
            {source === 'start' && 'not synchronised: it begins with the experiment'}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Pairs({ info, nameOf, view }: SyncProps & { readonly view: ViewModel }) {
  const chosen = useSignal(0);
  const rows = useComputedOf(() => info.pairs, [info]);
  const pair = info.pairs[chosen.value] ?? info.pairs[0];
  return (
    <>
      <section class="sync-pairs" aria-label="Pairs of hosts">
        <StatTable
          title="Packets between hosts"
          scope=""
          filterable={false}
          columns={pairColumns(nameOf)}
          rows={rows}
          order={{ column: 'matched', descending: true }}
          empty="No packets were recorded on two of the hosts."
          keyOf={(row) => `${row.from}-${row.to}`}
          onActivate={(row) => (chosen.value = info.pairs.indexOf(row))}
          isSelected={(row) => row === pair}
        />
      </section>
      <section class="sync-detail" aria-label="Packets of the pair" tabIndex={0}>
        {pair !== undefined && (
          <>
            <dl class="pairs">
              <Pair name={`${nameOf(pair.to)} is ahead`} mono>
                {offsetText(pair)}
              </Pair>
              <Pair name="Drift" mono>
                {driftText(pair)}
              </Pair>
              <Pair name="Fit">
                {STATE_WORDS[pair.state].word} <span class="muted">{STATE_WORDS[pair.state].about}</span>
              </Pair>
            </dl>
            {pair.residuals.timeNs.length > 0 && (
              <ResidualPlot
                pair={pair}
                extent={view.extent.value}
                names={[nameOf(pair.from), nameOf(pair.to)]}
              />
            )}
          </>
        )}
      </section>
    </>
  );
}

function pairColumns(nameOf: (host: number) => string): Column<SyncPairInfo>[] {
  const pairName = ({ from, to }: SyncPairInfo) => `${nameOf(from)} and ${nameOf(to)}`;
  return [
    cellColumn('pair', 'Hosts', 'minmax(120px, 1fr)', pairName, (row) => (
      <span class="table-name ellipsis">{pairName(row)}</span>
    )),
    textColumn('state', 'Fit', '78px', ({ state }) => STATE_WORDS[state].word),
    explained(
      'Packets that were recorded where they were sent and where they were received',
      numberColumn('matched', 'Matched', '76px', ({ matched }) => matched),
    ),
    explained(
      'Packets that look alike, of which none is used',
      numberColumn('ambiguous', 'Ambiguous', '76px', ({ ambiguous }) => ambiguous),
    ),
    explained(
      'Packets that were recorded on one of the hosts alone',
      numberColumn('one-way', 'One end', '68px', ({ oneWay }) => oneWay),
    ),
    {
      ...numberColumn<SyncPairInfo>(
        'inversions',
        'Inversions',
        '88px',
        ({ inversionsAfter: after }) => after,
      ),
      cell: ({ inversionsBefore, inversionsAfter }) => (
        <span title="Packets received before they were sent: by the hosts' own clocks, and as shown">
          {formatCount(inversionsBefore)} → {formatCount(inversionsAfter)}
        </span>
      ),
    },
  ];
}

/** Hosts that are virtual machines of others, by their CPUs or by the user's choice. */
function GuestList({ info: { guests }, nameOf }: SyncProps) {
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
  return isSynchronised ? which : joined([which, problem], ': ');
}
