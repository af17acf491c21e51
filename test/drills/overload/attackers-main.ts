import { attacksOn, type Attack, type Target } from './attacks.js';

/** The orders to the process. */
export interface AttackOrder extends Target {
  /** Multiplies every rate. */
  readonly intensity: number;
  /** Names of attacks; all when undefined. */
  readonly only: readonly string[] | undefined;
}

/** The result of one attack. */
export type AttackReport = ReturnType<RunningAttack['report']>;

// The attackers, as a process, so that their work is not in the way of the users whose times are measured. Told whom to
// attack by a first message; tells what it came to whenever it gets another.

const STEP_MS = 50;
let attacks: readonly RunningAttack[] = [];

process.on('message', (message: AttackOrder | 'report') => {
  if (message === 'report') process.send!(attacks.map((attack) => attack.report()));
  else attacks = begin(message);
});
process.once('disconnect', () => process.exit(0));

function begin({ intensity, only, ...target }: AttackOrder): readonly RunningAttack[] {
  return attacksOn(target)
    .filter(({ name }) => only === undefined || only.includes(name))
    .map((attack) => new RunningAttack(attack, attack.perSecond * intensity));
}

/** An attack that goes on at its rate until the process ends. */
class RunningAttack {
  private sent = 0;
  private readonly outcomes: Record<string, number> = {};
  /** Attempts that are not over, such as connections held open. */
  private underWay = 0;
  private steppedAt = performance.now();
  private due = 0;

  constructor(
    private readonly attack: Attack,
    private readonly perSecond: number,
  ) {
    setInterval(() => this.step(), STEP_MS);
  }

  report() {
    const { perSecond, sent, outcomes, underWay } = this;
    return { name: this.attack.name, perSecond, sent, outcomes, underWay };
  }

  private step(): void {
    const now = performance.now();
    this.due += (this.perSecond * (now - this.steppedAt)) / 1000;
    this.steppedAt = now;
    if (this.due < (this.attack.burst ?? 1)) return;
    for (; this.due >= 1; this.due -= 1) if (this.underWay < this.attack.inFlightMax) void this.attempt();
  }

  private async attempt(): Promise<void> {
    this.underWay += 1;
    this.sent += 1;
    await this.attack.attempt(this.sent, (outcome) => {
      this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
    });
    this.underWay -= 1;
  }
}
