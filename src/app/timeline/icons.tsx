/** Line icons of the gutter, 16 px grid, in the colour of the text around them. */
const SHAPES = {
  open: 'M4 6l4 4 4-4',
  closed: 'M6 4l4 4-4 4',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  sort: 'M5 3v10M2.8 10.8 5 13l2.2-2.2M11 13V3M8.8 5.2 11 3l2.2 2.2',
  folds: 'M3 5.5h10M3 10.5h10M6 3l2-1.8L10 3M6 13l2 1.8L10 13',
  pin: 'M6 2.5h4l-.6 4 2.1 2.2h-7l2.1-2.2zM8 8.7v4.8',
  host: 'M2 3.5h12v3.4H2zM2 9.1h12v3.4H2zM4.4 5.2h.1M4.4 10.8h.1',
  clear: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
} as const;

interface IconProps {
  readonly name: keyof typeof SHAPES;
  readonly size?: number;
}

export function TimelineIcon({ name, size = 12 }: IconProps) {
  return (
    <svg class="timeline-icon" viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  );
}
