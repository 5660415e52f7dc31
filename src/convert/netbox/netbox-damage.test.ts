/** Files of NetBox that are cut off, damaged, or something else. */
import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { cutOff, damaged, outcomeOf, rubbish } from '../../../testing/hostile/hostile-files.ts'
import { dumpdata, pgDump, rest } from '../../../testing/netbox/forms.ts'
import { convertNetbox } from './netbox.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const outcome = (text: string) => outcomeOf(convertNetbox, bytesOf(text))

const files = [
  ['dumpdata', dumpdata('3.6')],
  // Up to the line that ends a dump.
  ['pg_dump', pgDump('4.6').replace(/\s+--\s*$/, '')],
  ['rest', rest('4.2', { paged: true })],
] as const

describe.each(files)('a file of %s', (_, text) => {
  const file = bytesOf(text)

  test('that is cut off anywhere is refused', async () => {
    const outcomes = new Set<string>()
    for (const cut of cutOff(file, 400)) outcomes.add(await outcomeOf(convertNetbox, cut))
    expect(outcomes).not.toContain('document')
  })

  test('that is damaged is refused or converted', async () => {
    for (const copy of damaged(file, 400)) expect(await outcomeOf(convertNetbox, copy)).toBeString()
  })
})

test('rubbish is refused or has nothing to convert', async () => {
  for (const bytes of rubbish(300)) expect(await outcomeOf(convertNetbox, bytes)).toBeString()
})

const copy = (rows: string) =>
  `-- PostgreSQL database dump\nCOPY public.dcim_site (id, name) FROM stdin;\n${rows}\\.\n-- PostgreSQL database dump complete\n`

test.each([
  ['an empty file', '', 'byte 0: the file is empty'],
  [
    'a dump in the custom format',
    'PGDMP\u0001',
    'byte 0: the dump has the custom format; convert it with pg_restore --file=dump.sql',
  ],
  [
    'a dump in another encoding',
    `-- PostgreSQL database dump\nSET client_encoding = 'LATIN1';\n`,
    'the file: has the encoding LATIN1; run pg_dump with --encoding=UTF8',
  ],
  [
    'a dump with INSERT',
    '-- PostgreSQL database dump\nINSERT INTO public.dcim_site VALUES (1);\n-- PostgreSQL database dump complete\n',
    'the file: is a dump without COPY blocks; run pg_dump without --inserts and without --schema-only',
  ],
  ['a row with too many columns', copy('1\tx\ty\n'), 'byte 73: a row has 3 of 2 columns'],
  ['a dump without types', copy('1\tx\n'), 'the file: has no table django_content_type'],
  ['a key that is no route', '{"sites":[]}', 'byte 9: "sites" is no route of NetBox, like dcim/sites'],
  [
    'a page of several',
    '{"dcim/sites":{"count":9,"results":[{"id":1}]}}',
    'byte 14: dcim/sites has 1 of 9 objects; ask for all of its pages',
  ],
  ['a route without results', '{"dcim/sites":{"detail":"Invalid token"}}', 'byte 24: dcim/sites is no list of objects'],
  ['an element without a model', '[{"pk":1}]', 'byte 1: is no object of manage.py dumpdata'],
  ['text behind the end', '[] x', 'byte 3: stands behind the end of the JSON value'],
  ['a missing comma', '[{"model":"dcim.site","pk":1,"fields":{}} {}]', 'byte 42: is not valid JSON: expected a comma'],
  [
    'a value that is nested too deeply',
    `{"dcim/sites":[{"id":1,"a":${'['.repeat(200)}`,
    'byte 126: is nested deeper than 100 levels',
  ],
  ['text of another program', 'hello', 'byte 0: is neither JSON of NetBox nor a plain pg_dump of its database'],
])('%s is refused with its place', async (_, text, message) => {
  expect(await outcome(text)).toBe(message)
})

test('content types that are excluded from dumpdata are missed by name', async () => {
  const entries = JSON.parse(dumpdata('3.6')) as { model: string }[]
  const text = JSON.stringify(entries.filter(({ model }) => model !== 'contenttypes.contenttype'))
  expect(await outcome(text)).toEndWith('and the file has no contenttypes.contenttype; do not exclude it')
})

test('a packed file is refused', async () => {
  expect(await outcomeOf(convertNetbox, gzipSync('x'))).toBe('byte 0: the file is packed by gzip; unpack it first')
})

test('a file that is not UTF-8 is refused with its line', async () => {
  const bytes = Buffer.from('[\n{"a":"\u00e9"}]', 'latin1')
  expect(await outcomeOf(convertNetbox, bytes)).toBe('line 2: is not UTF-8')
})

test('a byte order mark is passed over', async () => {
  expect(await outcome(`\ufeff${dumpdata('4.6')}`)).toBe('document')
})
