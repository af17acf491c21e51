import { Readable } from 'node:stream';
import { Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { OpsController } from '../http/ops-controller.js';
import type { Page } from '../storage/lists/page.js';
import { readAuditFilter } from './audit-query.js';
import type { AuditRecord } from './audit-record.js';
import { AuditTrail } from './audit-trail.js';
import { toView, type AuditView } from './audit-view.js';

/** The audit trail, latest first, by `user` (pseudonym), `hirer`, `outcome`, `action`, `request`, `since`, `until`. */
@OpsController('audit')
export class AuditController {
  constructor(private readonly trail: AuditTrail) {}

  /** `GET /audit`: a page of audit records, the latest first. */
  @Get()
  async list(@Query() query: Record<string, unknown>): Promise<Page<AuditView>> {
    const filter = readAuditFilter(query);
    const { items, next } = await this.trail.list(filter);
    return { items: items.map(toView), next };
  }

  /**
   * `GET /audit/export`: every matching record, one JSON object a line (NDJSON), as fast as it is read. The first is
   * read before the answer begins, while a database that is down can still be answered with 503.
   */
  @Get('export')
  async export(@Query() query: Record<string, unknown>, @Res() reply: FastifyReply): Promise<void> {
    const records = this.trail.export(readAuditFilter(query));
    const first = await records.next();
    await reply
      .type('application/x-ndjson')
      .header('content-disposition', 'attachment; filename="audit.ndjson"')
      .send(Readable.from(toLines(first, records)));
  }
}

async function* toLines(
  first: IteratorResult<AuditRecord, void>,
  others: AsyncIterable<AuditRecord>,
): AsyncGenerator<string> {
  if (first.done === true) return;
  yield toLine(first.value);
  for await (const record of others) yield toLine(record);
}

function toLine(record: AuditRecord): string {
  return `${JSON.stringify(toView(record))}\n`;
}
