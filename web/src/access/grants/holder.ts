/** Grants in words, and their order. A user or a group holds them. */
import type { Grant } from '../types.ts'

/** A user or a group that is to get a role. */
export type Holder =
  | { readonly user_id: string; readonly group_id?: undefined; readonly name: string }
  | { readonly user_id?: undefined; readonly group_id: string; readonly name: string }

/** @example holderName(grant) // 'the group netops' */
export const holderName = ({ group, username }: Grant): string =>
  group === null ? (username ?? '') : `the group ${group}`

/** The role and where it counts. @example roleText(grant) // 'operator in ams' */
export const roleText = ({ role, scope }: Grant): string => (scope === null ? role : `${role} in ${scope}`)

/** Groups first, then users, each by name. */
export const byHolder = (a: Grant, b: Grant): number =>
  Number(a.group_id === null) - Number(b.group_id === null) ||
  byText(holderName(a), holderName(b)) ||
  byText(roleText(a), roleText(b))

/** By role; of the same role, the grant of the user itself comes first. */
export const byRole = (a: Grant, b: Grant): number =>
  byText(roleText(a), roleText(b)) || Number(a.user_id === null) - Number(b.user_id === null) || byHolder(a, b)

const byText = (a: string, b: string): number => a.localeCompare(b)
