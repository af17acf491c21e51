import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { issuersOf, knownIssuer, type IssuerSetting } from '../config/values/issuers.js';

/** Settings that {@link MachineSubjects} reads. */
type MachineSettings = Pick<Config, 'MACHINE_SUBJECTS'> & IssuerSetting;

/** The back ends of the partner's own that call as machines (`MACHINE_SUBJECTS`), by issuer and subject. */
@Injectable()
export class MachineSubjects {
  private readonly byIssuer = new Map<string, Set<string>>();

  /** An entry that names no issuer is of the first one. */
  constructor(@Inject(CONFIG) config: MachineSettings) {
    const [first] = issuersOf(config);
    for (const { issuer = first, subject } of config.MACHINE_SUBJECTS) {
      const known = knownIssuer(config, issuer);
      this.byIssuer.set(known, (this.byIssuer.get(known) ?? new Set()).add(subject));
    }
  }

  /** True if the subject of that issuer is a machine. @param issuer the name by which its users are known */
  has(issuer: string, subject: string): boolean {
    return this.byIssuer.get(issuer)?.has(subject) ?? false;
  }
}
