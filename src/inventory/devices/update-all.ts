/**
 * Updates many devices as one step: they may exchange addresses, refs, places in racks and unique values of custom fields.
 */

import { AppError, invalid, notFound } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { findRefusedValues } from '../../resource/custom/engine.ts'
import * as occupancy from '../used-addresses/used-addresses.ts'
import { findRefusedAddresses, lockAddresses, toIpKeys } from './address-locks.ts'
import type { DevicePatch } from './api.ts'
import { applyPatch } from './apply-patch.ts'
import { lockCustomOfDevices, validateDevices } from './custom.ts'
import { findRefusedAssetTags, listRetagged, releaseAssetTags } from './identity/asset-tags.ts'
import type { Change } from './list/search-text.ts'
import * as membership from './membership-store.ts'
import { findRefusedMounts, lockRacks, mountChange } from './rack-positions.ts'
import { checkReferences, type References } from './references.ts'
import { deviceStore } from './row-store.ts'
import type { Device } from './schema.ts'
import * as store from './store.ts'

const hasMoved = ({ changes }: Change): boolean => changes.includes('addresses')

const toWrite = ({ before, device }: Change) => ({ before, after: device })

const isChange = (outcome: Change | AppError): outcome is Change => !(outcome instanceof AppError)

/** A change without the place in a rack, and the place that is given. */
type Patched = { readonly change: Change; readonly given: DevicePatch['mount'] }

/** Returns the change of each patch, or its error. */
const applyPatches = async (ctx: Ctx, checked: readonly References<DevicePatch>[]): Promise<(Patched | AppError)[]> => {
  const docs = await store.lockDocs(
    ctx,
    checked.map(({ of }) => of.id),
  )
  // The column holds the JSON of a device.
  const parsed = new Map([...docs].map(([id, doc]) => [id, JSON.parse(doc) as Device]))
  const there = checked.flatMap(({ of }) => {
    const before = parsed.get(of.id)
    return before ? [{ id: of.id, of, before }] : []
  })
  const values = await validateDevices(ctx, there)
  const judged = new Map(there.map(({ of }, i) => [of, values[i]]))
  return checked.map(({ of, issues: own }) => {
    const before = parsed.get(of.id)
    const { of: patch, issues, error } = judged.get(of) ?? {}
    if (!(before && patch)) return notFound('device', of.id)
    const all = [...own, ...(issues ?? [])]
    if (all.length > 0) return invalid(all)
    if (error) return error
    try {
      return { change: { before, ...applyPatch(ctx, before, patch) }, given: of.mount }
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  })
}

const buildChanges = async (ctx: Ctx, checked: readonly References<DevicePatch>[]): Promise<(Change | AppError)[]> => {
  const outcomes: (Change | AppError)[] = []
  for (const one of await applyPatches(ctx, checked)) {
    if (one instanceof AppError) outcomes.push(one)
    else {
      const { change, issues } = await mountChange(ctx, one.change, one.given)
      outcomes.push(issues.length > 0 ? invalid(issues) : change)
    }
  }
  return outcomes
}

/** Returns the errors of changes that take addresses, places, unique values or refs of other devices, by device. */
const findRefused = async (ctx: Ctx, changes: readonly Change[]): Promise<ReadonlyMap<string, AppError>> => {
  const moved = changes.filter(hasMoved).map(({ device }) => device)
  const mounted = changes.filter((change) => change.changes.includes('mount')).map(({ device }) => device)
  const valued = changes.filter((change) => change.changes.includes('custom'))
  const values = valued.map(({ before, device }) => ({ id: device.id, before: before.custom, after: device.custom }))
  const [byValues, byRefs] = [
    await findRefusedValues(ctx, 'devices', values),
    await deviceStore.findRefusedRefs(ctx, changes.map(toWrite)),
  ]
  await occupancy.lock(ctx, await toIpKeys(ctx, moved))
  return new Map([
    ...byValues,
    ...(await findRefusedAddresses(ctx, moved)),
    ...(await findRefusedMounts(ctx, mounted)),
    ...(await findRefusedAssetTags(ctx, listRetagged(changes))),
    ...byRefs,
  ])
}

/** Refuses changes that take values or places of other devices, until the others hold together. */
const refuseConflicting = async (ctx: Ctx, all: readonly (Change | AppError)[]): Promise<(Change | AppError)[]> => {
  let outcomes = [...all]
  for (;;) {
    const refused = await findRefused(ctx, outcomes.filter(isChange))
    if (refused.size === 0) return outcomes
    // A device that may not change keeps its values and its place, which another one may want.
    outcomes = outcomes.map((one) => (isChange(one) ? (refused.get(one.device.id) ?? one) : one))
  }
}

/**
 * Updates devices, each by one patch. Refused patches have no effect.
 * @returns the errors of refused patches, in the order of the patches; undefined for the others
 */
export const updateAll = async (ctx: Ctx, patches: readonly DevicePatch[]): Promise<(AppError | undefined)[]> => {
  const withAddresses = ({ addresses }: DevicePatch) => (addresses ? [{ addresses }] : [])
  await lockCustomOfDevices(ctx)
  await lockRacks(ctx, patches)
  await lockAddresses(ctx, patches.flatMap(withAddresses))
  const checked = await checkReferences(ctx, patches)
  const outcomes = await refuseConflicting(ctx, await buildChanges(ctx, checked))
  const done = outcomes.filter(isChange).filter(({ changes }) => changes.length > 0)
  const moved = done.filter(hasMoved)
  const keys = {
    old: await toIpKeys(
      ctx,
      moved.map(({ before }) => before),
    ),
    new: await toIpKeys(
      ctx,
      moved.map(({ device }) => device),
    ),
  }
  await occupancy.lock(ctx, [...keys.old, ...keys.new])
  await releaseAssetTags(ctx, done)
  await deviceStore.write(ctx, done.map(toWrite))
  await membership.rebuild(
    ctx,
    moved.map(({ device }) => device.id),
  )
  await occupancy.release(ctx, keys.old)
  await occupancy.take(ctx, keys.new)
  return outcomes.map((one) => (isChange(one) ? undefined : one))
}
