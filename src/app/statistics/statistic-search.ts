/** System calls and files, as the search finds them: each leads to its row in the statistics. */
import type { ThingGroup } from '../commands/thing.ts';
import type { App } from '../context/app-context.ts';
import { formatBytes, formatDuration } from '../format/numbers.ts';
import { showStatistic } from './show-statistic.ts';

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
      open: () =>
        showStatistic(app, 'io', { 'disk-and-files.by': 'file', 'read-and-written-by-file.filter': path }),
    }));
  },
};
