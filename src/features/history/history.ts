/** The rules of the history: what a caller sees of the changes, and how they are recorded. */

import { type Counts, summaryOf } from '../../platform/contract/change-summary.ts'
import { invalidField, notFound, orNotFound } from '../../platform/contract/errors.ts'
import type { Page } from '../../platform/contract/list.ts'
import type { Db } from '../../platform/db/database.ts'
import { PastTables, pastOf } from '../../platform/db/past.ts'
import { JsonList } from '../../platform/operation/handler-result.ts'
import type { History } from '../../platform/operation/history.ts'
import type { Handlers } from '../../platform/operation/implement.ts'
import type { Config } from '../../platform/runtime/config/config.ts'
import { type Ctx, type Feature, implement } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import { type Change, HISTORIED, type HistoryEntry, histories, history, type Item, ItemChange } from './api.ts'
import * as entries from './entry-store.ts'
import { itemOf, itemsBetween, itemsOfChange, withDeviceNames } from './items.ts'
import { KIND_NAMES, KINDS, type Kind, kindOf } from './kind-names.ts'
import { KIND_RULES, type Means, PLAIN } from './kinds.ts'
import { filterTimeOf, isSettled, momentOf, textOf } from './moment.ts'
import { FEW_LATER, pastTables } from './past-tables.ts'
import { createRecorder, type KindCounts } from './record-store.ts'
import { removeOld } from './retention.ts'
import * as store from './store.ts'
import { sizeOf, undoChange } from './undo.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** The number of items that an answer with a change lists. */
const SHOWN_ITEMS = 100

/** The kinds that the caller may read. */
const visibleKinds = ({ caller }: Ctx): Kind[] => KINDS.filter((kind) => caller.permissions.has(KIND_NAMES[kind].read))

const countsOf = (json: string, kinds: readonly Kind[]): Counts => {
  // Written by `record-store.ts`.
  const stored = JSON.parse(json) as KindCounts
  const counts: Counts = {}
  for (const change of ItemChange.options) {
    const some = kinds.flatMap((kind) => {
      const n = stored[change]?.[kind]
      return n === undefined ? [] : [[KIND_NAMES[kind].noun, n] as const]
    })
    if (some.length > 0) counts[change] = Object.fromEntries(some)
  }
  return counts
}

const changeOf = (ctx: Ctx, row: store.StoredChange): Change => {
  const counts = countsOf(row.counts, visibleKinds(ctx))
  const mayKnowWho = ctx.caller.permissions.has('audit:read')
  return {
    id: row.id,
    at: textOf(row.atMs),
    operation: row.operation,
    user_id: mayKnowWho ? row.user_id : '',
    username: row.username,
    // Written by `record-store.ts` from a caller.
    via: row.via as Change['via'],
    key_id: mayKnowWho ? row.key_id : '',
    oauth_client: row.oauth_client,
    tool: row.tool,
    ip_address: mayKnowWho ? row.ip_address : '',
    request_id: row.request_id,
    note: row.note,
    summary: summaryOf(counts),
    counts,
    undoes: row.undoes,
    undone_by: row.undone_by,
  }
}

/** Returns the rows of a page out of batches of all rows. */
async function* paged<Row>(batches: AsyncIterable<Row[]>, { limit, offset = 0 }: Page): AsyncGenerator<Row[]> {
  let skip = offset
  let left = limit ?? Number.POSITIVE_INFINITY
  for await (const rows of batches) {
    const page = rows.slice(skip, skip + left)
    skip = Math.max(0, skip - rows.length)
    left -= page.length
    if (page.length > 0) yield page
    if (left <= 0) return
  }
}

const counted = async (batches: AsyncIterable<readonly unknown[]>): Promise<number> => {
  let total = 0
  for await (const rows of batches) total += rows.length
  return total
}

const sent = async function* (ctx: Ctx, items: AsyncIterable<Item[]>): AsyncGenerator<string[]> {
  for await (const rows of items) yield (await withDeviceNames(ctx, rows)).map((item) => JSON.stringify(item))
}

/** @throws AppError NOT_FOUND for a change of which the caller may read no item */
const mustFind = async (ctx: Ctx, id: string): Promise<store.StoredChange> => {
  const row = orNotFound(await store.findChange(ctx, id), 'change', id)
  if (row.atMs < (await store.beginsAt(ctx))) throw notFound('change', id)
  const counts = countsOf(row.counts, visibleKinds(ctx))
  return orNotFound(Object.keys(counts).length > 0 ? row : undefined, 'change', id)
}

/** Returns a change with its first items. */
export const showChange = async (ctx: Ctx, row: store.StoredChange): Promise<Change> => {
  const items: Item[] = []
  const all = itemsOfChange(ctx, row.seq, { kinds: visibleKinds(ctx) })
  for await (const rows of paged(all, { limit: SHOWN_ITEMS })) items.push(...rows)
  return { ...changeOf(ctx, row), items: await withDeviceNames(ctx, items) }
}

/** The tables from which the items of changes are read. */
const ITEM_TABLES = [
  'history',
  'history_extent',
  ...PLAIN,
  'networks',
  'pools',
  'pool_tags',
  'reservations',
  'devices',
  'relationships',
  'discovery_rules',
  'discovery_locks',
] as const

/** A revision of answers that depend on what the caller may read as well. */
const revisionFor = async (ctx: Ctx, tables: readonly (keyof Tables)[]): Promise<string> =>
  `${await ctx.store.revision(tables)} ${visibleKinds(ctx).join()} ${ctx.caller.permissions.has('audit:read')}`

type Given = { readonly kind?: Kind | undefined; readonly change?: ItemChange | undefined }

const kindsFor = (ctx: Ctx, { kind }: Given): Kind[] =>
  visibleKinds(ctx).filter((one) => kind === undefined || one === kind)

/** Returns the present documents of the objects, by kind and id. */
const presentOf = async (
  ctx: Ctx,
  objects: readonly { readonly kind: string; readonly id: string }[],
): Promise<Map<string, string>> => {
  const present = new Map<string, string>()
  for (const kind of KINDS) {
    const ids = [...new Set(objects.filter((one) => one.kind === kind).map(({ id }) => id))]
    for (const [id, document] of await KIND_RULES[kind].documents(ctx, ids)) present.set(`${kind} ${id}`, document)
  }
  return present
}

/** A page of bounded length. */
type ShortPage = { readonly limit: number; readonly offset?: number | undefined }

/** @param kind of the object */
const objectHistory = async (ctx: Ctx, kind: Kind, { id, limit, offset = 0 }: { id: string } & ShortPage) => {
  const revision = await revisionFor(ctx, ITEM_TABLES)
  const documents = await KIND_RULES[kind].documents(ctx, [id])
  const of = { kind, id, withRelationships: kind === 'device' && visibleKinds(ctx).includes('relationship') }
  const total = await entries.countEntries(ctx, of)
  // Neither the object nor a trace of it.
  if (total === 0) orNotFound(documents.get(id), KIND_NAMES[kind].noun, id)
  const mayKnowWho = ctx.caller.permissions.has('audit:read')
  async function* rows(): AsyncGenerator<string[]> {
    // The present first: a change that is committed in between records the document that was read here.
    const page = { limit, offset }
    const present = await presentOf(ctx, await entries.entriesOf(ctx, of, page))
    const all = await entries.entriesOf(ctx, of, page)
    const shown = all.map((entry) => {
      const after = entry.next_seq === null ? present.get(`${entry.kind} ${entry.id}`) : entry.next_before
      const one: HistoryEntry = {
        ...itemOf(entry.kind, entry.id, { before: entry.before, after }),
        change_id: entry.change_id,
        at: textOf(entry.atMs),
        operation: entry.operation,
        user_id: mayKnowWho ? entry.user_id : '',
        username: entry.username,
        via: entry.via as HistoryEntry['via'],
        oauth_client: entry.oauth_client,
        tool: entry.tool,
        ip_address: mayKnowWho ? entry.ip_address : '',
        request_id: entry.request_id,
        note: entry.note,
        undoes: entry.undoes,
      }
      return one
    })
    yield (await withDeviceNames(ctx, shown)).map((entry) => JSON.stringify(entry))
  }
  return new JsonList<HistoryEntry>({ revision, total: async () => total, rows })
}

const objectHistories = Object.fromEntries(
  HISTORIED.map(kindOf).map((kind) => [
    kind,
    (ctx: Ctx, input: { id: string } & ShortPage) => objectHistory(ctx, kind, input),
  ]),
) as Handlers<typeof histories, Tables>

/** From this number of objects, an undo is a large transaction. */
const LARGE = 1000

export type HistoryOptions = {
  readonly config: Pick<Config, 'historyRetentionDays'> & Omit<Means, 'operations'>
  readonly operations: Means['operations']
}

export const historyFeature = ({ config, operations }: HistoryOptions): Feature => ({
  operations: [
    ...implement(history, {
      list: async (ctx, { kind, object_id, user_id, operation, from, to, ...page }) => {
        const tables = await revisionFor(ctx, ['changes', 'history_extent'])
        // Users are hidden from callers without this permission, so none of them matches.
        const isHidden = user_id !== undefined && !ctx.caller.permissions.has('audit:read')
        const filter = {
          kinds: isHidden ? [] : kindsFor(ctx, { kind }),
          object_id,
          user_id,
          operation,
          from: from === undefined ? undefined : await filterTimeOf(ctx, 'from', from),
          to: to === undefined ? undefined : await filterTimeOf(ctx, 'to', to),
        }
        // A duration names another time with each call.
        const revision = `${tables} ${filter.from} ${filter.to}`
        const { limit, offset = 0 } = page
        async function* rows(): AsyncGenerator<string[]> {
          const found = await store.changesOf(ctx, filter, { limit, offset })
          yield found.map((row) => JSON.stringify(changeOf(ctx, row)))
        }
        return new JsonList<Change>({ revision, total: () => store.countChanges(ctx, filter), rows })
      },
      diff: async (ctx, { from, to, kind, ...page }) => {
        const first = await momentOf(ctx, 'from', from)
        const last = to === undefined ? undefined : await momentOf(ctx, 'to', to)
        if (last && last.seq < first.seq) throw invalidField('from', 'must not be later than "to"')
        const span = { from: first.seq, to: last?.seq, kinds: kindsFor(ctx, { kind }) }
        return new JsonList<Item>({
          revision: `${first.seq}.${last?.seq} ${await revisionFor(ctx, ITEM_TABLES)}`,
          total: () => counted(itemsBetween(ctx, span)),
          rows: () => sent(ctx, paged(itemsBetween(ctx, span), page)),
        })
      },
      extent: async (ctx) => ({
        begins_at: textOf(await store.beginsAt(ctx)),
        retention_days: config.historyRetentionDays,
        changes: await store.countChanges(ctx, { kinds: visibleKinds(ctx) }),
      }),
      get: async (ctx, { id }) => showChange(ctx, await mustFind(ctx, id)),
      undo: {
        transaction: async (ctx, { id }) => {
          const change = await store.findChange(ctx, id)
          return { exclusive: true, large: change !== undefined && sizeOf(change) >= LARGE }
        },
        run: async (ctx, { id }) => {
          await mustFind(ctx, id)
          const made = await undoChange(ctx, id, { ...config, operations })
          return showChange(ctx, orNotFound(await store.findChange(ctx, made), 'change', made))
        },
      },
      items: async (ctx, { id, kind, change, ...page }) => {
        const revision = await revisionFor(ctx, ITEM_TABLES)
        const { seq } = await mustFind(ctx, id)
        const filter = { kinds: kindsFor(ctx, { kind }), change }
        return new JsonList<Item>({
          revision,
          total: () => counted(itemsOfChange(ctx, seq, filter)),
          rows: () => sent(ctx, paged(itemsOfChange(ctx, seq, filter), page)),
        })
      },
    }),
    ...implement(histories, objectHistories),
  ],
  jobs: [
    {
      name: 'history.retention',
      summary: 'Deletes changes that are older than HISTORY_RETENTION_DAYS',
      everyMs: DAY_MS,
      runsAtStart: true,
      run: (ctx) => removeOld(ctx, config.historyRetentionDays),
    },
  ],
})

/** Opens the history of a database, which begins now unless it has begun before. */
export const openHistory = async (db: Db<Tables>, now: () => Date): Promise<History<Tables>> => {
  await db.write((tx) => store.begin({ db: tx.db, store: db }, now().getTime()))
  const engine = db.sql.past
  const few = new PastTables(engine, pastTables(engine, true))
  const many = new PastTables(engine, pastTables(engine, false))
  return {
    record: createRecorder(db, await store.newestMs({ db: db.read, store: db })),
    preview: async (ctx, id) => {
      const row = id === '' ? undefined : await store.findChange(ctx, id)
      if (!row) return nothingOf(ctx)
      return { ...(await showChange(ctx, row)), id: '', at: '' }
    },
    past: async (ctx, text) => {
      const moment = await momentOf(ctx, 'as_of', text)
      const tables = (await store.countLater(ctx, { seq: moment.seq, most: FEW_LATER + 1 })) > FEW_LATER ? many : few
      const { read, store: past } = pastOf(db, tables, { seq: moment.seq, isSettled: () => isSettled(ctx, moment) })
      return { db: read, store: past, at: textOf(moment.atMs) }
    },
  }
}

/** The preview of a call that changes nothing. */
const nothingOf = ({ caller, requestId }: Ctx): Change => ({
  id: '',
  at: '',
  operation: '',
  user_id: '',
  username: caller.username,
  via: caller.via,
  key_id: '',
  oauth_client: '',
  tool: '',
  ip_address: '',
  request_id: requestId,
  note: '',
  summary: summaryOf({}),
  counts: {},
  undoes: null,
  undone_by: null,
  items: [],
})
