/** The signed-in user and the permissions. */
import { type QueryKey, type UseQueryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { AppError } from '../../../src/contract/errors.ts'
import { asOf } from '../api/as-of.ts'
import type { Me, Optional } from '../api/contracts.ts'
import { meQuery } from '../api/queries.ts'
import { useStore } from '../api/store.ts'

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
  readonly may: (permission: string) => boolean
  /** Returns the reason why a control is disabled, or undefined if the permission is held. */
  readonly blocked: (permission: string) => string | undefined
}

/** Only the estate has a past, and nothing of it can be changed. */
const OF_THE_PAST =
  /^(cables|custom-fields|datacenters|device-types|devices|kinds|networks|objects|pools|ports|racks|relationships|reservations|scanners|search|spaces|vlans):(list|read)$/

export const usePermit = (): Permit => {
  const { permissions } = useMe()
  const isPresent = useStore(asOf) === undefined
  const may = (permission: string) => permissions.includes(permission) && (isPresent || OF_THE_PAST.test(permission))
  return { may, blocked: (permission) => (may(permission) ? undefined : `Needs the permission ${permission}`) }
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
