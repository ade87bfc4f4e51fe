/** A button that copies a text and confirms it for a moment. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

interface CopyButtonProps {
  readonly title: string;
  /** Text after success. */
  readonly done?: string;
  readonly icon?: IconName;
  readonly class?: string;
  text(): string;
}

export function CopyButton({ title, done = 'Copied', icon = 'copy', text, ...rest }: CopyButtonProps) {
  const said = useSignal('');
  useEffect(() => {
    if (said.value === '') return;
    const timer = setTimeout(() => (said.value = ''), 1600);
    return () => clearTimeout(timer);
  }, [said.value]);
  const copy = async () => {
    said.value = (await copyText(text())) ? done : 'Not allowed by the browser';
  };
  return (
    <button
      class={`button ${rest.class ?? ''}`}
      title={title}
      aria-label={said.value || title}
      onClick={copy}
    >
      <Icon name={icon} />
      <span class="top-word copy-words">
        <span aria-live="polite">{said.value || title}</span>
        {/* Hidden, as wide as the longer text, so that nothing beside the button moves. */}
        <span aria-hidden="true">{done.length > title.length ? done : title}</span>
      </span>
    </button>
  );
}

/** Copies a text. False: the browser refused, for instance in an unfocused window. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
