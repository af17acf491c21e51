import { Controller, Get, Inject, Query } from '@nestjs/common';
import { BffError, type FieldFault } from '../errors/bff-error.js';
import { AuditTrail, type AuditFilter, type AuditRecord, type Page } from './audit-trail.js';

const PARAMETERS = ['user', 'hirer', 'outcome', 'since', 'until', 'after'];

/** A record as JSON: times in ISO 8601. */
type AuditView = Omit<AuditRecord, 'time' | 'expiresAt'> & {
  readonly time: string;
  readonly expiresAt?: string;
};

/** `GET /audit?user&hirer&outcome&since&until&after`: the trail, latest first. */
@Controller('audit')
export class AuditController {
  constructor(@Inject(AuditTrail) private readonly trail: AuditTrail) {}

  @Get()
  async list(@Query() query: Record<string, unknown>): Promise<Page<AuditView>> {
    const { items, next } = await this.trail.list(readFilter(query));
    return { items: items.map(toView), next };
  }
}

function toView({ time, expiresAt, ...rest }: AuditRecord): AuditView {
  return {
    time: new Date(time).toISOString(),
    ...rest,
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  };
}

function readFilter(query: Record<string, unknown>): AuditFilter {
  const faults: FieldFault[] = Object.keys(query)
    .filter((field) => !PARAMETERS.includes(field) || typeof query[field] !== 'string')
    .map((field) => ({ field, message: `must be one of ${PARAMETERS.join(', ')}, given once` }));
  const read = (field: string, parse: (text: string) => number, message: string): number | undefined => {
    const text = query[field];
    if (typeof text !== 'string') return undefined;
    const value = parse(text);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    faults.push({ field, message });
    return undefined;
  };
  const filter = {
    since: read('since', Date.parse, 'must be a time in ISO 8601'),
    until: read('until', Date.parse, 'must be a time in ISO 8601'),
    after: read('after', Number, 'must be the `next` of a page'),
  };
  if (faults.length > 0) throw new BffError('invalid_request', { errors: faults });
  const { user, hirer, outcome } = query as Record<string, string | undefined>;
  return { ...filter, user, hirer, outcome };
}
