/** The items to which policies apply: by the permission to make the change by hand, and by the scopes of the object. */
import type { ItemChange } from '../../kernel/changes/change-record.ts'
import { isKind, KIND_NAMES } from '../../record/history/kind-names.ts'
import type { Places } from '../review/places.ts'
import { isPolicyPermission, type Policy } from './api.ts'

export const DNS_RECORD = 'dns-record'

type Changed = { readonly kind: string; readonly change: ItemChange }

/** A changed object with its scopes. */
export type PlacedItem = Changed & { readonly places: Places }

/**
 * Returns the permission to make the change by hand; undefined for an object that no proposal holds, or that only follows from others,
 * such as a conflict.
 */
const findPermission = ({ kind, change }: Changed): string | undefined => {
  const permission = isKind(kind) ? KIND_NAMES[kind].permissions[change] : kind === DNS_RECORD ? `dns:${change}` : ''
  return isPolicyPermission(permission) ? permission : undefined
}

type Rule = Pick<Policy, 'permissions' | 'scope_id'>

/** True if the policy has the permission of the change, wherever the object is. */
export const coversChange = ({ permissions }: Pick<Policy, 'permissions'>, changed: Changed): boolean => {
  const permission = findPermission(changed)
  return permission !== undefined && (permissions.length === 0 || permissions.includes(permission))
}

/** True if the policy applies to the item. */
export const appliesTo = (policy: Rule, item: PlacedItem): boolean => {
  if (!coversChange(policy, item)) return false
  const { scope_id } = policy
  return scope_id === null || [...item.places.before, ...item.places.after].some((set) => set.includes(scope_id))
}

/** Returns the items to which the policy applies; none if they are fewer than its least number. */
export const listApplied = <Item extends PlacedItem>(
  policy: Rule & Pick<Policy, 'min_objects'>,
  items: readonly Item[],
): readonly Item[] => {
  const applied = items.filter((item) => appliesTo(policy, item))
  return applied.length >= policy.min_objects ? applied : []
}
