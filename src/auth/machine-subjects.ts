import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';

/** Settings that {@link MachineSubjects} reads. */
type MachineSettings = Pick<Config, 'MACHINE_SUBJECTS' | 'END_USER_ISSUER'>;

/** The back ends of the partner's own that call as machines (`MACHINE_SUBJECTS`), by issuer and subject. */
@Injectable()
export class MachineSubjects {
  private readonly byIssuer = new Map<string, Set<string>>();

  /** An entry that names no issuer is of the first one. */
  constructor(@Inject(CONFIG) config: MachineSettings) {
    const [first = ''] = config.END_USER_ISSUER;
    for (const { issuer = first, subject } of config.MACHINE_SUBJECTS) {
      this.byIssuer.set(issuer, (this.byIssuer.get(issuer) ?? new Set()).add(subject));
    }
  }

  /** True if the subject of that issuer is a machine. */
  has(issuer: string, subject: string): boolean {
    return this.byIssuer.get(issuer)?.has(subject) ?? false;
  }
}
