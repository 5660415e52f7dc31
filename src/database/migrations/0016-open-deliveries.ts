/** Deliveries that are not done with, in the order in which they are sent. */
import type { Migration } from '../migrate.ts'

export const openDeliveries: Migration = {
  name: '0016-open-deliveries',
  statements: () => [
    // The expression is what makes it the one that is used: among equals SQLite prefers the history.
    `CREATE INDEX webhook_deliveries_open
       ON webhook_deliveries (webhook_id, (CASE WHEN due_ms IS NULL THEN 0 ELSE 1 END), id)
       WHERE due_ms IS NOT NULL`,
  ],
}
