/** The drawer below the timeline: which tab, how high, open or not; the latter two are kept over visits. */
import { computed, effect, signal } from '@preact/signals';
import { isBoolean, isNumber, readSetting, writeSetting } from '../browser/settings.ts';

export type Drawer = ReturnType<typeof createDrawer>;

const LEAST = 96;
const DEFAULT = 312;
/** Part of the window's height that the drawer has at most at first. */
const FIRST_PART = 0.38;
/** Below, the rows need more of the height. */
const SMALL = 1100;
/** Below, the drawer covers the rows, and is closed at first. */
const NARROW = 760;

export function createDrawer() {
  /** Id of a feature; '' before anything is open. */
  const tab = signal('');
  const open = signal(readSetting('drawer', isBoolean) ?? window.innerWidth > NARROW);
  const wanted = signal(
    readSetting('drawer-height', isNumber) ?? Math.round(Math.min(DEFAULT, FIRST_PART * window.innerHeight)),
  );
  /** The room beside the rows, which the component measures; CSS pixels. */
  const most = signal(Infinity);
  const within = (height: number) => Math.round(Math.max(LEAST, Math.min(height, most.value)));
  const maximised = signal(false);
  let isRead = false;
  effect(() => void writeSetting('drawer', open.value));
  effect(() => void writeSetting('drawer-height', wanted.value));
  return {
    tab,
    open,
    /** CSS pixels, when neither closed nor maximised: no more than there is room for. */
    height: computed(() => within(wanted.value)),
    least: LEAST,
    most,
    maximised,
    setHeight: (height: number) => void (wanted.value = within(height)),
    /** Opens the drawer at a tab, which is read from then on. */
    show: (asked: string) => {
      tab.value = asked;
      open.value = isRead = true;
    },
    /** The tab of a trace just opened, which gives way to others. */
    begin: (asked: string) => {
      tab.value = asked;
      isRead = false;
    },
    /**
     * Shows a tab as `show` does, in place of one that nobody asked for. A closed drawer stays closed where it would cover
     * the rows.
     */
    offer: (asked: string) => {
      if (isRead && open.peek()) return;
      tab.value = asked;
      // Not read as a signal: an effect that offers would run again, and undo what closed the drawer.
      open.value = open.peek() || window.innerWidth > NARROW;
    },
    /** Shows the rows, where the drawer covers them. */
    uncover: () => {
      maximised.value = false;
      open.value = open.peek() && window.innerWidth > NARROW;
    },
  };
}

/** How high the drawer may be over rows, both of them together being of this size. */
export function roomForDrawer({ width, height }: Pick<DOMRectReadOnly, 'width' | 'height'>): number {
  return Math.floor(height * (width > SMALL ? 0.62 : 0.4));
}
