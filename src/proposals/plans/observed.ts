/** The objects that the operation of a plan changes: how it recognizes them, and which of them its caller sees. */
import { orNotFound } from '../../contract/errors.ts'
import type { PlannedItem } from '../../kernel/changes/change-record.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { hashStrictly, nameItem } from '../../record/history/effects.ts'
import { KIND_NAMES } from '../../record/history/kind-names.ts'
import type { DeviceNames } from '../../record/history/plan-kinds.ts'
import { findEffects } from '../effect-store.ts'
import { findPlaces, NOWHERE } from '../review/places.ts'
import { filterSeen } from '../review/sight.ts'
import { findDeviceNames } from '../run/device-names.ts'
import { type NewEffect, NO_KEYS } from '../run/effect.ts'
import { createClock } from '../run/fingerprint.ts'
import * as store from '../store.ts'
import { OPERATION } from './plan-store.ts'

/** Nothing reads the estate as of a plan. */
const UNREAD = { before: undefined, after: undefined, places: NOWHERE, keys: NO_KEYS }

export type Observed = {
  readonly all: readonly PlannedItem[]
  readonly effects: readonly NewEffect[]
  /** The objects that the caller sees. */
  readonly seen: readonly PlannedItem[]
  /** The permissions that the caller has for some of them. */
  readonly permissions: ReadonlySet<string>
  readonly names: DeviceNames
}

/** Returns all objects for a caller with the permissions everywhere; else the objects in the part of their kind. */
const selectSeen = async (ctx: Ctx, all: readonly PlannedItem[]): Promise<Pick<Observed, 'seen' | 'permissions'>> => {
  const { permissions, scopedPermissions } = ctx.caller
  if (!scopedPermissions) return { seen: all, permissions }
  const places = await findPlaces(ctx, all)
  const placed = all.flatMap((item, i) => {
    const own = places[i]
    return own ? [{ kind: item.kind, places: own, item }] : []
  })
  const seen = new Set(filterSeen(ctx.caller, placed).map(({ item }) => item))
  return {
    seen: all.filter((item) => seen.has(item)),
    permissions: permissions.union(new Set(scopedPermissions.keys())),
  }
}

/** @param ctx of the transaction that makes the changes, or of one before or after it. @param input that may name lifetimes */
export const observe = async (ctx: Ctx, all: readonly PlannedItem[], input: unknown): Promise<Observed> => {
  const mayName = ctx.caller.permissions.has(KIND_NAMES.device.read)
  const names = mayName ? await findDeviceNames(ctx, all) : new Map<string, string>()
  const clock = createClock(ctx.now, [input])
  const effects = all.map((item, position): NewEffect => {
    const { kind, id, change } = item
    const known = { name: nameItem(item, names), hash: hashStrictly(item, clock) }
    return { kind, id, change, position, operation: OPERATION, ...known, ...UNREAD }
  })
  return { all, effects, names, ...(await selectSeen(ctx, all)) }
}

/** Returns the objects that the last operation of a proposal changes, and no earlier one. @param named the number of the proposal */
export const observeLast = async (ctx: Ctx, named: string): Promise<Observed> => {
  const row = orNotFound(await store.find(ctx, named), 'proposal', named)
  const last = store.parseOperations(row).at(-1)
  const effects = (await findEffects(ctx, row.seq)).filter(({ operation }) => operation === last?.id)
  return observe(ctx, effects, last?.input)
}
