/** Merges networks that make up one block into the one with the lowest address. */

import { invalidField, rejectIssues } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type Cidr, formatCidr, parseCidrOrThrow, toCidr } from '../../net/cidr.ts'
import { listFreeBlocks } from '../../net/free-blocks.ts'
import { lockAllDefinitions } from '../../resource/custom/definitions.ts'
import { lockPlacement } from '../placement-lock.ts'
import type { Network } from './api.ts'
import { filterLostCounts, filterMovedCounts, lockContents, moveContents } from './contents.ts'
import { getNetworkOrThrow, lockNetworkOrThrow, remove, update } from './networks.ts'
import type { Lost, Moved } from './planning-api.ts'
import { store } from './store.ts'
import * as tree from './tree-store.ts'

const FIELD = 'network_ids'
/** Missing blocks that an error names. */
const MOST_NAMED = 3

type Part = { readonly network: Network; readonly cidr: Cidr }

const formatName = ({ network: { name, subnet } }: Part): string => `"${name}" (${subnet})`

/** Locks the networks until commit. @throws AppError VALIDATION_ERROR for one that is missing or named twice */
const lockAll = async (ctx: Ctx, ids: readonly string[]): Promise<Part[]> => {
  const known = await store.findAll(ctx, ids)
  rejectIssues(
    ids.flatMap((id, i) => {
      if (!known.has(id)) return [{ field: `${FIELD}[${i}]`, message: `there is no network with id "${id}"` }]
      return ids.indexOf(id) < i ? [{ field: `${FIELD}[${i}]`, message: 'is named twice' }] : []
    }),
  )
  const parts: Part[] = []
  for (const id of ids.toSorted()) {
    const network = await lockNetworkOrThrow(ctx, id)
    parts.push({ network, cidr: parseCidrOrThrow(network.subnet) })
  }
  return parts.sort((a, b) =>
    a.cidr.first < b.cidr.first ? -1 : a.cidr.first > b.cidr.first ? 1 : a.cidr.prefix - b.cidr.prefix,
  )
}

/** Returns the block that they make up. @param parts by address @throws AppError VALIDATION_ERROR unless it is exactly one */
const joinBlocks = ([lowest, ...others]: readonly Part[]): Cidr => {
  if (!lowest) throw invalidField(FIELD, 'must be at least 2 networks')
  let highest = lowest
  for (const part of others) {
    if ((part.network.space_id ?? null) !== (lowest.network.space_id ?? null))
      throw invalidField(FIELD, `${formatName(part)} is in another address space than ${formatName(lowest)}`)
    if (part.cidr.family !== lowest.cidr.family)
      throw invalidField(FIELD, `${formatName(part)} and ${formatName(lowest)} are of different IP versions`)
    if (part.cidr.first <= highest.cidr.last)
      throw invalidField(FIELD, `${formatName(part)} overlaps ${formatName(highest)}`)
    highest = part
  }
  const { family, first: value } = lowest.cidr
  let block = lowest.cidr
  while (block.last < highest.cidr.last) block = toCidr({ family, value }, block.prefix - 1)
  const missing: string[] = []
  for (const free of listFreeBlocks(
    block,
    [lowest, ...others].map(({ cidr }) => cidr),
  ))
    if (missing.push(formatCidr(free)) > MOST_NAMED) break
  if (missing.length === 0) return block
  const named = missing.slice(0, MOST_NAMED).join(', ')
  throw invalidField(
    FIELD,
    `make up no block: of ${formatCidr(block)}, ${named}${missing.length > MOST_NAMED ? ' and more' : ''} ${missing.length === 1 ? 'is' : 'are'} missing`,
  )
}

export type Merged = {
  readonly network: Network
  readonly removed: Network[]
  readonly moved: Moved
  readonly lost: Lost
}

type Request = { readonly network_ids: readonly string[]; readonly name?: string | undefined }

export const merge = async (ctx: Ctx, { network_ids: ids, name }: Request): Promise<Merged> => {
  ctx.require('networks:delete')
  await lockAllDefinitions(ctx)
  await lockPlacement(ctx)
  await lockContents(ctx, ids)
  const parts = await lockAll(ctx, ids)
  await lockContents(ctx, ids)
  const block = joinBlocks(parts)
  const [first, ...removed] = parts.map(({ network }) => network)
  if (!first) throw new Error('a block has parts')
  const gone = removed.map(({ id }) => id)
  const lost = await tree.countScanned(ctx, gone)
  const kept = await update(ctx, { id: first.id, name, subnet: formatCidr(block) })
  const moved = await moveContents(ctx, removed, [kept])
  for (const id of gone) await remove(ctx, id)
  return {
    network: await getNetworkOrThrow(ctx, first.id),
    removed,
    moved: filterMovedCounts(ctx, moved),
    lost: filterLostCounts(ctx, lost),
  }
}
