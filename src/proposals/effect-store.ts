/** The queries of effects; the only writer of their table. */
import type { Kysely } from 'kysely'
import { pause } from '../base/runtime/pause.ts'
import { splitBatches } from '../database/query/batches.ts'
import { preparedRows } from '../database/query/prepared-lists.ts'
import type { Tables } from '../database/tables.ts'
import type { Ctx, DbScope } from '../kernel/ctx.ts'
import { KINDS } from '../record/history/kind-names.ts'
import { NOWHERE, type Places } from './review/places.ts'
import type { Effect, NewEffect } from './run/effect.ts'
import type { EffectRow } from './table.ts'

/** The number of effects that are written before the event loop runs again. */
const AT_ONCE = 256

/** Returns the places in a row, which `toRow` has written. */
export const parsePlaces = (text: string): Places => (text === '' ? NOWHERE : (JSON.parse(text) as Places))

const formatPlaces = ({ before, after }: Places): string =>
  before.length + after.length === 0 ? '' : JSON.stringify({ before, after })

const toEffect = ({ before, document, places, ...effect }: EffectRow): Effect => ({
  ...effect,
  before: before ?? undefined,
  after: document ?? undefined,
  places: parsePlaces(places),
})

const toRow = (proposal: number, { keys, before, after, places, ...effect }: NewEffect): EffectRow => ({
  proposal,
  ...effect,
  before: before ?? null,
  document: after ?? null,
  ...keys,
  places: formatPlaces(places),
})

const insertRows = preparedRows(
  [
    ...(['proposal', 'kind', 'id', 'position', 'operation', 'name', 'change', 'before', 'document'] as const),
    ...(['sort_key', 'order_key', 'derived', 'child_id', 'hash', 'places'] as const),
  ],
  (db: Kysely<Tables>, rows: EffectRow[]) => db.insertInto('proposal_effects').values(rows),
)

/** Returns the effects of the last run, in the order of the first writes. */
export const findEffects = async ({ db }: DbScope, seq: number | string): Promise<readonly Effect[]> => {
  const all = db.selectFrom('proposal_effects').selectAll().where('proposal', '=', seq)
  return (await all.orderBy('position').execute()).map(toEffect)
}

export const removeEffects = async ({ db }: DbScope, seq: number | string): Promise<void> => {
  await db.deleteFrom('proposal_effects').where('proposal', '=', seq).execute()
}

/** Stores the effects of a run in place of the earlier ones. */
export const replaceEffects = async (tx: Ctx, seq: number, effects: readonly NewEffect[]): Promise<void> => {
  await removeEffects(tx, seq)
  for (const some of splitBatches(effects, AT_ONCE)) {
    await insertRows(
      tx,
      some.map((one) => toRow(seq, one)),
    )
    if (effects.length > AT_ONCE) await pause()
  }
}

/** Deletes the effects of a merged proposal that its change has. */
export const removeRecorded = async ({ db }: DbScope, seq: number | string): Promise<void> => {
  await db.deleteFrom('proposal_effects').where('proposal', '=', seq).where('kind', 'in', KINDS).execute()
}

export type Documents = Pick<EffectRow, 'before' | 'document'>

/** Returns the documents of effects before and after, by kind and id. */
export const findDocuments = async (
  { db }: DbScope,
  seq: number | string,
  effects: readonly Pick<EffectRow, 'kind' | 'id'>[],
): Promise<ReadonlyMap<string, Documents>> => {
  const found = new Map<string, Documents>()
  const select = db.selectFrom('proposal_effects').select(['id', 'before', 'document']).where('proposal', '=', seq)
  for (const [kind, own] of Map.groupBy(effects, (one) => one.kind))
    for (const some of splitBatches(own)) {
      const ids = some.map(({ id }) => id)
      const rows = await select.where('kind', '=', kind).where('id', 'in', ids).execute()
      for (const { id, ...documents } of rows) found.set(`${kind} ${id}`, documents)
    }
  return found
}
