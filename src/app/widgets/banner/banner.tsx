/** A line with a warning or remark above answers. */
import './banner.css';
import type { ComponentChildren } from 'preact';
import { TextButton } from '../../controls/button.tsx';
import { Icon } from '../../controls/icon.tsx';

interface BannerProps {
  /** Shows details; absent: it is a remark that needs no action. */
  readonly onDetails?: () => void;
  readonly children: ComponentChildren;
}

export function Banner({ onDetails, children }: BannerProps) {
  if (onDetails === undefined) return <p class="banner">{children}</p>;
  return (
    <p class="banner severe" role="status">
      <Icon name="warning" />
      <span>{children}</span>
      <TextButton class="link" onClick={onDetails} text="Details" />
    </p>
  );
}
