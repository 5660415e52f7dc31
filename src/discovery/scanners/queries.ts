/** The queries of scans for scanners. */
import type { Ctx } from '../../kernel/ctx.ts'
import type { Holding } from '../../scanner/wire.ts'
import type { KnownScan } from './holdings.ts'

/** Scans that are tried together; of one network, one runs at a time. */
const MAX_STARTABLE = 100

/** Finds the running scans of scanners, and scans that they name. */
export const findConcerned = async (
  ctx: Ctx,
  scannerIds: readonly string[],
  named: readonly Holding[],
): Promise<ReadonlyMap<string, KnownScan>> => {
  const ids = named.map(({ scan_id }) => scan_id)
  const rows = await ctx.db
    .selectFrom('discovery_scans')
    .innerJoin('discovery_scan_states', 'discovery_scan_states.scan_id', 'discovery_scans.id')
    .innerJoin('networks', 'networks.id', 'discovery_scans.network_id')
    .select([
      ...(['discovery_scans.id', 'network_id', 'status', 'scanner_id', 'is_done', 'lease'] as const),
      'networks.scanner',
    ])
    .where(({ eb, and, or }) =>
      or([
        and([eb('scanner_id', 'in', scannerIds), eb('status', '=', 'running')]),
        ...(ids.length > 0 ? [eb('discovery_scans.id', 'in', ids)] : []),
      ]),
    )
    .orderBy('discovery_scans.id')
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Finds pending scans of networks with one of the labels, oldest first, unless another scan of the network runs. */
export const findStartable = (ctx: Ctx, labels: readonly string[]) =>
  ctx.db
    .selectFrom('discovery_scans')
    .innerJoin('networks', 'networks.id', 'discovery_scans.network_id')
    .select(['discovery_scans.id', 'network_id', 'networks.scanner'])
    .where('status', '=', 'pending')
    .where('networks.scanner', '<>', '')
    .where('networks.scanner', 'in', labels)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('discovery_scans as other')
            .select('other.id')
            .whereRef('other.network_id', '=', 'discovery_scans.network_id')
            .where('other.status', '=', 'running'),
        ),
      ),
    )
    .orderBy('discovery_scans.created_at')
    .orderBy('discovery_scans.id')
    .limit(MAX_STARTABLE)
    .execute()
