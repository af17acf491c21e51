import { Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Res, type BeforeApplicationShutdown } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { BffError } from '../../errors/bff-error.js';
import { DashboardFeed, type DashboardMessage } from './dashboard-feed.js';
import { readDashboardFiles } from './dashboard-files.js';

/** Nothing but our own files runs, and nothing but our own routes is called. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

/** The dashboard: a page, its files, and the stream that keeps it current. */
@Controller()
export class DashboardController implements BeforeApplicationShutdown {
  private readonly files = readDashboardFiles();

  constructor(@Inject(DashboardFeed) private readonly feed: DashboardFeed) {}

  /** `GET /`. Without the ops token the answer is 401, and the page that comes with it asks for the token. */
  @Get()
  @RouteConfig({ signIn: true })
  async page(@Res() reply: FastifyReply): Promise<void> {
    await this.send('index.html', reply.code(reply.request.signedIn ? 200 : 401));
  }

  /** `GET /dashboard/feed`: server-sent events. */
  @Get('dashboard/feed')
  async follow(@Res() reply: FastifyReply): Promise<void> {
    await reply
      .type('text/event-stream')
      .header('x-accel-buffering', 'no')
      .send(Readable.from(toEvents(this.feed.follow())));
  }

  /** `GET /dashboard/{file}`: scripts and styles hold no data, and a page cannot send a token for them. */
  @Get('dashboard/:file')
  @RouteConfig({ open: true })
  async file(@Param('file') name: string, @Res() reply: FastifyReply): Promise<void> {
    await this.send(name, reply);
  }

  beforeApplicationShutdown(): void {
    this.feed.close();
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
