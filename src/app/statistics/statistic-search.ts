/** System calls and files, as the search finds them: each leads to its row in the statistics. */
import type { StatisticName } from '../../workers/session-api.ts';
import type { ThingGroup } from '../commands/thing.ts';
import type { App } from '../context/app-context.ts';
import { formatBytes, formatDuration } from '../format/numbers.ts';

interface Page {
  readonly app: App;
}

export const SYSTEM_CALLS: ThingGroup<Page> = {
  title: 'System calls',
  async things({ app }) {
    const { calls } = await app.session.ask('syscalls', {});
    const longest = calls.toSorted((a, b) => b.durations.totalNs - a.durations.totalNs);
    return longest.map(({ call, durations }) => ({
      name: call,
      detail: formatDuration(durations.totalNs),
      open: () => showRow(app, 'syscalls', { 'system-calls.by': undefined, 'system-calls.filter': call }),
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
      open: () =>
        showRow(app, 'io', { 'disk-and-files.by': 'file', 'read-and-written-by-file.filter': path }),
    }));
  },
};

/** Shows a statistic with choices of its table. */
function showRow(
  { choices, drawer }: App,
  section: StatisticName,
  chosen: Readonly<Record<string, string | undefined>>,
): void {
  choices.choose('statistics.section', section);
  for (const [name, text] of Object.entries(chosen)) choices.choose(name, text);
  drawer.show('statistics');
}
