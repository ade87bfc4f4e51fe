/** The Info tab: problems found while reading, and what was read of each stream. */
import './info.css';
import { fileName } from '../../engine/base/file-name.ts';
import { groupBy } from '../../engine/base/group-by.ts';
import type { ModuleLine } from '../../engine/protocol/profile.ts';
import type { ExperimentInfo, HostInfo, StreamInfo } from '../../engine/protocol/session.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { TextButton } from '../controls/button.tsx';
import { useApp } from '../context/app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { Pair } from '../controls/pair.tsx';
import { formatBytes, formatCount, formatDuration, formatShort } from '../format/numbers.ts';
import { hostName, plural, visibleText } from '../format/text.ts';
import { FaultCard, faultReport } from '../opening/fault-card.tsx';
import { StoppedCard } from '../opening/stopped-card.tsx';
import { problemsOf } from '../opening/losses.ts';
import { isReading } from '../opening/progress-row.tsx';
import { isOver, readTo, wasStopped } from '../opening/reading.ts';
import { TraceAnswers } from '../recording/trace-answers.tsx';
import type { ViewModel } from '../timeline/timeline.tsx';
import { SelfBench } from './self-bench.tsx';

/** Most cards shown: a trace may have thousands of faults, though of few kinds. */
const MOST_CARDS = 40;

export function InfoPanel({ view }: { readonly view: ViewModel }) {
  const { experiment } = useApp();
  const info = experiment.info.value;
  const progress = experiment.progress.value;
  if (info === undefined) return null;
  const problems = problemsOf(info);
  // One card for the faults of one kind in one file.
  const kinds = [...groupBy(problems, ({ code, place }) => `${code} ${place.file ?? ''}`).values()];
  return (
    <div class="info">
      <section class="info-problems" aria-label="Problems">
        {wasStopped(progress) && (
          <StoppedCard info={info} readTo={readTo(progress)} onReadAll={() => void experiment.readAll()} />
        )}
        {kinds.length === 0 && !wasStopped(progress) && (
          <div class="empty-state">
            <h3>No problems</h3>
            <p>
              {isReading(progress)
                ? 'None so far.'
                : 'Every packet and event could be read, and none was lost.'}
            </p>
          </div>
        )}
        {kinds.length > 1 && (
          <div class="line">
            <strong>{plural(problems.length, 'problem')}</strong>
            <span class="grow" />
            <CopyButton title="Copy all" text={() => faultReport(problems)} />
          </div>
        )}
        {kinds.slice(0, MOST_CARDS).map((faults) => (
          <FaultCard
            key={`${faults[0].code} ${faults[0].place.file}`}
            fault={faults[0]}
            count={faults.length}
          />
        ))}
        <TraceAnswers hosts={info.hosts} />
      </section>
      <section class="info-read" aria-label="What was read">
        <Facts info={info} />
        <ModuleTable />
        <Streams info={info} />
        {!isOver(progress) && readTo(progress) < Infinity && (
          <p class="info-note">
            You can work meanwhile. Statistics cover what is read, up to {formatDuration(readTo(progress))}.
          </p>
        )}
        <SelfBench view={view} />
      </section>
    </div>
  );
}

function Facts({ info }: { readonly info: ExperimentInfo }) {
  return (
    <dl class="pairs info-facts">
      {info.originNs !== '' && (
        <Pair name="Begins">
          <span class="nowrap">{utcText(info.originNs)}</span>
        </Pair>
      )}
      <Pair name="Length">{formatDuration(info.lengthNs)}</Pair>
      <Pair name="Events">
        {formatCount(info.events)}
        {info.discardedEvents > 0 && <span class="bad">, {formatCount(info.discardedEvents)} lost</span>}
      </Pair>
      <Pair name="Size">
        <span class="nowrap">{formatBytes(info.bytes)} of events</span>
      </Pair>
      {info.hosts.map((host) => (
        <Pair key={host.index} name="Host">
          {visibleText(host.name)}
          {host.cpus > 0 && `, ${plural(host.cpus, 'CPU')}`},{' '}
          <span class="nowrap">{plural(host.events, 'event')}</span>
        </Pair>
      ))}
      {info.fromStore && <Pair name="Opened">from this browser, without reading</Pair>}
    </dl>
  );
}

/** "2026-11-25 19:34:35.123 UTC", of ns since 1970. */
function utcText(ns: string): string {
  const time = new Date(Number(BigInt(ns) / 1_000_000n)).toISOString();
  return `${time.replace('T', ' ').slice(0, 23)} UTC`;
}

function Streams({ info }: { readonly info: ExperimentInfo }) {
  const several = info.hosts.length > 1;
  const traces = groupBy(info.streams, ({ trace }) => trace);
  return (
    <div class="info-streams">
      <table>
        <thead>
          <tr>
            <th>Stream</th>
            {several && <th>Host</th>}
            <th class="info-bar">Read</th>
            <th class="numeric">Packets</th>
            <th class="numeric">Events</th>
            <th>State</th>
          </tr>
        </thead>
        {Array.from(traces, ([trace, streams]) => (
          <tbody key={trace}>
            {traces.size > 1 && (
              <tr class="info-trace">
                <th colSpan={several ? 6 : 5} scope="rowgroup" title={visibleText(trace)}>
                  {visibleText(trace)}
                </th>
              </tr>
            )}
            {streams.map((stream) => (
              <StreamRow key={stream.name} stream={stream} hosts={several ? info.hosts : undefined} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

interface StreamRowProps {
  readonly stream: StreamInfo;
  /** Undefined: there is one host, which is not named. */
  readonly hosts: readonly HostInfo[] | undefined;
}

function StreamRow({ stream, hosts }: StreamRowProps) {
  const { trace, name, host, bytes, readBytes, packets, events, state } = stream;
  return (
    <tr>
      <td class="mono" title={visibleText(`${trace}/${name}`)}>
        {visibleText(name)}
      </td>
      {hosts !== undefined && <td class="muted">{hostName(hosts, host)}</td>}
      <td class="info-bar">
        <div class={state === 'complete' ? 'progress complete' : 'progress'}>
          <span style={{ width: `${bytes > 0 ? (100 * readBytes) / bytes : 100}%` }} />
        </div>
      </td>
      <td class="numeric">{formatCount(packets)}</td>
      <td class="numeric">{formatShort(events)}</td>
      <td class={state === 'damaged' ? 'bad' : 'muted'}>{state}</td>
    </tr>
  );
}

const STATE_WORDS: Readonly<Record<ModuleLine['state'], string>> = {
  found: 'found',
  kept: 'kept from before',
  'other build': 'another build, not used',
  missing: 'missing',
};

/** Table of programs and libraries, with the source of their function names: files beside the trace or dropped later. */
function ModuleTable() {
  const { session, experiment, chooseFiles } = useApp();
  const answer = useLiveAnswer(
    // Rows come again when stacks have been read, and when frames get other names.
    () => experiment.rows.value,
    (_, signal) => session.ask('modules', {}, { signal }),
  );
  const modules = answer.value ?? [];
  if (modules.length === 0) return null;
  return (
    <section class="info-modules" aria-label="Symbols">
      <h3>Symbols</h3>
      <div class="info-streams">
        <table>
          <thead>
            <tr>
              <th>Program or library</th>
              <th class="numeric">Frames</th>
              <th class="numeric">Named</th>
              <th>Its file</th>
            </tr>
          </thead>
          <tbody>
            {modules.map((module) => (
              <ModuleRow key={`${module.path} ${module.buildId ?? ''}`} module={module} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="info-note">
        Drop the files of programs and libraries here, or{' '}
        <TextButton class="link" text="choose them" onClick={chooseFiles} />: they name the functions of the
        same build at once.
      </p>
    </section>
  );
}

function ModuleRow({ module: { path, buildId, frames, named, state } }: { readonly module: ModuleLine }) {
  const id = buildId === undefined ? 'The trace has no build id of it' : `Build id ${buildId}`;
  return (
    <tr>
      <td class="mono" title={`${visibleText(path)}\n${visibleText(id)}`}>
        {visibleText(fileName(path))}
        {buildId === undefined && <span class="faint"> without a build id</span>}
      </td>
      <td class="numeric">{formatCount(frames)}</td>
      <td class="numeric">{formatCount(named)}</td>
      <td class={state === 'other build' ? 'bad' : 'muted'}>{STATE_WORDS[state]}</td>
    </tr>
  );
}
