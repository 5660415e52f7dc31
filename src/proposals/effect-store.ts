/** The queries of effects; the only writer of their table. */
import type { Kysely } from 'kysely'
import { pause } from '../base/runtime/pause.ts'
import { splitBatches } from '../database/query/batches.ts'
import { preparedRows } from '../database/query/prepared-lists.ts'
import type { Tables } from '../database/tables.ts'
import type { Ctx, DbScope } from '../kernel/ctx.ts'
import { KINDS } from '../record/history/kind-names.ts'
import type { Effect, NewEffect } from './run/effect.ts'
import type { EffectRow } from './table.ts'

/** The number of effects that are written before the event loop runs again. */
const AT_ONCE = 256

type Places = Effect['places']

const NO_PLACES: Places = { before: [], after: [] }

const parsePlaces = (text: string): Places =>
  // Written by `toRow`.
  text === '' ? NO_PLACES : (JSON.parse(text) as Places)

const formatPlaces = ({ before, after }: Places): string =>
  before.length + after.length === 0 ? '' : JSON.stringify({ before, after })

const toEffect = (row: EffectRow): Effect => ({
  kind: row.kind,
  id: row.id,
  name: row.name,
  change: row.change,
  position: row.position,
  operation: row.operation,
  before: row.before ?? undefined,
  document: row.document ?? undefined,
  hash: row.hash,
  places: parsePlaces(row.places),
})

const toRow = (proposal: number, { keys, before, document, places, ...effect }: NewEffect): EffectRow => ({
  proposal,
  ...effect,
  before: before ?? null,
  document: document ?? null,
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

type ObjectKey = { readonly kind: string; readonly id: string }

/** Returns the documents of effects before and after, by kind and id. */
export const findDocuments = async (
  { db }: DbScope,
  seq: number | string,
  effects: readonly ObjectKey[],
): Promise<ReadonlyMap<string, Pick<EffectRow, 'before' | 'document'>>> => {
  const found = new Map<string, Pick<EffectRow, 'before' | 'document'>>()
  for (const [kind, some] of Map.groupBy(effects, (one) => one.kind)) {
    const rows = await db
      .selectFrom('proposal_effects')
      .select(['id', 'before', 'document'])
      .where('proposal', '=', seq)
      .where('kind', '=', kind)
      .where(
        'id',
        'in',
        some.map(({ id }) => id),
      )
      .execute()
    for (const { id, ...documents } of rows) found.set(`${kind} ${id}`, documents)
  }
  return found
}
