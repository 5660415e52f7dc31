/** Lists the objects that a proposal changes, with the values of the estate as it would be; after the merge the items of its change. */

import { splitBatches } from '../../database/query/batches.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { JsonList } from '../../kernel/handler-result.ts'
import { listChunks } from '../../kernel/list.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import { pickFields, toDocument } from '../../record/history/effects.ts'
import { ITEM_TABLES } from '../../record/history/history.ts'
import { buildItem, compareFields, streamChangeItems } from '../../record/history/items.ts'
import { isKind, KINDS, type Kind } from '../../record/history/kind-names.ts'
import type { Document } from '../../record/history/kinds.ts'
import { nameItems, type Shown } from '../../record/history/names/names.ts'
import { getPlanKind } from '../../record/history/plan-kinds.ts'
import { findChange } from '../../record/history/store.ts'
import { VisibleItems } from '../../record/history/visible-items.ts'
import type { proposals } from '../api.ts'
import { type Documents, findDocuments } from '../effect-store.ts'
import type { Means } from '../means.ts'
import { findSeenEffects, type SeenEffect } from '../review/effect-reads.ts'
import { filterSeen, getVisibleOrThrow } from '../review/sight.ts'
import type { ProposalItem } from '../schema.ts'
import type { StoredProposal } from '../store.ts'
import { formatSightKey, SIGHT_TABLES } from './revision.ts'

type Input = ParsedInputOf<typeof proposals.items>

/** The number of items that are read at once. */
const AT_ONCE = 200

const RANKS: ReadonlyMap<string, number> = new Map(KINDS.map((kind, at) => [kind, at]))

/** Kinds of the history come first, in the order of answers. */
const rank = (kind: string): number => RANKS.get(kind) ?? KINDS.length

const compareTexts = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1)

const compareItems = (one: SeenEffect, other: SeenEffect): number =>
  rank(one.kind) - rank(other.kind) || compareTexts(one.kind, other.kind) || compareTexts(one.id, other.id)

/** Returns an item of a kind without a history. */
const toOther = ({ kind, id, name, change }: SeenEffect, { before, document }: Documents): ProposalItem => {
  const { fields } = getPlanKind(kind)
  const pick = (text: string | null): Document | undefined => pickFields(toDocument(text ?? undefined), fields)
  return { kind, id, name, change, fields: compareFields(pick(before), pick(document)) }
}

/** Yields items in their order. @param named reads the names of other objects */
async function* buildItems(
  { ctx, named, row }: { readonly ctx: Ctx; readonly named: Ctx; readonly row: StoredProposal },
  effects: readonly SeenEffect[],
): AsyncGenerator<ProposalItem[]> {
  for (const some of splitBatches(effects, AT_ONCE)) {
    const states = await findDocuments(ctx, row.seq, some)
    const shown: Shown[] = []
    const others: ProposalItem[] = []
    for (const effect of some) {
      const { kind, id } = effect
      const state = states.get(`${kind} ${id}`)
      // A run that was stored since has no such effect.
      if (!state) continue
      if (isKind(kind)) shown.push(buildNow(kind, id, state))
      else others.push(toOther(effect, state))
    }
    yield [...(await nameItems(named, shown)), ...others]
  }
}

/** Returns an item. The names of other objects are read from one state. */
const buildNow = (kind: Kind, id: string, { before, document }: Documents): Shown => ({
  ...buildItem(kind, id, { before, after: document, from: 0, to: undefined }),
  from: undefined,
})

/** Returns the context that reads the estate as the proposal would leave it. It has no scopes, so that a part is named by the present. */
const openFuture = async ({ history }: Means, ctx: Ctx, { id, state }: StoredProposal): Promise<Ctx> => {
  if ((state !== 'draft' && state !== 'open') || ctx.caller.scopedPermissions) return ctx
  const { db, store } = await history.past(ctx, `proposal:${id}`)
  return { ...ctx, db, store }
}

async function* buildRecorded(
  ctx: Ctx,
  changeId: string,
  { kind, change }: Pick<Input, 'kind' | 'change'>,
): AsyncGenerator<ProposalItem[]> {
  const found = await findChange(ctx, changeId)
  if (!found) return
  const sight = await VisibleItems.of(ctx)
  const kinds = sight.kinds.filter((one) => kind === undefined || one === kind)
  for await (const rows of streamChangeItems(ctx, found.seq, { sight, kinds, change })) yield nameItems(ctx, rows)
}

export const listItems =
  (means: Means) =>
  async (ctx: Ctx, { id, kind, change, limit, offset = 0 }: Input): Promise<JsonList<ProposalItem>> => {
    // Before any row.
    const revision = `${await ctx.store.revision([...SIGHT_TABLES, ...ITEM_TABLES])} ${formatSightKey(ctx)}`
    const { row, sight } = await getVisibleOrThrow(ctx, id)
    const isMerged = row.state === 'merged'
    // Merged effects with a history are in the change.
    const seen = isMerged ? filterSeen(ctx.caller, await findSeenEffects(ctx, row)) : sight.seen
    const wanted = seen
      .filter((one) => (kind ?? one.kind) === one.kind && (change ?? one.change) === one.change)
      .toSorted(compareItems)
    const { change_id } = row
    async function* merged(): AsyncGenerator<ProposalItem[]> {
      if (change_id !== null) yield* buildRecorded(ctx, change_id, { kind, change })
      yield* buildItems({ ctx, named: ctx, row }, wanted)
    }
    if (isMerged) return listChunks({ revision, page: { limit, offset } }, merged)
    const page = wanted.slice(offset, limit === undefined ? undefined : offset + limit)
    return listChunks({ revision, total: async () => wanted.length, page: {} }, async function* () {
      yield* buildItems({ ctx, named: await openFuture(means, ctx, row), row }, page)
    })
  }
