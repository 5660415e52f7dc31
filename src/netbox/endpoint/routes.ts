/** The routes of the endpoints, from their declarations. Loads no store. */
import type { Access, Audited } from '../../kernel/operation.ts'
import type { Declared as Route } from '../door/route.ts'
import { DECLARED, type Declared, EMPTY, type Path } from './declared.ts'

const WRITES = [
  { method: 'POST', verb: 'create', onList: true, onOne: false },
  { method: 'PUT', verb: 'update', onList: true, onOne: true },
  { method: 'PATCH', verb: 'update', onList: true, onOne: true },
  { method: 'DELETE', verb: 'delete', onList: true, onOne: true },
] as const

/** @example toNoun('IP address') // 'ip_address' */
const toNoun = (label: string): string => label.toLowerCase().replaceAll(' ', '_')

const toAccess = (permissions: Declared['create']): Access | undefined => {
  const [first, ...others] = permissions ?? []
  if (first === undefined) return undefined
  return others.length === 0 ? first : { anyOf: [first, ...others] }
}

const listReads = (path: Path, { label, resource, shows = [] }: Declared): Route[] => {
  const read = { scope: 'filter' as const, shows: [resource, ...shows] }
  return [
    { method: 'GET', path, access: `${resource}:list`, ...read, isLong: true, summary: `List ${label} objects` },
    { method: 'GET', path: `${path}/{id}`, access: `${resource}:read`, ...read, summary: `Show one ${label}` },
    { method: 'OPTIONS', path, access: `${resource}:list`, ...read, summary: `Describe the fields of ${label}` },
  ]
}

const listWrites = (path: Path, declared: Declared): Route[] =>
  WRITES.flatMap(({ method, verb, onList, onOne }): Route[] => {
    const access = toAccess(declared[verb])
    if (access === undefined) return []
    const audit: Audited = { action: verb, resource: toNoun(declared.label) }
    const route = { method, access, scope: 'checkWrite', audit } as const
    return [...(onList ? [{ ...route, path }] : []), ...(onOne ? [{ ...route, path: `${path}/{id}` }] : [])]
  })

/** The paths of all endpoints with objects. */
export const PATHS_WITH_OBJECTS = Object.keys(DECLARED) as Path[] // the keys of a constant

export const ENDPOINT_ROUTES: readonly Route[] = [
  ...PATHS_WITH_OBJECTS.flatMap((path) => [...listReads(path, DECLARED[path]), ...listWrites(path, DECLARED[path])]),
  ...Object.keys(EMPTY).map(
    (path): Route => ({
      method: 'GET',
      path,
      access: 'authenticated',
      summary: `List ${path}, of which there is none`,
    }),
  ),
]
