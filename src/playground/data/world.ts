import { makeHirers, type Hirer } from './hirers.js';

/** Everything the upstream knows. Made from a seed when it is first asked for. */
export class World {
  readonly hirers = new Map<string, Hirer>(makeHirers().map((hirer) => [hirer.id, hirer]));

  /** Whether the partner has any relationship with this hirer. */
  isRelated(hirerId: string): boolean {
    return (this.hirers.get(hirerId)?.relationships.length ?? 0) > 0;
  }
}
