/** The rules of scanners. */
import { sql } from 'kysely'
import { nameTaken } from '../../contract/errors.ts'
import type { AnyQuery } from '../../resource/list.ts'
import { resourceRules } from '../../resource/rules.ts'
import type { Scanner, ScannerStatus } from './api.ts'
import type { scannerFacts } from './resource.ts'
import { STATUS_SQL } from './state-row-store.ts'
import { loadSaid, type StoredScanner, store } from './store.ts'

export const rules = resourceRules<typeof scannerFacts, StoredScanner, Scanner>(store, {
  taken: ({ name }) => nameTaken('scanner', name).message,
  check: async (ctx, { before, after }) => {
    if (before && !after) await ctx.emit('scanner.deleting', { id: before.id, name: before.name })
  },
  compute: (ctx, { objects }) =>
    loadSaid(
      ctx,
      objects?.map(({ id }) => id),
    ),
  listed: {
    tables: () => ['scanner_states', 'discovery_scans'],
    filter: (ctx, query, { status, label }) => {
      let found: AnyQuery = query
      if (status)
        // The contract has validated it.
        found = found.where(
          sql`scanners.id`,
          'in',
          sql`(SELECT scanner_id FROM scanner_states WHERE ${STATUS_SQL[status as ScannerStatus]})`,
        )
      if (typeof label === 'string' && label !== '')
        found = found.where((eb) =>
          eb.or([eb(sql`scanners.name`, '=', label), ctx.store.sql.hasText('scanners.tags', label)]),
        )
      return found
    },
  },
})
export const { toEventData } = rules
