/**
 * Hashes the effects of a run: an approval counts for exactly these. A proposal hashes the fields that differ, so that other fields of the
 * same object may change; a plan hashes the whole object before. Pure.
 */
import { isRecord } from '../../contract/unknown.ts'
import type { PlannedItem } from '../../kernel/changes/change-record.ts'
import { hashText, pickFields, toDocument } from '../../record/history/effects.ts'
import { compareFields } from '../../record/history/items.ts'
import { getPlanKind } from '../../record/history/plan-kinds.ts'

/** Replaces the times that follow from the clock of a run by names. */
export type Clock = (text: string) => string

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

/** Adds the lifetimes that an input asks for, in seconds. */
const collectLifetimes = (value: unknown, found: Set<number>): void => {
  if (Array.isArray(value)) for (const one of value) collectLifetimes(one, found)
  else if (isRecord(value))
    for (const [name, one] of Object.entries(value))
      if (name === 'ttl_seconds' && typeof one === 'number') found.add(one)
      else collectLifetimes(one, found)
}

/** Returns the times that count as a distance from `now`, as no input spells them. */
export const createClock = (now: string, inputs: readonly unknown[]): Clock => {
  const lifetimes = new Set<number>()
  for (const input of inputs) collectLifetimes(input, lifetimes)
  const nowMs = Date.parse(now)
  const later = [...lifetimes].flatMap((seconds) => {
    const at = new Date(nowMs + seconds * 1000)
    return Number.isNaN(at.getTime()) ? [] : [[at.toISOString(), `now+${seconds}`] as const]
  })
  const names = new Map([...later, [now, 'now']])
  return (text) => text.replace(TIME, (time) => names.get(time) ?? time)
}

/** Hashes an object by the fields that differ; a deleted one by all fields. */
export const hashFields = ({ kind, id, change, before, after }: PlannedItem, clock: Clock): string => {
  const { fields } = getPlanKind(kind)
  const differing = compareFields(pickFields(toDocument(before), fields), pickFields(toDocument(after), fields))
  // Documents of two runs may have their fields in another order.
  const sorted = Object.entries(differing).sort(([one], [other]) => (one < other ? -1 : 1))
  return hashText(clock(JSON.stringify([kind, id, change, sorted])))
}

/** Returns the fingerprint of all effects; '' without any. */
export const buildFingerprint = (
  effects: readonly { readonly kind: string; readonly id: string; readonly hash: string }[],
): string =>
  effects.length === 0
    ? ''
    : hashText(
        effects
          .map(({ kind, id, hash }) => `${kind} ${id} ${hash}`)
          .sort()
          .join('\n'),
      )
