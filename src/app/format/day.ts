/** When something was opened, in words: "today, 01:17", "yesterday", "18 Nov", "18 Nov 2025". Times are ms since 1970. */
export function formatDay(thenMs: number, nowMs: number): string {
  const then = new Date(thenMs);
  const now = new Date(nowMs);
  const days = Math.round((midnight(now) - midnight(then)) / 86_400_000);
  if (days <= 0) return `today, ${then.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}`;
  if (days === 1) return 'yesterday';
  const year = then.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return then.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year });
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
