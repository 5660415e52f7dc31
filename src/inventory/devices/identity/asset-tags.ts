/** The asset tags of devices, of which no two are equal in any case. The state after all devices of a call counts. */

import { sql } from 'kysely'
import { AppError } from '../../../contract/errors.ts'
import { splitBatches } from '../../../database/query/batches.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { toNameKey } from '../../../net/name-order.ts'
import type { Change } from '../list/search-text.ts'
import { deviceStore } from '../row-store.ts'
import type { Device } from '../schema.ts'

type Tagged = Pick<Device, 'id' | 'asset_tag'>

const createTakenError = (tag: string): AppError => {
  const message = `is the asset tag of another device: ${JSON.stringify(tag)}`
  return new AppError('ALREADY_EXISTS', `asset_tag ${message}`, { details: [{ field: 'asset_tag', message }] })
}

/** Returns the devices with these keys of asset tags. */
const findHolders = async ({ db }: Ctx, keys: readonly string[]) => {
  const found: { readonly id: string; readonly asset_key: string | null }[] = []
  for (const batch of splitBatches(keys))
    found.push(
      ...(await db.selectFrom('devices').select(['id', 'asset_key']).where('asset_key', 'in', batch).execute()),
    )
  return found
}

/**
 * Returns the devices that may not have their asset tag, with the reason: another device has it. They are locked until commit.
 * @param all as they will be
 */
export const findRefusedAssetTags = async (ctx: Ctx, all: readonly Tagged[]): Promise<Map<string, AppError>> => {
  const refused = new Map<string, AppError>()
  const wanted = all.flatMap(({ id, asset_tag }) => (asset_tag ? [{ id, asset_tag, key: toNameKey(asset_tag) }] : []))
  if (wanted.length === 0) return refused
  const keys = [...new Set(wanted.map(({ key }) => key))].sort()
  await ctx.lock(
    'values',
    keys.map((key) => `devices asset_tag ${key}`),
  )
  const ids = new Set(all.map(({ id }) => id))
  const holders = new Map<string | null, string>()
  for (const { id, asset_key } of await findHolders(ctx, keys)) if (!ids.has(id)) holders.set(asset_key, id)
  for (const { id, asset_tag, key } of wanted) {
    const holder = holders.get(key)
    if (holder !== undefined && holder !== id) refused.set(id, createTakenError(asset_tag))
    else holders.set(key, id)
  }
  return refused
}

/** @throws AppError ALREADY_EXISTS if another device has the asset tag */
export const claimAssetTag = async (ctx: Ctx, device: Tagged): Promise<void> => {
  const [error] = (await findRefusedAssetTags(ctx, [device])).values()
  if (error) throw error
}

const hasOtherTag = ({ changes }: Pick<Change, 'changes'>): boolean => changes.includes('asset_tag')

/** Returns the devices of changes that get another asset tag, and all of them if they lose theirs. */
export const listRetagged = (changes: readonly Change[]): Tagged[] =>
  changes.filter(hasOtherTag).map(({ device }) => device)

/** Takes the asset tags that devices lose out of the index, so that others of the same call get them. */
export const releaseAssetTags = async (ctx: Ctx, changes: readonly Change[]): Promise<void> => {
  const lost = changes.filter((one) => hasOtherTag(one) && one.before.asset_tag).map(({ before }) => before.id)
  if (lost.length === 0 || changes.length === 1) return
  for (const batch of splitBatches(lost))
    await deviceStore.setColumns(ctx, { asset_key: sql<string>`NULL` }, sql<boolean>`id IN (${sql.join(batch)})`)
}
