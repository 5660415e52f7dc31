/** The resources of an estate and their files, in the order of their references. */

export const RESOURCES = [
  // The objects that a resource names come before it.
  'datacenters',
  'networks',
  'pools',
  'devices',
  'relationships',
  'reservations',
] as const
export type Resource = (typeof RESOURCES)[number]

/** Matches data files by extension; other files of a folder are ignored. */
const DATA_FILE = /^(?<stem>[^.].*)\.(?:json|ya?ml|ndjson|jsonl)$/i

export const isDataFile = (name: string): boolean => DATA_FILE.test(name)

export const resourceNamed = (text: string): Resource | undefined => RESOURCES.find((one) => one === text)

/** @example resourceOfFile('devices_extra.json') // 'devices' */
export const resourceOfFile = (name: string): Resource | undefined => {
  const stem = DATA_FILE.exec(name)?.groups?.stem?.toLowerCase()
  return RESOURCES.find(
    (one) => stem !== undefined && (stem === one || /^[-_. 0-9]/.test(stem.slice(one.length))) && stem.startsWith(one),
  )
}

/** Sorts by dependency, then by name: `devices.json` before `devices_extra.json`. */
export const inOrder = <T extends { readonly resource: Resource; readonly name: string }>(files: readonly T[]): T[] => {
  const key = ({ name }: T) => name.replace(/\.[^.]*$/, '')
  return files.toSorted(
    (a, b) => RESOURCES.indexOf(a.resource) - RESOURCES.indexOf(b.resource) || (key(a) < key(b) ? -1 : 1),
  )
}
