/**
 * Indexes of the texts of ports, cables and reservations, of which there may be many, and of devices with a search text that an older program
 * has written. Queries and triggers of the database keep them, so that a write of an older program is found as well.
 */
import type { Ddl, Migration } from '../migrate.ts'

/** The columns that searches match. */
const SEARCHED = {
  ports: ['name_key', 'mac_address', 'description', 'custom'],
  cables: ['label_key', 'type', 'color', 'description', 'custom'],
  reservations: ['ip_address', 'hostname', 'mac_address', 'purpose', 'notes', 'custom'],
} as const

/** The texts of a new program begin with a line feed, those of older programs with the name. */
const FIRST_LINE = `substr(search_text, 1, 1) <> '\n'`

const each = <T>(build: (table: string, columns: readonly string[]) => T): T[] =>
  Object.entries(SEARCHED).map(([table, columns]) => build(table, columns))

export const search: Migration = {
  name: '0073-search',
  floor: 'unchanged',
  statements: ({ columnsIndex }: Ddl) => each(columnsIndex).flat(),
  concurrently: ({ columnsIndexes }) => [
    ...each(columnsIndexes).flat(),
    { name: 'ports_names', on: 'ports (name_key, id)' },
    { name: 'devices_older_search', on: `devices (id) WHERE ${FIRST_LINE}` },
  ],
}
