/** Operations of the estate that build on each other inside one transaction, by the proposals that run them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { engines } from '../../../testing/servers/servers.ts'

const Created = z.object({
  number: z.int(),
  fingerprint: z.string(),
  errors: z.int(),
  operations: z.array(z.object({ id: z.string(), operation: z.string(), error: z.unknown() })),
})

describe.each(engines())('operations that name objects of earlier ones on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const propose = async (operations: readonly { readonly operation: string; readonly input: object }[]) => {
    const response = await admin.request('POST', '/api/proposals', { title: 'A new room', operations, open: true })
    const text = await response.text()
    expect([response.status, response.status === 201 ? '' : text]).toEqual([201, ''])
    return Created.parse(JSON.parse(text))
  }
  const merge = async (number: number) => {
    const response = await admin.request('POST', `/api/proposals/${number}/merge`, {})
    const text = await response.text()
    expect([response.status, response.status === 200 ? '' : text]).toEqual([200, ''])
  }

  test('are tried and merged: by ids, by names of a document, by refs, and by addresses of a pool', async () => {
    const proposal = await propose([
      { operation: 'datacenters.create', input: { id: 'dc-new', name: 'Room 7' } },
      {
        operation: 'networks.create',
        input: { id: 'net-new', name: 'Room 7 LAN', subnet: '10.7.0.0/24', datacenter_id: 'dc-new' },
      },
      {
        operation: 'estate.apply',
        input: {
          pools: [{ id: 'pool-new', name: 'Hosts', network: 'Room 7 LAN', start_ip: '10.7.0.10', end_ip: '10.7.0.20' }],
          devices: [{ name: 'switch-7', datacenter: 'Room 7', refs: { cmdb: 'S7' } }],
        },
      },
      { operation: 'reservations.allocate', input: { id: 'pool-new', hostname: 'printer' } },
      {
        operation: 'devices.create',
        input: { name: 'printer', datacenter_id: 'dc-new', addresses: [{ ip: '10.7.0.11' }] },
      },
      { operation: 'devices.update', input: { id: 'cmdb:S7', os: 'SwitchOS' } },
      { operation: 'devices.update', input: { id: 'cmdb:S8', name: 'switch-8' } },
      { operation: 'pools.update', input: { id: 'pool-new', end_ip: '10.7.0.30' } },
    ])
    expect(proposal.operations.map(({ operation, error }) => [operation, error])).toEqual(
      proposal.operations.map(({ operation }) => [operation, null]),
    )
    expect(await admin.api.devices.list({})).toEqual([])
    await merge(proposal.number)
    const devices = await admin.api.devices.list({})
    expect(devices.map(({ name, os }) => [name, os])).toEqual([
      ['printer', ''],
      ['switch-7', 'SwitchOS'],
      ['switch-8', ''],
    ])
    const [reservation] = await admin.api.reservations.list({ pool_id: 'pool-new' })
    expect(reservation).toMatchObject({ ip_address: '10.7.0.10', pool_id: 'pool-new', hostname: 'printer' })
    const [change] = await admin.api.history.list({})
    expect(change).toMatchObject({ operation: 'proposals.merge', note: 'A new room' })
    expect(change?.proposal_id).not.toBe('')
  })

  test('see no object of an operation that a rule refuses', async () => {
    const proposal = await propose([
      { operation: 'datacenters.create', input: { id: 'dc-2', name: 'Room 8' } },
      {
        operation: 'estate.apply',
        input: {
          datacenters: [{ name: 'Room 9' }],
          networks: [{ name: 'Room 9 LAN', subnet: '10.9.0.0/24', datacenter: 'Room 9' }],
        },
      },
      { operation: 'networks.create', input: { name: 'Other', subnet: '10.8.0.0/24', datacenter_id: 'dc-2' } },
    ])
    expect(proposal.errors).toBe(0)
    const again = await admin.request('POST', '/api/datacenters', { id: 'dc-2', name: 'Taken' })
    expect(again.status).toBe(201)
    const response = await admin.request('POST', `/api/proposals/${proposal.number}/refresh`)
    const refreshed = Created.parse(await response.json())
    expect(refreshed.errors).toBe(1)
    expect(refreshed.operations.map(({ error }) => error === null)).toEqual([false, true, true])
  })
})
