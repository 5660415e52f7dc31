/** A call of each write with a history, which changes something in the world of `world.ts`. */
import { contracts } from '../../src/app/contracts.ts'
import { INVENTORY, toContractName } from '../../src/inventory/resources.ts'
import type { OperationSet } from '../../src/kernel/operation.ts'
import { sayRows } from '../judging.ts'
import { host, scanOnce, snmpFacts } from '../servers/scripted-scanner.ts'
import { until } from '../until.ts'
import { buildAddress, type World } from './world.ts'

export type Call = { readonly path: string; readonly body?: object; readonly headers?: Record<string, string> }

/** Changes that keep the rules between the objects of the world. */
const CHANGES: Readonly<Record<string, object>> = {
  networks: { subnet: '10.0.0.0/8' },
  pools: { end_ip: '10.1.1.200', tags: ['b'] },
  cables: { label: 'changed' },
}
/** Resources with objects that cannot be deleted in the world, because others use them. */
const USED = ['custom-fields', 'kinds', 'spaces']

/** Returns the calls that create, change and delete the object of each resource. */
const buildResourceCalls = async ({ ids, examples, make }: World): Promise<Record<string, Call>> => {
  const calls: Record<string, Call> = {}
  for (const noun of INVENTORY) {
    const { create, update, delete: remove }: OperationSet = contracts[toContractName(noun)]
    if (create) calls[create.name] = examples.build(noun)
    if (update)
      calls[update.name] = { path: buildAddress(update, ids), body: CHANGES[noun] ?? examples.buildChange(noun) }
    const id = USED.includes(noun) ? await make(noun) : (ids[noun] ?? '')
    if (remove) calls[remove.name] = { path: buildAddress(remove, { ...ids, [noun]: id }) }
  }
  return calls
}

/** Waits until the lanes have judged all rows of sources: they run beside the calls. */
const judgeRows = ({ app }: World): Promise<true> =>
  until('the judgment of the rows of sources', async () => {
    await app.plat.runJob('sources.run')
    const marked = app.db.read.selectFrom('source_objects').select('key').where('is_stale', '>', 0).limit(1)
    return (await marked.executeTakeFirst()) ? undefined : true
  })

/** Creates the objects that further operations need, and returns a call for each operation that would change something. */
export const prepareCalls = async (world: World): Promise<Readonly<Record<string, Call>>> => {
  const { ids, admin, scanner } = world
  const { api } = admin
  const agent = host('127.9.0.2', {
    snmp: snmpFacts({ interfaces: [{ index: 1, name: 'eth0', mac: '', addresses: [] }] }),
  })
  const found = await scanOnce(scanner, admin, [host('127.9.0.1'), agent])
  const reporting = await api.devices.create({ name: 'reporting', addresses: [{ ip: '127.9.0.2' }] })
  await api.discoveryLocks.create({ device_id: ids.devices ?? '', field: 'hostname' })
  const local = await api.networks.create({ name: 'local', subnet: '127.8.0.0/24' })
  const halves = [
    await api.networks.create({ name: 'low half', subnet: '10.200.0.0/25' }),
    await api.networks.create({ name: 'high half', subnet: '10.200.0.128/25' }),
  ]
  const typed = await api.devices.create({ name: 'typed' })
  const operations = [{ operation: 'devices.update', input: { id: typed.id, os: 'proposed' } }]
  const proposal = await api.proposals.create({ title: 'to be merged', operations, open: true })
  await api.devices.update({ id: typed.id, device_type_id: ids['device-types'] ?? '' })
  const [conflict] = await api.conflicts.list({ status: 'active', limit: 1 })
  const [item] = await api.inbox.list({ limit: 1 })
  const [change] = await api.history.list({ operation: 'discovery-locks.create', limit: 1 })
  await sayRows(world.app.db, ids.sources ?? '', [{ key: 'said', row: { name: 'said by a source' } }])
  await judgeRows(world)
  const leaving = await world.make('sources')
  await api.devices.create({ name: 'made by a source', managed_by: `source:${leaving}` })
  const removal = (noun: string) => ({ operations: [{ op: 'delete', id: ids[noun] }] })
  const once = { headers: { 'Idempotency-Key': 'of a dry run' } }
  const create = { op: 'create', device: { name: 'by bulk' } }
  return {
    ...(await buildResourceCalls(world)),
    'networks.bulk': { path: '/api/networks/bulk', body: removal('networks') },
    'networks.allocate': { path: `/api/networks/${ids.networks}/allocate`, body: { prefix_length: 26 }, ...once },
    'networks.allocate-ip': {
      path: `/api/networks/${ids.networks}/allocate-ip`,
      body: { device_id: ids.devices, count: 2 },
      ...once,
    },
    'networks.split': { path: `/api/networks/${ids.networks}/split`, body: { prefix_length: 17 } },
    'networks.merge': { path: '/api/networks/merge', body: { network_ids: halves.map(({ id }) => id) } },
    'reservations.allocate': { path: `/api/pools/${ids.pools}/allocate`, body: { count: 2 }, ...once },
    'devices.bulk': { path: '/api/devices/bulk', body: { operations: [create, ...removal('devices').operations] } },
    'objects.bulk': {
      path: '/api/objects/bulk',
      body: { operations: [{ op: 'create', object: { kind_id: ids.kinds, name: 'by bulk' } }] },
    },
    'device-types.apply': { path: `/api/device-types/${ids['device-types']}/apply`, body: {} },
    'device-types.import': { path: '/api/device-types/import', body: { yaml: 'manufacturer: Acme\nmodel: Z\n' } },
    'ports.bulk': {
      path: '/api/ports/bulk',
      body: { operations: [{ op: 'create', port: { device_id: ids.devices, name: 'by bulk' } }] },
    },
    'ports.adopt': { path: `/api/devices/${reporting.id}/ports/adopt`, body: {} },
    'cables.bulk': { path: '/api/cables/bulk', body: removal('cables') },
    'relationships.create': {
      path: `/api/devices/${ids.child}/relationships`,
      body: { child_id: ids.devices, type: 'contains' },
    },
    'relationships.delete': { path: `/api/devices/${ids.devices}/relationships/${ids.child}/depends_on` },
    'discovery.promote': { path: `/api/discovery/devices/${found.device}/promote`, body: { name: 'promoted' } },
    'discovery.promote-many': {
      path: '/api/discovery/devices/promote',
      body: { ids: [found.device], name: 'promoted-{ip}' },
    },
    'discovery-rules.create': { path: '/api/discovery/rules', body: { network_id: local.id, enabled: false } },
    'discovery-rules.update': { path: `/api/discovery/rules/${ids['discovery-rules']}`, body: { interval_hours: 99 } },
    'discovery-rules.delete': { path: `/api/discovery/rules/${ids['discovery-rules']}` },
    'inbox.accept': { path: '/api/discovery/inbox/accept', body: { items: [{ id: item?.id }] } },
    'discovery-locks.create': { path: '/api/discovery/locks', body: { device_id: ids.devices, field: 'os' } },
    'discovery-locks.delete': { path: `/api/discovery/locks/${ids.devices}/hostname` },
    'conflicts.resolve': {
      path: `/api/conflicts/${conflict?.id}/resolve`,
      body: { keep_device_id: conflict?.device_ids[0] },
    },
    'estate.apply': {
      path: '/api/estate/apply',
      body: { devices: [{ name: 'typed', os: 'Debian' }, { name: 'new' }] },
    },
    'sources.delete': { path: `/api/sources/${leaving}` },
    'sources.apply': { path: `/api/sources/${ids.sources}/apply`, body: {} },
    'packs.install': { path: '/api/packs/nat/install', body: {} },
    'packs.uninstall': { path: `/api/packs/${ids.packs}` },
    'dns-records.create': {
      path: '/api/dns/records',
      body: { zone_id: ids['dns-zones'], name: 'other', type: 'A', value: '192.0.2.2' },
    },
    'dns-records.update': { path: `/api/dns/records/${ids['dns-records']}`, body: { value: '192.0.2.3' } },
    'dns-records.delete': { path: `/api/dns/records/${ids['dns-records']}` },
    'proposals.merge': { path: `/api/proposals/${proposal.number}/merge`, body: {} },
    'history.undo': { path: `/api/history/${change?.id}/undo`, body: {} },
  }
}
