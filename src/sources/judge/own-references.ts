/** References between rows of one source: `{ref: '<source>:<key>'}` means the object of the row with that key. */

import { isRecord, toText } from '../../contract/unknown.ts'
import { getRules, type Level } from '../../exchange/apply/resources.ts'
import type { Resource } from '../../inventory/resources.ts'
import type { ObjectKey } from './object-reads.ts'
import type { Fields } from './row.ts'

/** Returns the key of a reference to a row of the source; undefined for any other value. */
const readKey = (value: unknown, ref: string): string | undefined => {
  const text = toText(isRecord(value) ? value.ref : value)
  return text.startsWith(`${ref}:`) ? text.slice(ref.length + 1) : undefined
}

/** Returns the value in place of a reference; undefined leaves it as it is. */
type Visit = (target: ObjectKey) => unknown

const mapLevel = (level: Level, given: Fields, ref: string, visit: Visit): Fields => {
  const fields: Record<string, unknown> = { ...given }
  for (const { field, as, resource } of level.references)
    for (const name of new Set([as, field])) {
      const value = fields[name]
      // A text of the other form is a name.
      const key = isRecord(value) || name === field ? readKey(value, ref) : undefined
      const found = key === undefined ? undefined : visit({ resource, key })
      if (found === undefined) continue
      delete fields[name]
      if (as === field) fields[field] = found
      else fields[as] = { id: found }
    }
  for (const [field, inner] of level.objects) {
    const object = fields[field]
    if (isRecord(object)) fields[field] = mapLevel(inner, object, ref, visit)
  }
  for (const [field, inner] of level.lists) {
    const items = fields[field]
    if (Array.isArray(items))
      fields[field] = items.map((item: unknown) => (isRecord(item) ? mapLevel(inner, item, ref, visit) : item))
  }
  return fields
}

/** Returns the rows of the source that a row refers to. */
export const listTargets = (resource: Resource, fields: Fields, ref: string): ObjectKey[] => {
  const targets: ObjectKey[] = []
  mapLevel(getRules(resource).level, fields, ref, (target) => void targets.push(target))
  return targets
}

/** Returns a row with the ids of the objects that other rows of the source mean. @param findId by the row */
export const bindTargets = (
  { resource, fields }: { readonly resource: Resource; readonly fields: Fields },
  ref: string,
  findId: (target: ObjectKey) => string | undefined,
): Fields => mapLevel(getRules(resource).level, fields, ref, findId)

/** An object that a row names by its name. */
export type NamedTarget = { readonly resource: Resource; readonly name: string }

const listNamesOfLevel = (level: Level, fields: Fields): NamedTarget[] => [
  ...level.references.flatMap(({ as, field, resource }) => {
    const value = fields[as]
    const name = isRecord(value) ? toText(value.name) : as === field ? '' : toText(value)
    return name.trim() === '' ? [] : [{ resource, name: name.trim() }]
  }),
  ...level.objects.flatMap(([field, inner]) => {
    const object = fields[field]
    return isRecord(object) ? listNamesOfLevel(inner, object) : []
  }),
  ...level.lists.flatMap(([field, inner]) => {
    const items = fields[field]
    return Array.isArray(items) ? items.filter(isRecord).flatMap((item) => listNamesOfLevel(inner, item)) : []
  }),
]

/** Returns the objects that a row refers to by their names, which may be objects of other rows. */
export const listNames = (resource: Resource, fields: Fields): NamedTarget[] =>
  listNamesOfLevel(getRules(resource).level, fields)
