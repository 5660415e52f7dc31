/** Workbooks that programs made: openpyxl 3.1.5. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { detectFormat } from './converters.ts'
import { readSheetFile } from './sheet-file.ts'

const bytes = readFileSync(join(import.meta.dirname, '../../testing/workbooks/openpyxl.xlsx'))

test('a workbook of openpyxl is known by its content, and its rows have the numbers of the sheet', async () => {
  expect<string>(detectFormat(bytes)).toBe('xlsx')
  const { rows, numbers, unit } = await readSheetFile(bytes)
  expect(rows[1]).toEqual(['Hostname', 'IP Address', 'MAC Address', 'Status', 'VLAN ID'])
  expect(rows[2]).toEqual(['book-1', '10.97.0.1/24', '00-11-22-33-44-66', 'Active', '10'])
  expect([numbers, unit]).toEqual([[1, 3, 4, 5, 7, 8], 'row'])
})
