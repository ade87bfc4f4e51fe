/** Exports of an open trace, and what the session is asked for each. */
import { loadCode } from '../../engine/base/later-code.ts';
import type { ExportRequest } from '../../engine/protocol/export.ts';
import type { ReportFormat } from '../../engine/protocol/report.ts';
import type { App } from '../context/app-context.ts';
import { EVENTS_FILTER } from '../events/show-events.ts';
import { notesFile } from '../notes/notes-file.ts';
import type { Notes } from '../notes/notes.ts';
import type { PathState } from '../path/path-state.ts';
import { hasStacks } from '../experiment/stack-rows.ts';
import { rangeOf, type ViewModel } from '../timeline/timeline.tsx';
import { framedPicture, type Picture } from '../draw/pictures.ts';
import { formatRange } from '../format/numbers.ts';

export interface ExportPage {
  readonly app: App;
  readonly view: ViewModel;
  readonly path: PathState;
  readonly notes: Notes;
  /** Pictures that can be saved. */
  readonly pictures: readonly Picture[];
}

export interface ExportItem {
  readonly id: string;
  /** "Events as CSV, selected range" */
  readonly title: string;
  /** Ending of the file's name. */
  readonly ending: string;
  /** A question to the session, or what makes the file; undefined: there is nothing to write. */
  readonly content: ExportRequest | (() => Promise<Blob | undefined>);
  /** The name of the trace is left out of the file's name. */
  readonly isNameless?: boolean;
}

/** Exports that the trace has now: of the selected range, and of the events that the filter accepts. Reads signals. */
export function exportItems({ app, view, path, notes, pictures }: ExportPage): readonly ExportItem[] {
  const range = view.range.value;
  const filter = app.choices.text(EVENTS_FILTER) ?? '';
  const events = filter === '' ? 'Events' : 'Events found';
  const info = app.experiment.info.value;
  const shown = path.answer.value;
  const items: ExportItem[] = [];
  const add = (id: string, title: string, ending: string, content: ExportRequest): void => {
    const isCut = range !== undefined && id !== 'path';
    items.push({ id, title: isCut ? `${title}, selected range` : title, ending, content });
  };
  const set = { filter, ...(range && { selection: { from: range.from, to: range.to } }) };
  const report = (format: ReportFormat, title: string, ending: string, withoutNames = false) => {
    const { trace, name, url } = app.experiment;
    const about = { trace: trace.value ?? '', name: name.value, url: url.value, page: pageAddress() };
    items.push({
      ...{ id: `report-${ending}`, title, ending, isNameless: withoutNames },
      content: { what: 'report', format, withoutNames, ...about },
    });
  };
  report('html', 'Report', 'report.html');
  report('html', 'Report without names', 'nameless.html', true);
  report('markdown', 'Report as Markdown', 'report.md');
  report('json', 'Report as JSON', 'report.json');
  if (app.experiment.hasFiles.value) {
    const found = { what: 'events', events: set, range } as const;
    add('events-csv', `${events} as CSV`, 'events.csv', { ...found, format: 'csv' });
    add('events-json', `${events} as JSON`, 'events.json', { ...found, format: 'json' });
    add('events-parquet', `${events} as Parquet`, 'events.parquet', { ...found, format: 'parquet' });
  }
  if (info?.hasKernel === true) {
    const states = { what: 'states', range } as const;
    add('states-csv', 'Thread states as CSV', 'states.csv', { ...states, format: 'csv' });
    add('states-parquet', 'Thread states as Parquet', 'states.parquet', { ...states, format: 'parquet' });
    add('perfetto', 'Trace for Perfetto', 'pftrace', { what: 'perfetto', range, path: shown });
  }
  if (shown !== undefined)
    add('path', 'Critical path as CSV', 'path.csv', { what: 'path', format: 'csv', path: shown });
  if (hasStacks(app.experiment.rows.value))
    add('pprof', 'Call stacks for pprof', 'pb.gz', { what: 'pprof', profile: { of: 'all', row: '', range } });
  if (info?.hasKernel === true) {
    const profile = { of: 'all', row: '', range, offCpu: 'sleeper' } as const;
    add('pprof-off-cpu', 'Blocked time by call stacks for pprof', 'off-cpu.pb.gz', {
      what: 'pprof',
      profile,
    });
  }
  if (notes.all.value.length > 0) {
    const content = new Blob([notesFile(app.experiment.trace.value ?? '', notes.all.value)]);
    items.push({
      ...{ id: 'notes', title: 'Notes as JSON', ending: 'notes.json' },
      content: () => Promise.resolve(content),
    });
  }
  const framed = (picture: Picture) => {
    const { from, to } = rangeOf(view.viewport.peek());
    return framedPicture(picture, app.experiment.name.peek(), formatRange(from, to));
  };
  for (const picture of pictures) {
    const { title } = picture;
    const id = title
      .toLowerCase()
      .replaceAll(/[^a-z]+/g, '-')
      .replace(/-$/, '');
    items.push(
      {
        id: `${id}-png`,
        title: `${title} as PNG`,
        ending: `${id}.png`,
        content: () => pngOf(framed(picture)),
      },
      {
        id: `${id}-svg`,
        title: `${title} as SVG`,
        ending: `${id}.svg`,
        content: () => svgOf(framed(picture)),
      },
    );
  }
  return items;
}

/** The address of the page without what is seen; undefined: nobody else can open it. */
function pageAddress(): string | undefined {
  const { protocol, origin, pathname } = window.location;
  return /^https?:$/.test(protocol) ? origin + pathname : undefined;
}

/** Pixels of a PNG for one of CSS. */
const RATIO = 2;

/** Picture as PNG. @returns undefined: the browser cannot make a picture of that size */
async function pngOf(picture: Picture): Promise<Blob | undefined> {
  const { width, height } = picture.size();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * RATIO);
  canvas.height = Math.round(height * RATIO);
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  context.scale(RATIO, RATIO);
  picture.paint(context);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/png'));
}

/** Texts stay texts. The library that writes it is loaded with the first one. */
async function svgOf(picture: Picture): Promise<Blob> {
  const { SvgContext } = await loadCode(() => import('./svg-context.ts'));
  const { width, height } = picture.size();
  const context = new SvgContext(width, height);
  picture.paint(context);
  return new Blob([context.text()], { type: 'image/svg+xml' });
}
