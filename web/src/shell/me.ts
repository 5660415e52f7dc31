/** The signed-in user and the permissions. */
import { type QueryKey, type UseQueryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { AppError } from '../../../src/contract/errors.ts'
import { asOf, openProposal, toAsOf } from '../api/as-of.ts'
import type { Me, Optional } from '../api/contracts.ts'
import { mayTry } from '../api/proposing.ts'
import { meQuery } from '../api/queries.ts'
import { useStore } from '../api/store.ts'
import { RESOURCE_NAMES } from '../resource/facts/names.ts'

/** The route loads the user before the shell renders. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data

/** @example listGrants(me) // ['viewer in Frankfurt only', 'auditor everywhere'] */
export const listGrants = ({ roles, grants }: Me): readonly string[] => [
  ...new Set(
    grants?.map(({ role, scope }) => (scope === null ? `${role} everywhere` : `${role} in ${scope} only`)) ?? roles,
  ),
]

/** Returns true if there are objects of a resource that is shown once there is one. */
export const useIsInUse = (resource: Optional): boolean => useMe().in_use?.includes(resource) ?? false

export type Permit = {
  /** True for a read or write that the user may make, and for a write that the user may propose. */
  readonly may: (permission: string) => boolean
  /** Returns the reason why a control is disabled, or undefined if `may` is true. */
  readonly blocked: (permission: string) => string | undefined
  /** Like `may`, without the writes that the user may only propose. */
  readonly mayNow: (permission: string) => boolean
  /** Like `blocked`, for a write that cannot be proposed. */
  readonly blockedNow: (permission: string) => string | undefined
  /** True where a write can be proposed beside being made. */
  readonly mayPropose: boolean
}

/** Only the estate has a past, and nothing of it can be changed. */
const OF_THE_PAST = new RegExp(`^(search|${RESOURCE_NAMES.join('|')}):(list|read)$`)

export const usePermit = (): Permit => {
  const { permissions } = useMe()
  const shown = useStore(asOf)
  const proposal = useStore(openProposal)
  const isPresent = shown === undefined
  const isEdited = proposal?.canEdit === true && shown === toAsOf(proposal.number)
  const mayNow = (permission: string): boolean =>
    (isPresent || OF_THE_PAST.test(permission)) && permissions.includes(permission)
  const may = (permission: string): boolean =>
    mayNow(permission) || ((isPresent || isEdited) && mayTry(permissions, permission))
  const explain = (isAllowed: boolean, permission: string) =>
    isAllowed ? undefined : `Needs the permission ${permission}`
  return {
    may,
    blocked: (permission) => explain(may(permission), permission),
    mayNow,
    blockedNow: (permission) => explain(mayNow(permission), permission),
    mayPropose: isPresent && permissions.includes('proposals:create'),
  }
}

export const createForbidden = (permission: string): AppError =>
  new AppError('FORBIDDEN', `This needs the permission ${permission}`)

/** A query that needs a permission. Without it nothing is requested, and the error names it. */
export const usePermitted = <Q, D = Q, K extends QueryKey = QueryKey>(
  permission: string,
  query: UseQueryOptions<Q, Error, D, K>,
) => {
  const isAllowed = usePermit().may(permission)
  const { data, error, refetch } = useQuery({ ...query, enabled: isAllowed && (query.enabled ?? true) !== false })
  if (isAllowed) return { data, error, refetch }
  return { data: undefined, error: createForbidden(permission), refetch }
}
