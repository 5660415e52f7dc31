/** The signed-in user and the permissions. */
import { useSuspenseQuery } from '@tanstack/react-query'
import type { Me } from '../api/contracts.ts'
import { meQuery } from '../api/queries.ts'

/** The route loads the user before the shell renders. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data

export type Permit = {
  readonly may: (permission: string) => boolean
  /** Returns the reason why a control is disabled, or undefined if the permission is held. */
  readonly blocked: (permission: string) => string | undefined
}

export const usePermit = (): Permit => {
  const { permissions } = useMe()
  const may = (permission: string) => permissions.includes(permission)
  return { may, blocked: (permission) => (may(permission) ? undefined : `Needs the permission ${permission}`) }
}
