/** A device as a patch leaves it. */
import { invalidField } from '../../platform/contract/errors.ts'
import { merge } from '../../platform/contract/merge.ts'
import { withChangedRefs } from '../../platform/operation/object-refs.ts'
import type { Ctx } from '../ctx.ts'
import { type DevicePatch, MAX_TAGS } from './api.ts'
import type { Device } from './schema.ts'

type Retag = Pick<DevicePatch, 'tags' | 'add_tags' | 'remove_tags'>

/** @throws AppError VALIDATION_ERROR on `add_tags` if the device would have too many. */
const retagged = (before: readonly string[], { tags, add_tags = [], remove_tags = [] }: Retag): string[] => {
  const wanted = [...new Set([...(tags ?? before), ...add_tags])].filter((tag) => !remove_tags.includes(tag))
  if (wanted.length > MAX_TAGS) throw invalidField('add_tags', `a device has at most ${MAX_TAGS} tags`)
  return wanted
}

/** @returns the device, and the fields that differ @throws AppError VALIDATION_ERROR */
export const patched = (ctx: Ctx, before: Device, { id: _, ...fields }: DevicePatch) => {
  const { add_tags, remove_tags, ...patch } = fields
  const { value, changes } = merge(before, { ...withChangedRefs(before, patch), tags: retagged(before.tags, fields) })
  const device: Device = { ...value, updated_at: ctx.now }
  return { device, changes }
}
