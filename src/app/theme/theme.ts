/** Light or dark: the user's choice, else the system's, as `data-theme` of the document (tokens.css reads it). */
import { computed, effect, signal, type ReadonlySignal } from '@preact/signals';
import { readSetting, writeSetting } from '../browser/settings.ts';

type Theme = 'light' | 'dark';
type ThemeChoice = Theme | 'system';

export interface ThemeSwitch {
  readonly choice: ReadonlySignal<ThemeChoice>;
  /** Theme that is shown now. */
  readonly theme: ReadonlySignal<Theme>;
  choose(choice: ThemeChoice): void;
  /** Switches to the other of light and dark; back to the system's where that is the same. */
  toggle(): void;
}

const SETTING = 'theme';

/** Applies the theme to `root` and follows the system from then on. */
export function createThemeSwitch(root: HTMLElement): ThemeSwitch {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const system = signal<Theme>(dark.matches ? 'dark' : 'light');
  dark.addEventListener('change', () => (system.value = dark.matches ? 'dark' : 'light'));
  const choice = signal<ThemeChoice>(readSetting(SETTING, isChoice) ?? 'system');
  const theme = computed(() => (choice.value === 'system' ? system.value : choice.value));
  effect(() => {
    root.dataset.theme = theme.value;
  });
  const choose = (chosen: ThemeChoice) => {
    choice.value = chosen;
    writeSetting(SETTING, chosen);
  };
  const toggle = () => {
    const other = theme.value === 'dark' ? 'light' : 'dark';
    choose(other === system.value ? 'system' : other);
  };
  return { choice, theme, choose, toggle };
}

function isChoice(value: unknown): value is ThemeChoice {
  return value === 'light' || value === 'dark' || value === 'system';
}
