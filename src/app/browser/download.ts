/** Gives the user a file. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has it by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
