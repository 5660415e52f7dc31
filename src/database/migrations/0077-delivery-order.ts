/** Deliveries name their object and have the number of the event, so that several instances can send those of one object in order. */
import type { Migration } from '../migrate.ts'

export const deliveryOrder: Migration = {
  name: '0077-delivery-order',
  floor: 'unchanged',
  statements: ({ text, bigint }) => [
    `ALTER TABLE webhook_deliveries ADD COLUMN resource_id ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE webhook_deliveries ADD COLUMN event_seq ${bigint} NOT NULL DEFAULT 0`,
  ],
  concurrently: () => [
    {
      name: 'webhook_deliveries_in_order',
      // The first expression makes SQLite use this index, as that of `webhook_deliveries_open`. The last one is read here and not in
      // the row, where thousands wait for their next attempt.
      on: `webhook_deliveries (webhook_id, (CASE WHEN due_ms IS NULL THEN 0 ELSE 1 END), event_seq, id, (due_ms + 0))
        WHERE due_ms IS NOT NULL`,
    },
    { name: 'webhook_deliveries_held', on: "webhook_deliveries (webhook_id) WHERE holder <> ''" },
  ],
}
