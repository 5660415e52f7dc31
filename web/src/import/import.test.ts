/** Files as they are read, mapped and written. */
import { describe, expect, test } from 'bun:test'
import { formatCell, readCell } from '../../../src/base/csv/cells.ts'
import { formatCsv, parseCsv } from '../../../src/base/csv/csv.ts'
import { formatJson, formatRowsAsCsv } from '../export/rows.ts'
import { buildTable, describeError, formatBadRows } from './bad-rows.ts'
import { getCells, guessMapping, mapRows } from './mapping.ts'
import { readSource } from './read.ts'

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

describe('pasted text', () => {
  test.each([
    ['CSV', 'name,os\nweb,Debian\n'],
    ['JSON', '[{"name":"web","os":"Debian"}]'],
    ['JSON', '{"name":"web","os":"Debian"}\n'],
    ['JSON', '{\n  "name": "web",\n  "os": "Debian"\n}'],
  ])('as %s becomes columns and rows', (format, text) => {
    expect(readSource(text)).toMatchObject({ format, columns: ['name', 'os'], rows: [['web', 'Debian']] })
  })

  test.each(['', 'name,os', '[1]', '[{', 'a,b\n1,2,3'])('%p is refused with a message', (text) => {
    expect(() => readSource(text)).toThrow(SyntaxError)
  })
})

describe('columns', () => {
  test('are guessed by their names and by other words for them', () => {
    expect(guessMapping('devices', ['Name', 'IP Address', 'Operating System', 'Site', 'Tags', 'Colour'])).toEqual([
      'name',
      'addresses',
      'os',
      'datacenter_id',
      'tags',
      '',
    ])
    expect(guessMapping('networks', ['VLAN', 'Prefix', 'Name'])).toEqual(['vlan_id', 'subnet', 'name'])
  })

  test('are no field twice, and the exact name comes first', () => {
    expect(guessMapping('devices', ['label', 'name'])).toEqual(['', 'name'])
  })

  const options = { emptyClears: false, datacenters: new Map([['frankfurt 1', 'fra1']]) }

  test('columns become rows: lists split, addresses made, datacenters found by name, empty cells left out', () => {
    const source = readSource('name,ip,tags,dc,os\nweb,"10.0.0.1, 10.0.0.2",a;b,Frankfurt 1,\n')
    const { rows, problems } = mapRows('devices', source, {
      ...options,
      mapping: guessMapping('devices', source.columns),
    })
    expect(rows).toEqual([
      { name: 'web', addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], tags: ['a', 'b'], datacenter_id: 'fra1' },
    ])
    expect(problems.size).toBe(0)
  })

  test('that are empty clear their field if chosen', () => {
    const source = readSource('id,name,os,tags\n,web,,\n')
    const mapping = guessMapping('devices', source.columns)
    expect(mapRows('devices', source, { ...options, mapping, emptyClears: true }).rows).toEqual([
      { name: 'web', os: '', tags: [] },
    ])
  })

  test('with errors are listed by row', () => {
    const source = readSource('name,ip\nweb,10.0.0.1\n,10.0.0.2\ndb,10.0.0.999\n')
    const { problems } = mapRows('devices', source, { ...options, mapping: ['name', 'addresses'] })
    expect([...problems]).toEqual([
      [1, 'name: is required'],
      [2, 'addresses[0].ip: must be an IPv4 or IPv6 address'],
    ])
  })
})

describe('an export', () => {
  const device = {
    id: 'd1',
    name: '=web',
    description: 'two\nlines',
    tags: ['a', 'b;c'],
    domains: ['x.example.com', 'y.example.com'],
    addresses: [{ ip: '10.0.0.1', port: null, label: 'a, b' }],
    datacenter_id: null,
    hidden: 1,
  }

  test.each([formatRowsAsCsv, formatJson])('is read as the same rows', (write) => {
    const source = readSource(write('devices', [device]))
    const mapping = guessMapping('devices', source.columns)
    const { rows } = mapRows('devices', source, { mapping, emptyClears: false, datacenters: new Map() })
    const { hidden, datacenter_id, ...rest } = device
    expect(rows).toEqual([write === formatRowsAsCsv ? rest : { ...rest, datacenter_id }])
  })

  test('of a list in a cell is the list again', () => {
    for (const list of [['a'], ['a', 'b'], ['a;b'], ['[x'], [' a']])
      expect(readCell('list', formatCell(list))).toEqual(list)
  })
})

describe('names of objects', () => {
  const options = { emptyClears: false, datacenters: new Map([['berlin', 'b1']]) }
  const map = (text: string, known?: ReadonlyMap<string, ReadonlySet<string>>) => {
    const source = readSource(text)
    const mapping = guessMapping('devices', source.columns, [], getCells(source))
    return mapRows('devices', source, { ...options, mapping, ...(known && { known }) })
  }

  test('that are not there are made once, unless the list of them is unknown', () => {
    const text = 'Name,Site,IP,VRF\na,Berlin,192.0.2.1,Blue\nb,Paris,192.0.2.2,red\nc,PARIS,192.0.2.3,Global\n'
    const known = new Map([
      ['datacenters', new Set(['berlin'])],
      ['spaces', new Set(['blue'])],
    ])
    const { rows, missing } = map(text, known)
    expect(rows.map(({ datacenter, datacenter_id }) => datacenter_id ?? datacenter)).toEqual(['b1', 'Paris', 'PARIS'])
    expect([...missing]).toEqual([
      ['datacenters', ['Paris']],
      ['spaces', ['red']],
    ])
    expect(map(text).missing.size).toBe(0)
  })

  test('in a column of ids are ids', () => {
    expect(map('name,datacenter_id\na,b7\n').rows).toEqual([{ name: 'a', datacenter_id: 'b7' }])
  })
})

describe('bad rows', () => {
  const source = readSource('Title\n\nName,IP,Note\nweb,10.0.0.1,"two\nlines"\ndb,10.0.0.300,\nWEB,10.0.0.2,\nx,,,y\n')
  const mapping = guessMapping('devices', source.columns, [], getCells(source))
  const mapped = mapRows('devices', source, { mapping, emptyClears: false, datacenters: new Map() })

  test('are named by line, column and value', () => {
    const error = { field: 'addresses[0].ip', message: 'must be an address' }
    expect(describeError(buildTable(source, mapping), mapped.origins[1], error)).toBe(
      'addresses[0].ip: must be an address (line 6, column IP, "10.0.0.300")',
    )
    expect(mapped.rejected).toEqual([{ number: 8, message: 'has 4 cells, and there are 3 columns' }])
  })

  test('are none because of empty cells behind the last column', () => {
    const empty = readSource('name,ip,\nweb,10.0.0.1,\ndb,10.0.0.2, \n')
    expect([empty.columns, empty.rows.length]).toEqual([['name', 'ip'], 2])
    const { rejected } = mapRows('devices', empty, {
      mapping: ['name', 'addresses'],
      emptyClears: false,
      datacenters: new Map(),
    })
    expect(rejected).toEqual([])
  })

  test('are given back as they stand in the file, all rows of a device together', () => {
    expect(formatBadRows(source, mapped, new Set([0])).text).toBe(
      'Name,IP,Note\r\nweb,10.0.0.1,"two\nlines"\r\nWEB,10.0.0.2,\r\nx,,,y\r\n',
    )
  })
})
