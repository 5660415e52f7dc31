/** The operations that allocate a free address or block, written as commands, for callers who may run them. */
import { curlText, platText } from '../../platform/cli/command-text.ts'
import { type AnyOperation, permissionsOf } from '../../platform/operation/operation.ts'
import type { Ctx } from '../ctx.ts'
import { devices } from '../devices/api.ts'
import { networks } from '../networks/api.ts'
import { reservations } from '../reservations/api.ts'
import { withSpace } from '../spaces/fields.ts'
import type { Lookup, LookupWay } from './api.ts'

type Input = Readonly<Record<string, unknown>>

const way = (op: AnyOperation, input: Input): LookupWay => ({
  operation: op.name,
  summary: op.summary,
  command: platText(op, input),
  // Path parameters are percent-encoded, so they are safe between these quotes.
  curl: curlText(op, input, (path) => `"$PLAT_URL${path}"`),
})

/** A placeholder for a value that the caller chooses. */
const NAME = 'NAME'

const waysOf = (lookup: Omit<Lookup, 'ways'>) => {
  const { kind, state, query, space_id, networks: [nearest] = [], pools: [pool] = [] } = lookup
  if (kind === 'ip' && state === 'free') {
    const reserve = pool ? [{ op: reservations.create, input: { pool_id: pool.id, ip_address: query } }] : []
    const place = pool ? { pool_id: pool.id } : nearest ? { network_id: nearest.id } : {}
    return [...reserve, { op: devices.create, input: { name: NAME, addresses: [{ ip: query, ...place }] } }]
  }
  if (kind === 'cidr' && state === 'network' && pool)
    return [{ op: reservations.allocate, input: { id: pool.id, count: 1 } }]
  if (kind === 'cidr' && (state === 'free' || state === 'outside'))
    return [{ op: networks.create, input: withSpace({ name: NAME, subnet: query }, space_id) }]
  return []
}

export const waysFor = ({ caller }: Pick<Ctx, 'caller'>, lookup: Omit<Lookup, 'ways'>): LookupWay[] =>
  waysOf(lookup)
    .filter(({ op }: { op: AnyOperation }) => permissionsOf(op.access).some((one) => caller.permissions.has(one)))
    .map(({ op, input }) => way(op, input))
