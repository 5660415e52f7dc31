/** The next free number of a unique custom field: the lowest one within the bounds that no object has. */
import { AppError } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { checkNext, parseNext } from './next-text.ts'
import type { StoredField } from './store.ts'
import * as store from './store.ts'
import { buildKeys } from './values.ts'

/** A number that a new value of a field gets. */
export type Wanted = { readonly field: StoredField; readonly from: number; readonly to: number }

/** The least number of a field without a minimum. */
const FIRST = 1

/** The number of keys that are read together, once the first gap is found. */
const KEYS_AT_ONCE = 200

const toKey = (number: number): string => buildKeys({ type: 'integer' }, number)[0] ?? ''

/** Returns the bounds that a text asks for, or why it cannot; undefined for any other value. */
export const readNext = (field: StoredField, given: unknown): Wanted | { readonly message: string } | undefined => {
  if (field.type !== 'integer') return undefined
  const range = parseNext(given)
  if (range === undefined) return undefined
  if (!field.unique) return { message: 'has a next number only if it is unique' }
  const minimum = field.minimum ?? Number.MIN_SAFE_INTEGER
  const maximum = field.maximum ?? Number.MAX_SAFE_INTEGER
  const message = checkNext(range, { minimum, maximum })
  return message === undefined
    ? { field, from: range.from ?? field.minimum ?? FIRST, to: range.to ?? maximum }
    : { message }
}

export const buildNoneLeftError = (path: string, { from, to }: { readonly from: number; readonly to: number }) => {
  const message = `no number from ${from} to ${to} is left`
  return new AppError('IP_NOT_AVAILABLE', `${path}: ${message}`, { details: [{ field: path, message }] })
}

/** Returns the first number that no object has, by counts of the numbers below it; undefined if there is none. */
const findGap = async (ctx: Ctx, number: number, from: number, to: number): Promise<number | undefined> => {
  const count = (first: number, last: number) =>
    store.countKeysBetween(ctx, number, { first: toKey(first), last: toKey(last) })
  if (from > to) return undefined
  const taken = await count(from, to)
  let [low, high] = [from, from + taken]
  // All numbers below `low` are taken, and one from `low` to `high` is not.
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2)
    if ((await count(low, middle)) === middle - low + 1) low = middle + 1
    else high = middle
  }
  return low > to ? undefined : low
}

/** Yields the numbers that no object has, the lowest first. */
async function* generateFree(ctx: Ctx, { field, from, to }: Wanted): AsyncGenerator<number> {
  let start = await findGap(ctx, field.number, from, to)
  while (start !== undefined) {
    const keys = await store.findKeysBetween(ctx, field.number, {
      first: toKey(start),
      last: toKey(to),
      most: KEYS_AT_ONCE,
    })
    let next = start
    for (const key of keys) {
      while (toKey(next) < key) yield next++
      if (toKey(next) === key) next++
    }
    if (keys.length < KEYS_AT_ONCE) {
      while (next <= to) yield next++
      return
    }
    start = await findGap(ctx, field.number, next, to)
  }
}

/** The numbers of a call: of each field the given ones, and the numbers that are free. */
export class NextNumbers {
  readonly #free = new Map<string, AsyncGenerator<number>>()
  readonly #given: ReadonlyMap<number, Set<number>>

  /** @param given the numbers that other objects of the call get, by the key of the field */
  constructor(
    readonly ctx: Ctx,
    given: ReadonlyMap<number, Set<number>>,
  ) {
    this.#given = given
  }

  /** Returns a number that no other object gets until commit; undefined if none is left. */
  async take(wanted: Wanted): Promise<number | undefined> {
    const { ctx } = this
    const { field, from, to } = wanted
    const name = `${field.number} ${from} ${to}`
    const known = this.#free.get(name)
    // Writers wait for each other, and then see the numbers of the ones before.
    if (!known) await ctx.lock('values', [`${field.number} next`])
    const free = known ?? generateFree(ctx, wanted)
    this.#free.set(name, free)
    const given = this.#given.get(field.number)
    for (let one = await free.next(); !one.done; one = await free.next()) {
      const { value } = one
      if (given?.has(value)) continue
      const key = toKey(value)
      // A writer of just this number waits only for its key.
      await ctx.lock('values', [`${field.number} ${key}`])
      if ((await store.findRowsWithKeys(ctx, field.number, [key])).length > 0) continue
      given?.add(value)
      return value
    }
    return undefined
  }
}
