/**
 * The search of devices: by words in their text, by address, and by block. The best matches come first. Each kind of
 * match has a separate query in index order, so that the first page of a large result is fast.
 */

import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from 'kysely'
import { invalidField } from '../../../contract/errors.ts'
import { getCachedCount, getCachedList } from '../../../database/cache/query-cache.ts'
import type { Part, WordsInOrder } from '../../../database/database.ts'
import type { Membership } from '../../../database/query/ordered-filter.ts'
import { padKeys } from '../../../database/query/prepared-lists.ts'
import type { Tables } from '../../../database/tables.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { type ChainQuery, countRows, SHORT } from '../../../kernel/list.ts'
import { parseCidr, toCidrKeys } from '../../../net/cidr.ts'
import { DEFAULT_SPACE } from '../../../net/ip.ts'
import { parseMac } from '../../../net/mac.ts'
import { toNameKey, toOrderPrefix } from '../../../net/name-order.ts'
import { extractIp } from '../../../net/words/host-text.ts'
import { splitWords } from '../../../net/words/spellings.ts'
import { holdsWord, type Word } from '../../../net/words/word.ts'
import { findAllSpaces, SPACES } from '../../spaces/keys.ts'
import type { KeyRange } from '../../used-addresses/used-addresses.ts'

type Doc = { readonly doc: string }

export type Found = {
  readonly queries: readonly ChainQuery<Doc>[]
  readonly total: () => Promise<number>
}

type Columns = ExpressionBuilder<Tables, 'devices'>

/**
 * Up to this number, all matches are found in one query with their count, and the first ones are cached for all pages.
 * Beyond it the index is not read completely, because the first matches are found sooner without it.
 */
const MAX_MATCHES_READ_FROM_INDEX = 16_000
/** The number of rows that are found together for the first pages. */
const FIRST_PAGES = 100
/** An id that no device has. */
const NO_ID = ''

/** Repeats the condition of the partial index, so that the planner uses it. */
const hasMac = sql<SqlBool>`mac_address <> ''`

/** Matches text that can begin an address. */
const ADDRESS = /^[0-9a-f:.]+$/

/** An upper bound for texts that begin with `text`: no text contains this noncharacter (Unicode 23.7). */
const getUpperBound = (text: string): string => `${text}\u{10ffff}`

const selectDocs = (ctx: Ctx) => ctx.db.selectFrom('devices').select('doc')
const orderByName = (query: ReturnType<typeof selectDocs>) => query.orderBy('name_order').orderBy('id')

/** Limits a query to its first rows. */
const limitRows =
  <Q extends { limit: (rows: number) => Q }>(query: Q) =>
  (rows?: number): Q =>
    rows === undefined ? query : query.limit(rows)

/** Returns the condition of an address in the block. */
const buildBlockMembership = async (ctx: Ctx, { first: from, last: to }: KeyRange): Promise<Membership> => {
  const isDivided = (await findAllSpaces(ctx)).length > 0
  const inside = isDivided
    ? sql`FROM ${SPACES} AS spaces CROSS JOIN addresses WHERE ip_key BETWEEN space || ${from} AND space || ${to}`
    : sql`FROM addresses WHERE ip_key BETWEEN ${from} AND ${to}`
  const counted = sql<SqlBool>`devices.id IN (SELECT device_id ${inside})`
  const areFew = await ctx.store.sql.areFew(ctx.db, 'devices', sql`SELECT 1 AS one ${inside}`)
  return {
    ordered: areFew ? counted : sql<SqlBool>`EXISTS (SELECT 1 ${inside} AND device_id = devices.id)`,
    counted,
  }
}

const countFound = (ctx: Ctx, text: string, condition: Expression<SqlBool>): Promise<number> =>
  getCachedCount(ctx, 'devices', `found ${text}`, () => countRows(selectDocs(ctx).where(condition)))

const findInBlock = async (ctx: Ctx, text: string, range: KeyRange): Promise<Found> => {
  const { ordered, counted } = await buildBlockMembership(ctx, range)
  return {
    queries: [limitRows(orderByName(selectDocs(ctx).where(ordered)))],
    total: () => countFound(ctx, text, counted),
  }
}

const canListPorts = ({ caller }: Ctx): boolean => caller.permissions.has('ports:list')

/** The tables of a search: ports are searched for callers who may list them. */
export const searchTables = (ctx: Ctx): ('addresses' | 'ports')[] =>
  canListPorts(ctx) ? ['addresses', 'ports'] : ['addresses']

/** Returns the ids of the devices with a MAC in any notation, at an address or a port; undefined for a text that is none. */
const withMac = (ctx: Ctx, text: string) => {
  const mac = parseMac(text)
  if (mac === undefined) return undefined
  const select = ctx.db.selectFrom('addresses').select('device_id as id').where('mac_address', '=', mac).where(hasMac)
  if (!canListPorts(ctx)) return select
  return select.union(ctx.db.selectFrom('ports').select('device_id as id').where('mac_address', '=', mac).where(hasMac))
}

/** Returns the key of cached results. Results for a MAC also change with ports, and with the right to see them. */
const cacheKey = async (ctx: Ctx, text: string): Promise<string> =>
  parseMac(text) === undefined || !canListPorts(ctx) ? text : `${text} ${await ctx.store.revision(['ports'])}`

/** The kinds of good matches, as conditions on devices. */
const buildMatches = (ctx: Ctx, text: string) => {
  const ip = extractIp(text)
  // Compared as text, so that it is found in all address spaces.
  const withIp = ip && ctx.db.selectFrom('addresses').select('device_id as id').where('ip', '=', ip)
  // No text is both.
  const withAddress = withIp ?? withMac(ctx, text)
  const selectIdsWith = (column: 'name_key' | 'hostname_key') =>
    ctx.db.selectFrom('devices').select('id').where(column, '=', text)
  const end = getUpperBound(text)
  const isPrefix = ADDRESS.test(text)
  const { selective } = ctx.store.sql
  return {
    isPrefix,
    /** Equal name, host name, address or MAC. The latter two may be written in another form than the stored one. */
    exactly: (eb: Columns) =>
      eb.or([
        eb('name_key', '=', text),
        eb('hostname_key', '=', text),
        ...(withAddress ? [eb('id', 'in', withAddress)] : []),
      ]),
    /** The same as separate queries: each part has an index, but the three in one condition would use none. */
    amongExact: (eb: Columns) => {
      const named = selectIdsWith('name_key').union(selectIdsWith('hostname_key'))
      return eb('id', 'in', withAddress ? named.union(withAddress) : named)
    },
    byName: (eb: Columns) => eb.and([eb('name_key', '>=', text), eb('name_key', '<', end)]),
    byHostname: (eb: Columns) =>
      eb.and([selective(eb('hostname_key', '>=', text)), selective(eb('hostname_key', '<', end))]),
    byAddress: (eb: Columns) =>
      isPrefix
        ? eb.exists(
            eb
              .selectFrom('addresses')
              .select('device_id')
              .whereRef('device_id', '=', 'devices.id')
              .where('ip', '>=', text)
              .where('ip', '<', end),
          )
        : eb.lit(false),
  }
}

/** Returns the devices with an address that begins with the text, ordered by the first such address of each. */
const selectByAddressPrefix = (ctx: Ctx, text: string) => {
  const end = getUpperBound(text)
  return ctx.db
    .selectFrom('addresses as a')
    .innerJoin('devices', 'devices.id', 'a.device_id')
    .select('doc')
    .where('a.ip', '>=', text)
    .where('a.ip', '<', end)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('addresses as b')
            .select('b.device_id')
            .whereRef('b.device_id', '=', 'a.device_id')
            .where('b.ip', '>=', text)
            .where(({ eb, or, and, ref }) =>
              or([
                eb('b.ip', '<', ref('a.ip')),
                and([eb('b.ip', '=', ref('a.ip')), eb('b.position', '<', ref('a.position'))]),
              ]),
            ),
        ),
      ),
    )
    .orderBy('a.ip')
    .orderBy('a.device_id')
}

/** Checks for an address that the text of a device with it may lack: an IP that is not in its stored form, or a MAC, which a port may have. */
const mayBeElsewhere = (text: string): boolean => {
  if (parseMac(text) !== undefined) return true
  const stored = extractIp(text)
  return stored !== undefined && stored !== text
}

type Wanted = {
  readonly text: string
  readonly words: readonly Word[]
  readonly matches: ReturnType<typeof buildMatches>
}

/** Returns the devices that contain the words: their count, and by name the devices without a better match. */
const holding = (ctx: Ctx, { text, words, matches }: Wanted) => {
  const { sql: engine } = ctx.store
  const { exactly, amongExact, byName, byHostname, byAddress } = matches
  /** Queried on demand: a page may be full before, with a known count. */
  let asked: Promise<WordsInOrder> | undefined
  const inOrder = (most?: number): Promise<WordsInOrder> => {
    asked ??= engine.matchesWordsInOrder(ctx.db, 'devices', { words, most })
    return asked
  }
  const count = async (): Promise<number> => {
    const withWords =
      (await inOrder(MAX_MATCHES_READ_FROM_INDEX)).count ?? (await engine.countWords(ctx.db, 'devices', words))
    // Text that equals or begins a field also contains the words, except for an address in another form or of a port.
    if (!mayBeElsewhere(text)) return withWords
    const elsewhere = selectDocs(ctx)
      .where(amongExact)
      .where((eb) => eb.not(engine.matchesWords('devices', words)))
    return withWords + (await countRows(elsewhere))
  }
  const holdsWords = (own: string): boolean => words.every((word) => holdsWord(own, word))
  // Such an address may occur in no text.
  const finds = mayBeElsewhere(text) ? undefined : holdsWords
  /** The count of all matches, once requested. */
  let counted: Promise<number> | undefined
  const total = (): Promise<number> => {
    counted ??= cacheKey(ctx, text).then((key) => getCachedCount(ctx, 'devices', `found ${key}`, count, finds))
    return counted
  }
  const inOrderOfNames = async (part: Part): Promise<Expression<SqlBool>> => {
    const all = await counted
    const most = all === undefined ? undefined : all > MAX_MATCHES_READ_FROM_INDEX ? 0 : MAX_MATCHES_READ_FROM_INDEX
    return (await inOrder(most)).condition(part)
  }
  const others = async (part: Part) => {
    const condition = await inOrderOfNames(part)
    return ctx.db
      .selectFrom('devices')
      .where((eb) => eb.not(eb.or([exactly(eb), byName(eb), byHostname(eb), byAddress(eb)])))
      .where(condition)
      .orderBy('name_order')
      .orderBy('id')
  }
  const findFirst = async (rows: number): Promise<string[]> => {
    const found = await (await others({ wanted: rows })).select('id').limit(rows).execute()
    return found.map(({ id }) => id)
  }
  const rest: ChainQuery<Doc> = async (rows) => {
    if (rows === undefined) return (await others({ count: await total() })).select('doc')
    if (rows > SHORT) return (await others({ wanted: rows })).select('doc').limit(rows)
    const all = await counted
    const isKept = all !== undefined && all <= MAX_MATCHES_READ_FROM_INDEX
    const together = isKept ? (rows <= FIRST_PAGES ? FIRST_PAGES : SHORT) : rows
    const key = await cacheKey(ctx, text)
    const kept = await getCachedList(ctx, 'devices', `first ${together} ${key}`, () => findFirst(together), finds)
    return orderByName(selectDocs(ctx).where('id', 'in', padKeys(kept.slice(0, rows), NO_ID)))
  }
  return { total, rest, inOrderOfNames }
}

/** Matches the beginnings of names that hardly any other name stands between. The order does not tell how a number at the end goes on. */
const SORTS_TOGETHER = /^[ -~]*[ -/:-~]$/

/** Finds the names that begin with a text: few are sorted, and of many the first ones are read in the order of names. */
const findBeginning = async (ctx: Ctx, text: string, byName: (eb: Columns) => Expression<SqlBool>) => {
  const end = getUpperBound(text)
  if (!SORTS_TOGETHER.test(text)) {
    const named = sql`SELECT 1 AS one FROM devices WHERE name_key >= ${text} AND name_key < ${end}`
    if (await ctx.store.sql.areFew(ctx.db, 'devices', named)) return selectDocs(ctx).where(byName)
  }
  const prefix = toOrderPrefix(text)
  // No index has the expression, so the index of the order is read.
  const begins = sql<SqlBool>`name_key || '' >= ${text} AND name_key || '' < ${end}`
  const inOrder = selectDocs(ctx).where('name_order', '>=', prefix).where('name_order', '<', getUpperBound(prefix))
  return inOrder.where(begins)
}

const findByWords = (ctx: Ctx, text: string): Found => {
  const words = splitWords(text)
  const matches = buildMatches(ctx, text)
  const { isPrefix, exactly, amongExact, byName, byHostname } = matches
  const { total, rest } = holding(ctx, { text, words, matches })
  const queries: ChainQuery<Doc>[] = [
    limitRows(orderByName(selectDocs(ctx).where(amongExact))),
    async (rows) =>
      limitRows(orderByName(await findBeginning(ctx, text, byName)).where((eb) => eb.not(exactly(eb))))(rows),
    limitRows(
      selectDocs(ctx)
        .where(byHostname)
        .where((eb) => eb.not(eb.or([exactly(eb), byName(eb)])))
        .orderBy('hostname_key')
        .orderBy('id'),
    ),
    limitRows(selectByAddressPrefix(ctx, text).where((eb) => eb.not(eb.or([exactly(eb), byName(eb), byHostname(eb)])))),
    rest,
  ]
  return { queries: isPrefix ? queries : queries.toSpliced(3, 1), total }
}

const normalizeText = (q: string): string => {
  const text = toNameKey(q.trim())
  if (text === '') throw invalidField('q', 'must not be blank')
  return text
}

/**
 * A CIDR finds the devices with an address inside it, in any address space, by name. Any other text is words that must all occur, in any
 * case. Equal names, host names, addresses and MACs come first, then texts that begin with it, each in order. The rest follows by name.
 * @throws AppError VALIDATION_ERROR for blank text.
 */
export const findDevices = async (ctx: Ctx, q: string): Promise<Found> => {
  const text = normalizeText(q)
  const cidr = parseCidr(text)
  if (!cidr) return findByWords(ctx, text)
  return findInBlock(ctx, text, toCidrKeys(cidr, DEFAULT_SPACE))
}

/** The devices that a text finds, as conditions of a list in the order of names. */
export type TextFilter = {
  readonly ordered: (part: Part) => Promise<Expression<SqlBool>>
  readonly counted: Expression<SqlBool>
  /** The count without any other condition. */
  readonly total: () => Promise<number>
}

/**
 * Finds the devices that `findDevices` finds.
 * @throws AppError VALIDATION_ERROR for blank text.
 */
export const buildTextFilter = async (ctx: Ctx, q: string): Promise<TextFilter> => {
  const text = normalizeText(q)
  const cidr = parseCidr(text)
  if (cidr) {
    const { ordered, counted } = await buildBlockMembership(ctx, toCidrKeys(cidr, DEFAULT_SPACE))
    return { ordered: async () => ordered, counted, total: () => countFound(ctx, text, counted) }
  }
  const words = splitWords(text)
  const matches = buildMatches(ctx, text)
  const { total, inOrderOfNames } = holding(ctx, { text, words, matches })
  const eb = expressionBuilder<Tables, 'devices'>()
  const orExact = (holds: Expression<SqlBool>) =>
    mayBeElsewhere(text) ? eb.or([holds, matches.amongExact(eb)]) : holds
  return {
    ordered: async (part) => orExact(await inOrderOfNames(part)),
    counted: orExact(ctx.store.sql.matchesWords('devices', words)),
    total,
  }
}
