/** The whole lists of the NetBox API, as a client has them: the only thing that the independent test of filters knows. */
import { z } from 'zod'
import { REGISTERED } from '../../../src/netbox/endpoints/registry.ts'
import type { Door } from '../door.ts'

export const Item = z.looseObject({ id: z.number() })
/** An object of an answer. */
export type Item = z.infer<typeof Item>

export const Page = z.object({
  count: z.number(),
  next: z.string().nullable(),
  previous: z.string().nullable(),
  results: z.array(Item),
})

/** Reads a page of a list. @throws unless the answer is 200 */
export const readPage = async (
  { get }: Pick<Door, 'get'>,
  path: string,
  query: string,
): Promise<z.infer<typeof Page>> => {
  const { status, body } = await get(`${path}/?${query}`)
  if (status !== 200) throw new Error(`${path}/?${query}: ${status} ${JSON.stringify(body)}`)
  return Page.parse(body)
}

export class Lists {
  readonly #all: ReadonlyMap<string, readonly Item[]>

  constructor(all: ReadonlyMap<string, readonly Item[]>) {
    this.#all = all
  }

  get(path: string): readonly Item[] {
    return this.#all.get(path) ?? []
  }

  find(path: string, id: unknown): Item | undefined {
    return this.get(path).find((one) => one.id === id)
  }
}

export const readLists = async (door: Pick<Door, 'get'>): Promise<Lists> => {
  const all = new Map<string, readonly Item[]>()
  for (const { path } of REGISTERED) all.set(path, (await readPage(door, path, 'limit=0')).results)
  return new Lists(all)
}

/** Returns a part of an object, or of an object in it; null where there is none. */
export const pick = (item: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((held, name) => {
    // Answers are JSON.
    const value = typeof held === 'object' && held !== null ? (held as Readonly<Record<string, unknown>>)[name] : null
    return value ?? null
  }, item)

export const listOf = (value: unknown): readonly unknown[] => {
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? value : [value]
}
