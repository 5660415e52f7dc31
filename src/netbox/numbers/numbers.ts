/**
 * The numbers by which clients of the NetBox API know objects. An object of a NetBox keeps its number; others are counted by kind, in the
 * order in which answers first have them. A number is given once, and its row stays when the object goes.
 */
import { waitForAll } from '../../base/runtime/wait-for-all.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type Kind, MAX_GIVEN_NUMBER, MAX_NUMBER } from './kinds.ts'
import * as store from './store.ts'

/** An object that an answer names. */
export type Wanted = { readonly kind: Kind; readonly key: string }

/** The numbers that one short transaction makes. */
const MAX_NEW_NUMBERS = 2000

/** The numbers of the objects that a call has asked for. */
export class NumberTable {
  readonly #numbers = new Map<Kind, Map<string, number>>()

  add(kind: Kind, rows: readonly store.Numbered[]): void {
    const own = this.#numbers.get(kind) ?? new Map<string, number>()
    for (const { key, number } of rows) own.set(key, number)
    this.#numbers.set(kind, own)
  }

  has({ kind, key }: Wanted): boolean {
    return this.#numbers.get(kind)?.has(key) === true
  }

  /** @throws Error for an object that was not asked for */
  get(kind: Kind, key: string): number {
    const number = this.#numbers.get(kind)?.get(key)
    if (number === undefined) throw new Error(`the number of ${kind} "${key}" was not asked for`)
    return number
  }
}

const groupKeys = (wanted: readonly Wanted[]): [Kind, string[]][] =>
  [...Map.groupBy(wanted, ({ kind }) => kind)].map(([kind, own]) => [kind, [...new Set(own.map(({ key }) => key))]])

/** Adds the stored numbers to the table. Returns the objects without one. */
const load = async (ctx: Ctx, table: NumberTable, wanted: readonly Wanted[]): Promise<Wanted[]> => {
  const kinds = groupKeys(wanted)
  await waitForAll(kinds.map(async ([kind, keys]) => table.add(kind, await store.findNumbers(ctx, kind, keys))))
  return kinds.flatMap(([kind, keys]) => keys.map((key) => ({ kind, key }))).filter((one) => !table.has(one))
}

/** Returns the numbers of keys that NetBox gave and no other object has. */
const findFreeGiven = async (ctx: Ctx, kind: Kind, keys: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  const given = await store.findGivenNumbers(ctx, kind, keys)
  const rows = given.size === 0 ? [] : await store.findByNumbers(ctx, kind, [...given.values()])
  const taken = new Set(rows.map(({ number }) => number))
  return new Map([...given].filter(([, number]) => !taken.has(number)))
}

/** Stores numbers of keys that have none, under the lock. */
const create = async (ctx: Ctx, kind: Kind, keys: readonly string[]): Promise<store.Numbered[]> => {
  const given = await findFreeGiven(ctx, kind, keys)
  let next = await store.findNextNumber(ctx, kind)
  const rows = keys.map((key) => ({ key, number: given.get(key) ?? next++ }))
  if (next > MAX_NUMBER + 1) throw new Error(`no number is left for ${kind}`)
  await store.insert(ctx, kind, rows)
  return rows
}

/** Returns the numbers of objects that seemed to have none. */
const createMissing = async (ctx: Ctx, missing: readonly Wanted[]): Promise<[Kind, store.Numbered[]][]> => {
  await ctx.lock('netboxIds')
  const made: [Kind, store.Numbered[]][] = []
  for (const [kind, keys] of groupKeys(missing)) {
    // Another call may have made some before the lock was held.
    const known = await store.findNumbers(ctx, kind, keys)
    const others = new Set(known.map(({ key }) => key))
    const left = keys.filter((key) => !others.has(key))
    made.push([kind, left.length === 0 ? known : [...known, ...(await create(ctx, kind, left))]])
  }
  return made
}

/**
 * Returns the numbers of objects, and makes the missing ones in the order of the objects: in the transaction of the context, else in short
 * ones beside it.
 * @param ctx of a transaction or of a raw route
 * @throws AppError UNAVAILABLE if one is missing and nothing can be written
 */
export const assignNumbers = async (ctx: Ctx, wanted: readonly Wanted[]): Promise<NumberTable> => {
  const { unscoped } = ctx
  const table = new NumberTable()
  const missing = await load(unscoped, table, wanted)
  const isTransaction = unscoped.db !== unscoped.store.read
  for (const some of isTransaction ? [missing] : splitBatches(missing, MAX_NEW_NUMBERS)) {
    if (some.length === 0) continue
    const made = isTransaction
      ? await createMissing(unscoped, some)
      : await unscoped.write((tx) => createMissing(tx, some))
    for (const [kind, rows] of made) table.add(kind, rows)
  }
  return table
}

const isNumber = (number: number): boolean => Number.isInteger(number) && number >= 1 && number <= MAX_NUMBER

/** Finds the objects to which NetBox gave these numbers, and stores the numbers. */
const storeGivenKeys = async (ctx: Ctx, kind: Kind, numbers: readonly number[]): Promise<[number, string][]> => {
  const found = await store.findGivenKeys(ctx.unscoped, kind, numbers)
  const table = await assignNumbers(
    ctx,
    found.map(({ key }) => ({ kind, key })),
  )
  // An object may have had another number before it got its ref.
  return found.flatMap(({ key, number }): [number, string][] =>
    table.get(kind, key) === number ? [[number, key]] : [],
  )
}

/**
 * Returns the keys of numbers; a number that names nothing is absent. It does not tell whether the objects exist, and who may see them.
 * @param ctx of a transaction or of a raw route
 */
export const findKeys = async (
  ctx: Ctx,
  kind: Kind,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, string>> => {
  const wanted = [...new Set(numbers.filter(isNumber))]
  const rows = await store.findByNumbers(ctx.unscoped, kind, wanted)
  const known = new Set(rows.map(({ number }) => number))
  const unknown = wanted.filter((number) => number <= MAX_GIVEN_NUMBER && !known.has(number))
  const stored = rows.flatMap(({ number, key }) => (key === null ? [] : [[number, key] as const]))
  return new Map([...stored, ...(await storeGivenKeys(ctx, kind, unknown))])
}

/**
 * Gives the number of a key to another one, in a transaction that moves the object there. A number that the other key had, of an object that
 * has gone, names nothing any more.
 */
export const moveKey = async (tx: Ctx, kind: Kind, from: string, to: string): Promise<void> => {
  if (from === to) return
  await tx.lock('netboxIds')
  const [moved] = await store.findNumbers(tx, kind, [from])
  if (!moved) return
  await store.setKey(tx, { kind, key: to }, null)
  await store.setKey(tx, { kind, key: from }, to)
}
