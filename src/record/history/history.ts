/** The rules of the history: what a caller sees of the changes, and how they are recorded. */

import type { Config } from '../../base/config/config.ts'
import { formatSummary } from '../../contract/change-summary.ts'
import { invalidField, notFound, orNotFound } from '../../contract/errors.ts'
import { createAsOfDb } from '../../database/as-of-views.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { toTableName } from '../../inventory/resources.ts'
import type { History } from '../../kernel/changes/history.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { JsonList } from '../../kernel/handler-result.ts'
import type { Handlers } from '../../kernel/implement.ts'
import { countChunks, takePage } from '../../kernel/list.ts'
import { type Change, HISTORIED, type HistoryEntry, histories, history, type Item, type ItemChange } from './api.ts'
import { buildChanges } from './build-changes.ts'
import * as entries from './entry-store.ts'
import { buildItem, streamChangeItems, streamItemsBetween } from './items.ts'
import { KIND_NAMES, KINDS, type Kind, toKind } from './kind-names.ts'
import { KIND_RULES, type Means, PLAIN } from './kinds.ts'
import * as changeList from './list/change-list.ts'
import { formatTime, isSettled, parseFilterTime, parseMoment } from './moment.ts'
import { findObjects } from './names/find-objects.ts'
import { nameItems, type Shown } from './names/names.ts'
import { HISTORY } from './past/past-source.ts'
import { MAX_LATER_ROWS_READ } from './past/past-tables.ts'
import { createPastViews } from './past/past-views.ts'
import { createRecorder } from './record-store.ts'
import { removeOld } from './retention.ts'
import { findVisibleChanges, SEEN_TABLES } from './seen-changes.ts'
import * as store from './store.ts'
import { countObjects, undoChange } from './undo/undo.ts'
import { VisibleItems } from './visible-items.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** The number of items that an answer with a change lists. */
const SHOWN_ITEMS = 100

const formatItems = async function* (ctx: Ctx, items: AsyncIterable<Shown[]>): AsyncGenerator<string[]> {
  for await (const rows of items) yield (await nameItems(ctx, rows)).map((item) => JSON.stringify(item))
}

/** A change, as far as the caller sees its objects. */
type SeenChange = { readonly row: store.StoredChange; readonly sight: VisibleItems; readonly change: Change }

const loadSeenChange = async (ctx: Ctx, row: store.StoredChange): Promise<SeenChange | undefined> => {
  const visible = await VisibleItems.of(ctx)
  const [change] = await buildChanges(ctx, visible, [row])
  return change && { row, sight: visible, change }
}

/** @throws AppError NOT_FOUND for a change of which the caller sees no item */
const getOrThrow = async (ctx: Ctx, id: string): Promise<SeenChange> => {
  const row = orNotFound(await store.findChange(ctx, id), 'change', id)
  if (row.atMs < (await store.readBeginning(ctx))) throw notFound('change', id)
  const seen = await loadSeenChange(ctx, row)
  return orNotFound(seen && Object.keys(seen.change.counts).length > 0 ? seen : undefined, 'change', id)
}

/** Returns a change with its first items. */
const showChange = async (ctx: Ctx, { row, sight: visible, change }: SeenChange): Promise<Change> => {
  const items: Shown[] = []
  const all = streamChangeItems(ctx, row.seq, { sight: visible, kinds: visible.kinds })
  for await (const rows of takePage(all, { limit: SHOWN_ITEMS })) items.push(...rows)
  return { ...change, items: await nameItems(ctx, items) }
}

/** Returns a change that this transaction may have made, with its first items. */
const showStored = async (ctx: Ctx, id: string): Promise<Change> => {
  const row = orNotFound(await store.findChange(ctx, id), 'change', id)
  return showChange(ctx, orNotFound(await loadSeenChange(ctx, row), 'change', id))
}

/** The tables from which the items of changes are read. */
export const ITEM_TABLES = [
  'history',
  'history_extent',
  ...PLAIN.map(toTableName),
  'networks',
  'pools',
  'pool_tags',
  'reservations',
  'devices',
  'relationships',
  'discovery_rules',
  'discovery_locks',
] as const

/** Returns a revision of answers that depend on what the caller sees as well. */
const readRevision = async (ctx: Ctx, visible: VisibleItems, tables: readonly (keyof Tables)[]): Promise<string> => {
  const revision = await ctx.store.revision(visible.isWhole ? tables : [...tables, ...SEEN_TABLES])
  return `${revision} ${visible.key} ${ctx.caller.permissions.has('audit:read')}`
}

type Given = { readonly kind?: Kind | undefined; readonly change?: ItemChange | undefined }

const filterKinds = (visible: VisibleItems, { kind }: Given): Kind[] =>
  visible.kinds.filter((one) => kind === undefined || one === kind)

/** Returns the present documents of the objects, by kind and id. */
const findPresent = async (
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

/** Returns the entries of an object that the caller sees, newest first; undefined for all. */
const findVisibleEntries = async (
  ctx: Ctx,
  visible: VisibleItems,
  of: entries.HistoryOf,
): Promise<entries.EntryKey[] | undefined> => {
  if (visible.isWhole) return undefined
  const all = await entries.findEntryKeys(ctx, of)
  return visible.seen(all.map((key) => ({ ...key, states: [{ seq: key.seq - 1 }, { seq: key.seq }] })))
}

/** @param kind of the object */
const listHistory = async (ctx: Ctx, kind: Kind, { id, limit, offset = 0 }: { id: string } & ShortPage) => {
  const visible = await VisibleItems.of(ctx)
  const revision = await readRevision(ctx, visible, ITEM_TABLES)
  const documents = await KIND_RULES[kind].documents(ctx, [id])
  const of = { kind, id, withRelationships: kind === 'device' && visible.kinds.includes('relationship') }
  const seen = await findVisibleEntries(ctx, visible, of)
  const total = seen?.length ?? (await entries.countEntries(ctx, of))
  // Neither the object nor a trace of it.
  if (total === 0) {
    const [object] = await visible.seen([{ kind, id, states: [] }])
    orNotFound(object && documents.get(id), KIND_NAMES[kind].noun, id)
  }
  const mayKnowWho = ctx.caller.permissions.has('audit:read')
  async function* rows(): AsyncGenerator<string[]> {
    // The present first: a change that is committed in between records the document that was read here.
    const page = { limit, offset, seen }
    const present = await findPresent(ctx, await entries.findEntries(ctx, of, page))
    const all = await entries.findEntries(ctx, of, page)
    const shown = all.map((entry) => {
      const after = entry.next_seq === null ? present.get(`${entry.kind} ${entry.id}`) : entry.next_before
      const { kind, id, seq, before } = entry
      const built = buildItem(kind, id, { before, after, from: seq - 1, to: seq })
      const item: HistoryEntry = {
        ...built.item,
        change_id: entry.change_id,
        at: formatTime(entry.atMs),
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
        proposal_id: entry.proposal_id,
      }
      return { ...built, item }
    })
    yield (await nameItems(ctx, shown)).map((entry) => JSON.stringify(entry))
  }
  return new JsonList<HistoryEntry>({ revision, total: async () => total, rows })
}

const objectHistories = Object.fromEntries(
  HISTORIED.map(toKind).map((kind) => [
    kind,
    (ctx: Ctx, input: { id: string } & ShortPage) => listHistory(ctx, kind, input),
  ]),
) as Handlers<typeof histories, Tables>

/** From this number of objects, an undo is a large transaction. */
const LARGE_UNDO_OBJECTS = 1000

export type HistoryOptions = {
  readonly config: Pick<Config, 'historyRetentionDays'> & Omit<Means, 'operations'>
  readonly operations: Means['operations']
}

export const historyFeature = ({ config, operations }: HistoryOptions): Feature => ({
  operations: [
    ...implement(history, {
      list: async (ctx, { kind, object_id, q, user_id, operation, from, to, ...page }) => {
        const visible = await VisibleItems.of(ctx)
        const tables = await readRevision(ctx, visible, ['changes', 'history_extent'])
        // Users are hidden from callers without this permission, so none of them matches.
        const isHidden = user_id !== undefined && !ctx.caller.permissions.has('audit:read')
        const kinds = isHidden ? [] : filterKinds(visible, { kind })
        const filter = {
          kinds,
          object_id,
          named:
            q === undefined ? undefined : { text: q, objects: await findObjects(ctx, visible, { kinds, text: q }) },
          user_id,
          operation,
          from: from === undefined ? undefined : await parseFilterTime(ctx, 'from', from),
          to: to === undefined ? undefined : await parseFilterTime(ctx, 'to', to),
        }
        // A duration names another time with each call.
        const revision = `${tables} ${filter.from} ${filter.to}`
        const { limit, offset = 0 } = page
        const seen = visible.isWhole ? undefined : await findVisibleChanges(ctx, visible, filter)
        async function* rows(): AsyncGenerator<string[]> {
          const found = seen
            ? await changeList.findChangesBySeq(ctx, seen.slice(offset, offset + limit))
            : await changeList.findChanges(ctx, filter, { limit, offset })
          yield (await buildChanges(ctx, visible, found)).map((change) => JSON.stringify(change))
        }
        const total = async () => seen?.length ?? changeList.countChanges(ctx, filter)
        return new JsonList<Change>({ revision, total, rows })
      },
      diff: async (ctx, { from, to, kind, ...page }) => {
        const first = await parseMoment(ctx, 'from', from)
        const last = to === undefined ? undefined : await parseMoment(ctx, 'to', to)
        if (last && last.seq < first.seq) throw invalidField('from', 'must not be later than "to"')
        const visible = await VisibleItems.of(ctx)
        const span = { sight: visible, from: first.seq, to: last?.seq, kinds: filterKinds(visible, { kind }) }
        return new JsonList<Item>({
          revision: `${first.seq}.${last?.seq} ${await readRevision(ctx, visible, ITEM_TABLES)}`,
          total: () => countChunks(streamItemsBetween(ctx, span)),
          rows: () => formatItems(ctx, takePage(streamItemsBetween(ctx, span), page)),
        })
      },
      extent: async (ctx) => {
        const visible = await VisibleItems.of(ctx)
        const { kinds } = visible
        return {
          begins_at: formatTime(await store.readBeginning(ctx)),
          retention_days: config.historyRetentionDays,
          changes: visible.isWhole
            ? await changeList.countChanges(ctx, { kinds })
            : (await findVisibleChanges(ctx, visible, { kinds })).length,
        }
      },
      get: async (ctx, { id }) => showChange(ctx, await getOrThrow(ctx, id)),
      undo: {
        transaction: async (ctx, { id }) => {
          const change = await store.findChange(ctx, id)
          return { exclusive: true, large: change !== undefined && countObjects(change) >= LARGE_UNDO_OBJECTS }
        },
        run: async (ctx, { id }) => {
          await getOrThrow(ctx, id)
          const made = await undoChange(ctx, id, { ...config, operations })
          return showStored(ctx, made)
        },
      },
      items: async (ctx, { id, kind, change, ...page }) => {
        // Before any row.
        const revision = await readRevision(ctx, await VisibleItems.of(ctx), ITEM_TABLES)
        const {
          row: { seq },
          sight: visible,
        } = await getOrThrow(ctx, id)
        const filter = { sight: visible, kinds: filterKinds(visible, { kind }), change }
        return new JsonList<Item>({
          revision,
          total: () => countChunks(streamChangeItems(ctx, seq, filter)),
          rows: () => formatItems(ctx, takePage(streamChangeItems(ctx, seq, filter), page)),
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
  const views = createPastViews(db.sql.past, HISTORY)
  return {
    record: createRecorder(db, await store.findNewestMs({ db: db.read, store: db })),
    preview: async (ctx, id) => {
      const isMade = id !== '' && (await store.findChange(ctx, id)) !== undefined
      return isMade ? { ...(await showStored(ctx, id)), id: '', at: '' } : buildEmptyChange(ctx)
    },
    past: async (ctx, text, hidden = []) => {
      const moment = await parseMoment(ctx, 'as_of', text)
      const areFew =
        (await store.countLater(ctx, { seq: moment.seq, most: MAX_LATER_ROWS_READ + 1 })) <= MAX_LATER_ROWS_READ
      const { read, store: past } = createAsOfDb(ctx.store, views(hidden, areFew), {
        seq: moment.seq,
        isSettled: () => isSettled(ctx, moment),
        ...(hidden.length > 0 && { part: `without ${hidden.join()}` }),
      })
      return { db: read, store: past, at: formatTime(moment.atMs) }
    },
  }
}

/** Returns the preview of a call that changes nothing. */
const buildEmptyChange = ({ caller, requestId }: Ctx): Change => ({
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
  summary: formatSummary({}),
  counts: {},
  objects: [],
  undoes: null,
  undone_by: null,
  proposal_id: '',
  items: [],
})
