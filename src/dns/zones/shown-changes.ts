/** The changes of RRsets as plans of AI clients show them. */
import type { PlannedItem } from '../../kernel/changes/change-record.ts'
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
 * @param kind `rrset` of a server or a file, `own-rrset` of the own records of a zone
 */
export const buildRrsetChanges = (
  kind: 'rrset' | 'own-rrset',
  { fqdn, type, before, after }: RrsetSides,
): PlannedItem[] => {
  if (areSame(before?.values ?? null, after?.values ?? null) && before?.ttl === after?.ttl) return []
  const toDocument = (side: Side | undefined): string | undefined =>
    side && JSON.stringify({ fqdn, type, ttl: side.ttl, values: side.values })
  const change = before === undefined ? 'create' : after === undefined ? 'delete' : 'update'
  return [{ kind, id: `${fqdn} ${type}`, change, before: toDocument(before), after: toDocument(after) }]
}
