/** The values of custom fields of devices and of their addresses. */
import type { AppError, FieldIssue } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import {
  type CheckedCustom,
  type CustomChange,
  type CustomItem,
  lockCustom,
  type Rewrite,
  validateCustom,
} from '../../resource/custom/engine.ts'
import type { Custom, CustomPatch } from '../../resource/custom/fields.ts'
import { asRestored, type Restored } from '../../resource/restore-fields.ts'
import type { Address, Device } from './schema.ts'

/** An address as it is given: its values are not validated yet. */
export type GivenAddress = Omit<Address, 'custom'> & { readonly custom?: CustomPatch | undefined }

type Given = Restored & {
  readonly custom?: CustomPatch | undefined
  readonly addresses?: readonly GivenAddress[] | undefined
}

/** A device to be written. `before` is absent for a new one. */
export type GivenDevice<G extends Given> = { readonly id: string; readonly of: G; readonly before?: Device | undefined }

/** The device with its values after the write, and what is wrong with them. */
export type CheckedDevice<G extends Given> = {
  readonly of: Omit<G, 'custom' | 'addresses'> & {
    /** Undefined if they are unchanged. */
    readonly custom?: Custom
    readonly addresses?: Address[]
  }
  readonly issues: readonly FieldIssue[]
  readonly error?: AppError | undefined
}

const NONE: Custom = {}
const NO_ISSUES: readonly FieldIssue[] = []

/** Returns the stored address that an update repeats: its values are not validated again. */
const matchStoredAddress = (before: Device | undefined, { ip, space_id, custom }: GivenAddress): Address | undefined =>
  before?.addresses.find(
    (one) => one.ip === ip && one.space_id === space_id && Bun.deepEquals(one.custom ?? NONE, custom ?? NONE),
  )

const toCustomItem = ({ id, of, before }: GivenDevice<Given>, [index, address]: [number, GivenAddress]): CustomItem => {
  const same = matchStoredAddress(before, address)
  return {
    id: `${id} ${index}`,
    before: same && (same.custom ?? NONE),
    given: same ? undefined : address.custom,
    object: address,
    at: `addresses[${index}].`,
    ...asRestored(of),
  }
}

const withValues = ({ custom: _, ...address }: GivenAddress, custom: Custom): Address =>
  Object.keys(custom).length > 0 ? { ...address, custom } : address

/** Keeps the definitions unchanged until commit, before the rows of devices are locked. */
export const lockCustomOfDevices = async (ctx: Ctx): Promise<void> => {
  await lockCustom(ctx, 'devices')
  await lockCustom(ctx, 'addresses')
}

/** Returns a device with its own values; it has addresses if they are given, and none of them has values. */
const withOwnValues = <G extends Given>(
  { of, before }: GivenDevice<G>,
  { custom = NONE, issues = NO_ISSUES, error }: Partial<CheckedCustom> = {},
): CheckedDevice<G> => {
  const { custom: given, addresses, ...rest } = of
  const values = before === undefined || given !== undefined ? { custom } : {}
  return { of: { ...rest, ...values, ...(addresses && { addresses: [] }) }, issues, error }
}

type Retagged = {
  readonly tags?: readonly string[]
  readonly add_tags?: readonly string[]
  readonly remove_tags?: readonly string[]
}

/** Returns the fields of a device as a patch leaves them. */
const toPatched = (of: Given, before: Device | undefined): object => {
  if (!before) return of
  const given = Object.entries(of).filter(([, value]) => value !== undefined)
  const { tags = before.tags, add_tags = [], remove_tags = [] }: Retagged = of as Retagged
  const kept = [...tags, ...add_tags].filter((tag) => !remove_tags.includes(tag))
  return { ...before, ...Object.fromEntries(given), tags: kept }
}

/** Validates the values of devices and of their addresses together. */
export const validateDevices = async <G extends Given>(
  ctx: Ctx,
  all: readonly GivenDevice<G>[],
): Promise<CheckedDevice<G>[]> => {
  const own = await validateCustom(
    ctx,
    'devices',
    all.map(({ id, of, before }) => ({
      ...{ id, before: before && (before.custom ?? NONE), given: of.custom, object: toPatched(of, before) },
      ...asRestored(of),
    })),
  )
  if (!all.some(({ of }) => of.addresses?.length)) return all.map((one, i) => withOwnValues(one, own[i]))
  const items = all.flatMap((one) => [...(one.of.addresses ?? []).entries()].map((entry) => toCustomItem(one, entry)))
  const judged = await validateCustom(ctx, 'addresses', items)
  let next = 0
  return all.map((one, i) => {
    const { addresses } = one.of
    const { of, issues, error } = withOwnValues(one, own[i])
    const inside = judged.slice(next, next + (addresses?.length ?? 0))
    next += inside.length
    return {
      of: addresses
        ? { ...of, addresses: addresses.map((address, at) => withValues(address, inside[at]?.custom ?? NONE)) }
        : of,
      issues: [...issues, ...inside.flatMap((item) => item.issues)],
      error,
    }
  })
}

type Valued = Pick<Device, 'id' | 'addresses'>

/** Returns the values of the addresses as records: the position belongs to the id. */
export const listAddressChanges = (before: Valued | undefined, after: Valued | undefined): CustomChange[] => {
  const [old, fresh] = [before?.addresses ?? [], after?.addresses ?? []]
  if (old === fresh || old.length + fresh.length === 0) return []
  const { id } = after ?? before ?? { id: '' }
  const changes: CustomChange[] = []
  for (let at = 0; at < Math.max(old.length, fresh.length); at++) {
    const change = { id: `${id} ${at}`, before: old[at]?.custom, after: fresh[at]?.custom }
    if (change.before || change.after) changes.push(change)
  }
  return changes
}

/** The ids of addresses of devices, by device. Reservations have ids without a space. */
const parsePositions = (ids: readonly string[]): Map<string, Set<number>> => {
  const positions = new Map<string, Set<number>>()
  for (const id of ids) {
    const [device = '', position] = id.split(' ')
    if (position === undefined) continue
    positions.set(device, (positions.get(device) ?? new Set()).add(Number(position)))
  }
  return positions
}

const withChanged = <T extends { readonly custom?: Custom | undefined }>(object: T, change: Rewrite['change']): T => {
  const custom = change(object.custom ?? NONE)
  const { custom: _, ...rest } = object
  // The same fields, beside the values.
  return (Object.keys(custom).length > 0 ? { ...object, custom } : rest) as T
}

/** Returns the devices that a rewriting of values concerns, and the change of each. */
export const planRewrite = ({ resource, ids, change }: Rewrite) => {
  if (resource === 'devices') return { ids, change: (device: Device): Device => withChanged(device, change) }
  if (resource !== 'addresses') return undefined
  const positions = parsePositions(ids)
  return {
    ids: [...positions.keys()],
    change: (device: Device): Device => ({
      ...device,
      addresses: device.addresses.map((address, i) =>
        positions.get(device.id)?.has(i) ? withChanged(address, change) : address,
      ),
    }),
  }
}
