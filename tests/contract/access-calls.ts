/** Calls that make users, roles, groups, scopes, grants, keys and a webhook for the calls after them. */
import { INVENTORY } from '../../src/inventory/resources.ts'
import { call, refuse, type Step } from './engine-pair.ts'
import { NAMES } from './inventory-calls.ts'

const PASSWORD = 'correct horse battery'
const stale = { headers: { 'If-Match': '"stale"' } }
const READS = [...INVENTORY.filter((resource) => resource !== 'relationships'), 'conflicts', 'feeds']

/** Accounts and what they may do. The caller `scoped` reads one datacenter and one subnet, `nobody` may do nothing. */
export const accessCalls: readonly Step[] = [
  call(
    'roles.create',
    { name: 'Readers', permissions: [...READS.flatMap((one) => [`${one}:list`, `${one}:read`]), 'relationships:list'] },
    { save: { role: 'id' } },
  ),
  call('roles.create', { name: 'readers 2', description: 'Ä' }, { save: { 'role 2': 'id' } }),
  refuse(409, 'roles.create', { name: 'READERS' }),
  refuse(400, 'roles.create', { name: 'x', permissions: ['none:none'] }),
  call('roles.update', { id: '@{role 2}', description: 'Others', permissions: ['search:read'] }),
  refuse(400, 'roles.update', { id: 'role-admin', permissions: [] }),
  call(
    'users.create',
    { username: 'Scoped', password: PASSWORD, email: 'Scoped@Example.com' },
    { save: { user: 'id' } },
  ),
  call('users.create', { username: 'nobody', password: PASSWORD }, { save: { nobody: 'id' } }),
  call('users.create', { username: 'signs-in', password: PASSWORD, roles: ['role-admin'] }, { save: { person: 'id' } }),
  call('users.create', { username: 'leaves', password: PASSWORD, full_name: 'Löwe' }, { save: { leaving: 'id' } }),
  refuse(409, 'users.create', { username: 'SCOPED', password: PASSWORD }),
  refuse(400, 'users.create', { username: 'short', password: 'x' }),
  call('users.update', { id: '@{leaving}', full_name: 'Übel', is_active: false }),
  refuse(412, 'users.update', { id: '@{leaving}', full_name: 'x' }, stale),
  refuse(409, 'users.update', { id: '@{leaving}', username: 'Nobody' }),
  call('users.permissions', { id: '@{person}' }),
  call('users.reset-password', { id: '@{leaving}', new_password: 'another horse battery' }),
  refuse(403, 'users.change-password', {
    id: '@{leaving}',
    current_password: 'x',
    new_password: 'another horse battery',
  }),
  refuse(404, 'users.reset-password', { id: 'unknown', new_password: 'another horse battery' }),
  call('users.grant-role', { user_id: '@{leaving}', role_id: '@{role 2}' }),
  call('users.grant-role', { user_id: '@{leaving}', role_id: 'role-viewer' }),
  call('users.revoke-role', { user_id: '@{leaving}', role_id: 'role-viewer' }),
  call('factors.reset', { id: '@{leaving}' }),
  ...NAMES.slice(0, 12).map((name) => call('groups.create', { name })),
  call('groups.create', { name: 'Team' }, { save: { group: 'id' } }),
  refuse(409, 'groups.create', { name: 'TEAM' }),
  call('groups.update', { id: '@{group}', description: 'All' }),
  call('groups.add', { id: '@{group}', user_id: '@{leaving}' }),
  call('groups.add', { id: '@{group}', user_id: '@{person}' }),
  call('groups.members', { id: '@{group}' }),
  call('groups.remove', { id: '@{group}', user_id: '@{leaving}' }),
  call('scopes.create', { name: 'Part', subnets: ['10.0.0.0/20'], tags: ['ä'] }, { save: { scope: 'id' } }),
  call('scopes.create', { name: 'Gone', tags: ['gone'] }, { save: { 'scope 2': 'id' } }),
  refuse(409, 'scopes.create', { name: 'PART', tags: ['x'] }),
  refuse(400, 'scopes.create', { name: 'wrong', subnets: ['10.0.0.0/99'] }),
  call('scopes.update', { id: '@{scope}', description: 'A part' }),
  call('grants.create', { role_id: '@{role}', user_id: '@{user}', scope_id: '@{scope}' }, { save: { grant: 'id' } }),
  call('grants.create', { role_id: '@{role 2}', group_id: '@{group}' }, { save: { 'grant 2': 'id' } }),
  call('grants.create', { role_id: '@{role 2}', group_id: '@{group}' }),
  call('users.create', {
    username: 'granted',
    password: PASSWORD,
    roles: ['viewer'],
    grants: [{ role_id: '@{role}', scope_id: '@{scope}' }, { role_id: 'operator' }],
  }),
  refuse(400, 'users.create', { username: 'x', password: PASSWORD, grants: [{ role_id: 'none', scope_id: 'none' }] }),
  call('keys.create', { name: 'Scoped', user_id: '@{user}' }, { save: { key: 'id', 'scoped key': 'key' } }),
  call('keys.create', { name: 'nobody', user_id: '@{nobody}' }, { save: { 'nobody key': 'key' } }),
  call(
    'keys.create',
    { name: 'narrow', permissions: ['devices:list'], allowed_cidrs: ['10.0.0.0/8'] },
    { save: { 'key 2': 'id' } },
  ),
  refuse(400, 'keys.create', { name: 'past', expires_at: '2020-01-01T00:00:00.000Z' }),
  call('keys.rotate', { id: '@{key 2}', overlap_seconds: 60 }),
  async ({ keys, saved }) => {
    for (const name of ['scoped', 'nobody']) keys.set(name, saved.get(`${name} key`) ?? '')
  },
  ...NAMES.slice(0, 12).map((name) => call('views.create', { name, path: '/networks' })),
  call(
    'views.create',
    { name: 'Racks', path: '/racks', search: '?q=ä', is_shared: true, is_pinned: true },
    { save: { view: 'id' } },
  ),
  refuse(409, 'views.create', { name: 'RACKS', path: '/racks' }),
  refuse(400, 'views.create', { name: 'x', path: 'racks' }),
  call('views.update', { id: '@{view}', name: 'All racks' }),
  refuse(412, 'views.update', { id: '@{view}', name: 'x' }, stale),
  call('views.get', { id: '@{view}' }),
  call('sessions.me'),
  call(
    'webhooks.create',
    {
      name: 'All',
      url: 'https://hooks.example/a',
      events: ['device.created', 'device.deleted', 'network.updated', 'cable.created', 'discovery.completed'],
      secret: 's3cret',
      retry_count: 0,
      headers: { 'X-Key': 'v' },
    },
    { save: { webhook: 'id' } },
  ),
  call(
    'webhooks.create',
    { name: 'äll', url: 'https://hooks.example/b', events: ['vlan.created'], enabled: false },
    { save: { 'webhook 2': 'id' } },
  ),
  refuse(400, 'webhooks.create', { name: 'none', url: 'ftp://x', events: [] }),
  call('webhooks.update', { id: '@{webhook 2}', description: 'off' }),
  refuse(412, 'webhooks.update', { id: '@{webhook 2}', description: 'x' }, stale),
]
