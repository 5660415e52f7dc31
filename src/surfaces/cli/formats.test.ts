import { describe, expect, test } from 'bun:test'
import { parse } from 'yaml'
import type { Row } from '../../contract/labels.ts'
import { formatCsv } from '../http/answer/csv.ts'
import { formatObject, formatTable } from './output/table.ts'
import { streamYaml } from './output/yaml-text.ts'

const HOSTILE = '=cmd|\' /C calc\'!A0\u001b]0;pwned\u0007\u009b31m\u202e"x",\r\ny'
const rows: Row[] = [
  { id: '1', name: 'web-01', tags: ['a', 'b'], port: -5, addresses: [{ ip: '10.0.0.5', port: null, label: '' }] },
  { id: '2', name: HOSTILE, tags: [], port: null, addresses: [{ ip: 'fe80::1', port: 22, label: 'mgmt' }] },
]
const columns = ['id', 'name', 'tags', 'port', 'addresses']
const join = (pieces: Iterable<string>) => [...pieces].join('')

describe('table', () => {
  test('columns line up', () => {
    const text = join(formatTable(rows.slice(0, 1), { columns, hasHeaders: true, width: undefined }))
    expect(text).toBe('ID  NAME    TAGS  PORT  ADDRESSES\n1   web-01  a, b  -5    10.0.0.5\n')
  })

  test('a hostile name is one harmless line', () => {
    const text = join(formatTable(rows.slice(1), { columns, hasHeaders: false, width: undefined }))
    expect(text).toEndWith('  -  -  [fe80::1]:22 (mgmt)\n')
    expect(text.trimEnd()).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
    expect(text.split('\n')).toHaveLength(2)
  })

  test('a terminal is not overrun, and ids stay whole', () => {
    const id = '01a1fdaa-829f-7183-a8d5-d8b67422bbf4'
    const text = join(
      formatTable([{ id, name: 'n'.repeat(200), tags: ['漢'.repeat(50)] }], {
        columns: ['id', 'name', 'tags'],
        hasHeaders: true,
        width: 80,
      }),
    )
    for (const line of text.trimEnd().split('\n')) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(80)
    expect(text).toContain(id)
    expect(text).toContain('nnn...')
  })

  test('one object is a line per field, its lists of objects are tables', () => {
    const text = join(
      formatObject(
        { ips: ['10.0.0.1'], note: null, rows: [{ id: 'a', name: 'b' }] },
        { hasHeaders: true, width: undefined },
      ),
    )
    expect(text).toBe('ips:  10.0.0.1\nnote: -\n\nrows:\nID  NAME\na   b\n')
  })

  test('a number in an object of its own name is that number', () => {
    const text = join(
      formatTable([{ utilization: { network_id: 'x', utilization: 12.5 } }], {
        columns: ['utilization'],
        hasHeaders: false,
        width: undefined,
      }),
    )
    expect(text).toBe('12.5\n')
  })
})

describe('csv', () => {
  test('RFC 4180, with formulas disarmed and numbers as they are', () => {
    const text = join(formatCsv(rows, { columns: ['id', 'name', 'tags', 'port'], hasHeaders: true }))
    expect(text).toStartWith('id,name,tags,port\r\n1,web-01,a;b,-5\r\n2,"\'=cmd|')
    expect(text).toContain('""x"",\r\ny",,\r\n')
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('%j begins no formula', (name) => {
    const cell = join(formatCsv([{ name }], { columns: ['name'], hasHeaders: false }))
    expect(cell.replace(/^"/, '')).toStartWith("'")
  })
})

describe('yaml', () => {
  const textOf = async (value: unknown) => (await Array.fromAsync(streamYaml(value))).join('')

  test.each<[string, unknown]>([
    ['rows', rows],
    ['one object', rows[1]],
    ['no rows', []],
    ['many rows', Array.from({ length: 2500 }, (_, i) => ({ id: i, name: i === 1700 ? '\u009b' : 'no' }))],
    [
      'words that YAML reads otherwise',
      ['no', 'null', '1e3', '0x1f', '12:30', '- a', 'a: b', '# c', '', ' a', '~', '.5'],
    ],
    ['hostile keys', { '\u202ekey': 'x', ok: 'line\nbreak\u2028' }],
  ])('%s come back the same', async (_, value) => {
    expect(parse(await textOf(value))).toEqual(value)
  })

  test('no character acts on a terminal', async () => {
    expect((await textOf(rows)).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Bidi_Control}]/u)
  })
})
