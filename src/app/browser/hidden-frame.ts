/** Frames that do what the page's own policy does not allow (docs/security.md). */

/** A frame that nobody sees, once it has loaded; what was loaded may be something else, as from a server that is gone. */
export async function hiddenFrame(src: string, title: string): Promise<HTMLIFrameElement> {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.title = title;
  frame.src = src;
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  document.body.append(frame);
  await loaded;
  return frame;
}
