/** The limits of API keys. A key has the rights of its owner, cut by its limits. Pure. */

import type { Caller } from '../../kernel/caller.ts'
import { createReach } from '../../kernel/rights/access.ts'
import { type Cidr, cidrHolds, parseCidrOrThrow } from '../../net/cidr.ts'
import { parseIp } from '../../net/ip.ts'
import { isScopable } from '../roles/catalogue.ts'
import type { ApiKey } from './api.ts'
import type { ApiKeyRow } from './table.ts'

type StoredLimits = Pick<ApiKeyRow, 'permissions' | 'allowed_cidrs' | 'scope_id'>

/** Reads the limits of a row. */
export const parseStoredLimits = ({
  permissions,
  allowed_cidrs,
}: Omit<StoredLimits, 'scope_id'>): Pick<ApiKey, 'permissions' | 'allowed_cidrs'> => ({
  // Written by this feature.
  permissions: permissions === null ? null : (JSON.parse(permissions) as string[]),
  allowed_cidrs: allowed_cidrs === null ? [] : (JSON.parse(allowed_cidrs) as string[]),
})

export type KeyLimits = {
  /** Undefined for all permissions of the owner. */
  readonly permissions: ReadonlySet<string> | undefined
  /** Undefined for the whole estate. */
  readonly scopeId: string | undefined
  /** Empty for every address. */
  readonly cidrs: readonly Cidr[]
}

export const toLimits = (row: StoredLimits): KeyLimits => {
  const { permissions, allowed_cidrs } = parseStoredLimits(row)
  return {
    permissions: permissions === null ? undefined : new Set(permissions),
    scopeId: row.scope_id ?? undefined,
    cidrs: allowed_cidrs.map(parseCidrOrThrow),
  }
}

/** True for a key with any limit. It acts for its owner like a client, and manages no credentials of the owner. */
export const isNarrow = ({ permissions, scopeId, cidrs }: KeyLimits): boolean =>
  permissions !== undefined || scopeId !== undefined || cidrs.length > 0

type Rights = Pick<Caller, 'permissions' | 'scopedPermissions'>

/** Returns the rights of a key, out of the rights of its owner. @param areas of its scope, if it has one */
export const limitRights = (
  { permissions: held, scopedPermissions: heldInPart }: Rights,
  { permissions: named, scopeId }: Omit<KeyLimits, 'cidrs'>,
  areas: ReadonlySet<number> = new Set(),
): Rights => {
  const permissions = named === undefined ? held : named.intersection(held)
  const parts = [...(heldInPart ?? [])].filter(([name]) => named?.has(name) ?? true)
  if (scopeId === undefined) return { permissions, ...(parts.length > 0 && { scopedPermissions: new Map(parts) }) }
  const own = new Set([scopeId])
  const everywhere = createReach(areas, [own])
  const ofAll = [...permissions].flatMap((name) => (isScopable(name) ? [[name, everywhere] as const] : []))
  const cut = new Map(
    [...new Set(parts.map(([, scopeSet]) => scopeSet))].map(
      (scopeSet) => [scopeSet, createReach(scopeSet.areas.intersection(areas), [...scopeSet.scopes, own])] as const,
    ),
  )
  const inPart = parts.flatMap(([name, scopeSet]) => {
    const ownScopes = cut.get(scopeSet)
    return ownScopes ? [[name, ownScopes] as const] : []
  })
  return { permissions: new Set(), scopedPermissions: new Map([...ofAll, ...inPart]) }
}

/** True if the key opens from this address. An unknown address is in no list. */
export const isClientAllowed = ({ cidrs }: KeyLimits, client: string): boolean => {
  if (cidrs.length === 0) return true
  const ip = parseIp(client)
  return ip !== undefined && cidrs.some((cidr) => cidrHolds(cidr, ip))
}
