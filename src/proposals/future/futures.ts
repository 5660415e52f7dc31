/** Reads as of a proposal: the estate as it would be, over the present of everything else. */
import { sql } from 'kysely'
import { invalidField, notFound } from '../../contract/errors.ts'
import { createAsOfDb } from '../../database/as-of-views.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { INVENTORY, toTableName } from '../../inventory/resources.ts'
import type { History } from '../../kernel/changes/history.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type Kind, toKind } from '../../record/history/kind-names.ts'
import { PROPOSAL } from '../../record/history/past/past-source.ts'
import { createPastViews } from '../../record/history/past/past-views.ts'
import { findVisible } from '../review/sight.ts'
import type { StoredProposal } from '../store.ts'

/** A moment that begins with it is a proposal. */
const PREFIX = 'proposal:'

/** The tables with one row of each object, by its id. */
const COUNTED: ReadonlyMap<string, Kind> = new Map(
  INVENTORY.filter((resource) => resource !== 'relationships').map((one) => [toTableName(one), toKind(one)]),
)

/** Counts the objects that a proposal adds to a table. Others may have made or deleted some of them since its last run. */
const countAdded = async ({ db }: Ctx, proposal: number, table: string): Promise<number | undefined> => {
  const kind = COUNTED.get(table)
  if (kind === undefined) return undefined
  const isStored = sql`EXISTS (SELECT 1 FROM ${sql.table(table)} AS s WHERE s.id = h.id)`
  const { rows } = await sql<{ n: number | string }>`
    SELECT coalesce(sum(CASE WHEN h.document IS NULL THEN 0 ELSE 1 END - CASE WHEN ${isStored} THEN 1 ELSE 0 END), 0) AS n
    FROM proposal_effects AS h WHERE h.proposal = ${proposal} AND h.kind = ${kind}`.execute(db)
  return Number(rows[0]?.n)
}

/** @throws AppError VALIDATION_ERROR on `as_of`, also for a proposal that is merged or closed */
const findOrThrow = async (ctx: Ctx, named: string): Promise<StoredProposal> => {
  const { row } = (await findVisible(ctx, named)) ?? {}
  if (!row) throw invalidField('as_of', notFound('proposal', named).message)
  if (row.state === 'merged')
    throw invalidField('as_of', `proposal ${row.number} is merged; its change ${row.change_id} is a moment`)
  if (row.state !== 'draft' && row.state !== 'open')
    throw invalidField('as_of', `proposal ${row.number} is ${row.state}`)
  return row
}

/** Returns the history, of which the moments `proposal:N` are futures. */
export const withFutures = (history: History<Tables>, db: Db<Tables>): History<Tables> => {
  const views = createPastViews(db.sql.past, PROPOSAL)
  return {
    ...history,
    past: async (ctx, moment, hidden = []) => {
      if (!moment.startsWith(PREFIX)) return history.past(ctx, moment, hidden)
      const row = await findOrThrow(ctx, moment.slice(PREFIX.length))
      const seq = Number(row.seq)
      const { read, store } = createAsOfDb(ctx.store, views(hidden, true), {
        seq,
        version: String(row.version),
        countAdded: (table) => countAdded(ctx, seq, table),
        ...(hidden.length > 0 && { part: `without ${hidden.join()}` }),
      })
      // A proposal without a run is the present.
      return { db: read, store, at: row.previewed_at ?? ctx.now }
    },
  }
}
