/** The filters of every list: by number and by time. */
import { refuseField } from '../door/errors.ts'
import type { Condition } from '../endpoint/condition.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { type Filter, momentFilter, parseInteger } from '../endpoint/filter.ts'
import { assignNumbers, findKeys } from '../numbers/numbers.ts'
import type { World } from '../world/world.ts'

/** Numbers all items of a list, and returns the numbers by key. */
export const numberAll = async <Item>(
  { kind, key, source }: Endpoint<Item>,
  world: World,
  conditions: readonly Condition<Item>[] = [],
): Promise<Map<string, number>> => {
  const all = new Map<string, number>()
  for await (const items of source.items(world, conditions, { limit: undefined, offset: 0 })) {
    const keys = items.map(key)
    const numbers = await assignNumbers(
      world.writer,
      keys.map((one) => ({ kind, key: one })),
    )
    for (const one of keys) all.set(one, numbers.get(kind, one))
  }
  return all
}

const TESTS: Readonly<Record<string, (held: number, wanted: number) => boolean>> = {
  lt: (held, wanted) => held < wanted,
  lte: (held, wanted) => held <= wanted,
  gt: (held, wanted) => held > wanted,
  gte: (held, wanted) => held >= wanted,
}

/** A condition that names the keys of all items that meet it. */
export type KeyCondition<Item> = Condition<Item> & { readonly keys?: readonly string[] }

const idFilter = <Item>(endpoint: Endpoint<Item>): Filter<Item> => ({
  lookups: ['', 'n', ...Object.keys(TESTS)],
  type: 'integer',
  compile: async ({ parameter, lookup, values }, world): Promise<KeyCondition<Item> | undefined> => {
    const wanted = values
      .filter((value) => value !== '')
      .map((value) => {
        const number = parseInteger(value)
        if (number === undefined) throw refuseField(parameter, 'Enter a number.')
        return number
      })
    if (wanted.length === 0) return undefined
    const name = `${parameter}=${values.join()}`
    const { [lookup]: test } = TESTS
    if (test) {
      const numbers = await numberAll(endpoint, world)
      return { name, test: (item) => wanted.some((one) => test(numbers.get(endpoint.key(item)) ?? 0, one)) }
    }
    const keys = [...(await findKeys(world.writer, endpoint.kind, wanted)).values()]
    const set = new Set(keys)
    if (lookup === 'n') return { name, test: (item) => !set.has(endpoint.key(item)) }
    return { name, keys, test: (item) => set.has(endpoint.key(item)) }
  },
})

/** Returns the filters of a list, the common ones first. */
export const listFilters = <Item>(endpoint: Endpoint<Item>): Readonly<Record<string, Filter<Item>>> => {
  const { fields, filters, times } = endpoint
  const momentsOf = (name: 'created' | 'last_updated') => {
    const field = fields.find((one) => one.name === name)
    const read = (item: Item, world: World): string | null => {
      const value = field?.read(item, world)
      return typeof value === 'string' ? value : null
    }
    const column = times?.[name]
    return field ? { [name]: momentFilter<Item>({ get: read, ...(column !== undefined && { column }) }) } : {}
  }
  return { id: idFilter(endpoint), ...momentsOf('created'), ...momentsOf('last_updated'), ...filters }
}
