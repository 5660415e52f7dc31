/** A device as a patch leaves it. */
import { invalidField } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import { withChangedRefs } from '../../kernel/changes/object-refs.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type Custom, withCustom } from '../../resource/custom/fields.ts'
import type { DevicePatch } from './api.ts'
import type { CheckedDevice } from './custom.ts'
import { type Device, MAX_TAGS } from './schema.ts'

type Retag = Pick<DevicePatch, 'tags' | 'add_tags' | 'remove_tags'>

/** @throws AppError VALIDATION_ERROR on `add_tags` if the device would have too many. */
const mergeTags = (before: readonly string[], { tags, add_tags = [], remove_tags = [] }: Retag): string[] => {
  const wanted = [...new Set([...(tags ?? before), ...add_tags])].filter((tag) => !remove_tags.includes(tag))
  if (wanted.length > MAX_TAGS) throw invalidField('add_tags', `a device has at most ${MAX_TAGS} tags`)
  return wanted
}

/** A patch with the values of custom fields after it. */
export type CheckedPatch = CheckedDevice<DevicePatch>['of']

const NONE: Custom = {}

/** Returns a device with its type; undefined keeps it, null takes it away. */
export const withType = (device: Device, device_type_id: string | null | undefined): Device => {
  if (device_type_id === undefined) return device
  const { device_type_id: _, mount, custom, created_at, updated_at, ...rest } = device
  const later = { ...(mount && { mount }), ...(custom && { custom }), created_at, updated_at }
  return { ...rest, ...(device_type_id && { device_type_id }), ...later }
}

/** Leaves the place in a rack as it is: `mountChange` changes it. @returns the device, and the fields that differ @throws AppError VALIDATION_ERROR */
export const applyPatch = (ctx: Ctx, before: Device, { id: _, ...fields }: CheckedPatch) => {
  const { add_tags, remove_tags, custom = before.custom ?? NONE, mount: __, device_type_id, ...patch } = fields
  const { value, changes } = merge(before, { ...withChangedRefs(before, patch), tags: mergeTags(before.tags, fields) })
  const typed = withType({ ...value, updated_at: ctx.now }, device_type_id)
  const hasOtherType = typed.device_type_id !== before.device_type_id
  const hasOtherValues = !Bun.deepEquals(custom, before.custom ?? NONE)
  const device = hasOtherValues ? withCustom(typed, custom) : typed
  const own = [...(hasOtherType ? (['device_type_id'] as const) : []), ...(hasOtherValues ? (['custom'] as const) : [])]
  return { device, changes: [...changes, ...own] }
}
