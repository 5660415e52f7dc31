/** Orders the rows of ports: a port comes after the one that it is part of. */
import { isRecord } from '../../contract/unknown.ts'
import { toGivenKey } from './objects.ts'

/** A row as it is given, with its place in the list. */
export type Given = readonly [at: number, raw: unknown]

/** The deepest port that is planned after its parent. The rows of deeper ones are planned together. */
const MAX_PORT_DEPTH = 100

const getName = ([, raw]: Given, field: 'name' | 'parent'): string => {
  const name = isRecord(raw) ? raw[field] : undefined
  return typeof name === 'string' ? toGivenKey(name) : ''
}

const comparePositions = ([a]: Given, [b]: Given): number => a - b

/** Yields the rows in steps: the parents of a step are in earlier steps. Ports that are parts of each other are the last step. */
export function* withParentsFirst(given: readonly Given[]): Generator<readonly Given[]> {
  /** The number of rows of each name that are not yielded yet: several devices have ports of one name. */
  const waiting = new Map<string, number>()
  for (const row of given) {
    const name = getName(row, 'name')
    waiting.set(name, (waiting.get(name) ?? 0) + 1)
  }
  const isReady = (row: Given): boolean => {
    const parent = getName(row, 'parent')
    return parent === '' || !waiting.get(parent)
  }
  const left = new Set(given)
  const parts = Map.groupBy(given, (row) => getName(row, 'parent'))
  let step = given.filter(isReady)
  for (let depth = 0; step.length > 0 && depth < MAX_PORT_DEPTH; depth++) {
    yield step
    const done: string[] = []
    for (const row of step) {
      left.delete(row)
      const name = getName(row, 'name')
      const others = (waiting.get(name) ?? 0) - 1
      waiting.set(name, others)
      if (others === 0 && name !== '') done.push(name)
    }
    step = done.flatMap((name) => parts.get(name) ?? []).sort(comparePositions)
  }
  if (left.size > 0) yield [...left]
}
