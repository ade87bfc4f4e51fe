/** Buttons with a text, or with an icon alone. */
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface TextButtonProps extends ButtonHTMLAttributes {
  readonly text: ComponentChildren;
}

/** Has the class `button` unless it is given others: `button outlined`, `link`. */
export function TextButton({ text, ...rest }: TextButtonProps) {
  return (
    <button class="button" {...rest}>
      {text}
    </button>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes {
  readonly icon: IconName;
  /** Accessible name, and the title unless another one is given. */
  readonly label: string;
}

export function IconButton({ icon, label, ...rest }: IconButtonProps) {
  return (
    <button class="button only-icon" aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
