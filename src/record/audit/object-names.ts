/** Names the objects of audit entries, for callers who may read them. Joins the tables of others, owns none and writes nothing. */
import { type Kysely, sql } from 'kysely'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import { listCrudResources } from '../../kernel/crud-resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { OperationSet, Permission } from '../../kernel/operation.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import type { AuditEntry, AuditObject } from './api.ts'

type Named = { readonly id: string; readonly name: string; readonly owner?: string | null }

type Kind = {
  readonly tables: readonly (keyof Tables & string)[]
  /** The caller needs all of them. The owner of an object needs none. */
  readonly permissions: readonly Permission[]
  /** Returns the current names of these objects. */
  readonly current: (ctx: Ctx, ids: readonly string[]) => Promise<readonly Named[]>
  /** The field of an entry's `changes` that contains the name. */
  readonly field?: string
  /** Set if `current` returns the owner of each object. */
  readonly hasOwner?: true
}

const buildKind = (
  table: keyof Tables & string,
  permission: Permission,
  current: Kind['current'],
  field = 'name',
): Kind => ({ tables: [table], permissions: [permission], current, field })

const buildNamedKind = (table: keyof Tables & string, permission: Permission): Kind =>
  buildKind(
    table,
    permission,
    preparedKeys((db: Kysely<Tables>, ids) => selectFromTable(db, table).select(['id', 'name']).where('id', 'in', ids)),
  )

type Contracts = Readonly<Record<string, OperationSet>>

/** Returns the resources of objects with a field `name`; their tables have the same names, with `_` for `-`. */
const listNamedKinds = (contracts: Contracts): [string, Kind][] =>
  listCrudResources(contracts)
    .filter(({ fields }) => fields().includes('name'))
    .map(({ name, noun, permission }) => [
      noun,
      // Plans and tests of the schema rely on the same rule; no type relates the two names.
      buildNamedKind(name.replaceAll('-', '_') as keyof Tables & string, permission),
    ])

const user = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('users').select(['id', 'username as name']).where('id', 'in', ids),
)
const key = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('api_keys').select(['id', 'name', 'user_id as owner']).where('id', 'in', ids),
)
/** Names a token by the client that its grant is for. */
const grant = preparedKeys((db: Kysely<Tables>, ids) =>
  db
    .selectFrom('oauth_grants')
    .innerJoin('oauth_clients', 'oauth_clients.id', 'oauth_grants.client_id')
    .select(['oauth_grants.id', 'oauth_clients.name', 'oauth_grants.user_id as owner'])
    .where('oauth_grants.id', 'in', ids),
)
const conflict = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('conflicts').select(['id', 'description as name']).where('id', 'in', ids),
)
const reservation = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('reservations').select(['id', 'hostname', 'ip_address']).where('id', 'in', ids),
)
const discovered = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovered_devices').select(['id', 'doc']).where('id', 'in', ids),
)
/** Names the views that the caller sees: the own and the shared ones. */
const view: Kind['current'] = ({ db, caller }, ids) =>
  db
    .selectFrom('views')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .where((eb) => eb.or([eb('is_shared', '=', 1), eb('owner_id', '=', caller.userId ?? '')]))
    .execute()
/** Names proposals by their titles. The draft of another user is no name of the trail, nor is a plan. */
const proposal: Kind['current'] = ({ db, caller }, ids) =>
  db
    .selectFrom('proposals')
    .select(['id', 'title as name'])
    .where('id', 'in', ids)
    .where('state', '<>', 'plan')
    .where((eb) => eb.or([eb('state', '<>', 'draft'), eb('author_id', '=', caller.userId ?? '')]))
    .execute()
/** Names a scan and a rule by their network. */
const buildNetworkKind = (table: 'discovery_scans' | 'discovery_rules'): Kind => ({
  tables: [table, 'networks'],
  permissions: ['discovery:read', 'networks:read'],
  current: preparedKeys((db: Kysely<Tables>, ids) =>
    db
      // Both have the column; the type of the two together is too wide for the builder.
      .selectFrom(`${table as 'discovery_scans'} as own`)
      .innerJoin('networks', 'networks.id', 'own.network_id')
      .select(['own.id', 'networks.name'])
      .where('own.id', 'in', ids),
  ),
})

const getDiscoveredName = (doc: string): string => {
  // `doc` is the JSON of a discovered device.
  const { hostname, ip } = JSON.parse(doc) as { readonly hostname: string; readonly ip: string }
  return hostname || ip
}

/** Objects without a field `name`, by `resource` of the trail. */
const OTHERS: readonly (readonly [string, Kind])[] = [
  ['oauth-client', buildNamedKind('oauth_clients', 'oauth-clients:read')],
  [
    'oauth-token',
    { tables: ['oauth_grants', 'oauth_clients'], permissions: ['oauth-clients:read'], current: grant, hasOwner: true },
  ],
  ['user', buildKind('users', 'users:read', user, 'username')],
  ['key', { ...buildKind('api_keys', 'apikeys:read', key), hasOwner: true }],
  ['view', { tables: ['views'], permissions: [], current: view }],
  ['proposal', { tables: ['proposals'], permissions: ['proposals:read'], current: proposal }],
  ['conflict', { tables: ['conflicts'], permissions: ['conflicts:read'], current: conflict }],
  [
    'reservation',
    buildKind(
      'reservations',
      'reservations:read',
      async (ctx, ids) =>
        (await reservation(ctx, ids)).map(({ id, hostname, ip_address }) => ({ id, name: hostname || ip_address })),
      'ip_address',
    ),
  ],
  [
    'discovery',
    {
      tables: ['discovered_devices'],
      permissions: ['discovery:read'],
      current: async (ctx, ids) =>
        (await discovered(ctx, ids)).map(({ id, doc }) => ({ id, name: getDiscoveredName(doc) })),
    },
  ],
  ['scan', buildNetworkKind('discovery_scans')],
  ['discovery-rule', buildNetworkKind('discovery_rules')],
]

type Kinds = ReadonlyMap<string, Kind>

/** Calls that may name the enclosing object in `resource_id`, because it is the first parameter of the path. */
const WITHIN: Readonly<Record<string, readonly string[]>> = {
  relationship: ['device'],
  'discovery-lock': ['device'],
  reservation: ['reservation', 'pool'],
  scan: ['scan', 'network'],
}

const listKinds = (kinds: Kinds, resource: string): readonly string[] =>
  WITHIN[resource] ?? (kinds.has(resource) ? [resource] : [])

type Entry = Pick<AuditEntry, 'id' | 'resource' | 'resource_id'>

/** The number of an object's newest entries that are searched for its last name. */
const RECENT = 200

/** Returns the newest `changes` with the object's name, for each of these entries; null if none has it. */
const findLastChanges = async (
  { db }: Ctx,
  { resource, field, entries }: { resource: string; field: string; entries: readonly Entry[] },
) => {
  const newest = sql<string | null>`(
    SELECT recent.changes FROM (
      SELECT a.id, a.changes, a.status FROM audit AS a
      WHERE a.resource_id = e.resource_id AND a.resource = ${resource} ORDER BY a.id DESC LIMIT ${sql.lit(RECENT)}
    ) AS recent
    WHERE recent.status = 'success' AND recent.changes LIKE ${`%"${field}":%`} ORDER BY recent.id DESC LIMIT 1
  )`
  const ids = entries.map(({ id }) => id)
  const rows = db
    .selectFrom('audit as e')
    .select(['e.resource_id', newest.as('changes')])
    .where('e.id', 'in', ids)
  return rows.execute()
}

const extractText = (changes: string, field: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(changes)
    const text = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined
    return typeof text === 'string' && text !== '' ? text : undefined
  } catch {
    // Text that was cut at 10 KB is not valid JSON.
    return undefined
  }
}

type Names = ReadonlyMap<string, string>
/** One of the kinds. */
type Wanted = { readonly kinds: Kinds; readonly name: string }

const findCurrentNames = async (ctx: Ctx, { kinds, name }: Wanted, entries: readonly Entry[]): Promise<Names> => {
  const kind = kinds.get(name)
  const ids = [
    ...new Set(
      entries.filter(({ resource }) => listKinds(kinds, resource).includes(name)).map((one) => one.resource_id),
    ),
  ]
  if (!kind || ids.length === 0) return new Map()
  const { caller } = ctx
  const mayRead = kind.permissions.every((permission) => caller.permissions.has(permission))
  const isShown = ({ owner }: Named) => mayRead || (caller.userId !== undefined && owner === caller.userId)
  if (!mayRead && !kind.hasOwner) return new Map()
  return new Map((await kind.current(ctx, ids)).filter(isShown).map((row) => [row.id, row.name]))
}

const findLastNames = async (ctx: Ctx, { kinds, name }: Wanted, entries: readonly Entry[]): Promise<Names> => {
  const { field, permissions } = kinds.get(name) ?? { permissions: [] }
  const left = new Map(
    entries.filter(({ resource }) => listKinds(kinds, resource)[0] === name).map((one) => [one.resource_id, one]),
  )
  if (field === undefined || left.size === 0) return new Map()
  if (!permissions.every((permission) => ctx.caller.permissions.has(permission))) return new Map()
  const found = await findLastChanges(ctx, { resource: name, field, entries: [...left.values()] })
  return new Map(
    found.flatMap(({ resource_id, changes }): [string, string][] => {
      const text = changes === null ? undefined : extractText(changes, field)
      return text === undefined ? [] : [[resource_id, text]]
    }),
  )
}

const findObjects = async (
  ctx: Ctx,
  kinds: Kinds,
  entries: readonly Entry[],
): Promise<ReadonlyMap<string, AuditObject>> => {
  const objects = new Map<string, AuditObject>()
  const add = (kind: string, names: Names, isDeleted: boolean) => {
    for (const { id, resource, resource_id } of entries) {
      const name = names.get(resource_id)
      if (name === undefined || objects.has(id) || !listKinds(kinds, resource).includes(kind)) continue
      objects.set(id, { type: kind, name, is_deleted: isDeleted })
    }
  }
  const about = entries.filter(({ resource_id }) => resource_id !== '')
  for (const kind of kinds.keys()) add(kind, await findCurrentNames(ctx, { kinds, name: kind }, about), false)
  for (const kind of kinds.keys()) {
    const left = about.filter(({ id }) => !objects.has(id))
    add(kind, await findLastNames(ctx, { kinds, name: kind }, left), true)
  }
  return objects
}

const readRevision = async (ctx: Ctx, kinds: Kinds): Promise<string> => {
  const all = [...kinds.values()]
  const tables = [...new Set(all.flatMap((kind) => kind.tables))]
  const { permissions, userId } = ctx.caller
  const rights = all.map((kind) => Number(kind.permissions.every((permission) => permissions.has(permission)))).join('')
  return `${await ctx.store.revision(tables)}.${rights}.${userId ?? ''}`
}

export type ObjectNames = {
  /** Names objects by entry id: by the current name, or for a deleted one by the last one in its recent entries. */
  readonly find: (ctx: Ctx, entries: readonly Entry[]) => Promise<ReadonlyMap<string, AuditObject>>
  /** Returns a revision that changes with each table that holds names, and with the permissions of the caller. */
  readonly readRevision: (ctx: Ctx) => Promise<string>
}

export const createObjectNames = (contracts: Contracts): ObjectNames => {
  let known: Kinds | undefined
  // Made at the first use, because the schemas that it reads are.
  const getKinds = (): Kinds => {
    known ??= new Map([...listNamedKinds(contracts), ...OTHERS])
    return known
  }
  return {
    find: (ctx, entries) => findObjects(ctx, getKinds(), entries),
    readRevision: (ctx) => readRevision(ctx, getKinds()),
  }
}
