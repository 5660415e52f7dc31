/** Compares the inventory that Ansible makes of a NetBox with that of a Plat which has imported it. */
import { DIFFERENCES } from './differences.ts'
import type { Inventory } from './inventory.ts'

/** The values below a path, such as `interfaces[eth0].mtu`. Lists of objects are keyed by name or address. */
const flatten = (value: unknown, path: string, into: Map<string, string>): Map<string, string> => {
  const isObject = typeof value === 'object' && value !== null
  if (!isObject || Object.keys(value).length === 0) return into.set(path, JSON.stringify(value))
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) flatten(inner, path === '' ? key : `${path}.${key}`, into)
    else flatten(inner, `${path}[${inner?.name ?? inner?.address ?? inner?.prefix ?? key}]`, into)
  }
  return into
}

/** Returns the path without the keys of lists. @example 'interfaces[eth0].mtu' // 'interfaces[].mtu' */
const toPattern = (path: string): string => path.replace(/\[[^\]]*\]/g, '[]')

const compareMaps = (
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): { readonly path: string; readonly text: string }[] =>
  [...new Set([...one.keys(), ...other.keys()])]
    .filter((path) => one.get(path) !== other.get(path))
    .map((path) => ({ path, text: `${path}: ${one.get(path)} is ${other.get(path)} in Plat` }))

/** Returns the hosts and groups of each group. */
const toGroups = ({ groups }: Inventory): Map<string, string> =>
  new Map(
    Object.entries(groups).map(([name, { hosts, children }]) => [
      name,
      JSON.stringify({ hosts: [...hosts].sort(), children: [...children].sort() }),
    ]),
  )

/** Returns a line for each group and host that differs, and for each variable with a difference that is not in the list. */
export const compareInventories = (theirs: Inventory, ours: Inventory) => {
  const found = new Set<string>()
  const variables = Object.entries(theirs.hosts).flatMap(([host, variables]) =>
    compareMaps(flatten(variables, '', new Map()), flatten(ours.hosts[host] ?? {}, '', new Map())).flatMap((line) => {
      const known = DIFFERENCES.find(([pattern]) => pattern.test(toPattern(line.path)))
      if (!known) return [`${host} ${line.text}`]
      found.add(known[0].source)
      return []
    }),
  )
  return {
    groups: compareMaps(toGroups(theirs), toGroups(ours)).map(({ text }) => text),
    hosts: [...new Set(Object.keys(theirs.hosts)).symmetricDifference(new Set(Object.keys(ours.hosts)))],
    variables,
    /** Lines of the list without a difference. */
    unused: DIFFERENCES.map(([pattern]) => pattern.source).filter((source) => !found.has(source)),
  }
}
