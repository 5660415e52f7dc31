/** Proposals as rows, for tests of what reads them. */
import type { Insertable } from 'kysely'
import type { Db } from '../../src/database/database.ts'
import type { Tables } from '../../src/database/tables.ts'
import type { EffectRow, ProposalRow } from '../../src/proposals/table.ts'

const NEW_ROW = {
  ...{
    state: 'open' as const,
    client: '',
    title: 'Rows',
    description: '',
    author_id: '',
    author: '',
    co_authors: '[]',
  },
  ...{ operations: '[]', input_bytes: 0, next_operation: 1, errors: 0, fingerprint: '', counts: '{}', version: 1 },
  ...{
    base_seq: 0,
    scopes_revision: '',
    previewed_at: null,
    close_reason: '' as const,
    closed_by: '',
    change_id: null,
  },
  ...{ opened_at: null, closed_at: null, expires_at: null, applied_at: null },
} satisfies Partial<Insertable<ProposalRow>>

/** An effect of a test: the columns of the history, with the document after it. */
export type TestEffect = Pick<EffectRow, 'kind' | 'id' | 'document' | 'sort_key' | 'order_key' | 'derived' | 'child_id'>

/** Inserts a proposal with these effects. */
export const insertProposal = (
  { write }: Pick<Db<Tables>, 'write'>,
  row: Partial<Insertable<ProposalRow>> & { readonly number: number | null; readonly previewed_at: string },
  effects: readonly TestEffect[],
): Promise<void> =>
  write(async ({ db }) => {
    const { previewed_at: at } = row
    const times = { created_at: at, updated_at: at, touched_at: at }
    const { seq } = await db
      .insertInto('proposals')
      .values({ id: Bun.randomUUIDv7(), ...NEW_ROW, ...times, ...row })
      .returning('seq')
      .executeTakeFirstOrThrow()
    const rest = { operation: '1', name: '', before: null, hash: '', places: '' }
    for (const [position, effect] of effects.entries()) {
      const change = effect.document === null ? ('delete' as const) : ('update' as const)
      await db
        .insertInto('proposal_effects')
        .values({ ...rest, ...effect, proposal: Number(seq), position, change })
        .execute()
    }
  })

/** Returns the effects that take back all changes after the one with the number `since`. */
export const findFormer = async ({ read }: Pick<Db<Tables>, 'read'>, since: number): Promise<TestEffect[]> => {
  const rows = await read.selectFrom('history').selectAll().where('seq', '>', since).orderBy('seq', 'desc').execute()
  // The earliest row of an object is set last.
  const first = new Map(
    rows.map(({ seq: _, before, ...row }) => [`${row.kind} ${row.id}`, { ...row, document: before }]),
  )
  return [...first.values()]
}
