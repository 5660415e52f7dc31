/** Reads the JSON that `manage.py dumpdata` writes: a list of models with their fields. */
import { isRecord } from '../../../contract/unknown.ts'
import { createFileError } from '../../converter.ts'
import type { JsonFile } from '../../json-file.ts'
import { ObjectLimit } from '../../object-limit.ts'
import { isRead } from './kinds.ts'
import {
  addObject,
  CUSTOM_FIELDS,
  convertFields,
  countIn,
  type NetboxSource,
  NUMBERS,
  type Objects,
  parseNumber,
  toStorableValue,
} from './objects.ts'

const isNaturalType = (value: unknown): value is [string, string] =>
  Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string')

const convertValue = (field: string, value: unknown): unknown => {
  if (NUMBERS.has(field)) return parseNumber(value) ?? value
  if (field === CUSTOM_FIELDS && typeof value === 'string') return parseJson(value)
  // A content type is a pair if the dump has natural keys.
  if (field.endsWith('_type') && isNaturalType(value)) return value.join('.')
  return toStorableValue(value)
}

/** Old versions write a JSON field as text. */
const parseJson = (text: string): unknown => {
  try {
    return toStorableValue(JSON.parse(text))
  } catch {
    return text
  }
}

export const readDumpdata = (file: JsonFile): NetboxSource => {
  const objects: Objects = new Map()
  const unread = new Map<string, number>()
  const limit = new ObjectLimit()
  for (const at of file.elements(file.start)) {
    const entry = file.value(at)
    if (!isRecord(entry) || typeof entry.model !== 'string' || !isRecord(entry.fields))
      throw createFileError(`byte ${at}`, 'is no object of manage.py dumpdata')
    const kind = entry.model
    if (!isRead(kind)) {
      countIn(unread, kind)
      continue
    }
    limit.add()
    const fields = convertFields(kind, entry.fields, convertValue)
    addObject(objects, kind, { ...fields, id: parseNumber(entry.pk) ?? entry.pk })
  }
  file.checkEnd(file.start)
  return { form: 'dumpdata', objects, briefs: new Map(), unread }
}
