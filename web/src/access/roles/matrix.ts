/** Permissions as a table: one row for each resource, one column for each common verb, and one column for the rest. */
import type { Permission } from '../types.ts'

export const VERBS = ['list', 'read', 'create', 'update', 'delete'] as const
export type Verb = (typeof VERBS)[number]

export type MatrixRow = {
  readonly resource: string
  readonly cells: Readonly<Record<Verb, Permission | undefined>>
  /** `sync`, `export` and the like. */
  readonly others: readonly Permission[]
  readonly all: readonly Permission[]
}

const isVerb = (action: string): action is Verb => VERBS.some((verb) => verb === action)

export const buildMatrixRows = (catalogue: readonly Permission[]): readonly MatrixRow[] =>
  [...Map.groupBy(catalogue, ({ resource }) => resource)].map(([resource, all]) => {
    const findCell = (verb: Verb) => all.find(({ action }) => action === verb)
    return {
      resource,
      cells: {
        list: findCell('list'),
        read: findCell('read'),
        create: findCell('create'),
        update: findCell('update'),
        delete: findCell('delete'),
      },
      others: all.filter(({ action }) => !isVerb(action)),
      all,
    }
  })

/** Returns the permissions with all of these added, or all of them removed. */
export const withAll = (held: ReadonlySet<string>, names: readonly string[], isOn: boolean): ReadonlySet<string> => {
  const next = new Set(held)
  for (const name of names) {
    if (isOn) next.add(name)
    else next.delete(name)
  }
  return next
}

/** Returns the permissions of a role that the caller lacks. The caller can't grant a role with such permissions. */
export const filterMissing = (
  permissions: readonly string[],
  may: (permission: string) => boolean,
): readonly string[] => permissions.filter((name) => !may(name))

const MOST_NAMED = 3

/** @example formatMissing(['a:b', 'c:d']) // 'Holds permissions that you lack: a:b, c:d' */
export const formatMissing = (missing: readonly string[]): string | undefined => {
  if (missing.length === 0) return undefined
  const others = missing.length - MOST_NAMED
  return `Holds permissions that you lack: ${missing.slice(0, MOST_NAMED).join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}
