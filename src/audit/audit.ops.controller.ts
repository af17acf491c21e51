import { Readable } from 'node:stream';
import { Controller, Get, Inject, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { BffError, type FieldFault } from '../errors/bff-error.js';
import { isStorable } from '../storage/storable-text.js';
import type { Page } from '../storage/page.js';
import type { AuditFilter, AuditRecord } from './audit-record.js';
import { AuditTrail } from './audit-trail.js';

const PARAMETERS = ['user', 'hirer', 'outcome', 'action', 'request', 'since', 'until', 'after'];

/** A record as JSON: times in ISO 8601. */
type AuditView = Omit<AuditRecord, 'time' | 'expiresAt' | 'firstAt' | 'lastAt'> & {
  readonly time: string;
  readonly expiresAt?: string;
  readonly firstAt?: string;
  readonly lastAt?: string;
};

/** The audit trail, latest first, by `user` (pseudonym), `hirer`, `outcome`, `action`, `request`, `since`, `until`. */
@Controller('audit')
export class AuditController {
  constructor(@Inject(AuditTrail) private readonly trail: AuditTrail) {}

  /** `GET /audit`: a page. */
  @Get()
  async list(@Query() query: Record<string, unknown>): Promise<Page<AuditView>> {
    const { items, next } = await this.trail.list(readFilter(query));
    return { items: items.map(toView), next };
  }

  /** `GET /audit/export`: all that fits, one JSON object a line (NDJSON), as fast as it is read. */
  @Get('export')
  async export(@Query() query: Record<string, unknown>, @Res() reply: FastifyReply): Promise<void> {
    const records = this.trail.export(readFilter(query));
    await reply
      .type('application/x-ndjson')
      .header('content-disposition', 'attachment; filename="audit.ndjson"')
      .send(Readable.from(toLines(records)));
  }
}

async function* toLines(records: AsyncIterable<AuditRecord>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(toView(record))}\n`;
}

function toView({ time, expiresAt, firstAt, lastAt, ...rest }: AuditRecord): AuditView {
  return {
    time: new Date(time).toISOString(),
    ...rest,
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    ...(firstAt !== undefined && { firstAt: new Date(firstAt).toISOString() }),
    ...(lastAt !== undefined && { lastAt: new Date(lastAt).toISOString() }),
  };
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && isStorable(value);
}

function readFilter(query: Record<string, unknown>): AuditFilter {
  const faults: FieldFault[] = Object.keys(query)
    .filter((field) => !PARAMETERS.includes(field) || !isText(query[field]))
    .map((field) => ({ field, message: `must be one of ${PARAMETERS.join(', ')}, given once` }));
  const read = (field: string, parse: (text: string) => number, message: string): number | undefined => {
    const text = query[field];
    if (typeof text !== 'string') return undefined;
    const value = parse(text);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    faults.push({ field, message });
    return undefined;
  };
  const times = {
    since: read('since', Date.parse, 'must be a time in ISO 8601'),
    until: read('until', Date.parse, 'must be a time in ISO 8601'),
    after: read('after', Number, 'must be the `next` of a page'),
  };
  if (faults.length > 0) throw new BffError('invalid_request', { errors: faults });
  const { user, hirer, outcome, action, request } = query as Record<string, string | undefined>;
  return { ...times, user, hirer, outcome, action, request };
}
