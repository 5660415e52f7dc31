/** Files as they are read, reviewed and written. */
import { describe, expect, test } from 'bun:test'
import { formatCell, readCell } from '../../../src/base/csv/cells.ts'
import { formatCsv, parseCsv } from '../../../src/base/csv/csv.ts'
import { listSheetFields } from '../../../src/base/sheets/sheet.ts'
import type { ApplyResult } from '../../../src/exchange/estate/api.ts'
import { getSheet } from '../../../src/inventory/sheets.ts'
import { fields as cableFields } from '../cables/fields.ts'
import { fields as datacenterFields } from '../datacenters/fields.ts'
import { fields as typeFields } from '../device-types/fields.ts'
import { buildDeviceFields } from '../devices/fields.ts'
import { formatJson, formatRowsAsCsv } from '../export/rows.ts'
import { buildNetworkFields } from '../networks/fields.ts'
import { buildPoolFields } from '../pools/fields.ts'
import { buildPortFields } from '../ports/fields.ts'
import { buildRackFields } from '../racks/fields.ts'
import { buildReservationFields } from '../reservations/fields.ts'
import { fields as spaceFields } from '../spaces/fields.ts'
import { buildVlanFields } from '../vlans/fields.ts'
import { type Draft, keepRows, listFilled, renumber, type SheetSource, withCells } from './draft.ts'
import { readJsonRows } from './json-rows.ts'
import { getErrorLabel, getFieldLabel, listFieldOptions } from './labels.ts'
import { type Choice, formatQuestion, type Question, withAnswers } from './review/answers.ts'
import { fromTexts, toTexts } from './review/correct-dialog.tsx'
import { formatRefused } from './review/refused.ts'
import { listReviewRows } from './review/rows.ts'

describe('CSV', () => {
  test('is read with quotes, line breaks in cells, and any of the usual delimiters', () => {
    expect(parseCsv('a,b\r\n"x, ""y""","1\n2"\r\n')).toEqual([
      ['a', 'b'],
      ['x, "y"', '1\n2'],
    ])
    expect(parseCsv('a;b\n1,5;2')).toEqual([
      ['a', 'b'],
      ['1,5', '2'],
    ])
    expect(parseCsv('a\tb\n1\t')).toEqual([
      ['a', 'b'],
      ['1', ''],
    ])
  })

  test('of an open quote says where it is', () => expect(() => parseCsv('a,b\n"x,1\n')).toThrow('line 2'))

  test('holds no formula, and gives every text back as it was', () => {
    const row = ['=1+1', "'=x", '-5', '@a', ' b ', 'c,d', '"e"', '', 'f\ng', 'é;ü', "'plain"]
    const text = formatCsv([row, row])
    expect(text.split('\r\n')[0]).not.toMatch(/(^|,)"?[=@-]/)
    expect(parseCsv(text)).toEqual([row, row])
  })

  test('holds none where another spreadsheet would split a cell, and no control', () => {
    const row = ['a;=1+1', 'b\t@c', 'd\n＝1', 'e\u001b[2J\u009b', "'C:\\x1b", 'f;"=1"']
    const text = formatCsv([row, row])
    expect(text).not.toMatch(/[;\t\n]"*[=@＝]|[^\P{Cc}\t\r\n]/u)
    expect(parseCsv(text)).toEqual([row, row])
  })
})

describe('JSON', () => {
  test.each([
    '[{"name":"web","os":"Debian"}]',
    '{"name":"web","os":"Debian"}\n',
    '{\n  "name": "web",\n  "os": "Debian"\n}',
    '\ufeff{"name":"web","os":"Debian"}',
  ])('%p is a row that takes nothing away', (text) => {
    expect(readJsonRows(text, 'devices', 'x')).toMatchObject({
      documents: { devices: [{ name: 'web', os: 'Debian' }] },
      rules: { lists: 'add', empty: 'keep' },
    })
  })

  test('with lists of resources is a document', () => {
    const { documents } = readJsonRows('{"datacenters":[{"name":"a"}],"devices":[{"name":"b"}]}', 'networks', 'x')
    expect(documents).toEqual({ datacenters: [{ name: 'a' }], devices: [{ name: 'b' }] })
  })

  test.each(['[1]', '[{', '[]', '{"a":1}\n{"a'])('%p is refused with a message', (text) => {
    expect(() => readJsonRows(text, 'devices', 'x')).toThrow(SyntaxError)
  })
})

describe('an export', () => {
  const device = {
    id: 'd1',
    name: '=web',
    tags: ['a', 'b;c'],
    addresses: [{ ip: '10.0.0.1', label: 'a, b' }],
    hidden: 1,
  }

  test('as JSON is read as the same rows', () => {
    const { hidden, ...rest } = device
    expect(readJsonRows(formatJson('devices', [device]), 'devices', 'x').documents).toEqual({ devices: [rest] })
  })

  test('as CSV has no formula', () => expect(formatRowsAsCsv('devices', [device])).not.toMatch(/(^|,)"?=/m))

  test('of a list in a cell is the list again', () => {
    for (const list of [['a'], ['a', 'b'], ['a;b'], ['[x'], [' a']])
      expect(readCell('list', formatCell(list))).toEqual(list)
  })
})

type Labelled = Readonly<
  Record<string, { readonly label: string; readonly form?: { readonly label?: string } | false }>
>

const FORMS = {
  cables: cableFields as Labelled,
  datacenters: datacenterFields as Labelled,
  devices: buildDeviceFields() as Labelled,
  'device-types': typeFields as Labelled,
  networks: buildNetworkFields() as Labelled,
  pools: buildPoolFields() as Labelled,
  ports: buildPortFields() as Labelled,
  racks: buildRackFields() as Labelled,
  reservations: buildReservationFields() as Labelled,
  spaces: spaceFields as Labelled,
  vlans: buildVlanFields() as Labelled,
}

describe('the label of a field', () => {
  test.each([
    ['devices', 'addresses', 'Address'],
    ['devices', 'make_model', 'Model'],
    ['devices', 'mac_address', 'MAC address'],
    ['devices', 'datacenter', 'Datacenter'],
    ['devices', 'custom.owner', 'owner'],
    ['networks', 'vlan_id', 'VLAN'],
    ['pools', 'start_ip', 'First address'],
    ['ports', 'tagged_vlan_ids', 'Tagged VLANs'],
  ] as const)('of %s, %s is %s', (resource, field, label) => expect(getFieldLabel(resource, field)).toBe(label))

  test.each(Object.keys(FORMS) as (keyof typeof FORMS)[])('of %s is the one of its form', (resource) => {
    const fields = FORMS[resource]
    const inForm = Object.entries(fields).flatMap(([field, { label, form }]) =>
      listSheetFields(getSheet(resource)).includes(field) && field !== 'addresses'
        ? [[field, (form ? form.label : undefined) ?? label] as const]
        : [],
    )
    expect(inForm.length).toBeGreaterThan(1)
    expect(inForm.map(([field]) => [field, getFieldLabel(resource, field)])).toEqual(inForm.map((one) => [...one]))
  })

  test('of an error names the address by its place', () => {
    expect(getErrorLabel('devices', 'addresses[1].ip')).toBe('Address 2')
    expect(getErrorLabel('devices', 'addresses[0].mac_address')).toBe('Address 1, MAC address')
    expect(getErrorLabel('devices', 'tags[3]')).toBe('Tags')
  })

  test.each(['devices', 'networks', 'pools', 'ports', 'cables', 'racks', 'vlans'] as const)(
    'is in %s only once',
    (resource) => {
      const labels = listFieldOptions(resource, ['custom.owner']).map(({ label }) => label)
      expect(labels).toEqual([...new Set(labels)])
    },
  )
})

const question = (given: Partial<Question>): Question => ({
  ...{ resource: 'devices', field: 'datacenter', to: 'datacenters', text: 'Utrecht', rows: 2, candidates: [] },
  ...given,
})

describe('a name that means no object or several', () => {
  const documents = {
    devices: [
      { name: 'a', datacenter: 'utrecht' },
      { name: 'b', datacenter: 'Berlin' },
    ],
  }
  const answered = (choice: Choice, given: Partial<Question> = {}, rows: object = documents) =>
    withAnswers(rows, [{ question: question(given), choice }])
  const use = { kind: 'use', id: 'u1', name: 'Utrecht 1' } as const

  test('is asked in words', () => {
    const candidate = { id: 'a', name: 'Amsterdam', note: '' }
    expect(formatQuestion(question({}))).toBe('Utrecht is no datacenter')
    expect(formatQuestion(question({ text: 'Amsterdam', candidates: [candidate, candidate] }))).toBe(
      'Amsterdam is 2 datacenters',
    )
  })

  test('is created once, behind the rows of its resource', () => {
    const all = { ...documents, datacenters: [{ name: 'Oslo' }] }
    expect(answered({ kind: 'create' }, {}, all)).toEqual({
      ...documents,
      datacenters: [{ name: 'Oslo' }, { name: 'Utrecht' }],
    })
    expect(answered({ kind: 'create' }, { to: 'networks', text: '10.0.0.0/24' })).toMatchObject({
      networks: [{ name: '10.0.0.0/24', subnet: '10.0.0.0/24' }],
    })
  })

  test('becomes the chosen object in each row, in any case', () => {
    expect(answered(use).devices).toEqual([
      { name: 'a', datacenter: { id: 'u1' } },
      { name: 'b', datacenter: 'Berlin' },
    ])
  })

  test('is left out of each row', () => {
    expect(answered({ kind: 'empty' }).devices).toEqual([{ name: 'a' }, { name: 'b', datacenter: 'Berlin' }])
  })

  test('is found in each item of a list, and as an object', () => {
    const rows = {
      devices: [
        { name: 'a', addresses: [{ ip: '10.0.0.1', network: { name: 'lan', space: 'x' } }, { ip: '10.0.0.2' }] },
      ],
    }
    expect(answered(use, { field: 'addresses[].network', to: 'networks', text: 'LAN' }, rows).devices).toEqual([
      { name: 'a', addresses: [{ ip: '10.0.0.1', network: { id: 'u1' } }, { ip: '10.0.0.2' }] },
    ])
  })

  test('of the row itself gets the id of the chosen object', () => {
    const own = { field: 'name', to: 'devices', text: 'A' } as const
    expect(answered(use, own).devices?.[0]).toEqual({ name: 'a', datacenter: 'utrecht', id: 'u1' })
  })
})

const CELLS: SheetSource['cells'] = {
  unit: 'line',
  columns: ['Name', 'IP', 'Note'].map((name, at) => ({
    name,
    field: ['name', 'addresses', ''][at] ?? '',
    is_described: at === 2,
  })),
  numbers: [4, 6, 7, 8],
  rows: [
    ['web', '10.0.0.1', 'two\nlines'],
    ['db', '10.0.0.300', ''],
    ['', '', ''],
    ['x', '', '', 'y'],
  ],
  origins: [4, 6],
  rejected: [{ number: 8, message: 'has 4 cells, and there are 3 columns' }],
}
const SHEET: SheetSource = { resource: 'devices', cells: CELLS, mapping: {}, clearsEmpty: false }
const DOCUMENTS = {
  devices: [
    { name: 'web', addresses: [{ ip: '10.0.0.1' }] },
    { name: 'db', addresses: [{ ip: '10.0.0.300' }] },
  ],
}
const PLAN = {
  changes: [{ action: 'create', resource: 'devices', name: 'web', row: 0 }],
  changes_total: 1,
  errors: [
    {
      ...{ resource: 'devices', row: 1, name: 'db', code: 'VALIDATION_ERROR', error: 'refused' },
      details: [{ field: 'addresses[0].ip', message: 'must be an address' }],
    },
  ],
  failed_rows: { devices: [1] },
} as unknown as ApplyResult

describe('the rows of a review', () => {
  const rows = listReviewRows({ documents: DOCUMENTS, sheet: SHEET, plan: PLAN, refused: new Map() })

  test('are in the order of the file, with those that cannot be read', () => {
    expect(rows.map(({ number, name, verdict }) => [number, name, verdict])).toEqual([
      [4, 'web', 'new'],
      [6, 'db', 'refused'],
      [8, 'x', 'refused'],
    ])
  })

  test('have whole messages, with the cell', () => {
    expect(rows.map(({ messages }) => messages.join())).toEqual([
      '',
      'Address 1: must be an address (line 6, column IP, "10.0.0.300")',
      'has 4 cells, and there are 3 columns (line 8)',
    ])
  })

  test('show all values of a creation', () => expect(rows[0]?.values).toEqual([{ label: 'Address', text: '10.0.0.1' }]))

  test('show the old and new values of a change', () => {
    const change = {
      action: 'update',
      resource: 'devices',
      id: 'a',
      name: 'web',
      row: 0,
      fields: { os: { from: '', to: 'Debian' } },
    }
    const plan = { ...PLAN, changes: [change], errors: [], failed_rows: {} } as unknown as ApplyResult
    const [first, second] = listReviewRows({ documents: DOCUMENTS, sheet: undefined, plan, refused: new Map() })
    expect(first?.values).toEqual([{ label: 'Operating system', from: 'empty', text: 'Debian' }])
    expect(second?.verdict).toBe('unchanged')
  })

  test('that are refused are a file of their cells as they stand', () => {
    const draft: Draft = { name: 'list.csv', format: 'csv', documents: DOCUMENTS, rules: {}, hosts: [], sheet: SHEET }
    const bad = rows.filter(({ verdict }) => verdict === 'refused')
    expect(formatRefused(draft, bad)).toMatchObject({
      name: 'list.refused.csv',
      text: 'Name,IP,Note\r\ndb,10.0.0.300,\r\nx,,,y\r\n',
    })
    const { sheet, ...plain } = draft
    expect(formatRefused(plain, bad.slice(0, 1)).text).toContain('"name": "db"')
  })
})

describe('a part of the rows', () => {
  test('keeps the place of each row', () => {
    const { documents, places } = keepRows(DOCUMENTS, (key) => key === 'devices 1')
    expect([documents, places]).toMatchObject([{ devices: [{ name: 'db' }] }, { devices: [1] }])
  })
})

describe('a corrected row', () => {
  test('has the new cells, without the ones beyond the columns', () => {
    expect(withCells(SHEET, 8, ['x', '10.0.0.9', '', '']).rows[3]).toEqual(['x', '10.0.0.9', ''])
  })

  test('is sent without empty rows, and keeps its number in the file', () => {
    const { numbers, rows } = listFilled(CELLS)
    expect([numbers, rows.length]).toEqual([[4, 6, 8], 3])
    const again = { ...CELLS, numbers: [2, 3, 4], origins: [2, { rows: [3, 4], addresses: [4] }], rejected: [] }
    expect(renumber(again, numbers, 'line')).toMatchObject({ numbers, origins: [4, { rows: [6, 8], addresses: [8] }] })
  })

  test('of JSON has its values as texts, and JSON where it is none', () => {
    const row = { name: 'a', tags: ['x'], power_w: 3 }
    expect(toTexts(row)).toEqual([
      ['name', 'a'],
      ['tags', '["x"]'],
      ['power_w', '3'],
    ])
    expect(fromTexts(row, ['b', '["y"]', ''])).toEqual({ name: 'b', tags: ['y'] })
    expect(() => fromTexts(row, ['b', 'y', '3'])).toThrow('tags must be JSON')
  })
})
