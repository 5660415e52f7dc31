/**
 * Saves every form unchanged, on a real server: an object with a value in every field is read into the form, and all fields of the form
 * are sent back. A form that drops a part of a field that it does not show changes the object.
 */
import { afterAll, beforeAll, describe, expect, mock, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { plugin } from 'bun'
import { z } from 'zod'
import { contracts } from '../../src/app/contracts.ts'
import { CUSTOM_RESOURCES } from '../../src/resource/custom/fields.ts'
import { SOURCE_KINDS } from '../../src/sources/kinds/index.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'

// The parts of the build that pages import.
mock.module('virtual:operations', () => ({ contracts }))
plugin({
  name: 'workers',
  setup: (build) => {
    build.onResolve({ filter: /\?worker&url$/ }, () => ({ path: 'worker', namespace: 'empty' }))
    build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'export default ""', loader: 'js' }))
  },
})

const addEventListener = () => {}
/** The parts of a browser that modules read when they are loaded. */
const BROWSER = {
  document: { documentElement: { dataset: {} }, cookie: '', addEventListener, hidden: false },
  window: { addEventListener },
  matchMedia: () => ({ matches: false, addEventListener }),
}
for (const [name, part] of Object.entries(BROWSER)) Reflect.set(globalThis, name, part)

type Values = Readonly<Record<string, string>>
/** The parts of a field of a form that this test reads: web/src/resource/resource.ts. */
type FieldSpec = { readonly name: string; readonly isSecret?: boolean; readonly isFixed?: boolean }
type Fields = { readonly fields: readonly FieldSpec[] }
/** The functions and resources of a module of the UI. The types of the UI need the types of a browser. */
type Module = Readonly<Record<string, Fields & ((...given: readonly unknown[]) => Fields)>>
const load = async (file: string): Promise<Module> => import(join(import.meta.dirname, '../../web/src', file))

type Reading = {
  readonly readValues: (form: Fields, object: object) => Values
  readonly getSentValue: (field: FieldSpec, values: Values, before: Values) => unknown
  readonly isShown: (field: FieldSpec, values: Values, isNew: boolean) => boolean
}
const { readValues, getSentValue, isShown }: Reading = await import(
  join(import.meta.dirname, '../../web/src/resource/form-values.ts')
)

type Ids = Readonly<Record<string, string>>
type Json = Readonly<Record<string, unknown>>
type Form = {
  readonly path: string
  /** The module of the form, below web/src. */
  readonly file: string
  readonly form: (module: Module) => Fields | undefined
  /** An object with a value in every field of the form. */
  readonly filled: (ids: Ids) => Json
  /** The path of the create, if it is another one. */
  readonly at?: (ids: Ids) => string
  /** Fields of the form in which such an object cannot have a value, or has the one that counts as empty. */
  readonly empty?: readonly string[]
  /** Fields that the server changes by itself. */
  readonly own?: readonly string[]
  /** Functions of a module that turn the object into one with a value for each field, and the input back. */
  readonly nested?: { readonly file: string; readonly read: string; readonly send: string }
}

const DOCUMENT = SOURCE_KINDS.document
/** The kind of a source as it is sent. */
const SENT_KIND = {
  ...DOCUMENT,
  default_url: '',
  is_pushed_only: false,
  when_gone: DOCUMENT?.whenGone,
  gone_after_hours: 24,
}

const refs = { netbox: 'dcim.1' }
const custom = { owner: 'ann' }
const description = 'two\nlines, "quoted" '
const tags = ['web', 'a, b', 'say "hi"']

/** One for each form that changes an object. Later ones may name the objects of earlier ones. */
const FORMS: Readonly<Record<string, Form>> = {
  'custom-fields': {
    path: '/api/custom-fields',
    file: 'custom-fields/definition-resource.tsx',
    form: ({ buildDefinitionResource }) => buildDefinitionResource?.([], { kinds: [], isOwn: false }),
    filled: () => ({
      ...{ resource: 'devices', name: 'shelf', label: 'Shelf', type: 'text', default: 'top', pattern: '[a-z]*' },
      only_for: { field: 'os', values: ['linux', 'bsd'] },
      ...{ searchable: true, description, group: 'Place', position: 7, refs },
    }),
    empty: ['preview', 'choices', 'reference_to', 'minimum', 'maximum', 'multiple', 'required', 'unique'],
  },
  spaces: {
    path: '/api/spaces',
    file: 'spaces/spaces-page.tsx',
    form: ({ SPACE_RESOURCE }) => SPACE_RESOURCE,
    filled: () => ({ name: 'branch', description, reachable: true, refs, custom }),
  },
  datacenters: {
    path: '/api/datacenters',
    file: 'datacenters/resource.ts',
    form: ({ buildDatacenterResource }) => buildDatacenterResource?.([]),
    filled: () => ({ name: 'ams', location: 'Amsterdam', description, refs, custom }),
    empty: ['parent_id'],
  },
  vlans: {
    path: '/api/vlans',
    file: 'vlans/vlans-page.tsx',
    form: ({ VLAN_RESOURCE }) => VLAN_RESOURCE,
    filled: ({ datacenters }) => ({
      ...{ vlan_id: 20, name: 'servers', datacenter_id: datacenters, description, refs, custom },
    }),
    empty: ['group'],
  },
  networks: {
    path: '/api/networks',
    file: 'networks/resource.ts',
    form: ({ buildNetworkResource }) => buildNetworkResource?.([]),
    filled: ({ datacenters, spaces }) => ({
      ...{ name: 'servers', subnet: '10.0.0.0/24', vlan_id: 30, datacenter_id: datacenters, space_id: spaces },
      ...{ scanner: 'branch', description, refs, custom },
    }),
  },
  policies: {
    path: '/api/policies',
    file: 'policies/policy-resource.tsx',
    form: ({ POLICY_RESOURCE }) => POLICY_RESOURCE,
    filled: () => ({
      ...{ name: 'core', description, enabled: true, permissions: ['devices:update', 'dns:create'], min_objects: 3 },
      ...{ approvals: 2, checks: ['rules', 'ci.x'], protect: true },
    }),
    empty: ['scope_id', 'group_id'],
  },
  scanners: {
    path: '/api/scanners',
    file: 'scanners/resource.ts',
    form: ({ SCANNER_RESOURCE }) => SCANNER_RESOURCE,
    filled: () => ({ name: 'branch', tags: ['emea'], description, use_credentials: true, refs }),
  },
  pools: {
    path: '/api/pools',
    at: ({ networks }) => `/api/networks/${networks}/pools`,
    file: 'pools/resource.ts',
    form: ({ POOL_RESOURCE }) => POOL_RESOURCE,
    filled: () => ({ name: 'hosts', start_ip: '10.0.0.10', end_ip: '10.0.0.99', description, tags, refs, custom }),
  },
  reservations: {
    path: '/api/reservations',
    at: ({ pools }) => `/api/pools/${pools}/reservations`,
    file: 'reservations/resource.ts',
    form: ({ RESERVATION_RESOURCE }) => RESERVATION_RESOURCE,
    filled: () => ({
      ...{ ip_address: '10.0.0.50', hostname: 'later', purpose: 'a printer', notes: description },
      ...{ mac_address: '02:00:00:00:00:01', expires_at: '2099-07-01T10:30:00.000Z', refs, custom },
    }),
  },
  racks: {
    path: '/api/racks',
    file: 'racks/resource.ts',
    form: ({ RACK_RESOURCE }) => RACK_RESOURCE,
    filled: ({ datacenters }) => ({
      ...{
        name: 'R1',
        location: 'room 1',
        datacenter_id: datacenters,
        units: 42,
        numbering: 'top_down',
        max_power_w: 4000,
      },
      ...{ description, refs, custom },
    }),
  },
  'device-types': {
    path: '/api/device-types',
    file: 'device-types/resource.tsx',
    form: ({ deviceTypeResource }) => deviceTypeResource,
    filled: () => ({
      ...{ manufacturer: 'ACME', model: 'S1, "new"', slug: 'acme-s1', part_number: 'P/N 1', height: 1.5 },
      ...{ full_depth: false, power_w: 120, description, refs },
      ports: [
        { name: 'eth0', kind: 'network', type: '1000base-t', pass_through: false },
        { name: 'con 0', kind: 'console', type: 'rj-45', pass_through: false },
      ],
    }),
    empty: ['full_depth'],
  },
  devices: {
    path: '/api/devices',
    file: 'devices/form/device-drawer.tsx',
    form: ({ buildDeviceResource }) =>
      buildDeviceResource?.({ datacenters: [], types: [{ id: '', name: '' }], hasRacks: true }),
    filled: ({ datacenters, spaces, networks, pools, racks, 'device-types': type }) => ({
      ...{ name: 'sw1', hostname: 'sw1.example.com', description, make_model: 'ACME S1', os: 'OS, v2' },
      ...{ status: 'maintenance', datacenter_id: datacenters, username: 'root', location: 'row 1', tags },
      ...{ domains: ['example.com', '*.example.net'], refs, custom, device_type_id: type },
      ...{ serial: 'S1', asset_tag: 'A1', role: 'core switch' },
      mount: { rack_id: racks, position: 3, height: 1.5, face: 'rear', full_depth: false, slot: '1/2', power_w: 80 },
      addresses: [
        {
          ...{ ip: '10.0.0.11', port: 8443, type: 'vip', label: 'front', network_id: networks, pool_id: pools },
          ...{ switch_port: 'Gi1/0/1', interface: 'eth0', mac_address: '02:00:00:00:00:02' },
          ...{ dns_name: 'vip.example.com', role: 'vip', space_id: spaces, custom },
        },
        { ip: '2001:db8::1', type: 'anycast' },
      ],
    }),
    // Its parts are in `mount`.
    empty: ['mount_details'],
  },
  ports: {
    path: '/api/ports',
    at: ({ devices }) => `/api/devices/${devices}/ports`,
    file: 'ports/resource.ts',
    form: ({ buildPortResource }) => buildPortResource?.([]),
    filled: ({ parent = '' }) => ({
      ...{ name: 'xe-0', kind: 'network', type: '10gbase-x-sfpp', speed_mbps: 10_000 },
      ...{ mac_address: '02:00:00:00:00:03', enabled: false, parent_id: parent, vlan_id: 20 },
      ...{ tagged_vlan_ids: [30, 40], description, refs, custom },
    }),
    empty: ['enabled', 'pass_through'],
  },
  cables: {
    path: '/api/cables',
    file: 'cables/resource.tsx',
    form: ({ CABLE }) => CABLE,
    filled: ({ devices }) => ({
      ...{ a: { device_id: devices, port: 'a' }, b: { device_id: devices, port: 'b' }, type: 'cat6a', label: 'L1' },
      ...{ color: 'blue', length_m: 2.5, status: 'planned', description, refs, custom },
    }),
  },
  'discovery-rules': {
    path: '/api/discovery/rules',
    file: 'discovery/scans/rule-resource.tsx',
    form: ({ buildRuleResource }) => buildRuleResource?.(new Map()),
    filled: ({ networks }) => ({
      ...{ network_id: networks, enabled: false, scan_type: 'full', interval_hours: 12 },
      ...{ exclude_ips: '10.0.0.1-10.0.0.9,10.0.0.128/25', listen: true },
    }),
    empty: ['enabled'],
  },
  webhooks: {
    path: '/api/webhooks',
    file: 'webhooks/webhook-resource.tsx',
    form: ({ buildWebhookResource }) => buildWebhookResource?.(),
    filled: () => ({
      ...{ name: 'hook', url: 'https://ntfy.example.com/topic', events: ['device.created', 'network.deleted'] },
      ...{ format: 'ntfy', filter: { tags }, group_seconds: 30, max_per_hour: 5, digest: 'weekly', digest_at: '09:15' },
      reports: ['full-pools', 'shadows'],
      ...{ quiet_from: '22:00', quiet_to: '06:30', timezone: 'Europe/Berlin' },
      ...{ enabled: false, description, headers: { 'X-One': 'a, b', 'X-Two': 'c: d' }, timeout_seconds: 20 },
      ...{ retry_count: 5, secret: 'a secret' },
    }),
    empty: ['enabled'],
  },
  feeds: {
    path: '/api/feeds',
    file: 'feeds/feed-resource.ts',
    form: ({ buildFeedResource }) => buildFeedResource?.({ format: 'template' }),
    filled: ({ datacenters, networks, spaces }) => ({
      ...{ name: 'list', format: 'template', description, tags, datacenter_id: datacenters, network_id: networks },
      ...{ statuses: ['active', 'planned'], space_id: spaces, address_label: 'front', family: 'ipv4' },
      ...{ template: '{% for device in devices %}\n{{ device.name }}\n{% endfor %} ', media_type: 'text/csv' },
    }),
  },
  'dns-providers': {
    path: '/api/dns/providers',
    file: 'dns/servers/server-resource.tsx',
    form: ({ buildServerResource }) => buildServerResource?.(),
    filled: () => ({
      ...{ name: 'ns', host: '192.0.2.53', port: 5353, tsig_name: 'key.example.com', tsig_algorithm: 'hmac-sha512' },
      ...{ tsig_secret: 'c2VjcmV0', timeout_seconds: 9, description },
    }),
  },
  'dns-zones': {
    path: '/api/dns/zones',
    file: 'dns/zone-resource.ts',
    form: ({ PLAIN_ZONE }) => PLAIN_ZONE,
    own: ['status', 'status_message', 'serial', 'pending_count', 'last_synced_at'],
    filled: ({ 'dns-providers': provider, datacenters, networks, spaces }) => ({
      ...{ name: 'example.com', provider_id: provider, description, tags, datacenter_id: datacenters },
      ...{ network_id: networks, statuses: ['active', 'planned'], space_id: spaces, address_label: 'front' },
      ...{
        is_default: true,
        nameservers: ['ns1.example.net', 'ns2.example.net'],
        admin_email: 'host.master@example.org',
      },
      ...{ repair: true },
    }),
  },
  'dns-records': {
    path: '/api/dns/records',
    file: 'dns/records/record-drawer.tsx',
    form: ({ recordResource }) => recordResource?.({ id: '', name: 'example.com', ttl: 3600 }),
    filled: ({ 'dns-zones': zone }) => ({
      ...{ zone_id: zone, name: 'text', type: 'TXT', value: '"v=spf1, -all"', ttl: 300, description },
    }),
  },
  credentials: {
    path: '/api/credentials',
    file: 'access/credential-resource.tsx',
    form: ({ buildCredentialResource }) => buildCredentialResource?.([]),
    filled: ({ networks, devices }) => ({
      ...{ name: 'v3', type: 'snmp_v3', username: 'ann', auth_protocol: 'SHA256', auth_password: 'long enough' },
      ...{ priv_protocol: 'AES', priv_password: 'long enough', network_id: networks, device_id: devices, description },
    }),
  },
  sources: {
    path: '/api/sources',
    file: 'sources/settings/source-resource.tsx',
    form: ({ buildSourceResource }) =>
      buildSourceResource?.({ kind: SENT_KIND, stored: { secrets_set: [], options: {} }, spaces: [{}] }),
    nested: { file: 'sources/settings/kind-fields.tsx', read: 'flattenOptions', send: 'nestInput' },
    filled: ({ datacenters, spaces }) => ({
      ...{ name: 'inventory', kind: 'document', url: 'https://1.1.1.1/list?all', mode: 'auto', interval_minutes: 0 },
      options: {
        ...{ format: 'csv', resource: 'devices', mapping: { host: 'name' }, origin: 'example.com', key: 'host' },
        ...{ hosts: 'devices', header: 'X-Api-Key' },
      },
      ...{ allow_private: true, timeout_seconds: 700, include: ['web-*', 'a, b'], exclude: ['tag:lab'] },
      ...{ datacenter_id: datacenters, space_id: spaces, tags, custom: { cpu: 'owner' }, description, ref: 'lab' },
      places: [{ match: 'DC1/*', datacenter_id: datacenters, space_id: spaces }],
      ...{ when_gone: 'keep', gone_after_hours: 5, max_gone_percent: 40, tls_fingerprint: 'ab'.repeat(32) },
    }),
    empty: ['tls_ca'],
  },
  roles: {
    path: '/api/roles',
    file: 'access/roles/role-resource.tsx',
    form: ({ roleResource }) => roleResource,
    filled: () => ({ name: 'reader', description: 'one line', permissions: ['devices:list', 'networks:read'] }),
  },
  groups: {
    path: '/api/groups',
    file: 'access/groups/resource.ts',
    form: ({ groupResource }) => groupResource,
    filled: () => ({ name: 'ops', description }),
  },
  users: {
    path: '/api/users',
    file: 'access/users/user-resource.tsx',
    form: ({ userResource }) => userResource,
    filled: () => ({
      ...{ username: 'bob', email: 'bob@example.com', full_name: 'Bob, "B"', password: 'a good password' },
      ...{ is_active: true, roles: ['viewer', 'reader'] },
    }),
    empty: ['is_break_glass'],
  },
  scopes: {
    path: '/api/scopes',
    file: 'access/scopes/resource.tsx',
    form: ({ buildScopeResource }) => buildScopeResource?.({ hasSpaces: true, hasKinds: true }),
    filled: ({ datacenters, spaces, kinds }) => ({
      ...{ name: 'south', description, datacenter_ids: [datacenters], space_ids: [spaces], tags },
      ...{ subnets: ['10.1.0.0/16', '2001:db8::/32'], kind_ids: [kinds] },
    }),
  },
  'sso-providers': {
    path: '/api/sso/providers',
    file: 'access/providers/resource.tsx',
    form: ({ buildProviderResource }) => buildProviderResource?.(undefined, []),
    filled: ({ groups }) => ({
      ...{ name: 'idp', issuer: 'https://idp.example.com', client_id: 'plat', client_secret: 'a secret' },
      ...{ scopes: ['openid', 'email', 'groups'], enabled: true, create_users: true, link_by_email: true },
      ...{ allowed_domains: ['example.com', 'example.net'], username_claim: 'upn', groups_claim: 'groups' },
      ...{ group_mappings: [{ value: 'Network, core', group_id: groups }], required_acr: 'urn:mfa' },
      ...{ max_session_hours: 8, credentials_max_idle_days: 30, allow_http: true },
    }),
    // The button that shows the fields below it.
    empty: ['advanced'],
  },
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** Returns the object without the fields that each save writes, and without fields that the server changes by itself. */
const withoutOwn = (object: Json, own: readonly string[] = []): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== 'updated_at' && !own.includes(name)))

test('every form that changes an object is tried', () => {
  const web = join(import.meta.dirname, '../../web/src')
  // A resource without fields has no form, or its form is in another file.
  const files = [...new Bun.Glob('*/**/*.{ts,tsx}').scanSync({ cwd: web })].filter((file) => {
    const text = readFileSync(join(web, file), 'utf8')
    return /: Resource<\w+> (=> \(|= )\{/.test(text) && !/fields: \[\],/.test(text)
  })
  const tried = new Set(Object.values(FORMS).map(({ file }) => file))
  expect(files.filter((file) => !tried.has(file))).toEqual([])
})

describe('a form that is saved unchanged', () => {
  let app: TestApp
  let admin: TestCaller
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    app = await testApp({
      env: { ENCRYPTION_KEY: 'ab'.repeat(32), PUBLIC_URL: 'https://plat.example', DISCOVERY_ALLOWED_SUBNETS: '' },
    })
    admin = await app.as('admin')
    ids.kinds = (await admin.api.kinds.create({ name: 'Parts' })).id
    for (const resource of CUSTOM_RESOURCES)
      await admin.api.customFields.create({ resource, name: 'owner', type: 'text' })
  })
  afterAll(() => {
    for (const name of Object.keys(BROWSER)) Reflect.deleteProperty(globalThis, name)
    return app.close()
  })

  const ask = async (method: string, path: string, body?: Json): Promise<Json> => {
    const response = await admin.request(method, path, body)
    const answer = z.looseObject({}).parse(await response.json())
    expect([method, path, response.status, response.ok ? '' : answer]).toEqual([
      method,
      path,
      method === 'POST' ? 201 : 200,
      '',
    ])
    return answer
  }

  test.each(Object.entries(FORMS))(
    'of %s changes nothing',
    async (resource, { path, file, form, filled, at, empty = [], own, nested }) => {
      const { id } = z.looseObject({ id: z.string() }).parse(await ask('POST', at?.(ids) ?? path, filled(ids)))
      ids[resource] = id
      if (resource === 'devices') ids.parent = (await admin.api.ports.create({ device_id: id, name: 'lag' })).id
      const before = await ask('GET', `${path}/${id}`)
      const { fields } = form(await load(file)) ?? { fields: [] }
      expect(fields.length).toBeGreaterThan(0)
      const parts = nested && (await load(nested.file))
      // The functions of the UI have no types here.
      const convert = (name: string | undefined, ...given: readonly unknown[]): Json =>
        (name === undefined ? given[0] : parts?.[name]?.(...given)) as Json
      const shownObject = convert(nested?.read, before)
      const values = readValues({ fields }, shownObject)
      const shown = fields.filter((field) => !field.isSecret && !field.isFixed && isShown(field, values, false))
      expect(
        shown.map(({ name }) => name).filter((name) => isEmpty(shownObject[name]) && !empty.includes(name)),
      ).toEqual([])
      const input = Object.fromEntries(shown.map((field) => [field.name, getSentValue(field, values, values)]))
      await ask('PUT', `${path}/${id}`, convert(nested?.send, input, before.options))
      expect(withoutOwn(await ask('GET', `${path}/${id}`), own)).toEqual(withoutOwn(before, own))
    },
  )
})
