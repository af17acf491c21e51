import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Routes } from '../http/routes.js';
import { TokenIssuance } from './token-issuance.js';

/** Names a token that the upstream no longer accepts (interface 5.5), so that it is not handed out again. */
const REFUSED_TOKEN = 'x-refused-token';

const URL = '/auth/token';

/** `POST /auth/token`: browser tokens. */
@Injectable()
export class TokenRoutes implements OnModuleInit {
  constructor(
    private readonly routes: Routes,
    private readonly issuance: TokenIssuance,
  ) {
    routes.listener.onEnd(({ context }) => issuance.count(context), URL);
  }

  onModuleInit(): void {
    /** A browser token, limited to one hirer and the scopes that the user's roles allow. */
    this.routes.add({
      method: 'POST',
      url: URL,
      config: { access: 'end-user', audit: 'token' },
      handler: ({ body, context, headers }) =>
        this.issuance.issue(body, context, headers[REFUSED_TOKEN]?.toString()),
    });
  }
}
