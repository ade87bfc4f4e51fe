/** Line icons on a grid of 16 px, drawn with the colour of the text around them. */
const SHAPES = {
  'chevron-down': 'M4 6.2 8 10.2 12 6.2',
  'chevron-up': 'M4 10.2 8 6.2 12 10.2',
  'chevron-right': 'M6.2 4 10.2 8 6.2 12',
  'arrow-left': 'M13 8H3.2M7 4 3 8l4 4',
  'arrow-right': 'M3 8h9.8M9 4l4 4-4 4',
  search: 'M2.8 7a4.2 4.2 0 1 0 8.4 0 4.2 4.2 0 1 0-8.4 0M10.1 10.1l3.4 3.4',
  folder: 'M1.8 12.8V3.6h4.3l1.6 2h6.5v7.2z',
  share: 'M8 9.6V2.2M5.1 5 8 2.1 10.9 5M3.2 8v5.6h9.6V8',
  sun: 'M5.2 8a2.8 2.8 0 1 0 5.6 0 2.8 2.8 0 1 0-5.6 0M8 1.4V3M8 13v1.6M1.4 8H3M13 8h1.6M3.3 3.3l1.2 1.2M11.5 11.5l1.2 1.2M3.3 12.7l1.2-1.2M11.5 4.5l1.2-1.2',
  moon: 'M13.4 9.7A5.8 5.8 0 1 1 6.3 2.6a4.9 4.9 0 0 0 7.1 7.1z',
  help: 'M2 8a6 6 0 1 0 12 0A6 6 0 1 0 2 8M6.1 6.4a1.95 1.95 0 1 1 2.8 1.75c-.6.3-.9.65-.9 1.25M8 11.5v.1',
  check: 'M3 8.6l3.4 3.4L13 4.8',
  close: 'M4 4l8 8M12 4l-8 8',
  download: 'M8 2.4v7.2M4.9 6.6 8 9.7l3.1-3.1M2.4 10.4v3.2h11.2v-3.2',
  copy: 'M5.6 5.6h7.9v7.9H5.6zM10.4 5.6V2.5H2.5v7.9h3.1',
  expand: 'M2.8 6V2.8H6M10 2.8h3.2V6M13.2 10v3.2H10M6 13.2H2.8V10',
  shrink: 'M6 2.8V6H2.8M13.2 6H10V2.8M10 13.2V10h3.2M2.8 10H6v3.2',
  warning: 'M8 2.2l6.4 11.4H1.6zM8 6.4v3.6M8 11.8v.1',
  lock: 'M3.4 7.2h9.2v6.4H3.4zM5.4 7.2V5a2.6 2.6 0 0 1 5.2 0v2.2',
  clock: 'M2 8a6 6 0 1 0 12 0A6 6 0 1 0 2 8M8 4.4V8l2.4 1.6',
  stop: 'M4 4h8v8H4z',
  trash: 'M2.8 4.4h10.4M6 4.4V2.6h4v1.8M4.2 4.4l.6 9h6.4l.6-9M6.7 7v4M9.3 7v4',
  filter: 'M2.4 4h11.2M4.6 8h6.8M6.6 12h2.8',
  sort: 'M5 3v10M2.8 10.8 5 13l2.2-2.2M11 13V3M8.8 5.2 11 3l2.2 2.2',
  folds: 'M3 5.5h10M3 10.5h10M6 3l2-1.8L10 3M6 13l2 1.8L10 13',
  pin: 'M6 2.5h4l-.6 4 2.1 2.2h-7l2.1-2.2zM8 8.7v4.8',
  host: 'M2 3.5h12v3.4H2zM2 9.1h12v3.4H2zM4.4 5.2h.1M4.4 10.8h.1',
} as const;

export type IconName = keyof typeof SHAPES;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  );
}

/** The mark of Wakepath: a wait (red) whose path leads to work (green). */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path
        class="mark-path"
        d="M2.5 5h5a2.5 2.5 0 0 1 2.5 2.5v5a2.5 2.5 0 0 0 2.5 2.5h3.6M13.5 11.8l3.3 3.2-3.3 3.2"
      />
      <path class="mark-work" d="M12.8 5h4.8" />
      <path class="mark-wait" d="M2.4 15h4.8" />
    </svg>
  );
}
