/** Differences between a scan and the completed scan before it. */

import type { Ctx } from '../../kernel/ctx.ts'
import * as queries from '../devices/discovered-queries.ts'
import type { ChangeKind, FieldChange, Scan, ScanChange, ScanDiff } from '../schema.ts'
import * as store from './scan-store.ts'

type Some = { readonly count: number; readonly rows: ScanChange[] }

/** Differences that were stored when the scans completed. */
const findRecorded = async (
  ctx: Ctx,
  ids: readonly string[],
  of: { kind: ChangeKind; limit: number },
): Promise<Some> => {
  const all = store.selectChanges(ctx, ids).where('kind', '=', of.kind)
  const rows = await all.orderBy('ip_key').orderBy('discovered_id').limit(of.limit).execute()
  return {
    count: await store.countChanges(ctx, ids, of.kind),
    // The stored JSON was written by a scan.
    rows: rows.map((row) => ({ ...row, changes: JSON.parse(row.changes) as FieldChange[] })),
  }
}

/** New devices carry the id of their first scan; devices that came back are stored as changes. */
const findNew = async (ctx: Ctx, ids: readonly string[], limit: number): Promise<Some> => {
  const { count, docs } = await queries.findFirstSeen(ctx, ids, limit)
  const back = await findRecorded(ctx, ids, { kind: 'new', limit })
  const first = docs.map(({ id, ip, hostname, mac_address }): ScanChange => {
    return { kind: 'new', discovered_id: id, ip, hostname, mac_address, changes: [] }
  })
  return { count: count + back.count, rows: [...first, ...back.rows].slice(0, limit) }
}

export const loadDiff = async (ctx: Ctx, scan: Scan, limit: number): Promise<ScanDiff> => {
  const previous = await store.findCompletedBefore(ctx, scan.network_id, scan.id)
  // Includes the discoveries of scans in between that did not complete.
  const ids = await store.findIdsBetween(ctx, scan, previous)
  const kinds = {
    new: await findNew(ctx, ids, limit),
    changed: await findRecorded(ctx, ids, { kind: 'changed', limit }),
    gone: await findRecorded(ctx, ids, { kind: 'gone', limit }),
  }
  return {
    scan_id: scan.id,
    previous_scan_id: previous ?? null,
    counts: { new: kinds.new.count, changed: kinds.changed.count, gone: kinds.gone.count },
    new: kinds.new.rows,
    changed: kinds.changed.rows,
    gone: kinds.gone.rows,
  }
}
