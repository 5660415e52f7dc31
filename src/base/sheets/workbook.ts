/** Reads the first sheet of a workbook (XLSX, ECMA-376 part 1, section 18) as rows of texts with their numbers. Browser-safe. */
import { invalidField } from '../../contract/errors.ts'
import { toStorable } from '../../contract/storable.ts'
import type { Cells } from '../csv/csv.ts'
import { decodeXmlText, parseXmlPieces, type XmlEvent } from '../xml/xml.ts'
import { XmlBytes } from '../xml/xml-bytes.ts'
import { type DateSystem, findDateFormats, formatDay } from './workbook-dates.ts'
import { ZipFile } from './zip.ts'

/** The largest sheet of Excel has 16,384 columns; the cells of all rows are bounded as well. */
const MAX_COLUMNS = 16_384
const MAX_CELLS = 20_000_000

const NO_DATES: ReadonlySet<number> = new Set()

const createFileError = (where: string, message: string) => invalidField('file', `${where}: ${message}`)

const parseXml = (bytes: Uint8Array): Generator<XmlEvent> => parseXmlPieces(new XmlBytes(bytes), { withBlanks: true })

/** Names without the prefix of their namespace, which some programs write. */
const local = (name: string): string => name.slice(name.indexOf(':') + 1)

/** Decodes a text, in which `_x000D_` is the character U+000D (ECMA-376 part 1, section 22.9.2.19). Lines end with a line feed. */
const decodeText = (text: string): string => {
  const decoded = decodeXmlText(text)
  if (!decoded.includes('_x') && !decoded.includes('\r')) return decoded
  return decoded
    .replace(/_x([0-9A-F]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\r\n?/g, '\n')
}

/** The texts that cells share. A text may have several parts with a format each; readings of Japanese are left out. */
const readSharedTexts = (bytes: Uint8Array | undefined): string[] => {
  const texts: string[] = []
  if (!bytes) return texts
  for (const event of parseXml(bytes)) {
    if (event.kind === 'open' && local(event.name) === 'si') texts.push('')
    else if (
      event.kind === 'text' &&
      local(event.path.at(-1) ?? '') === 't' &&
      !event.path.some((name) => local(name) === 'rPh')
    )
      texts.push(`${texts.pop() ?? ''}${decodeText(event.text)}`)
  }
  return texts
}

/** Returns the path of the first sheet that is shown, and the first day of the dates. */
const findSheet = async (zip: ZipFile): Promise<{ readonly path: string; readonly system: DateSystem }> => {
  const workbook = await zip.read('xl/workbook.xml')
  if (!workbook) throw createFileError('the file', 'is a ZIP archive, and no workbook; unpack it first')
  let [id, system]: [string | undefined, DateSystem] = [undefined, 1900]
  for (const event of parseXml(workbook)) {
    if (event.kind !== 'open') continue
    const { name, attributes } = event
    if (local(name) === 'workbookPr' && /^(?:1|true)$/.test(attributes.date1904 ?? '')) system = 1904
    if (local(name) === 'sheet' && id === undefined && !/hidden/i.test(attributes.state ?? '')) id = attributes['r:id']
  }
  for (const event of parseXml((await zip.read('xl/_rels/workbook.xml.rels')) ?? new Uint8Array()))
    if (event.kind === 'open' && event.attributes.Id === id && event.attributes.Target !== undefined)
      return { path: event.attributes.Target.replace(/^(?!\/)/, 'xl/').replace(/^\//, ''), system }
  throw createFileError('the file', 'has no sheet that is shown')
}

/** Returns the column of a reference from 0 on. @example toColumn('AB12') // 27 */
const toColumn = (reference: string): number => {
  let column = 0
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

const toText = (type: string, value: string, shared: readonly string[]): string => {
  if (type === 's') return shared[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'true' : 'false'
  // Excel stores 0.1 + 0.2 with all its digits.
  return type === 'n' && /[.eE]/.test(value) && value.length > 15
    ? String(Number(Number(value).toPrecision(15)))
    : value
}

/** True for the beginning of a ZIP archive. */
export const isArchive = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3

/** @throws AppError VALIDATION_ERROR on `file` */
export const readWorkbook = async (bytes: Uint8Array): Promise<Cells> => {
  const zip = new ZipFile(bytes)
  const { path, system } = await findSheet(zip)
  const styles = await zip.read('xl/styles.xml')
  const dates = styles ? findDateFormats(parseXml(styles), local) : NO_DATES
  const shared = readSharedTexts(await zip.read('xl/sharedStrings.xml'))
  const sheet = await zip.read(path)
  if (!sheet) throw createFileError('the file', `has no ${path}`)
  const cells: Cells = { rows: [], numbers: [], unit: 'row' }
  let [count, number, column, type, text, isDate] = [0, 0, -1, 'n', '', false]
  let row: string[] = []
  for (const event of parseXml(sheet)) {
    const name = event.kind === 'text' ? local(event.path.at(-1) ?? '') : local(event.name)
    if (event.kind === 'open' && name === 'row')
      [row, number, column] = [[], Number(event.attributes.r ?? number + 1), -1]
    else if (event.kind === 'open' && name === 'c') {
      column = event.attributes.r === undefined ? column + 1 : toColumn(event.attributes.r)
      ;[type, text] = [event.attributes.t ?? 'n', '']
      isDate = type === 'n' && dates.has(Number(event.attributes.s ?? 0))
      if (column < 0 || column >= MAX_COLUMNS)
        throw createFileError(`row ${number}`, `has more than ${MAX_COLUMNS} columns`)
    } else if (event.kind === 'text' && (name === 'v' || name === 't')) text += decodeText(event.text)
    else if (event.kind === 'close' && name === 'c' && text !== '') {
      count += column + 1 - row.length
      if (count > MAX_CELLS) throw createFileError('the file', `has more than ${MAX_CELLS} cells`)
      while (row.length < column) row.push('')
      row[column] = isDate ? formatDay(text, system) : toStorable(toText(type, text, shared))
    } else if (event.kind === 'close' && name === 'row' && row.some((cell) => cell.trim() !== '')) {
      cells.rows.push(row)
      cells.numbers.push(number)
    }
  }
  return cells
}
