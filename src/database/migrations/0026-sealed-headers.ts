/** The values of webhook headers are encrypted: the values in clear text are replaced at the first start with a key. */
import type { Migration } from '../migrate.ts'

export const sealedHeaders: Migration = {
  name: '0026-sealed-headers',
  statements: ({ text }) => [
    // Where it is set, `headers` holds the names with masks for values.
    'ALTER TABLE webhooks ADD COLUMN sealed_headers TEXT',
    `CREATE TABLE webhook_purges (name ${text} PRIMARY KEY)`,
    "INSERT INTO webhook_purges (name) SELECT 'headers' WHERE EXISTS (SELECT 1 FROM webhooks WHERE headers <> '{}')",
  ],
}
