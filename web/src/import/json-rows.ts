/** Rows in JSON, which have the names of the API: a list, one object a line, or a document with lists of several resources. */
import { RESOURCES, type ResourceName } from '../export/fields.ts'
import { type Draft, splitDocument } from './draft.ts'

/** An import takes nothing away from objects that exist. */
const RULES = { lists: 'add', empty: 'keep' }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parseLine = (line: string, number: number): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    throw new SyntaxError(`Line ${number + 1} is not valid JSON`)
  }
}

const parseAll = (text: string): unknown => {
  if (text.startsWith('[')) return JSON.parse(text)
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  // One object over many lines, or one in each line.
  if (lines.length > 1 && !/\}\s*$/.test(lines[0] ?? '')) return JSON.parse(text)
  const rows = lines.map(parseLine)
  return rows.length === 1 ? rows[0] : rows
}

const isDocument = (value: Readonly<Record<string, unknown>>): boolean =>
  RESOURCES.some((resource) => Array.isArray(value[resource]))

/** True for a text of JSON rows, by its first character. */
export const isJson = (text: string): boolean => /^\ufeff?\s*[[{]/.test(text)

/** @param resource of the rows of a list @throws SyntaxError with words for a person */
export const readJsonRows = (text: string, resource: ResourceName, name: string): Draft => {
  const value = parseAll(text.replace(/^\ufeff/, '').trim())
  const base = { name, format: 'rows', hosts: [] }
  if (isObject(value) && isDocument(value)) {
    const { documents, rules } = splitDocument(value)
    const { managed_by = '' } = rules
    return { ...base, documents, rules: { ...RULES, managed_by } }
  }
  const rows: readonly unknown[] = Array.isArray(value) ? value : [value]
  const bad = rows.findIndex((one) => !isObject(one))
  if (bad !== -1) throw new SyntaxError(`Row ${bad + 1} is no object`)
  if (rows.length === 0) throw new SyntaxError('It has no rows')
  return { ...base, documents: { [resource]: rows.filter(isObject) }, rules: RULES }
}
