/** The changes of RRsets as plans of AI clients show them. */
import type { RowChange } from '../../database/journal.ts'
import { areSame } from './sync/diff.ts'

type Side = { readonly ttl: number | null; readonly values: readonly string[] }

export type RrsetSides = {
  readonly fqdn: string
  readonly type: string
  readonly before: Side | undefined
  readonly after: Side | undefined
}

/**
 * Returns one change; none if the two sides are the same.
 * @param kind `rrset` of a server or a file, `own_rrset` of the own records of a zone
 */
export const buildRrsetChanges = (
  kind: 'rrset' | 'own_rrset',
  { fqdn, type, before, after }: RrsetSides,
): RowChange[] => {
  if (areSame(before?.values ?? null, after?.values ?? null) && before?.ttl === after?.ttl) return []
  const toRow = (side: Side) => ({ fqdn, type, ttl: side.ttl, values: side.values })
  const sides = { ...(before && { before: toRow(before) }), ...(after && { after: toRow(after) }) }
  return [{ table: kind, key: JSON.stringify([fqdn, type]), ...sides }]
}
