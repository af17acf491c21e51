import { lastingFaultsOf } from './bounds.js';
import { runOverloadDrill } from './drill.js';
import { describeDrill } from './report.js';

const PATIENCE_MS = 180_000;

/** `npm run drill:overload` attacks longer and harder, and looks at times too. */
test(
  'nothing that one address and one member send takes the service from twenty others',
  async () => {
    const report = await runOverloadDrill({ quietSeconds: 1, attackSeconds: 7, intensity: 0.5 });
    const faults = lastingFaultsOf(report);
    expect(faults.length > 0 ? describeDrill(report) : '').toBe('');
    expect(report.attacks.map(({ sent }) => sent > 0)).not.toContain(false);
  },
  PATIENCE_MS,
);
