/** Spreadsheets: encodings, columns, mappings, and the place of each cell. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../testing/cases.ts'
import { damaged, outcomeOf, rubbish } from '../../testing/hostile/hostile-files.ts'
import { formatCsv } from '../base/csv/csv.ts'
import { AppError } from '../contract/errors.ts'
import type { Resource } from '../inventory/resources.ts'
import * as sheets from '../inventory/sheets.ts'
import type { Converter } from './converter.ts'
import { createCsvConverter } from './csv.ts'
import type { ConvertOptions } from './protocol.ts'

type Given = NonNullable<ConvertOptions['mapping']>

const convertCsv = createCsvConverter(sheets)

const NOW = new Date(0)
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const converted = async (file: string | Uint8Array, mapping: Given = { resource: 'devices' }) =>
  convertCsv(typeof file === 'string' ? bytesOf(file) : file, { now: NOW, mapping })
const rowsOf = async (file: string | Uint8Array, mapping: Given = { resource: 'devices' }) => {
  const { documents } = await converted(file, mapping)
  return documents[mapping.resource ?? 'devices'] ?? []
}
const issueOf = async (file: string, mapping: Given): Promise<string> => {
  try {
    await converted(file, mapping)
    return 'converted'
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.details.map(({ field, message }) => `${field}: ${message}`).join()
  }
}

test('cells become fields, and columns without a field become lines of the description', async () => {
  const file =
    'Host Name,IP,Site,Tags,Serial,Paint,Comment\nweb,"10.0.0.1, 10.0.0.2",Berlin,a;b,X1,red,in the cellar\ndb,,,,007,blue,\n'
  const { documents, report, source } = await converted(file, {
    resource: 'devices',
    columns: { 'Host Name': 'name' },
  })
  expect(documents).toEqual({
    devices: [
      {
        name: 'web',
        addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }],
        datacenter: 'Berlin',
        tags: ['a', 'b'],
        serial: 'X1',
        description: 'in the cellar\nPaint: red',
      },
      { name: 'db', serial: '007', description: 'Paint: blue' },
    ],
  })
  expect(report).toEqual({
    read: { row: 2 },
    made: { devices: 2 },
    described: [{ field: 'Paint', count: 2 }],
    left: [],
    warnings: [],
    mapping: {
      resource: 'devices',
      columns: {
        ...{ 'Host Name': 'name', IP: 'addresses', Site: 'datacenter', Tags: 'tags', Serial: 'serial' },
        Comment: 'description',
      },
    },
  })
  expect(source).toBe('csv')
})

test('a column of ids stays one of ids', async () => {
  expect(await rowsOf('name,datacenter_id\nweb,d1\n')).toEqual([{ name: 'web', datacenter_id: 'd1' }])
})

test.each([
  [
    'networks',
    'Name,Prefix,VLAN,DC\nlan,10.0.0.0/24,7,Berlin\n',
    { name: 'lan', subnet: '10.0.0.0/24', vlan_id: 7, datacenter: 'Berlin' },
  ],
  [
    'pools',
    'name,network,start,end\np,lan,10.0.0.5,10.0.0.9\n',
    { name: 'p', network: 'lan', start_ip: '10.0.0.5', end_ip: '10.0.0.9' },
  ],
  ['relationships', 'from,to,type\na,b,depends_on\n', { parent: 'a', child: 'b', type: 'depends_on' }],
  ['reservations', 'pool,ip,purpose\np,10.0.0.5,door\n', { pool: 'p', ip_address: '10.0.0.5', purpose: 'door' }],
] as const)('%s have references by name and numbers', async (resource: Resource, file, row) => {
  expect(await rowsOf(file, { resource })).toEqual([row])
})

test('dates, numbers and names stay as they are written', async () => {
  const file = 'name,os,bought,rack\n007,1e3,2024-01-02,3/4\n'
  expect(await rowsOf(file)).toEqual([{ name: '007', os: '1e3', location: '3/4', description: 'bought: 2024-01-02' }])
})

test('a resource without descriptions leaves the cell over', async () => {
  const { report, leftover } = await converted('parent,child,type,cable\na,b,contains,red\n', {
    resource: 'relationships',
  })
  expect(report.left).toMatchObject([{ what: 'cable', count: 1, why: 'has no place in Plat' }])
  expect(leftover).toEqual({ cable: [{ row: 1, value: 'red' }] })
})

test('a column that is left out, a secret, and the times of an export are in no row', async () => {
  const file = 'name,colour,root password,created_at\nweb,red,hunter2,2024\n'
  const { documents, report, leftover } = await converted(file, { resource: 'devices', columns: { colour: '' } })
  expect(documents.devices).toEqual([{ name: 'web' }])
  expect(report.left).toMatchObject([
    { what: 'colour', count: 1, why: 'is left out' },
    { what: 'root password', count: 1, why: 'is a secret' },
    { what: 'created_at', count: 1, why: 'is left out' },
  ])
  expect(JSON.stringify(leftover)).not.toContain('hunter2')
  expect(report.mapping?.columns).toEqual({ name: 'name', colour: '' })
})

describe('the delimiter and the encoding are known by the file', () => {
  const row = [{ name: 'Büro', os: 'a b' }]
  const text = 'name;os\nBüro;a b\n'
  test.each([',', ';', '\t', '|'])('%p', async (mark) => expect(await rowsOf(text.replaceAll(';', mark))).toEqual(row))

  test('UTF-8 with a byte order mark', async () => expect(await rowsOf(`\ufeff${text}`)).toEqual(row))
  test('Windows-1252', async () => expect(await rowsOf(new Uint8Array(Buffer.from(text, 'latin1')))).toEqual(row))
  test('UTF-16', async () => expect(await rowsOf(new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le')))).toEqual(row))
})

test.each([
  [
    'no resource',
    'a,b\n1,2\n',
    {},
    'resource: is required for a spreadsheet: one of kinds, custom-fields, spaces, datacenters, vlans, scanners, networks',
  ],
  [
    'a column that is not in the file',
    'name,b\n1,2\n',
    { resource: 'devices', columns: { nane: 'name' } },
    'mapping.columns.nane: is no column of the file; did you mean name?',
  ],
  [
    'a field that no row has',
    'name,b\n1,2\n',
    { resource: 'devices', columns: { b: 'oss' } },
    'mapping.columns.b: oss is not a field of a device; did you mean os?',
  ],
  [
    'two columns of one field',
    'a,b\n1,2\n',
    { resource: 'devices', columns: { a: 'name', b: 'name' } },
    'mapping.columns.b: is name, as a is',
  ],
  [
    'a row with too many cells',
    'name,b\n1,2,3\n',
    { resource: 'devices' },
    'file: line 2: has 3 cells, and there are 2 columns',
  ],
  [
    'a quote without its end',
    'name,b\n1,"2\n',
    { resource: 'devices' },
    'file: the file: The quote in line 2 is never closed',
  ],
  [
    'a cell that is no JSON',
    'name,refs\n1,{\n',
    { resource: 'devices' },
    'file: line 2: column refs, "{": is not valid JSON',
  ],
  [
    'a workbook that is cut off',
    'PK\u0003\u0004',
    { resource: 'devices' },
    'file: the file: is no ZIP archive, or is cut off',
  ],
] as const)('refuses %s', async (_, file, mapping, message) => {
  expect(await issueOf(file, mapping)).toStartWith(message)
})

test('every cell of any table is in a field, in a line or in the leftover', async () => {
  // A cell that is blank is empty.
  const cell = fc
    .string({ unit: 'binary', maxLength: 12 })
    .filter((text) => text.isWellFormed() && !text.includes('\0'))
  const table = fc.integer({ min: 1, max: 5 }).chain((width) =>
    fc.record({
      resource: fc.constantFrom<Resource>('devices', 'relationships', 'networks'),
      columns: fc.array(
        fc.integer({ min: 0, max: 1e6 }).map((n) => `x${n}`),
        { minLength: width, maxLength: width },
      ),
      rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 5 }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(table, async ({ resource, columns, rows }) => {
      const { documents, leftover, report } = await converted(
        formatCsv([['name', ...columns], ...rows.map((row, at) => [`n${at}`, ...row])]),
        { resource },
      )
      const filled = rows.flat().filter((text) => text.trim() !== '').length
      const described = report.described.reduce((sum, { count }) => sum + count, 0)
      const left = Object.values(leftover).reduce((sum, all) => sum + all.length, 0)
      // The names of relationships are left over as well.
      expect(described + left).toBe(filled + (resource === 'relationships' ? rows.length : 0))
      expect(documents[resource]?.length ?? 0).toBe(rows.length)
    }),
    { numRuns: countCases(200) },
  )
})

test('damaged files are refused or converted', async () => {
  const file = bytesOf('name,ip,tags,refs\n"web ""1""",10.0.0.1,a;b,"{""a"":""1""}"\n'.repeat(5))
  const convert: Converter = (bytes, options) => convertCsv(bytes, { ...options, mapping: { resource: 'devices' } })
  for (const bytes of [...damaged(file, 500), ...rubbish(200)]) expect(await outcomeOf(convert, bytes)).toBeString()
})
