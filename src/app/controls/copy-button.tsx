/** Copies a text and says so for a moment. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface CopyButtonProps {
  readonly title: string;
  readonly class?: string;
  text(): string;
}

export function CopyButton({ title, text, ...rest }: CopyButtonProps) {
  const done = useSignal('');
  useEffect(() => {
    if (done.value === '') return;
    const timer = setTimeout(() => (done.value = ''), 1600);
    return () => clearTimeout(timer);
  }, [done.value]);
  const copy = async () => {
    done.value = (await copyText(text())) ? 'Copied' : 'Not allowed by the browser';
  };
  return (
    <button class={`button ${rest.class ?? ''}`} onClick={copy}>
      <Icon name="copy" />
      <span aria-live="polite">{done.value || title}</span>
    </button>
  );
}

/** False where the browser refuses, for instance in an unfocused window. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
