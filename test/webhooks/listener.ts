/** A browser's end of `GET /events/stream`. */
export class Listener {
  text = '';
  ended = false;

  private constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {
    void this.read();
  }

  static async open(url: string, token: string, headers: Record<string, string> = {}): Promise<Listener> {
    const abort = new AbortController();
    const response = await fetch(`${url}/events/stream`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      signal: abort.signal,
    });
    return new Listener(response, abort);
  }

  get events(): { id: string; type: string; data: Record<string, unknown> }[] {
    return [...this.text.matchAll(/^id: (.*)\ndata: (.*)\n\n/gm)].map(([, id, data]) => ({
      id,
      ...JSON.parse(data!),
    }));
  }

  get ids(): string[] {
    return this.events.map(({ id }) => id);
  }

  close(): void {
    this.abort.abort();
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body!) this.text += decoder.decode(chunk, { stream: true });
    } catch {
      // aborted, or cut
    }
    this.ended = true;
  }
}
