import { sendAtRate, type Pace } from './open-loop.js';
import type { LoadRequest } from './load.js';

/** What {@link Generator} asks of its process; the answer is the sorted latencies. */
export interface Load {
  readonly request: LoadRequest;
  readonly pace: Pace;
}

const collect = (globalThis as { gc?: () => void }).gc!;

process.on('message', ({ request, pace }: Load) => {
  collect(); // what the last load left would otherwise be collected during this one, and be taken for the server's delay
  void sendAtRate(request, pace).then((latencies) => process.send!(latencies));
});
