/** The networks with a last scan that failed. */
import type { DbScope } from '../../kernel/ctx.ts'

/** Selects the last scan of each network of which it has failed. */
export const selectLastFailures = ({ db }: DbScope) =>
  db
    .selectFrom('discovery_scans')
    .where('discovery_scans.status', '=', 'failed')
    // While a result is recorded, its scan counts as failed.
    .whereRef('discovery_scans.holder', '<>', 'discovery_scans.id')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('discovery_scans as later')
            .select('later.id')
            .whereRef('later.network_id', '=', 'discovery_scans.network_id')
            .whereRef('later.created_at', '>', 'discovery_scans.created_at'),
        ),
      ),
    )
