/** The changes of a definition that the values of objects exclude. */
import type { FieldIssue } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type CustomValue, toObjectResource } from '../../resource/custom/fields.ts'
import { readCustom } from '../../resource/custom/objects.ts'
import type { CustomField } from '../../resource/custom/schema.ts'
import type { StoredField } from '../../resource/custom/store.ts'
import * as store from '../../resource/custom/store.ts'
import { buildKeys, isCutKey, isSameValue } from '../../resource/custom/values.ts'

/** Fields that change only while no object has a value. */
const FIXED = ['resource', 'type', 'multiple', 'reference_to'] as const

/** True if an error may count the objects with a value, and show the value. */
export const canTell = (ctx: Ctx, { resource }: Pick<CustomField, 'resource'>): boolean =>
  ctx.canListAll(resource === 'addresses' ? 'devices' : toObjectResource(resource))

const checkFixed = async (ctx: Ctx, before: StoredField, after: CustomField): Promise<FieldIssue[]> => {
  const changed = FIXED.filter((field) => before[field] !== after[field])
  if (changed.length === 0 || !(await store.hasValues(ctx, before.number))) return []
  const count = canTell(ctx, before) ? `: ${await store.countObjects(ctx, before.number)}` : ''
  return changed.map((field) => ({ field, message: `cannot change while objects have a value${count}` }))
}

const checkRemovedChoices = async (ctx: Ctx, before: StoredField, after: CustomField): Promise<FieldIssue[]> => {
  for (const choice of before.choices) {
    if (after.choices.includes(choice)) continue
    const count = await store.countObjects(ctx, before.number, buildKeys(before, choice))
    if (count > 0) {
      const holders = canTell(ctx, before) ? `${count} ${count === 1 ? 'object' : 'objects'}` : 'objects'
      return [{ field: 'choices', message: `lacks ${JSON.stringify(choice)}, the value of ${holders}` }]
    }
  }
  return []
}

/** Returns a value that several objects have; the key of a long text says too little. */
const findSharedValue = async (ctx: Ctx, field: StoredField): Promise<CustomValue | undefined> => {
  for (const key of await store.findSharedKeys(ctx, field.number)) {
    const ids = await store.findIdsWithKeys(ctx, field.number, [key])
    const isCut = isCutKey(field.type, key)
    const stored = await readCustom(ctx, field.resource, isCut ? ids : ids.slice(0, 1))
    const values = [...stored.values()].flatMap((custom) => custom[field.name] ?? [])
    if (!isCut) return values[0] ?? key
    const shared = values.find((one, i) => values.slice(i + 1).some((other) => isSameValue(field.type, one, other)))
    if (shared !== undefined) return shared
  }
  return undefined
}

const checkSharedValues = async (ctx: Ctx, before: StoredField, after: CustomField): Promise<FieldIssue[]> => {
  if (before.unique || !after.unique) return []
  const shared = await findSharedValue(ctx, before)
  return shared === undefined
    ? []
    : [
        {
          field: 'unique',
          message: `two objects have the ${canTell(ctx, before) ? `value ${JSON.stringify(shared)}` : 'same value'}`,
        },
      ]
}

/** Returns the fields that cannot change because of values. */
export const checkUsage = async (ctx: Ctx, before: StoredField, after: CustomField): Promise<FieldIssue[]> => {
  const fixed = await checkFixed(ctx, before, after)
  // The others compare values of one type.
  if (fixed.length > 0 || before.type !== after.type) return fixed
  return [...(await checkRemovedChoices(ctx, before, after)), ...(await checkSharedValues(ctx, before, after))]
}
