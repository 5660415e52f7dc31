/** Who is signed in, and what they may do. */
import { useSuspenseQuery } from '@tanstack/react-query'
import type { Me } from '../api/contracts.ts'
import { meQuery } from '../api/queries.ts'

/** Inside the shell there is always someone: the route waits for it. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data

export type Permit = {
  readonly may: (permission: string) => boolean
  /** Why not, for a control; undefined if they may. */
  readonly blocked: (permission: string) => string | undefined
}

export const usePermit = (): Permit => {
  const { permissions } = useMe()
  const may = (permission: string) => permissions.includes(permission)
  return { may, blocked: (permission) => (may(permission) ? undefined : `Needs the permission ${permission}`) }
}
