import { Module } from '@nestjs/common';
import { OpsModule } from '../ops.module.js';
import { DashboardFeed } from './dashboard-feed.js';
import { DashboardController } from './dashboard.ops.controller.js';
import { Fleet } from './fleet/fleet.js';

/**
 * Dashboard: what this replica, or all of them, did in the last half hour, and the page that shows it. It knows other modules only by
 * their metrics and by the ops routes that the page calls. Its routes are on the ops listener.
 */
@Module({ imports: [OpsModule], controllers: [DashboardController], providers: [DashboardFeed, Fleet] })
export class DashboardModule {}
