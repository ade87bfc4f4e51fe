/** A virtual machine in words, the same on the page and on the command line: "process 1234 (qemu-system-x86)". */
export function machineText({ pid, name }: { readonly pid: number; readonly name: string }): string {
  return name === '' ? `process ${pid}` : `process ${pid} (${name})`;
}
