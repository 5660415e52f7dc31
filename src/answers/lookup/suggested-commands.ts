/** The operations that allocate a free address or block, written as commands, for callers who may run them. */

import { devices } from '../../inventory/devices/api.ts'
import { networks } from '../../inventory/networks/api.ts'
import { reservations } from '../../inventory/reservations/api.ts'
import { withSpace } from '../../inventory/spaces/fields.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type AnyOperation, listPermissions } from '../../kernel/operation.ts'
import { canPlace, canReachPool, toAddressRange } from '../../people/scopes/scopes.ts'
import { formatCurl, formatPlatCommand } from '../../surfaces/cli/parse/command-text.ts'
import type { Lookup, LookupWay } from './api.ts'
import { findOwnPool } from './summary.ts'

type Input = Readonly<Record<string, unknown>>

const buildWay = (op: AnyOperation, input: Input): LookupWay => ({
  operation: op.name,
  summary: op.summary,
  command: formatPlatCommand(op, input),
  // Path parameters are percent-encoded, so they are safe between these quotes.
  curl: formatCurl(op, input, (path) => `"$PLAT_URL${path}"`),
})

/** A placeholder for a value that the caller chooses. */
const NAME = 'NAME'

/** @param isLimited the caller sees a part of the estate, which its objects must be in */
const listWays = (lookup: Omit<Lookup, 'ways'>, isLimited: boolean) => {
  const { kind, state, query, space_id, networks: [nearest] = [] } = lookup
  const pool = findOwnPool(lookup)
  const datacenter_id = isLimited ? nearest?.datacenter_id : undefined
  const here = datacenter_id ? { datacenter_id } : {}
  if (kind === 'ip' && state === 'free') {
    const reserve = pool ? [{ op: reservations.create, input: { pool_id: pool.id, ip_address: query } }] : []
    const place = pool ? { pool_id: pool.id } : nearest ? { network_id: nearest.id } : {}
    return [...reserve, { op: devices.create, input: { name: NAME, ...here, addresses: [{ ip: query, ...place }] } }]
  }
  if (kind === 'cidr' && state === 'network' && pool)
    return [{ op: reservations.allocate, input: { id: pool.id, count: 1 } }]
  if (kind === 'cidr' && (state === 'free' || state === 'outside'))
    return [{ op: networks.create, input: withSpace({ name: NAME, subnet: query, ...here }, space_id) }]
  return []
}

const isAllowed = async (ctx: Ctx, { op, input }: { op: AnyOperation; input: Input }, lookup: Omit<Lookup, 'ways'>) => {
  const permission = listPermissions(op.access).find((one) => ctx.caller.permissions.has(one))
  if (permission === undefined || ctx.unscoped === ctx) return permission !== undefined
  const pool = findOwnPool(lookup)
  const { query, kind, space_id = null } = lookup
  if (op !== devices.create && op !== networks.create)
    return pool !== undefined && canReachPool(ctx, permission, pool.id)
  const place = kind === 'cidr' ? toAddressRange(query, space_id) : { first: query, last: query, space_id }
  return canPlace(ctx, permission, {
    datacenter_id: input.datacenter_id ? String(input.datacenter_id) : null,
    ranges: [place],
  })
}

export const listAllowedWays = async (ctx: Ctx, lookup: Omit<Lookup, 'ways'>): Promise<LookupWay[]> => {
  const found: LookupWay[] = []
  for (const { op, input } of listWays(lookup, ctx.unscoped !== ctx))
    if (await isAllowed(ctx, { op, input }, lookup)) found.push(buildWay(op, input))
  return found
}
