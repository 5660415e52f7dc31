/**
 * The catalog of permissions, and the permissions of the system roles. `npm run golden` writes golden/permissions.txt and the table in
 * docs/access.md. Browser-safe.
 */

import { RESOURCES } from '../../inventory/resources.ts'
import type { Permission } from '../../kernel/operation.ts'
import { isInScopes, type ResourceFacts } from '../../resource/facts.ts'

export type Action =
  | 'list'
  | 'read'
  | 'create'
  | 'update'
  | 'delete'
  | 'detect'
  | 'resolve'
  | 'export'
  | 'sync'
  | 'test'
  | 'share'
  | 'run'
  | 'push'
  | 'approve'
  | 'check'

export type CataloguedPermission = {
  readonly name: Permission
  readonly resource: string
  readonly action: Action
  readonly description: string
}

type Row = {
  readonly resource: string
  /** The name of its objects in descriptions. */
  readonly noun: string
  readonly actions: readonly Action[]
  readonly operator: readonly Action[]
  readonly viewer: readonly Action[]
}

const R = ['read'] as const
const LR = ['list', 'read'] as const
const LRCU = [...LR, 'create', 'update'] as const
const LRCUD = [...LRCU, 'delete'] as const

const buildRow = (
  resource: string,
  noun: string,
  actions: readonly Action[],
  operator: readonly Action[] = [],
  viewer: readonly Action[] = [],
): Row => ({ resource, noun, actions, operator, viewer })

const buildInventoryRow = ({ name, plural = name, operators }: ResourceFacts): Row =>
  buildRow(name, plural, LRCUD, operators === 'read' ? LR : LRCU, LR)

/** Resource, noun, and the actions of the admin, the operator and the viewer. */
export const PERMISSION_TABLE: readonly Row[] = [
  ...RESOURCES.map(buildInventoryRow),
  buildRow('discovery', 'scans, scan rules and discovered devices', LRCUD, LRCU, LR),
  buildRow('conflicts', 'conflicts', [...LR, 'delete', 'detect', 'resolve'], [...LR, 'detect', 'resolve'], LR),
  // Singular in the API since its first version.
  buildRow('webhook', 'webhooks and their deliveries', LRCUD, LR, LR),
  buildRow('audit', 'audit entries', [...LR, 'export'], LR),
  buildRow('users', 'users', LRCUD),
  buildRow('roles', 'roles', LRCUD),
  buildRow('groups', 'groups of users', LRCUD),
  buildRow('scopes', 'scopes', LRCUD),
  buildRow('apikeys', "other people's API keys", LRCUD),
  buildRow('oauth-clients', 'OAuth clients', LRCUD),
  buildRow('sso-providers', 'identity providers', LRCUD),
  buildRow('credentials', 'stored credentials', LRCUD, LR, LR),
  buildRow('feeds', 'feeds', LRCUD, LR, LR),
  buildRow('dns', 'DNS providers, zones and records', [...LRCUD, 'sync', 'test'], [...LR, 'test'], LR),
  buildRow('sources', 'sources of the inventory', [...LRCUD, 'run', 'push'], [...LR, 'run'], LR),
  buildRow('proposals', 'proposals', [...LR, 'create', 'approve', 'check'], [...LR, 'create', 'approve'], LR),
  buildRow('policies', 'policies of proposals', LRCUD),
  buildRow('views', 'saved views with all users', ['share'], ['share']),
  buildRow('search', 'search results', R, R, R),
  buildRow('dashboard', 'the dashboard', R, R, R),
  buildRow('reports', 'reports', R, R, R),
  buildRow('metrics', 'metrics', R, R, R),
  buildRow('events', 'the stream of events', R, R, R),
]

/**
 * The resources with permissions that count in a scope if they are granted there. All other permissions count only if they are granted
 * everywhere.
 */
const SCOPED: readonly string[] = [
  ...RESOURCES.filter(isInScopes).map(({ name }) => name),
  ...['discovery', 'conflicts', 'search', 'dashboard', 'reports', 'events', 'proposals'],
]

/** All other resources of the inventory: a role granted in a scope lets its holders read them, and change none. */
const READ_IN_SCOPE: readonly string[] = RESOURCES.flatMap((facts) => (isInScopes(facts) ? [] : [facts.name]))

const VERBS: Readonly<Record<Action, string>> = {
  list: 'List',
  read: 'Read',
  create: 'Create',
  update: 'Change',
  delete: 'Delete',
  detect: 'Detect',
  resolve: 'Resolve or ignore',
  export: 'Export',
  sync: 'Synchronise',
  test: 'Test',
  share: 'Share',
  run: 'Run and apply',
  push: 'Push snapshots of',
  approve: 'Approve and reject',
  check: 'Report checks of',
}

const compareByName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1)

/** All permissions, by name. */
export const CATALOGUE: readonly CataloguedPermission[] = PERMISSION_TABLE.flatMap(({ resource, noun, actions }) =>
  actions.map(
    (action): CataloguedPermission => ({
      name: `${resource}:${action}`,
      resource,
      action,
      description: `${VERBS[action]} ${noun}`,
    }),
  ),
).sort(compareByName)

/** True for a permission that counts if it is granted in a scope. */
export const isScopable = (name: string): name is Permission => {
  const [resource = '', action] = name.split(':')
  return SCOPED.includes(resource) || (READ_IN_SCOPE.includes(resource) && (action === 'list' || action === 'read'))
}

const NAMES: ReadonlyMap<string, Permission> = new Map(CATALOGUE.map(({ name }) => [name, name]))

/**
 * Returns the catalog's spelling of a permission; undefined if it is not in the catalog.
 * @example normalizePermission('webhooks:list') // 'webhook:list'
 */
export const normalizePermission = (name: string): Permission | undefined =>
  NAMES.get(name.replace(/^webhooks:/, 'webhook:'))

export type SystemRole = {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Sorted by name. */
  readonly permissions: readonly Permission[]
}

const listGranted = (column: 'operator' | 'viewer'): Permission[] =>
  PERMISSION_TABLE.flatMap((one) => one[column].map((action): Permission => `${one.resource}:${action}`)).sort()

/** The id of the role with all permissions. */
export const ADMIN_ROLE_ID = 'role-admin'

/** The roles that come with Plat. The first migration creates their rows; their permissions are defined only here. */
export const SYSTEM_ROLES: readonly SystemRole[] = [
  {
    id: ADMIN_ROLE_ID,
    name: 'admin',
    description: 'Has all permissions',
    permissions: CATALOGUE.map(({ name }) => name),
  },
  {
    id: 'role-operator',
    name: 'operator',
    description: 'Reads everything but accounts; adds and changes networks, devices and discovery; deletes nothing',
    permissions: listGranted('operator'),
  },
  {
    id: 'role-viewer',
    name: 'viewer',
    description: 'Reads everything but accounts and audit',
    permissions: listGranted('viewer'),
  },
]

/** Returns the system role with this id; undefined for any other role. */
export const findSystemRole = (id: string): SystemRole | undefined => SYSTEM_ROLES.find((role) => role.id === id)
