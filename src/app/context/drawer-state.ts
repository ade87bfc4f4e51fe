/** State of the drawer below the timeline: its tab, its height, whether it is open. Height and open are stored. */
import { computed, effect, signal } from '@preact/signals';
import { isBoolean, isNumber, readSetting, writeSetting } from '../browser/settings.ts';

export type Drawer = ReturnType<typeof createDrawer>;

const LEAST = 96;
const DEFAULT = 312;
/** Largest initial height, as a share of the window's. */
const FIRST_PART = 0.38;
/** Width below which the rows get more of the height; CSS pixels. */
const SMALL = 1100;
/** Window width below which the drawer covers the rows, and is closed at first; CSS pixels. */
const NARROW = 760;

export function createDrawer() {
  /** Id of a feature; '' before anything is open. */
  const tab = signal('');
  const open = signal(readSetting('drawer', isBoolean) ?? window.innerWidth > NARROW);
  const wanted = signal(
    readSetting('drawer-height', isNumber) ?? Math.round(Math.min(DEFAULT, FIRST_PART * window.innerHeight)),
  );
  /** Largest height, which the component measures; CSS pixels. */
  const most = signal(Infinity);
  const within = (height: number) => Math.round(Math.max(LEAST, Math.min(height, most.value)));
  const maximised = signal(false);
  let isChosen = false;
  effect(() => void writeSetting('drawer', open.value));
  effect(() => void writeSetting('drawer-height', wanted.value));
  return {
    tab,
    open,
    /** CSS pixels, when neither closed nor maximised. */
    height: computed(() => within(wanted.value)),
    least: LEAST,
    most,
    maximised,
    setHeight: (height: number) => void (wanted.value = within(height)),
    /** Opens the drawer at a tab. */
    show: (asked: string) => {
      tab.value = asked;
      open.value = isChosen = true;
    },
    /** Sets the first tab of a trace, which `offer` may replace. */
    begin: (asked: string) => {
      tab.value = asked;
      isChosen = false;
    },
    /**
     * Shows a tab as `show` does, unless the reader chose the current one. A closed drawer stays closed where it would
     * cover the rows.
     */
    offer: (asked: string) => {
      if (isChosen && open.peek()) return;
      tab.value = asked;
      // `peek`: an effect that calls this must not run again when the reader closes the drawer.
      open.value = open.peek() || window.innerWidth > NARROW;
    },
    /** Closes the drawer where it covers the rows. */
    uncover: () => {
      maximised.value = false;
      open.value = open.peek() && window.innerWidth > NARROW;
    },
  };
}

/** Largest height of the drawer, in an area of this size that it shares with the rows. */
export function roomForDrawer({ width, height }: Pick<DOMRectReadOnly, 'width' | 'height'>): number {
  return Math.floor(height * (width > SMALL ? 0.62 : 0.4));
}
