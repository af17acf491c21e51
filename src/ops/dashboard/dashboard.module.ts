import { Module } from '@nestjs/common';
import { DashboardFeed } from './dashboard-feed.js';

/**
 * Dashboard: what this replica did in the last half hour, and the page that shows it. It knows other modules only by
 * their metrics and by the ops routes that the page calls. Public interface: {@link DashboardFeed}.
 */
@Module({ providers: [DashboardFeed], exports: [DashboardFeed] })
export class DashboardModule {}
