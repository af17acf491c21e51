import type { Fault, RouteName } from './fault.js';

interface Planned {
  readonly fault: Fault;
  skip: number;
  left: number;
}

/** The planned faults. The first that matches a call is applied. */
export class Faults {
  private planned: Planned[] = [];

  /** Plans a fault for the next matching calls. */
  add(fault: Fault): void {
    const times = fault.times ?? 1;
    this.planned.push({ fault, skip: fault.after ?? 0, left: times === 0 ? Infinity : times });
  }

  clear(): void {
    this.planned = [];
  }

  /** The faults still planned, with the number of calls that each will still affect (null: until cleared). */
  list(): { fault: Fault; left: number | null }[] {
    return this.planned.map(({ fault, left }) => ({ fault, left: Number.isFinite(left) ? left : null }));
  }

  /** Uses up one hit of the fault that this call meets, if any. */
  takeForCall(route: RouteName): Fault | undefined {
    return this.take(({ fault }) => !isForField(fault) && (fault.route ?? route) === route);
  }

  /** The same for one root field of a GraphQL operation, such as `Query.self`. */
  takeForField(field: string): Fault | undefined {
    return this.take(({ fault }) => isForField(fault) && (fault.field ?? field) === field);
  }

  private take(matches: (planned: Planned) => boolean): Fault | undefined {
    const planned = this.planned.find(matches);
    if (planned === undefined) return undefined;
    if (planned.skip > 0) {
      planned.skip--;
      return undefined;
    }
    planned.left--;
    if (planned.left === 0) this.planned = this.planned.filter((other) => other !== planned);
    return planned.fault;
  }
}

function isForField(fault: Fault): boolean {
  return fault.field !== undefined || fault.code !== undefined;
}
