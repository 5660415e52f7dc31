/** Workbooks that programs made: openpyxl 3.1.5. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getSheet } from '../inventory/sheets.ts'
import { detectFormat } from './converters.ts'
import { convertSheet } from './csv.ts'
import { readSheetFile } from './sheet-file.ts'

const readBook = (name: string) => readFileSync(join(import.meta.dirname, '../../testing/workbooks', name))
const bytes = readBook('openpyxl.xlsx')

test('a workbook of openpyxl is known by its content, and its rows have the numbers of the sheet', async () => {
  expect<string>(detectFormat(bytes)).toBe('xlsx')
  const { rows, numbers, unit } = await readSheetFile(bytes)
  expect(rows[1]).toEqual(['Hostname', 'IP Address', 'MAC Address', 'Status', 'VLAN ID'])
  expect(rows[2]).toEqual(['book-1', '10.97.0.1/24', '00-11-22-33-44-66', 'Active', '10'])
  expect([numbers, unit]).toEqual([[1, 3, 4, 5, 7, 8], 'row'])
})

test.each([
  ['devices', 'Hosts', ['book-1', 'book-2']],
  ['networks', 'Networks', ['10.97.1.0/24']],
] as const)(
  'the sheet of %s behind a cover sheet is read, and the other sheets are named in the report',
  async (resource, name, rows) => {
    const { conversion } = await convertSheet({ getSheet }, readBook('cover-sheet.xlsx'), { mapping: { resource } })
    const { documents, report, leftover } = conversion
    expect(documents[resource]?.map((row) => row.name)).toEqual([...rows])
    expect(report.warnings).toEqual([{ message: `Of the workbook the sheet "${name}" was read` }])
    expect(report.left.filter(({ what }) => what === 'sheet')).toEqual([
      { what: 'sheet', count: 3, why: 'is another sheet of the workbook', example: 'Cover' },
      { what: 'sheet', count: 1, why: 'is hidden', example: 'Old' },
    ])
    expect(leftover.sheet).toHaveLength(4)
  },
)

test('columns that are given by hand choose the sheet that has them', async () => {
  const mapping = { resource: 'devices', columns: { Subnet: 'name', VLAN: 'os' } } as const
  const { conversion } = await convertSheet({ getSheet }, readBook('cover-sheet.xlsx'), { mapping })
  expect(conversion.documents.devices).toMatchObject([{ name: '10.97.1.0/24', os: '97' }])
})
