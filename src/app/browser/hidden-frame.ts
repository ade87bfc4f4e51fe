/** Frames that do what the page's own policy does not allow (docs/security.md). */

/** Loads a hidden frame. The document in it may be another one, such as an error page when the server is gone. */
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
