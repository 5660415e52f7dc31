/** Users, groups, scopes, roles, keys, credentials and an audit log for their pages. */
import type { RunningPlat } from './server.ts'

/** The settings of an audit log and a key for secrets. */
export const PEOPLE = { AUDIT_ENABLED: 'true', ENCRYPTION_KEY: '07'.repeat(32) }

const PASSWORD = 'correct horse battery'

export const seedAccess = async ({ api }: RunningPlat) => {
  const role = await api.roles.create({
    name: 'auditor',
    description: 'Reads and exports the log, and reads the inventory',
    permissions: ['audit:list', 'audit:read', 'audit:export', 'devices:list', 'devices:read', 'networks:list'],
  })
  const user = await api.users.create({
    username: 'ada',
    password: PASSWORD,
    full_name: 'Ada Lovelace',
    email: 'ada@example.com',
    roles: ['operator', 'auditor'],
  })
  const gone = await api.users.create({ username: 'grace', password: PASSWORD, full_name: 'Grace Hopper' })
  await api.users.update({ id: gone.id, is_active: false })
  const group = await api.groups.create({ name: 'netops', description: 'On call for the backbone and the campus' })
  await api.grants.create({ role_id: role.id, group_id: group.id })
  await api.grants.create({ role_id: 'viewer', group_id: group.id })
  for (const user_id of [user.id, gone.id]) await api.groups.add({ id: group.id, user_id })
  const suppliers = await api.groups.create({ name: 'suppliers' })
  const [datacenter] = await api.datacenters.list({ limit: 1 })
  const scope = await api.scopes.create({
    name: 'campus',
    description: 'All that the campus team works on',
    datacenter_ids: datacenter ? [datacenter.id] : [],
    subnets: ['10.20.0.0/16', '2001:db8:20::/48'],
    tags: ['campus'],
  })
  await api.grants.create({ role_id: 'operator', group_id: suppliers.id, scope_id: scope.id })
  await api.grants.create({ role_id: 'viewer', user_id: user.id, scope_id: scope.id })
  const soon = new Date(Date.now() + 5 * 86_400_000).toISOString()
  await api.keys.create({ name: 'ansible', user_id: user.id, expires_at: soon })
  await api.keys.create({ name: 'backup' })
  const [network] = await api.networks.list({ limit: 1 })
  const credential = await api.credentials.create({
    name: 'core switches',
    type: 'snmp_v3',
    username: 'monitor',
    auth_protocol: 'SHA256',
    auth_password: 'a secret of eight',
    priv_protocol: 'AES',
    priv_password: 'another secret',
    network_id: network?.id ?? null,
    description: 'Read only',
  })
  await api.credentials.create({ name: 'jump host', type: 'ssh_password', username: 'root', password: 'so secret' })
  const device = await api.devices.create({ name: 'edge-1', os: 'Junos 23.4', tags: ['edge'] })
  await api.devices.update({ id: device.id, os: 'Junos 24.2', tags: ['edge', 'production'], location: 'Row 4' })
  // More than the log keeps of a change.
  await api.devices.update({ id: device.id, tags: Array.from({ length: 90 }, (_, i) => `${i}-${'x'.repeat(120)}`) })
  // Refused, and recorded as a failure.
  await api.users.delete({ id: (await api.users.list({ username: 'admin' }))[0]?.id ?? '' }).catch(() => undefined)
  const made = await api.roles.create({ name: 'temporary', permissions: ['devices:list'] })
  await api.roles.delete({ id: made.id })
  const entries = await api.audit.list({ limit: 100 })
  const of = (resource: string, action: string) =>
    entries.find((one) => one.resource === resource && one.action === action)?.id ?? ''
  return {
    role: role.id,
    user: user.id,
    group: group.id,
    scope: scope.id,
    admin: (await api.users.list({ username: 'admin' }))[0]?.id ?? '',
    credential: credential.id,
    entry: entries.find((one) => one.resource === 'device' && one.changes.includes('Row 4'))?.id ?? '',
    secretEntry: of('credential', 'create'),
    cutEntry: entries.find((one) => one.changes.length >= 10_000)?.id ?? '',
  }
}
