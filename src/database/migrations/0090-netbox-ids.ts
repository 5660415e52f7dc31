/** The numbers by which clients of the NetBox API know objects. */
import type { Migration } from '../migrate.ts'

export const netboxIds: Migration = {
  name: '0090-netbox-ids',
  floor: 'unchanged',
  statements: ({ text }) => [
    // A number without a key names nothing any more, and is not given again. `attributes` is JSON: the fields of a name.
    `CREATE TABLE netbox_ids (
       kind ${text} NOT NULL,
       number INTEGER NOT NULL,
       key ${text},
       attributes ${text},
       PRIMARY KEY (kind, number),
       UNIQUE (kind, key)
     )`,
  ],
}
