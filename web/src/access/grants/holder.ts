/** Grants in words, and their order. A user or a group holds them. */
import { compareNames } from '../../../../src/net/name-order.ts'
import type { Grant } from '../types.ts'

/** A user or a group that is to get a role. */
export type Holder =
  | { readonly user_id: string; readonly group_id?: undefined; readonly name: string }
  | { readonly user_id?: undefined; readonly group_id: string; readonly name: string }

/** @example nameHolder({ group_id, name: 'netops' }) // 'the group netops' */
export const nameHolder = ({ group_id, name }: Holder): string => (group_id === undefined ? name : `the group ${name}`)

/** @example formatHolder(grant) // 'the group netops' */
export const formatHolder = ({ group, username }: Grant): string =>
  group === null ? (username ?? '') : `the group ${group}`

/** Returns the role and where it counts. @example formatRole(grant) // 'operator in ams' */
export const formatRole = ({ role, scope }: Grant): string => (scope === null ? role : `${role} in ${scope}`)

/** Groups first, then users, each by name. */
export const compareByHolder = (a: Grant, b: Grant): number =>
  Number(a.group_id === null) - Number(b.group_id === null) ||
  compareNames(formatHolder(a), formatHolder(b)) ||
  compareNames(formatRole(a), formatRole(b))

/** Orders by role. The grant of the user itself comes before other grants of the same role. */
export const compareByRole = (a: Grant, b: Grant): number =>
  compareNames(formatRole(a), formatRole(b)) ||
  Number(a.user_id === null) - Number(b.user_id === null) ||
  compareByHolder(a, b)
