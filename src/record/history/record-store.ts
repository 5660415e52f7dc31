/** Writes changes and their items, at the end of the transactions that made them. */
import { type Kysely, sql } from 'kysely'
import { pause } from '../../base/runtime/pause.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { prepared } from '../../database/query/prepared.ts'
import { preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import { formatClient } from '../../kernel/changes/audit.ts'
import type { RecordedItem } from '../../kernel/changes/change-record.ts'
import type { ChangeOrigin } from '../../kernel/changes/history.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { ItemChange } from './api.ts'
import { KINDS, type Kind } from './kind-names.ts'
import { buildRows } from './kinds.ts'
import type { HistoryRow } from './table.ts'

type Store = Ctx['store']

/** The number of items that are written before the event loop runs again. */
const AT_ONCE = 256

type NewChange = {
  readonly id: string
  readonly least_ms: number
  readonly operation: string
  readonly user_id: string
  readonly username: string
  readonly via: string
  readonly key_id: string
  readonly oauth_client: string
  readonly tool: string
  readonly ip_address: string
  readonly request_id: string
  readonly note: string
  readonly counts: string
  readonly undoes: string | null
  readonly proposal_id: string
}

/** @param lastMs the time of the newest change */
export const createRecorder = (store: Store, lastMs: number) => {
  // Not before the call, nor before the change that this instance recorded last.
  let leastMs = lastMs
  const insertChange = prepared((db: Kysely<Tables>, change: NewChange) =>
    db.insertInto('changes').values({
      id: change.id,
      at: store.sql.nowMsFrom(change.least_ms),
      operation: change.operation,
      user_id: change.user_id,
      username: change.username,
      via: change.via,
      key_id: change.key_id,
      oauth_client: change.oauth_client,
      tool: change.tool,
      ip_address: change.ip_address,
      request_id: change.request_id,
      note: change.note,
      counts: change.counts,
      undoes: change.undoes,
      undone_by: null,
      proposal_id: change.proposal_id,
      snapshot_xmax: store.sql.nextTransaction(),
    }),
  )

  type NewItem = Omit<HistoryRow, 'seq'> & { readonly change_id: string }
  const insertItems = preparedRows(
    ['kind', 'id', 'change_id', 'sort_key', 'order_key', 'derived', 'child_id', 'before'],
    (db: Kysely<Tables>, rows: NewItem[]) =>
      db.insertInto('history').values(
        rows.map(({ change_id, ...row }) => ({
          ...row,
          seq: sql<number>`(SELECT seq FROM changes WHERE changes.id = ${change_id})`,
        })),
      ),
  )

  return async (ctx: Ctx, origin: ChangeOrigin, items: readonly RecordedItem[]) => {
    const { id, operation, tool, note, undoes, proposalId } = origin
    leastMs = Math.max(leastMs, Date.parse(ctx.now))
    const { userId = '', username, via, credentialId = '', client } = ctx.caller
    await insertChange(ctx, {
      id,
      least_ms: leastMs,
      operation,
      user_id: userId,
      username: via === 'job' ? '' : username,
      via,
      key_id: via === 'key' ? credentialId : '',
      oauth_client: client ? formatClient(client) : '',
      tool,
      ip_address: ctx.client,
      request_id: ctx.requestId,
      note,
      counts: JSON.stringify(countByKind(items)),
      undoes,
      proposal_id: proposalId,
    })
    for (const batch of splitBatches(items, AT_ONCE)) {
      await insertItems(
        ctx,
        (await buildRows(ctx, batch)).map((row) => ({ ...row, change_id: id })),
      )
      if (items.length > AT_ONCE) await pause()
    }
  }
}

/** The number of items by change and kind. */
export type KindCounts = Partial<Record<RecordedItem['change'], Partial<Record<Kind, number>>>>

const countByKind = (items: readonly RecordedItem[]): KindCounts => {
  const [only] = items
  if (only && items.length === 1) return { [only.change]: { [only.kind]: 1 } }
  const numbers = new Map<string, number>()
  for (const { kind, change } of items) {
    const key = `${change} ${kind}`
    numbers.set(key, (numbers.get(key) ?? 0) + 1)
  }
  const counts: KindCounts = {}
  for (const change of ItemChange.options) {
    const some = KINDS.flatMap((kind) => {
      const n = numbers.get(`${change} ${kind}`)
      return n === undefined ? [] : [[kind, n] as const]
    })
    // The entries have these keys.
    if (some.length > 0) counts[change] = Object.fromEntries(some) as Partial<Record<Kind, number>>
  }
  return counts
}
