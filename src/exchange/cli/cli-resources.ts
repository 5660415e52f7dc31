/** The files of an estate and their resources. */
import { INVENTORY, type Resource } from '../../inventory/resources.ts'

/** Matches data files by extension; other files of a folder are ignored. */
const DATA_FILE = /^(?<stem>[^.].*)\.(?:json|ya?ml|ndjson|jsonl)$/i

export const isDataFile = (name: string): boolean => DATA_FILE.test(name)

export const findResource = (text: string): Resource | undefined => INVENTORY.find((one) => one === text)

/** @example getFileResource('devices_extra.json') // 'devices' */
export const getFileResource = (name: string): Resource | undefined => {
  const stem = DATA_FILE.exec(name)?.groups?.stem?.toLowerCase()
  return INVENTORY.find(
    (one) => stem !== undefined && (stem === one || /^[-_. 0-9]/.test(stem.slice(one.length))) && stem.startsWith(one),
  )
}

/** @example getSpreadsheetResource('devices.csv') // 'devices' */
export const getSpreadsheetResource = (name: string): Resource | undefined =>
  getFileResource(name.replace(/\.\w+$/, '.json'))

/** Sorts by dependency, then by name: `devices.json` before `devices_extra.json`. */
export const sortFiles = <T extends { readonly resource: Resource; readonly name: string }>(
  files: readonly T[],
): T[] => {
  const key = ({ name }: T) => name.replace(/\.[^.]*$/, '')
  return files.toSorted(
    (a, b) => INVENTORY.indexOf(a.resource) - INVENTORY.indexOf(b.resource) || (key(a) < key(b) ? -1 : 1),
  )
}
