/** Calls of imports, exports, applies, conversions, the history and the documents. */
import { INVENTORY } from '../../src/inventory/resources.ts'
import { OBJECTS_ESTATE } from '../../testing/estates/objects-estate.ts'
import { call, compare, refuse, type Step } from './engine-pair.ts'

const lines = (...rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n')
const MCP = { Accept: 'application/json, text/event-stream' }
const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const tool = (name: string, args: object = {}) => rpc('tools/call', { name, arguments: args })

const exports: readonly Step[] = [
  call('estate.export', {}, { save: { document: '' } }),
  call('estate.export', { format: 'yaml' }),
  call('estate.export', { managed_by: 'git' }),
  ...INVENTORY.map((resource) => call('estate.export', { resource })),
  call('estate.export', {}, { as: 'scoped' }),
  call('estate.schema'),
]

const imports: readonly Step[] = [
  call(
    'estate.import',
    {},
    { query: 'resource=datacenters', text: lines({ name: 'Imported Ä' }, { name: 'imported a', location: 'Ulm' }) },
  ),
  call(
    'estate.import',
    {},
    {
      query: 'resource=devices',
      text: JSON.stringify([
        { name: 'Imported', addresses: [{ ip: '10.0.60.1' }] },
        { id: 'dev-4', os: 'Imported' },
      ]),
    },
  ),
  call('estate.import', {}, { query: 'resource=devices&dry_run=true', text: lines({ name: 'never' }) }),
  call(
    'estate.import',
    {},
    { query: 'resource=devices', text: lines({ name: '' }, { name: 'never', status: 'none' }) },
  ),
  call(
    'estate.import',
    {},
    {
      query: 'resource=networks&lists=replace&empty=clear',
      text: lines({ id: 'net-3', name: 'Net 3', subnet: '10.0.3.0/24', description: '' }),
    },
  ),
  ...INVENTORY.map((resource) =>
    call(
      'estate.import',
      {},
      { query: `resource=${resource}&dry_run=true`, text: lines({ name: 'x', manufacturer: 'm', model: 'x' }) },
    ),
  ),
  refuse(400, 'estate.import', {}, { query: 'resource=none', text: '[]' }),
  refuse(403, 'estate.import', {}, { query: 'resource=devices', text: lines({ name: 'x' }), as: 'nobody' }),
]

/** Leaves out values from before a rule. The apply that creates the rule refuses them. */
const ESTATE = {
  ...OBJECTS_ESTATE,
  'custom-fields': OBJECTS_ESTATE['custom-fields'].filter(({ name }) => name !== 'watts' && name !== 'code'),
  datacenters: [{ name: 'A', custom: { router: 'sw-1' } }, { name: 'B' }],
  devices: OBJECTS_ESTATE.devices.map(({ custom, ...device }) => ({
    ...device,
    custom: { ...custom, watts: 80, bought: '2025-01-01' },
  })),
}

const applies: readonly Step[] = [
  call('estate.apply', { ...ESTATE, dry_run: true }),
  call('estate.apply', { ...ESTATE, managed_by: 'code' }, { save: { applied: 'header:x-change-id' } }),
  call('estate.apply', { ...ESTATE, managed_by: 'code' }),
  refuse(400, 'estate.apply', { spaces: [{ name: 'red' }], racks: [{ name: 'Neu' }], managed_by: 'other' }),
  call('estate.apply', { spaces: [{ name: 'red' }], managed_by: 'other', take_over: true }),
  call('estate.apply', { racks: [{ name: 'Only' }], managed_by: 'code', prune: true, dry_run: true }),
  call('estate.apply', { racks: [{ name: 'Only' }], managed_by: 'other', prune: true }),
  refuse(400, 'estate.apply', { devices: [{ name: '' }] }),
  call('estate.apply', { devices: [{ name: '' }, { name: 'Applied' }], atomic: false }),
  call('estate.apply', { devices: [{ name: 'Zebra', addresses: [{ ip: '10.0.1.6' }] }], lists: 'add', empty: 'keep' }),
  refuse(400, 'estate.apply', { devices: [], managed_by: 'code', prune: true }),
]

const ZONE = '$ORIGIN example.net.\n$TTL 60\n@ IN SOA ns1 a 1 2 3 4 5\nwww IN A 10.0.61.1\nÄ IN A 10.0.61.2\n'
const conversions: readonly Step[] = [
  call('estate.convert', {}, { query: 'format=hosts', text: '10.0.61.1 www www.example.net\n10.0.61.2 Zebra\n' }),
  call('estate.convert', {}, { query: 'format=hosts&leftover=true', text: '10.0.61.1 www\n# none\n' }),
  call('estate.convert', {}, { query: 'format=zone&origin=example.net', text: ZONE.replace('Ä', 'b') }),
  call('estate.convert', {}, { query: 'format=csv&resource=devices', text: 'name,os\nWeb,Debian\nÄ,Alpine\n' }),
  call('estate.convert', {}, { query: 'format=dnsmasq-leases', text: '1900000000 52:54:00:aa:bb:01 10.0.7.70 pc *\n' }),
  refuse(400, 'estate.convert', {}, { query: 'format=netbox', text: 'nothing' }),
]

const history: readonly Step[] = [
  call('history.undo', { id: '@{change}', dry_run: 'changes' }),
  call('history.undo', { id: '@{change}' }, { save: { undone: 'header:x-change-id' } }),
  call('history.undo', { id: '@{undone}' }),
  call('history.undo', { id: '@{bulk}' }),
  compare('history.undo', { id: '@{applied}', dry_run: true }),
  compare('history.undo', { id: '@{change}' }),
  call('history.list', { limit: 5 }),
  call('audit.list', { limit: 1 }, { save: { 'audit entry': '0.id' } }),
  call('audit.export', {}),
  call('reports.export', { name: 'unlocated-devices' }),
  call('audit.verify'),
]

const documents: readonly Step[] = [
  call('mcp.call', rpc('tools/list'), { headers: MCP }),
  call('mcp.call', tool('device_list', { limit: 5, sort: 'name' }), { headers: MCP }),
  call('mcp.call', tool('device_get', { id: 'sw' }), { headers: MCP }),
  call('mcp.call', tool('device_get', { id: 'none' }), { headers: MCP }),
  call('docs.openapi'),
  call('docs.page'),
  call('docs.style'),
  call('docs.script'),
  call('system.healthz', {}, { as: 'guest', hasOnlyShape: true }),
  call('system.readyz', {}, { as: 'guest', hasOnlyShape: true }),
  call('system.metrics', {}, { hasOnlyShape: true }),
  call('system.estate-metrics', {}, { hasOnlyShape: true }),
  call('system.config'),
  call('system.warnings'),
  call('database.status', {}, { hasOnlyShape: true }),
  call('events.stream', {}, { headers: { Accept: 'text/event-stream' } }),
]

export const exchangeCalls: readonly Step[] = [
  ...exports,
  ...imports,
  ...applies,
  ...conversions,
  ...history,
  ...documents,
]
