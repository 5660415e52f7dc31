/** Orders the rows of objects that refer to others of their resource: an object comes after its parent. */
import { isRecord } from '../../contract/unknown.ts'
import { FACTS, type Resource } from '../../inventory/resources.ts'
import { listFields, type ResourceFacts } from '../../resource/facts.ts'
import { toGivenKey } from './objects.ts'

/** The field of the parent. */
export const PARENT = 'parent_id'

/** True for a resource of objects that have a parent of the same resource. */
export const hasParents = (resource: Resource): boolean =>
  listFields(FACTS[resource] as ResourceFacts).some(
    ([name, field]) => name === PARENT && field.type === 'reference' && field.to === resource,
  )

/** A row as it is given, with its place in the list. */
export type Given = readonly [at: number, raw: unknown]

/** The deepest object that is planned after its parent. The rows of deeper ones are planned together. */
const MAX_DEPTH = 100

const getText = ([, raw]: Given, field: string): string => {
  const text = isRecord(raw) ? raw[field] : undefined
  return typeof text === 'string' ? text.trim() : ''
}

/** Returns the key of an id or a ref. It has a mark that no name has. */
const toIdKey = (id: string): string => `\n${id}`

/** Returns the texts by which other rows mean the row. */
const listKeys = (row: Given): string[] => {
  const [name, id] = [toGivenKey(getText(row, 'name')), getText(row, 'id')]
  const raw = row[1]
  const refs = isRecord(raw) && isRecord(raw.refs) ? Object.entries(raw.refs) : []
  return [
    ...(name === '' ? [] : [name]),
    ...(id === '' ? [] : [toIdKey(id)]),
    ...refs.map(([source, ref]) => toIdKey(`${source}:${ref}`)),
  ]
}

/** Returns the key of the parent of a row; empty for none. The parent is a name, an id, or an object with a name, an id or a ref. */
const getParentKey = (row: Given): string => {
  const raw = row[1]
  const parent = isRecord(raw) ? raw.parent : undefined
  const given: Given = isRecord(parent) ? [row[0], parent] : row
  const id = isRecord(parent) ? getText(given, 'ref') || getText(given, 'id') : getText(row, 'parent_id')
  return id === '' ? toGivenKey(getText(given, isRecord(parent) ? 'name' : 'parent')) : toIdKey(id)
}

const comparePositions = ([a]: Given, [b]: Given): number => a - b

/** Yields the rows in steps: the parents of a step are in earlier steps. Objects that are parents of each other are the last step. */
export function* withParentsFirst(given: readonly Given[]): Generator<readonly Given[]> {
  /** The number of rows of each key that are not yielded yet: several objects have one name. */
  const waiting = new Map<string, number>()
  for (const row of given) for (const key of listKeys(row)) waiting.set(key, (waiting.get(key) ?? 0) + 1)
  const isReady = (row: Given): boolean => {
    const parent = getParentKey(row)
    return parent === '' || !waiting.get(parent)
  }
  const left = new Set(given)
  const parts = Map.groupBy(given, getParentKey)
  let step = given.filter(isReady)
  for (let depth = 0; step.length > 0 && depth < MAX_DEPTH; depth++) {
    yield step
    const done: string[] = []
    for (const row of step) {
      left.delete(row)
      for (const key of listKeys(row)) {
        const others = (waiting.get(key) ?? 0) - 1
        waiting.set(key, others)
        if (others === 0) done.push(key)
      }
    }
    step = done.flatMap((key) => parts.get(key) ?? []).sort(comparePositions)
  }
  if (left.size > 0) yield [...left]
}
