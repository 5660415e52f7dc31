/** Records the writes of objects: the values of custom fields by which lists find them, and the documents for history and events. */

import type { ItemWrite } from '../kernel/changes/change-record.ts'
import type { Ctx } from '../kernel/ctx.ts'
import { type CustomChange, recordCustom } from './custom/engine.ts'
import type { CustomResource } from './custom/fields.ts'
import type { WithCustom } from './custom/rows.ts'

/** An object before and after a write. */
type Pair<T> = { readonly before?: T | undefined; readonly after?: T | undefined }

/** Parts of an object with custom fields, and the changes of them. */
export type ValuedParts<T> = {
  readonly resource: CustomResource
  readonly list: (before: T | undefined, after: T | undefined) => readonly CustomChange[]
}

export type CustomRecord<T> = {
  /** Returns the resource of the definitions of an object; undefined for a resource without custom fields. */
  readonly getDefinitions: ((object: object) => CustomResource) | undefined
  readonly getId: (object: T) => string
  readonly parts?: ValuedParts<T> | undefined
}

/** Records the values of custom fields. An object without any costs nothing. */
export const recordValues = async <T extends object>(
  ctx: Ctx,
  { getDefinitions, getId, parts }: CustomRecord<T>,
  pairs: readonly Pair<T>[],
): Promise<void> => {
  const getCustom = (object: T | undefined) => (object as WithCustom | undefined)?.custom
  if (getDefinitions) {
    const changes = new Map<CustomResource, CustomChange[]>()
    for (const { before, after } of pairs) {
      const [old, fresh, object] = [getCustom(before), getCustom(after), after ?? before]
      if (!object || old === fresh) continue
      const resource = getDefinitions(object)
      const some = changes.get(resource) ?? []
      some.push({ id: getId(object), before: old, after: fresh })
      changes.set(resource, some)
    }
    for (const [resource, some] of changes) await recordCustom(ctx, resource, some)
  }
  if (!parts) return
  const inside = pairs.flatMap(({ before, after }) => parts.list(before, after))
  if (inside.length > 0) await recordCustom(ctx, parts.resource, inside)
}

/** Records the documents of objects of a kind, in the order of their writes. */
export const recordDocuments = (ctx: Ctx, kind: string, writes: readonly ItemWrite[]): void => {
  for (const write of writes) ctx.changed(kind, write)
}
