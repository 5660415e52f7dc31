/** The change of a delivery is sent in a header and no longer in the body. */
import type { Migration } from '../migrate.ts'

export const deliveryChanges: Migration = {
  name: '0061-delivery-changes',
  floor: 'unchanged',
  statements: ({ text }) => [`ALTER TABLE webhook_deliveries ADD COLUMN change_id ${text} NOT NULL DEFAULT ''`],
}
