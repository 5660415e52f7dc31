/**
 * Hashes the effects of a run: an approval counts for exactly these. A proposal hashes the fields that differ, so that other fields of the
 * same object may change; a plan hashes the whole object before. Pure.
 */
import { isRecord } from '../../contract/unknown.ts'
import type { PlannedItem } from '../../kernel/changes/change-record.ts'
import { pickFields, toDocument } from '../../record/history/effects.ts'
import { compareFields, omitImplied } from '../../record/history/items.ts'
import { getPlanKind } from '../../record/history/plan-kinds.ts'

/** The length of a fingerprint: more than 128 bits. */
const CHARACTERS = 22

const hashText = (text: string): string =>
  new Bun.CryptoHasher('sha256').update(text).digest('base64url').slice(0, CHARACTERS)

/** The names of times that follow from the clock of a run. */
export type Clock = ReadonlyMap<string, string>

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
  return new Map([...later, [now, 'now']])
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

const nameTimes = (text: string, clock: Clock): string => text.replace(TIME, (time) => clock.get(time) ?? time)

/** Hashes an object by the fields that differ; a deleted one by all fields. */
export const hashFields = ({ kind, id, change, before, after }: PlannedItem, clock: Clock): string => {
  const { fields } = getPlanKind(kind)
  const differing = compareFields(pickFields(toDocument(before), fields), pickFields(toDocument(after), fields))
  // Documents of two runs may have their fields in another order.
  const sorted = Object.entries(differing).sort(([one], [other]) => (one < other ? -1 : 1))
  return hashText(nameTimes(JSON.stringify([kind, id, change, sorted]), clock))
}

/** Hashes the whole document before the change, and the shown fields after it. */
export const hashStrictly = ({ kind, before, after }: PlannedItem, clock: Clock): string => {
  const { fields } = getPlanKind(kind)
  const document = toDocument(after)
  const shown = JSON.stringify(fields ? pickFields(document, fields) : document && omitImplied(document)) ?? ''
  return hashText(JSON.stringify([before ?? null, nameTimes(shown, clock)]))
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
