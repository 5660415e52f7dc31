// Tenants and clusters as NetBox has them: objects of kinds that packs bring.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Door, openDoor } from '../../../../testing/netbox/door.ts'
import { engines, onSqlite } from '../../../../testing/servers/servers.ts'

const List = z.object({ results: z.array(z.looseObject({ id: z.number(), name: z.string() })) })
const One = z.looseObject({ id: z.number() })

describe.each(onSqlite())('without the packs', (dialect) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(dialect)
  })
  afterAll(() => door.close())

  test.each([
    ['tenancy/tenants/', { name: 'ACME', slug: 'acme' }, 'tenancy'],
    ['virtualization/clusters/', { name: 'one', type: { slug: 'unspecified' } }, 'virtualization'],
  ])('%s is empty, and a write names the pack', async (path, body, pack) => {
    expect((await door.get(path)).body).toMatchObject({ count: 0, results: [] })
    const messages = { name: [expect.stringContaining(`install the pack "${pack}" first`)] }
    expect(await door.post(path, body)).toEqual({ status: 400, body: messages })
  })
})

describe.each(engines())('objects of kinds on %s', (dialect) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(dialect)
    const { api } = door
    await api.packs.install({ name: 'tenancy' })
    await api.packs.install({ name: 'virtualization' })
    const tenant = (await api.objects.create({ kind_id: 'tenants', name: 'ACME', description: 'big\nand old' })).id
    const place = await api.datacenters.create({ name: 'Zürich', custom: { tenant } })
    const cluster = await api.objects.create({
      ...{ kind_id: 'clusters', name: 'prod', datacenter_id: place.id, custom: { tenant, type: 'vSphere' } },
    })
    await api.objects.create({ kind_id: 'tenants', name: 'Other' })
    const network = await api.networks.create({ name: 'lan', subnet: '10.0.0.0/24', custom: { tenant } })
    await api.pools.create({ name: 'all', network_id: network.id, start_ip: '10.0.0.1', end_ip: '10.0.0.99' })
    await api.vlans.create({ name: 'users', vlan_id: 5, custom: { tenant } })
    await api.racks.create({ name: 'R1', custom: { tenant } })
    await api.spaces.create({ name: 'red', custom: { tenant } })
    const inCluster = { cluster: cluster.id, tenant }
    await api.devices.create({
      ...{ name: 'host', custom: inCluster, addresses: [{ ip: '10.0.0.5', custom: { tenant } }, { ip: '10.0.0.6' }] },
    })
    for (const [name, vcpus, memory_mb, disk_gb] of [
      ['vm-1', 2.5, 4096, 20],
      ['vm-2', 2.5, 1024, 30],
    ] as const)
      await api.devices.create({ name, tags: ['vm'], custom: { ...inCluster, vcpus, memory_mb, disk_gb } })
  })
  afterAll(() => door.close())

  const list = async (path: string) => List.parse((await door.get(path)).body).results
  const names = async (path: string) => (await list(path)).map(({ name }) => name)

  test('a tenant counts what belongs to it', async () => {
    expect(await list('tenancy/tenants/?slug=acme')).toMatchObject([
      {
        ...{ name: 'ACME', slug: 'acme', group: null, description: 'big', comments: 'and old', circuit_count: 0 },
        ...{ device_count: 1, virtualmachine_count: 2, ipaddress_count: 1, prefix_count: 1, rack_count: 1 },
        ...{ site_count: 1, vlan_count: 1, vrf_count: 1, cluster_count: 1 },
      },
    ])
    expect(await list('tenancy/tenants/?name=Other')).toMatchObject([{ device_count: 0, site_count: 0 }])
  })

  test('a cluster counts its hosts and machines, and adds up their sizes', async () => {
    expect(await list('virtualization/clusters/')).toMatchObject([
      {
        ...{ name: 'prod', type: { name: 'Unspecified', cluster_count: 1 }, group: null, tenant: { slug: 'acme' } },
        ...{ scope_type: 'dcim.site', scope: { slug: 'zurich' }, status: { value: 'active' } },
        ...{ device_count: 1, virtualmachine_count: 2, custom_fields: { type: 'vSphere' } },
        ...{ allocated_vcpus: 5, allocated_memory: 5120, allocated_disk: 50_000 },
      },
    ])
    expect(await list('virtualization/cluster-types/')).toMatchObject([{ slug: 'unspecified', cluster_count: 1 }])
  })

  test.each([
    ['tenancy/tenants/?name__ic=cm', ['ACME']],
    ['tenancy/tenants/?q=old', ['ACME']],
    ['tenancy/tenants/?name=nobody', []],
    ['virtualization/clusters/?site=zurich', ['prod']],
    ['virtualization/clusters/?type=unspecified', ['prod']],
    ['virtualization/clusters/?tenant=acme&status=active', ['prod']],
    ['virtualization/clusters/?tenant__n=acme', []],
    ['virtualization/clusters/?cf_type=vSphere', ['prod']],
    ['dcim/sites/?tenant=acme', ['Zürich']],
    ['dcim/racks/?tenant=acme', ['R1']],
    ['dcim/racks/?tenant=other', []],
  ])('%s finds what NetBox finds', async (path, wanted) => {
    expect(await names(path)).toEqual(wanted)
  })

  test('a tenant is made, changed and deleted', async () => {
    const made = await door.post('tenancy/tenants/', { name: 'New', slug: 'new', description: 'x', group: null })
    expect(made).toMatchObject({ status: 201, body: { name: 'New', slug: 'new', description: 'x', device_count: 0 } })
    const path = `tenancy/tenants/${One.parse(made.body).id}/`
    const changed = await door.put(path, { name: 'Newer', slug: 'newer', comments: 'y' })
    expect(changed.body).toMatchObject({ name: 'Newer', slug: 'newer', description: 'x', comments: 'y' })
    const refused = { slug: [expect.stringContaining('define the custom field "slug" of tenants')] }
    expect(await door.patch(path, { slug: 'n' })).toEqual({ status: 400, body: refused })
    await door.api.customFields.create({ resource: 'tenants', name: 'slug', type: 'text' })
    expect((await door.patch(path, { slug: 'n' })).body).toMatchObject({ slug: 'n', custom_fields: { code: null } })
    expect((await door.delete(path)).status).toBe(204)
  })

  test('a cluster is made, moved and deleted', async () => {
    const [site] = await list('dcim/sites/?name=Z%C3%BCrich')
    const made = await door.post('virtualization/clusters/', {
      ...{ name: 'new', type: { name: 'Unspecified' }, status: 'staging', tenant: { slug: 'acme' } },
      ...{ scope_type: 'dcim.site', scope_id: site?.id, description: 'x' },
    })
    expect(made).toMatchObject({
      status: 201,
      body: { status: { value: 'staging', label: 'Staging' }, scope_id: site?.id, tenant: { name: 'ACME' } },
    })
    const path = `virtualization/clusters/${One.parse(made.body).id}/`
    const moved = await door.patch(path, { scope_type: null, scope_id: null, tenant: null })
    expect(moved.body).toMatchObject({ scope_type: null, scope_id: null, scope: null, tenant: null })
    expect((await door.patch(path, { scope_type: 'dcim.site', scope_id: site?.id })).body).toMatchObject({
      scope: { name: 'Zürich' },
    })
    expect((await door.delete(path)).status).toBe(204)
  })

  const cluster = { name: 'x', type: { slug: 'unspecified' } }
  test.each([
    ['tenancy/tenants/', { name: 'ACME', slug: 'acme-2' }, 'name'],
    ['tenancy/tenants/', { name: 'acme', slug: 'acme' }, 'slug'],
    ['tenancy/tenants/', { name: 'x', slug: 'x', group: 1 }, 'group'],
    ['virtualization/clusters/', { name: 'x' }, 'type'],
    ['virtualization/clusters/', { ...cluster, type: 7 }, 'type'],
    ['virtualization/clusters/', { ...cluster, type: null }, 'type'],
    ['virtualization/clusters/', { ...cluster, group: 1 }, 'group'],
    ['virtualization/clusters/', { ...cluster, status: 'gone' }, 'status'],
    ['virtualization/clusters/', { ...cluster, scope_type: 'dcim.rack', scope_id: 1 }, 'scope_type'],
    ['virtualization/clusters/', { ...cluster, scope_type: 'dcim.site', scope_id: 7 }, 'scope_id'],
    ['virtualization/clusters/', { ...cluster, scope_type: 'dcim.site' }, 'scope_id'],
    ['virtualization/clusters/', { ...cluster, scope_id: 7 }, 'scope_type'],
  ])('%s refuses %j on %s', async (path, body, field) => {
    const answer = await door.post(path, body)
    expect(answer.status).toBe(400)
    expect(z.looseObject({}).parse(answer.body)).toHaveProperty(field)
  })
})
