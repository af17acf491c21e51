import { Readable } from 'node:stream';
import { Get, Param, Query, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import { IsOptional } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { BffError } from '../../errors/bff-error.js';
import { Is } from '../../errors/is.js';
import { validate } from '../../errors/validate.js';
import type { ListenersAdapter } from '../../http/incoming/listeners-adapter.js';
import { OpsController } from '../../http/ops-controller.js';
import { DashboardFeed, type DashboardMessage } from './dashboard-feed.js';
import { readDashboardFiles } from './dashboard-files.js';
import { readRunbook, type RunbookSection } from './runbook.js';

/** The page runs only its own files and calls only this listener. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

class FeedQuery {
  @IsOptional()
  @Is((value) => typeof value === 'string' && value.length <= 64, 'must be `all` or the id of a replica')
  replica?: string;
}

/** The dashboard: a page, its files, and the stream that keeps it up to date. */
@OpsController()
export class DashboardController {
  private readonly files = readDashboardFiles();
  private readonly runbook = readRunbook();

  constructor(
    private readonly feed: DashboardFeed,
    { httpAdapter }: HttpAdapterHost<ListenersAdapter>,
  ) {
    httpAdapter.opsListener.addHook('preClose', (done) => {
      this.feed.close();
      done();
    });
  }

  /**
   * `GET /`: the dashboard. Without the ops token the status is 401; the page is sent all the same, and asks for the token.
   * @produces text/html
   */
  @Get()
  @RouteConfig({ signIn: true })
  async page(@Res() reply: FastifyReply): Promise<void> {
    await this.send('index.html', reply.code(reply.request.signedIn ? 200 : 401));
  }

  /**
   * `GET /dashboard/feed?replica`: what keeps the dashboard up to date, as server-sent events: of this replica, of another
   * by its id, or of `all`.
   */
  @Get('dashboard/feed')
  async follow(@Query() query: Record<string, unknown>, @Res() reply: FastifyReply): Promise<void> {
    const { replica } = validate(FeedQuery, query);
    reply.type('text/event-stream').header('x-accel-buffering', 'no');
    const isHead = reply.request.method === 'HEAD'; // Fastify would read a stream to its end, which has none
    await reply.send(isHead ? '' : Readable.from(toEvents(this.feed.follow(replica))));
  }

  /** `GET /dashboard/runbook/{heading}`: a section of the runbook, so that it can be read where nothing else can. */
  @Get('dashboard/runbook/:heading')
  readRunbook(@Param('heading') heading: string): RunbookSection {
    const section = this.runbook.get(heading);
    if (section) return section;
    throw new BffError('not_found', {
      detail: 'The runbook of this installation has no such section: see docs/runbook.md in its repository.',
    });
  }

  /**
   * `GET /dashboard/{file}`: a script, style or image of the dashboard. It is open, since these hold no data and a page
   * cannot send a token for them.
   * @produces text/javascript, text/css, image/svg+xml
   */
  @Get('dashboard/:file')
  @RouteConfig({ open: true })
  async file(@Param('file') name: string, @Res() reply: FastifyReply): Promise<void> {
    await this.send(name, reply);
  }

  private async send(name: string, reply: FastifyReply): Promise<void> {
    const file = this.files.get(name);
    if (!file) throw new BffError('not_found');
    await reply.headers(PAGE_HEADERS).type(file.type).send(file.body);
  }
}

async function* toEvents(messages: AsyncIterable<DashboardMessage>): AsyncGenerator<string> {
  for await (const { event, ...data } of messages) {
    yield `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}
