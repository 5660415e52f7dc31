/** The devices of `bench/custom.ts`: their custom fields, 20 values and two tags of each, and the lists that are asked for. */
import type { Row } from './site.ts'

export const OWNERS = 30
const NOTES = 16
const NOTES_OF_EACH = 1000
const WATTS = 5000

type Definition = Row & { readonly name: string; readonly type: string }

export const FIELDS: readonly Definition[] = [
  { name: 'owner', type: 'choice', choices: Array.from({ length: OWNERS }, (_, i) => `team-${i}`) },
  { name: 'serial', type: 'text' },
  { name: 'watts', type: 'integer' },
  { name: 'bought', type: 'date' },
  ...Array.from({ length: NOTES }, (_, i) => ({ name: `note_${i}`, type: 'text' })),
]

/** The serial number of two devices each. */
export const serialOf = (i: number): string => `sn-${i >> 1}`
const two = (n: number): string => String(n).padStart(2, '0')

export const customOf = (i: number): Row => ({
  owner: `team-${i % OWNERS}`,
  serial: serialOf(i),
  watts: (i * 7919) % WATTS,
  bought: `20${two(10 + (i % 16))}-${two(1 + (i % 12))}-${two(1 + (i % 28))}`,
  ...Object.fromEntries(
    Array.from({ length: NOTES }, (_, at) => [`note_${at}`, `text ${(i * (7919 + at)) % NOTES_OF_EACH}`]),
  ),
})

/** Has no id, so that any number of them can be written. */
export const written = (i: number, custom?: Row): Row => ({
  name: `device-${i}`,
  hostname: `device-${i}.example.net`,
  os: 'Debian 12',
  tags: [`owner-${i % OWNERS}`],
  ...(custom && { custom }),
})

export const imported = (i: number): Row => ({
  ...written(i, customOf(i)),
  id: `bench-${i}`,
  tags: [`owner-${i % OWNERS}`, `serial-${i >> 1}`],
})

/** Each has another query in every round. */
export const LISTS: readonly (readonly [string, (round: number) => string])[] = [
  ['first page ordered by a text', (i) => `limit=50&sort=${i % 2 ? '-' : ''}custom.note_${1 + (i % (NOTES - 1))}`],
  ['first page ordered by an integer', (i) => `limit=50&sort=${i % 2 ? '-' : ''}custom.watts`],
  ['first page ordered by a choice', (i) => `limit=50&sort=${i % 2 ? '-' : ''}custom.owner`],
  ['first page of a range of one in 20', (i) => `limit=50&custom.watts.min=${i * 10}&custom.watts.max=${i * 10 + 249}`],
  ['first page of a range of nearly all', (i) => `limit=50&custom.watts.min=${i + 1}`],
  [`count of one in ${OWNERS}`, (i) => `limit=1&custom.owner=team-${i % OWNERS}`],
  ['count of a range of one in 20', (i) => `limit=1&custom.watts.min=${i * 10}&custom.watts.max=${i * 10 + 249}`],
]

/** Lists that have no goal. */
export const OTHER_LISTS: readonly (readonly [string, (round: number) => string])[] = [
  [
    'first page by a value, ordered by another field',
    (i) => `limit=50&custom.owner=team-${i % OWNERS}&sort=custom.watts`,
  ],
  ['first page by a tag, ordered by a field', (i) => `limit=50&tags=owner-${i % OWNERS}&sort=-custom.watts`],
  ['first page without a value that all have', (i) => `limit=50&custom.note_${i % NOTES}=`],
]
