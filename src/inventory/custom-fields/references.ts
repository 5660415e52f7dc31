/** Takes references to deleted objects away from the values and the defaults of custom fields. */
import { getOwn } from '../../contract/own.ts'
import type { Ctx, Reactions } from '../../kernel/ctx.ts'
import { loadAllFields } from '../../resource/custom/definitions.ts'
import { lockReferences, type Rewrite } from '../../resource/custom/engine.ts'
import { type Custom, isReferenceTarget, type ReferenceTarget, toObjectResource } from '../../resource/custom/fields.ts'
import type { StoredField } from '../../resource/custom/store.ts'
import * as store from '../../resource/custom/store.ts'
import type { Deleted } from '../../resource/deleting.ts'
import type { Resource } from '../resources.ts'
import { definitions } from './definition-store.ts'

type Gone = ReadonlySet<string>

const removeGone = (value: unknown, gone: Gone): unknown =>
  Array.isArray(value) ? value.filter((id) => !gone.has(id)) : gone.has(String(value)) ? [] : value

const isNothing = (value: unknown): boolean => Array.isArray(value) && value.length === 0

const createRemover =
  ({ name }: StoredField, gone: Gone) =>
  (custom: Custom): Custom => {
    const value = getOwn(custom, name)
    if (value === undefined) return custom
    const left = removeGone(value, gone)
    if (!isNothing(left)) return { ...custom, [name]: left as Custom[string] }
    const { [name]: _, ...others } = custom
    return others
  }

const clearDefault = async (ctx: Ctx, field: StoredField, gone: Gone): Promise<void> => {
  if (field.default === null) return
  const left = removeGone(field.default, gone)
  if (Bun.deepEquals(left, field.default)) return
  const after = { ...field, default: isNothing(left) ? null : (left as StoredField['default']), updated_at: ctx.now }
  await definitions.write(ctx, [{ before: field, after }])
}

const clear = async (ctx: Ctx, resource: Resource, ids: readonly string[]): Promise<void> => {
  const isOf = (target: ReferenceTarget) => toObjectResource(target) === resource
  const fields = (await loadAllFields(ctx)).filter(({ reference_to }) => reference_to !== null && isOf(reference_to))
  if (fields.length === 0) return
  await lockReferences(ctx, resource, ids)
  const gone = new Set(ids)
  for (const field of fields) {
    const objects = await store.findIdsWithKeys(ctx, field.number, ids)
    const change: Rewrite = {
      resource: field.resource,
      ids: objects,
      change: createRemover(field, gone),
      isChange: true,
    }
    if (objects.length > 0) {
      await ctx.emit('custom-fields.rewriting', change)
      await store.removeValuesWithKeys(ctx, field.number, ids)
    }
    await clearDefault(ctx, field, gone)
  }
}

export const references: Reactions = {
  'resource.deleted': async (ctx, { resource, ids }: Deleted) => {
    if (resource === 'objects' || isReferenceTarget(resource)) await clear(ctx, resource, ids)
  },
}
