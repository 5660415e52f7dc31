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

/** Returns a device with the fields of the contract in their order; the optional ones only with a value. */
export const arrange = (device: Device): Device => {
  const { device_type_id, mount, serial, asset_tag, role, custom, created_at, updated_at, ...rest } = device
  return {
    ...rest,
    ...(device_type_id && { device_type_id }),
    ...(mount && { mount }),
    ...(serial && { serial }),
    ...(asset_tag && { asset_tag }),
    ...(role && { role }),
    ...(custom && { custom }),
    created_at,
    updated_at,
  }
}

/** Returns a device with its type; null takes it away. */
export const withType = (device: Device, device_type_id: string | null): Device => {
  const { device_type_id: _, ...rest } = device
  return arrange(device_type_id === null ? rest : { ...rest, device_type_id })
}

/** The fields of a device that it has only with a value. */
const OPTIONAL = ['device_type_id', 'serial', 'asset_tag', 'role'] as const
type Optional = Pick<CheckedPatch, (typeof OPTIONAL)[number]>

/** Applies the optional fields of a patch. @returns the device, and the fields that differ */
const applyOptional = (device: Device, given: Optional) => {
  const changes = OPTIONAL.filter(
    (field) => given[field] !== undefined && (given[field] ?? '') !== (device[field] ?? ''),
  )
  if (changes.length === 0) return { device, changes }
  const values = Object.fromEntries(changes.map((field) => [field, given[field] ?? undefined]))
  return { device: arrange({ ...device, ...values }), changes }
}

/** Leaves the place in a rack as it is: `mountChange` changes it. @returns the device, and the fields that differ @throws AppError VALIDATION_ERROR */
export const applyPatch = (ctx: Ctx, before: Device, { id: _, ...fields }: CheckedPatch) => {
  const { add_tags, remove_tags, custom = before.custom ?? NONE, mount: __, ...given } = fields
  const { device_type_id, serial, asset_tag, role, ...patch } = given
  const { value, changes } = merge(before, { ...withChangedRefs(before, patch), tags: mergeTags(before.tags, fields) })
  const optional = applyOptional({ ...value, updated_at: ctx.now }, { device_type_id, serial, asset_tag, role })
  const hasOtherValues = !Bun.deepEquals(custom, before.custom ?? NONE)
  const device = hasOtherValues ? withCustom(optional.device, custom) : optional.device
  const own = hasOtherValues ? (['custom'] as const) : []
  return { device, changes: [...changes, ...optional.changes, ...own] }
}
