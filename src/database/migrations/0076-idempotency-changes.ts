/** The change of each write with an idempotency key: a retry names it if the answer is not kept. */
import type { Migration } from '../migrate.ts'

export const idempotencyChanges: Migration = {
  name: '0076-idempotency-changes',
  floor: 'unchanged',
  statements: ({ text }) => [`ALTER TABLE idempotency_keys ADD COLUMN change_id ${text}`],
}
