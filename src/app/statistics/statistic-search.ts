/** System calls and files for the search: each leads to its row in the statistics. */
import type { StatisticName } from '../../engine/answers/statistics/tables.ts';
import { addNumber } from '../../engine/base/group-by.ts';
import { callBegun } from '../../engine/trace/event-kinds.ts';
import type { ThingGroup } from '../commands/command.ts';
import type { App } from '../context/app-context.ts';
import { formatBytes } from '../format/numbers.ts';
import { plural } from '../format/text.ts';

interface Page {
  readonly app: App;
}

/** System calls, ordered by their events, since their times would take as long as the statistics of the whole trace. */
export const SYSTEM_CALLS: ThingGroup<Page> = {
  title: 'System calls',
  async things({ app }) {
    const { events } = await app.session.ask('counts', {});
    const calls = new Map<string, number>();
    for (const { domain, name, count } of events) {
      const call = domain === 'ust' ? '' : callBegun(name);
      if (call !== '') addNumber(calls, call, count);
    }
    const mostFirst = [...calls].sort((a, b) => b[1] - a[1]);
    return mostFirst.map(([call, count]) => ({
      name: call,
      detail: plural(count, 'call'),
      open: () =>
        showStatistic(app, 'syscalls', { 'system-calls.by': undefined, 'system-calls.filter': call }),
    }));
  },
};

export const FILES: ThingGroup<Page> = {
  title: 'Files',
  async things({ app }) {
    const { files } = await app.session.ask('io', {});
    const sized = files.map((file) => ({ ...file, bytes: file.read.bytes + file.write.bytes }));
    sized.sort((a, b) => b.bytes - a.bytes);
    return sized.map(({ path, bytes }) => ({
      name: path,
      detail: formatBytes(bytes),
      open: () => showFile(app, path),
    }));
  },
};

/** Shows the reads and writes of a file. */
export function showFile(app: Pick<App, 'choices' | 'drawer'>, path: string): void {
  showStatistic(app, 'io', {
    'disk-and-files.by': 'file',
    'disk-and-files.kind': 'all',
    'read-and-written-by-file.filter': path,
  });
}

/** @param chosen choices of its table by name; undefined: the default */
export function showStatistic(
  { choices, drawer }: Pick<App, 'choices' | 'drawer'>,
  section: StatisticName,
  chosen: Readonly<Record<string, string | undefined>>,
): void {
  choices.choose('statistics.section', section);
  for (const [name, text] of Object.entries(chosen)) choices.choose(name, text);
  drawer.show('statistics');
}
