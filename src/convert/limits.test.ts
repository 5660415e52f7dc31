/** Small files that would need very much memory or time. */
import { expect, test } from 'bun:test'
import { takeOneIn } from '../../testing/cases.ts'
import { outcomeOf } from '../../testing/hostile/hostile-files.ts'
import { convertNetbox } from './netbox/netbox.ts'
import { convertPhpipam } from './phpipam/phpipam.ts'

const OBJECTS_BEYOND_LIMIT = 2_000_001
const TOO_MANY = 'the file: has more than 2000000 objects'

const TINY: readonly (readonly [string, typeof convertNetbox, () => string])[] = [
  ['dumpdata', convertNetbox, () => `[${'{"model":"a.b","pk":1,"fields":{}},'.repeat(OBJECTS_BEYOND_LIMIT)}`],
  ['pg_dump', convertNetbox, () => `COPY public.dcim_site (id) FROM stdin;\n${'1\n'.repeat(OBJECTS_BEYOND_LIMIT)}`],
  ['REST', convertNetbox, () => `{"dcim/sites":[${'{},'.repeat(OBJECTS_BEYOND_LIMIT)}`],
  ['mysqldump', convertPhpipam, () => `INSERT INTO a (b) VALUES ${'(1),'.repeat(OBJECTS_BEYOND_LIMIT)}`],
  ['JSON of phpIPAM', convertPhpipam, () => `{"a":[${'{},'.repeat(OBJECTS_BEYOND_LIMIT)}`],
]

test.each(takeOneIn(3, TINY))('a file of %s with millions of tiny objects is refused', async (_, convert, make) => {
  expect(await outcomeOf(convert, new TextEncoder().encode(make()))).toBe(TOO_MANY)
})

test('one value of many bytes is refused', async () => {
  const file = `[{"model":"dcim.site","pk":1,"fields":{"a":[${'0,'.repeat(9_000_000)}0]}}]`
  expect(await outcomeOf(convertNetbox, new TextEncoder().encode(file))).toBe(
    'byte 1: has a value of more than 16777216 bytes',
  )
})

test('a row of millions of values is refused by its columns', async () => {
  const file = `INSERT INTO a (b) VALUES (${'1,'.repeat(OBJECTS_BEYOND_LIMIT)}1);`
  expect(await outcomeOf(convertPhpipam, new TextEncoder().encode(file))).toBe('byte 25: a row of a has 2 of 1 columns')
})

test('a cable with very many ends is converted in little time', async () => {
  const end = (id: number, side: string) =>
    `{"model":"dcim.cabletermination","pk":${id},"fields":{"cable":1,"cable_end":"${side}","termination_type":["dcim","interface"],"termination_id":${id}}}`
  const ends = Array.from({ length: 100_000 }, (_, i) => end(i + 1, i % 2 ? 'A' : 'B'))
  const file = `[{"model":"dcim.cable","pk":1,"fields":{}},${ends.join(',')}]`
  expect(await outcomeOf(convertNetbox, new TextEncoder().encode(file))).toBe('document')
})
