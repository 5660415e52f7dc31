/** Workbooks: the sheet that is read, and archives that are hostile. */
import { expect, test } from 'bun:test'
import { deflateRawSync } from 'node:zlib'
import { AppError } from '../../contract/errors.ts'
import { readWorkbook } from './workbook.ts'

/** Returns an archive of files. `claimed` is the size that it tells of each. */
const zip = (files: Readonly<Record<string, string | Buffer>>, claimed?: number): Buffer => {
  const [locals, entries]: [Buffer[], Buffer[]] = [[], []]
  let at = 0
  for (const [name, content] of Object.entries(files)) {
    const packed = deflateRawSync(content)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(8, 8)
    head.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt32LE(claimed ?? content.length, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(at, 42)
    locals.push(head, Buffer.from(name), packed)
    entries.push(entry, Buffer.from(name))
    at += 30 + name.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...locals, ...entries, end])
}

const WORKBOOK =
  '<workbook xmlns:r="r"><sheets><sheet name="Notes" state="hidden" r:id="rId1"/><sheet name="Hosts" r:id="rId2"/></sheets></workbook>'
const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const relate = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${TYPES}/${type}" Target="${target}"/>`
const RELATIONS = `<Relationships>${[
  relate('rId1', 'worksheet', 'worksheets/sheet1.xml'),
  relate('rId2', 'worksheet', '/xl/worksheets/sheet2.xml'),
  relate('rId3', 'sharedStrings', 'sharedStrings.xml'),
  relate('rId4', 'styles', 'styles.xml'),
].join('')}</Relationships>`
const SHARED =
  '<sst><si><t>name</t></si><si><t>ip</t></si><si><r><t>web</t></r><r><t>-1 &amp; co</t></r><rPh><t>x</t></rPh></si></sst>'
const SHEET =
  '<worksheet><sheetData><row r="3"><c r="A3" t="s"><v>0</v></c><c r="B3" t="s"><v>1</v></c><c r="D3" t="inlineStr"><is><t>live</t></is></c></row><row r="4"/><row r="7"><c r="A7" t="s"><v>2</v></c><c r="B7" t="str"><f>x()</f><v>10.0.0.7</v></c><c r="C7"><v>0.30000000000000004</v></c><c r="D7" t="b"><v>1</v></c></row></sheetData></worksheet>'
const files = (sheet: string | Buffer = SHEET) => ({
  '[Content_Types].xml': '<Types/>',
  '_rels/.rels': `<Relationships><Relationship Id="rId1" Type="${TYPES}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': WORKBOOK,
  'xl/_rels/workbook.xml.rels': RELATIONS,
  'xl/sharedStrings.xml': SHARED,
  'xl/worksheets/sheet2.xml': sheet,
})

const findMessage = async (bytes: Uint8Array): Promise<string | undefined> => {
  try {
    await readWorkbook(bytes)
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.details[0]?.message
    throw error
  }
}

test('a workbook gives the rows of its first shown sheet, with their numbers', async () => {
  const bytes = zip(files())
  expect(await readWorkbook(bytes)).toEqual({
    rows: [
      ['name', 'ip', '', 'live'],
      ['web-1 & co', '10.0.0.7', '0.3', 'true'],
    ],
    numbers: [3, 7],
    unit: 'row',
    sheet: { name: 'Hosts', others: [{ name: 'Notes', isHidden: true }] },
  })
})

const createSheets = (...sheets: readonly (readonly [name: string, ...rows: readonly (readonly string[])[]])[]) => {
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
  const row = (cells: readonly string[]) => `<row>${cells.map(cell).join('')}</row>`
  const parts = sheets.map(([, ...rows], at) => [
    `xl/worksheets/s${at}.xml`,
    `<worksheet><sheetData>${rows.map(row).join('')}</sheetData></worksheet>`,
  ])
  const tags = sheets.map(([name], at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="r${at}"/>`)
  const links = sheets.map((_, at) => relate(`r${at}`, 'worksheet', `worksheets/s${at}.xml`))
  const { '[Content_Types].xml': types, '_rels/.rels': relations } = files()
  return zip({
    ...{ '[Content_Types].xml': types, '_rels/.rels': relations },
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${tags.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${links.join('')}</Relationships>`,
    ...Object.fromEntries(parts),
  })
}
const isHostList = (rows: readonly (readonly string[])[]) => rows.some(([first]) => first === 'name')

test('of several sheets the first one with a header is read', async () => {
  const bytes = createSheets(
    ['Cover', ['Plan'], ['by', 'me']],
    ['Empty'],
    ['A &amp; B', ['name'], ['a']],
    ['Z', ['name'], ['b']],
  )
  const { rows, sheet } = await readWorkbook(bytes, isHostList)
  expect(rows).toEqual([['name'], ['a']])
  expect(sheet?.name).toBe('A & B')
  expect(sheet?.others.map(({ name }) => name)).toEqual(['Cover', 'Empty', 'Z'])
})

test('a header is found at the beginning of a sheet, however long the sheet is', async () => {
  const long = Array.from({ length: 100 }, (_, at) => [`row ${at}`])
  const bytes = createSheets(['Long', ...long], ['Hosts', ['name'], ...long])
  const seen: number[] = []
  const { rows } = await readWorkbook(bytes, (first) => {
    seen.push(first.length)
    return isHostList(first)
  })
  expect([rows.length, seen]).toEqual([101, [21, 21]])
})

test.each([
  ['the first sheet with a row', ['', ['x', 'y']], 'Notes'],
  ['the first sheet, if none has a row,', [''], 'Cover'],
] as const)('without a header %s is read', async (_, [, ...rows], name) => {
  const bytes = createSheets(['Cover'], ['Notes', ...rows], ['More'])
  expect((await readWorkbook(bytes, isHostList)).sheet?.name).toBe(name)
})

test('a text of several parts keeps its blanks, and its escaped characters are characters', async () => {
  const cell = (text: string) => `<c t="inlineStr"><is>${text}</is></c>`
  const sheet = `<worksheet><sheetData><row r="1">${cell('<r><t>two</t></r><r><t> </t></r><r><t>words</t></r>')}${cell('<t>a_x000D_\nb_x005F_x000D_</t>')}</row></sheetData></worksheet>`
  expect((await readWorkbook(zip(files(sheet)))).rows).toEqual([['two words', 'a\nb_x000D_']])
})

test.each([
  ['', ['2024-01-01', '2024-01-01T12:00:00Z', '06:00:00', '1900-02-28', '45292', '45292', '2024-01-01']],
  [
    '<workbookPr date1904="1"/>',
    ['2028-01-02', '2028-01-02T12:00:00Z', '06:00:00', '1904-02-29', '45292', '45292', '2028-01-02'],
  ],
])('numbers with a format of dates are dates %#', async (properties, expected) => {
  const styles =
    '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;day&quot; 0"/><numFmt numFmtId="166" formatCode="[$-407]d\\. mmmm yyyy"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="164"/><xf numFmtId="166"/></cellXfs></styleSheet>'
  const cells = [
    ...[
      '<c s="1"><v>45292</v></c>',
      '<c s="2"><v>45292.5</v></c>',
      '<c s="2"><v>0.25</v></c>',
      '<c s="1"><v>59</v></c>',
    ],
    ...['<c s="3"><v>45292</v></c>', '<c><v>45292</v></c>', '<c s="4"><v>45292</v></c>'],
  ]
  const all = {
    ...files(`<worksheet><sheetData><row r="1">${cells.join('')}</row></sheetData></worksheet>`),
    'xl/workbook.xml': WORKBOOK.replace('<sheets>', `${properties}<sheets>`),
    'xl/styles.xml': styles,
  }
  expect((await readWorkbook(zip(all))).rows).toEqual([expected])
})

const MEBIBYTE = Buffer.alloc(2 ** 20, 0x20)

test.each([
  ['is very large', 600 * 2 ** 20, 'the file: unpacks to more than 536870912 bytes'],
  ['is smaller than it is', 10, 'Decompressed size exceeds limit of 10 bytes'],
  ['has no size', 0, 'the file: unpacks to more than 536870912 bytes'],
])('an archive that claims of a file that it %s is refused', async (_, claimed, message) => {
  expect(await findMessage(zip(files(MEBIBYTE), claimed))).toContain(message)
})

test.each([
  [
    'another archive',
    zip({ 'a.txt': 'a' }),
    'the file: is a ZIP archive, and no workbook that can be read (Invalid XLSX: missing [Content_Types].xml); unpack other archives first',
  ],
  ['an archive that is cut off', zip(files()).subarray(0, 200), 'the file: is no ZIP archive, or is cut off'],
  [
    'a cell far to the right',
    zip(files('<worksheet><sheetData><row r="1"><c r="ZZZ1"><v>1</v></c></row></sheetData></worksheet>')),
    'the file: is a ZIP archive, and no workbook that can be read (Cell column 18277 is outside the supported sheet bounds (max 16384)); unpack other archives first',
  ],
])('%s is refused', async (_, bytes, message) => {
  expect(await findMessage(bytes)).toBe(message)
})

test('a damaged archive is refused or read', async () => {
  const bytes = zip(files())
  for (let at = 0; at < bytes.length; at += 3) {
    const copy = Buffer.from(bytes)
    copy[at] = (copy[at] ?? 0) ^ 0xff
    try {
      await readWorkbook(copy)
    } catch (error) {
      expect(error).toBeInstanceOf(AppError)
    }
  }
})
