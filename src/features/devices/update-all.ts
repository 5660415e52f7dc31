/** Updates many devices as one step: they may exchange addresses and refs, and events tell the state after all of them. */
import { AppError, invalid, notFound } from '../../platform/contract/errors.ts'
import { createBreathe } from '../../platform/runtime/pause.ts'
import type { Ctx } from '../ctx.ts'
import * as occupancy from '../occupancy/occupancy.ts'
import type { DevicePatch } from './api.ts'
import * as membership from './membership-store.ts'
import { patched } from './patched.ts'
import { keysOf, lockPlaces, refusedPlaces } from './places.ts'
import { checkReferences, type References } from './references.ts'
import type { Device } from './schema.ts'
import type { Change } from './search-text.ts'
import * as store from './store.ts'

const hasMoved = ({ changes }: Change): boolean => changes.includes('addresses')

const isChange = (outcome: Change | AppError): outcome is Change => !(outcome instanceof AppError)

/** Returns the change of each patch, or its error. */
const changesOf = async (ctx: Ctx, checked: readonly References<DevicePatch>[]): Promise<(Change | AppError)[]> => {
  const docs = await store.lockDocs(
    ctx,
    checked.map(({ of }) => of.id),
  )
  return checked.map(({ of: patch, issues }) => {
    const doc = docs.get(patch.id)
    if (doc === undefined) return notFound('device', patch.id)
    if (issues.length > 0) return invalid(issues)
    // The column holds the JSON of a device.
    const before = JSON.parse(doc) as Device
    try {
      return { before, ...patched(ctx, before, patch) }
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  })
}

/** Returns the errors of changes that take what other devices keep, by device. */
const refusedOf = async (ctx: Ctx, changes: readonly Change[]): Promise<ReadonlyMap<string, AppError>> => {
  const moved = changes.filter(hasMoved).map(({ device }) => device)
  return new Map([...(await refusedPlaces(ctx, moved)), ...(await store.refusedRefs(ctx, changes))])
}

/** Refuses changes whose addresses or refs other devices have, until the others hold together. */
const withoutRefused = async (ctx: Ctx, all: readonly (Change | AppError)[]): Promise<(Change | AppError)[]> => {
  let outcomes = [...all]
  for (;;) {
    const refused = await refusedOf(ctx, outcomes.filter(isChange))
    if (refused.size === 0) return outcomes
    // A device that may not change keeps its address and its refs, which another one may want.
    outcomes = outcomes.map((one) => (isChange(one) ? (refused.get(one.device.id) ?? one) : one))
  }
}

/**
 * Updates devices, each of which has one patch. Refused patches have no effect.
 * @returns the errors of those that a rule refuses, in the order of the patches; undefined for the others
 */
export const updateAll = async (ctx: Ctx, patches: readonly DevicePatch[]): Promise<(AppError | undefined)[]> => {
  const breathe = createBreathe()
  const withAddresses = ({ addresses }: DevicePatch) => (addresses ? [{ addresses }] : [])
  await lockPlaces(ctx, patches.flatMap(withAddresses))
  const checked = await checkReferences(ctx, patches)
  await occupancy.lock(
    ctx,
    await keysOf(
      ctx,
      checked.flatMap(({ of }) => withAddresses(of)),
    ),
  )
  const outcomes = await withoutRefused(ctx, await changesOf(ctx, checked))
  const done = outcomes.filter(isChange).filter(({ changes }) => changes.length > 0)
  const moved = done.filter(hasMoved)
  const keys = {
    old: await keysOf(
      ctx,
      moved.map(({ before }) => before),
    ),
    new: await keysOf(
      ctx,
      moved.map(({ device }) => device),
    ),
  }
  await occupancy.lock(ctx, [...keys.old, ...keys.new])
  await store.releaseRefs(ctx, done)
  for (const change of done) {
    await store.update(ctx, change)
    await breathe()
  }
  await membership.rebuild(
    ctx,
    moved.map(({ device }) => device.id),
  )
  await occupancy.release(ctx, keys.old)
  await occupancy.take(ctx, keys.new)
  for (const change of done) {
    await ctx.emit('device.updated', change)
    await breathe()
  }
  return outcomes.map((one) => (isChange(one) ? undefined : one))
}
