import { Module } from '@nestjs/common';
import { DashboardFeed } from './dashboard-feed.js';
import { DashboardController } from './dashboard.ops.controller.js';

/**
 * Dashboard: what this replica did in the last half hour, and the page that shows it. It knows other modules only by
 * their metrics and by the ops routes that the page calls. Its routes are on the ops listener.
 */
@Module({ controllers: [DashboardController], providers: [DashboardFeed] })
export class DashboardModule {}
