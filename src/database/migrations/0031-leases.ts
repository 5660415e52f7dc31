/** Deliveries and scans have the columns of a lease under the names that jobs have. Claims of earlier versions have ended. */
import type { Migration } from '../migrate.ts'

export const leases: Migration = {
  name: '0031-leases',
  statements: () => [
    'ALTER TABLE webhook_deliveries RENAME COLUMN claim TO holder',
    'ALTER TABLE webhook_deliveries RENAME COLUMN lease_ms TO until_ms',
    "UPDATE webhook_deliveries SET holder = '', until_ms = 0 WHERE holder <> ''",
    // The last heartbeat becomes the end of the lease, which has passed: the same time as `heartbeat_at`.
    'ALTER TABLE discovery_scans RENAME COLUMN runner TO holder',
    'ALTER TABLE discovery_scans RENAME COLUMN beat_ms TO until_ms',
    'ALTER TABLE discovery_scans DROP COLUMN heartbeat_at',
  ],
}
