export interface ServedFolder {
  readonly url: string;
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly port?: number;
  readonly prefix?: string;
  readonly host?: string;
}

export function serveFolder(folder: string, options?: ServeOptions): Promise<ServedFolder>;
