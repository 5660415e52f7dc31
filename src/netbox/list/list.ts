/** Answers lists: counted, paged, and streamed in bounded memory. */

import type { Ctx } from '../../kernel/ctx.ts'
import { compareNames } from '../../net/name-order.ts'
import { respondJson, respondStream } from '../door/answers.ts'
import type { NetboxCall } from '../door/call.ts'
import { createDetail } from '../door/errors.ts'
import type { Condition } from '../endpoint/condition.ts'
import { DECLARED } from '../endpoint/declared.ts'
import type { Endpoint, Ordering, Page } from '../endpoint/endpoint.ts'
import type { Field } from '../endpoint/field.ts'
import { findKeys } from '../numbers/numbers.ts'
import { type Numbered, World } from '../world/world.ts'
import { type KeyCondition, listFilters, numberAll } from './common-filters.ts'
import { type AskedPage, compileFilters, parseOrdering, parsePage, selectFields } from './params.ts'

/** Makes the answers of items. */
export const makeAnswers = async <Item>(
  world: World,
  { kind, key }: Pick<Endpoint<Item>, 'kind' | 'key'>,
  fields: readonly Field<Item>[],
  items: readonly Item[],
): Promise<object[]> => {
  const [hasId, hasUrl] = ['id', 'url'].map((name) => fields.some((field) => field.name === name))
  const own = fields.filter(({ name }) => name !== 'id' && name !== 'url')
  const counted = own.flatMap(({ name, counted: one }) => (one ? [{ name, ...one }] : []))
  const answers = items.map((item) => {
    const answer: Numbered = { id: 0, url: '' }
    for (const { name, read } of own) world.setField(answer, name, read(item, world))
    world.number(kind, key(item), answer)
    for (const { name, of, show } of counted) {
      let sum = 0
      for (const { by, keys } of of)
        for (const one of keys(item, world))
          world.whenCounted(by, one, (count) => {
            sum += count
            answer[name] = show(sum)
          })
    }
    return answer
  })
  await world.settle()
  if (hasId && hasUrl) return answers
  return answers.map(({ id, url, ...rest }) => ({ ...(hasId && { id }), ...(hasUrl && { url }), ...rest }))
}

const compareTexts = (one = '' as string | number, other = '' as string | number): number => {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** The keys of a list in an order of its own. */
const sortKeys = async <Item>(
  world: World,
  endpoint: Endpoint<Item>,
  conditions: readonly Condition<Item>[],
  ordering: readonly Ordering[],
): Promise<string[]> => {
  const numbers = ordering.some(({ field }) => field === 'id')
    ? await numberAll(endpoint, world, conditions)
    : undefined
  const fields = new Map(endpoint.fields.map((field) => [field.name, field]))
  const rows: { readonly key: string; readonly values: readonly (string | number)[] }[] = []
  for await (const items of endpoint.source.items(world, conditions, { limit: undefined, offset: 0 }))
    for (const item of items) {
      const key = endpoint.key(item)
      const values = ordering.map(({ field }) => {
        if (field === 'id') return numbers?.get(key) ?? 0
        const own = fields.get(field)
        if (own?.order) return own.order(item)
        const value = own?.read(item, world)
        return typeof value === 'number' ? value : String(value ?? '')
      })
      rows.push({ key, values })
    }
  const compare = (one: string | number | undefined, other: string | number | undefined): number =>
    typeof one === 'number' && typeof other === 'number' ? one - other : compareNames(String(one), String(other))
  rows.sort((a, b) => {
    for (const [at, { field, isReverse }] of ordering.entries()) {
      const isByText = fields.get(field)?.order !== undefined
      const order = (isByText ? compareTexts : compare)(a.values[at], b.values[at])
      if (order !== 0) return isReverse ? -order : order
    }
    return 0
  })
  return rows.map(({ key }) => key)
}

const CHUNK = 500

/** Yields the items of keys in their order. */
async function* findInOrder<Item>(
  world: World,
  { source, key }: Endpoint<Item>,
  keys: readonly string[],
): AsyncGenerator<readonly Item[]> {
  for (let at = 0; at < keys.length; at += CHUNK) {
    const some = keys.slice(at, at + CHUNK)
    const found = new Map((await source.find(world, some)).map((item) => [key(item), item]))
    yield some.flatMap((one) => found.get(one) ?? [])
  }
}

type Found<Item> = { readonly count: number; readonly items: AsyncIterable<readonly Item[]> }

/** Returns the items of a page, and the number of all. */
const findPage = async <Item>(
  world: World,
  endpoint: Endpoint<Item>,
  conditions: readonly KeyCondition<Item>[],
  { ordering, page }: { readonly ordering: readonly Ordering[]; readonly page: Page },
): Promise<Found<Item>> => {
  const { source } = endpoint
  const cut = <T>(all: readonly T[]): readonly T[] =>
    all.slice(page.offset, page.limit === undefined ? undefined : page.offset + page.limit)
  const keyed = conditions.find(({ keys }) => keys !== undefined)?.keys
  if (keyed && ordering.length === 0 && !conditions.some(({ isSqlOnly }) => isSqlOnly)) {
    const found = (await source.find(world, keyed)).filter((item) => conditions.every(({ test }) => test(item)))
    return {
      count: found.length,
      items: (async function* () {
        yield cut(found)
      })(),
    }
  }
  const ordered = ordering.length > 0 ? source.itemsBy?.(world, conditions, { ...page, ordering }) : undefined
  if (ordered) return { count: await source.count(world, conditions), items: ordered }
  if (ordering.length > 0) {
    const keys = await sortKeys(world, endpoint, conditions, ordering)
    return { count: keys.length, items: findInOrder(world, endpoint, cut(keys)) }
  }
  return { count: await source.count(world, conditions), items: source.items(world, conditions, page) }
}

const buildLink = (path: string, { links, query }: NetboxCall, limit: number, offset: number): string => {
  const other = new URLSearchParams(query)
  other.set('limit', String(limit))
  if (offset > 0) other.set('offset', String(offset))
  else other.delete('offset')
  return `${links.api(path)}?${other}`
}

const buildPageLinks = (path: string, call: NetboxCall, { asked, offset }: AskedPage, count: number) => ({
  next: asked > 0 && offset + asked < count ? buildLink(path, call, asked, offset + asked) : null,
  previous: asked > 0 && offset > 0 ? buildLink(path, call, asked, Math.max(0, offset - asked)) : null,
})

/** Answers a list. */
export const answerList = async <Item>(ctx: Ctx, call: NetboxCall, endpoint: Endpoint<Item>): Promise<Response> => {
  const world = new World(ctx, call.links)
  await endpoint.prepare(world)
  const conditions = await compileFilters(endpoint, listFilters(endpoint), call.query, world)
  const page = parsePage(call.query)
  const fields = selectFields(endpoint, call.query)
  const { count, items } = await findPage(world, endpoint, conditions, { ordering: parseOrdering(call.query), page })
  const { next, previous } = buildPageLinks(endpoint.path, call, page, count)
  async function* pieces() {
    yield `{"count":${count},"next":${JSON.stringify(next)},"previous":${JSON.stringify(previous)},"results":[`
    let separator = ''
    for await (const some of items) {
      const answers = await makeAnswers(world, endpoint, fields, some)
      if (answers.length === 0) continue
      yield separator + answers.map((one) => JSON.stringify(one)).join(',')
      separator = ','
    }
    yield ']}'
  }
  return respondStream(call, pieces())
}

/** @throws NetboxError 404 */
const refuseUnknown = (path: keyof typeof DECLARED) =>
  createDetail('NOT_FOUND', `No ${DECLARED[path].label} matches the given query.`)

/** Returns the item of the number in the path. @throws NetboxError 404 */
export const findOne = async <Item>(
  world: World,
  endpoint: Endpoint<Item>,
  text: string | undefined,
): Promise<Item> => {
  const number = text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : 0
  const key = (await findKeys(world.writer, endpoint.kind, [number])).get(number)
  const [item] = key === undefined ? [] : await endpoint.source.find(world, [key])
  if (item === undefined) throw refuseUnknown(endpoint.path)
  return item
}

/** Answers one object. */
export const answerOne = async <Item>(ctx: Ctx, call: NetboxCall, endpoint: Endpoint<Item>): Promise<Response> => {
  const world = new World(ctx, call.links)
  await endpoint.prepare(world)
  const item = await findOne(world, endpoint, call.params.id)
  const [answer] = await makeAnswers(world, endpoint, selectFields(endpoint, call.query), [item])
  return respondJson(call, answer)
}
