/**
 * The kinds of objects that have a history, with their nouns and permissions. A resource of the inventory is a kind by its
 * name. Browser-safe, without Zod.
 */

import { INVENTORY, type Resource } from '../../inventory/resources.ts'
import type { ItemChange } from '../../kernel/changes/change-record.ts'
import type { Permission } from '../../kernel/operation.ts'
import { getNoun, type KindOf, toKind } from '../../resource/nouns.ts'

export { getNoun, type KindOf, toKind }

/** The permissions to do by hand what an undo does. */
type ChangePermissions = Readonly<Record<ItemChange, Permission>>

type KindName = {
  /** The singular noun of summaries. */
  readonly noun: string
  readonly read: Permission
  readonly permissions: ChangePermissions
}

const buildPermissions = (resource: string): Pick<KindName, 'read' | 'permissions'> => ({
  read: `${resource}:read`,
  permissions: { create: `${resource}:create`, update: `${resource}:update`, delete: `${resource}:delete` },
})

/** Kinds of objects that are no resource of the inventory. */
const OTHERS = {
  'discovery-rule': { noun: 'discovery rule', ...buildPermissions('discovery') },
  'discovery-lock': {
    noun: 'field lock',
    read: 'discovery:read',
    permissions: { create: 'discovery:update', update: 'discovery:update', delete: 'discovery:update' },
  },
} as const satisfies Readonly<Record<string, KindName>>

export type Kind = KindOf<Resource> | keyof typeof OTHERS

/** `Object.keys` returns `string[]`. */
const OTHER_KINDS = Object.keys(OTHERS) as (keyof typeof OTHERS)[]

/** An object is created after the objects that it names. */
export const MAKE_ORDER: readonly Kind[] = [...INVENTORY.map(toKind), ...OTHER_KINDS]

/** Answers have devices and their relationships after the other resources. */
const LAST: readonly Resource[] = ['devices', 'relationships']

/** In the order of answers. */
export const KINDS: readonly Kind[] = [
  ...[...INVENTORY.filter((resource) => !LAST.includes(resource)), ...LAST].map(toKind),
  ...OTHER_KINDS,
]

const toKindName = (resource: Resource): [Kind, KindName] => {
  const kind = toKind(resource)
  return [kind, { noun: getNoun(resource), ...buildPermissions(resource) }]
}

// The keys are the kinds.
export const KIND_NAMES = Object.fromEntries([...INVENTORY.map(toKindName), ...Object.entries(OTHERS)]) as Readonly<
  Record<Kind, KindName>
>

/** True for a kind with a history. */
export const isKind = (kind: string): kind is Kind => Object.hasOwn(KIND_NAMES, kind)

/** The change that undoes a change. */
export const INVERSE: Readonly<Record<ItemChange, ItemChange>> = {
  create: 'delete',
  update: 'update',
  delete: 'create',
}
