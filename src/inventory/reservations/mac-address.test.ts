// The MAC address of a reservation: its notations, where it is refused, how it is found, and through history and documents.
import { beforeAll, describe, expect, test } from 'bun:test'
import { fieldsOf, inventory, refusal } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const MAC = '52:54:00:aa:bb:cc'
const OTHER = '52:54:00:aa:bb:dd'

describe.each(onSqlite())('on %s', (dialect) => {
  const inv = inventory(dialect)
  let pool = ''
  let next = 10
  beforeAll(async () => {
    const { id: network_id } = await inv.api.networks.create({ name: 'macs', subnet: '10.7.0.0/24' })
    pool = (await inv.api.pools.create({ network_id, name: 'macs', start_ip: '10.7.0.1', end_ip: '10.7.0.250' })).id
  })
  const post = (mac_address?: unknown) =>
    inv.ask(`POST /api/pools/${pool}/reservations`, { ip_address: `10.7.0.${next++}`, mac_address })
  const allocate = (body: object) => inv.ask(`POST /api/pools/${pool}/allocate`, body)
  const lookup = async (query: string) => (await inv.ask(`GET /api/lookup/${query}`)).body as Record<string, unknown>

  test.each(['52-54-00-AA-BB-CC', '5254.00aa.bbcc', '525400AABBCC', MAC])(
    '%p is stored in one notation',
    async (sent) => {
      expect(await post(sent)).toMatchObject({ status: 201, body: { mac_address: MAC } })
    },
  )

  test.each([undefined, null, ''])('with %p there is no such field', async (sent) => {
    const { status, body, etag } = await post(sent)
    expect([status, 'mac_address' in (body as object)]).toEqual([201, false])
    const { id } = body as unknown as { id: string }
    const again = await inv.ask(`PUT /api/reservations/${id}`, { mac_address: sent ?? null })
    expect([again.body, (await inv.ask(`GET /api/reservations/${id}`)).body, again.etag]).toEqual([body, body, etag])
  })

  test.each(['x', '52:54:00:aa:bb', '52:54:00:aa:bb:cc:dd', 7, '52:54-00:aa:bb:cc'])('%p is refused', async (sent) => {
    const { reservations } = await inv.api.reservations.allocate({ id: pool })
    expect(await post(sent)).toMatchObject(refusal('mac_address'))
    expect(await allocate({ mac_address: sent })).toMatchObject(refusal('mac_address'))
    expect(await inv.ask(`PUT /api/reservations/${reservations[0]?.id}`, { mac_address: sent })).toMatchObject(
      refusal('mac_address'),
    )
  })

  test('an allocation of one address has it, reserved or of a device, and one of several is refused', async () => {
    expect(await allocate({ mac_address: '525400aabb01' })).toMatchObject({
      status: 201,
      body: { reservations: [{ mac_address: '52:54:00:aa:bb:01' }] },
    })
    const { id: device_id } = await inv.api.devices.create({ name: 'allocated' })
    expect(await allocate({ device_id, mac_address: '52-54-00-AA-BB-02' })).toMatchObject({ status: 201 })
    const { addresses } = await inv.api.devices.get({ id: device_id })
    expect(addresses.map(({ mac_address }) => mac_address)).toEqual(['52:54:00:aa:bb:02'])
    expect(fieldsOf(await allocate({ count: 2, mac_address: MAC }))).toEqual(['mac_address'])
    expect(await allocate({ count: 2, mac_address: '' })).toMatchObject({ status: 201 })
  })

  test('is changed, kept, cleared, undone and read as of earlier changes', async () => {
    const { id } = (await post('52:54:00:aa:bb:03')).body as unknown as { id: string }
    const latest = async () => (await inv.api.history.list({ limit: 1 }))[0]?.id ?? ''
    const made = await latest()
    const update = async (body: object) =>
      ((await inv.ask(`PUT /api/reservations/${id}`, body)).body as Record<string, unknown>).mac_address
    expect([
      await update({ notes: 'kept' }),
      await update({ mac_address: '52:54:00:AA:BB:04' }),
      await update({ mac_address: null }),
    ]).toEqual(['52:54:00:aa:bb:03', '52:54:00:aa:bb:04', undefined])
    expect(await inv.api.history.get({ id: await latest() })).toMatchObject({
      items: [{ fields: { mac_address: { from: '52:54:00:aa:bb:04', to: null } } }],
    })
    expect([(await lookup('52:54:00:aa:bb:04')).known, await lookup(`52:54:00:aa:bb:03?as_of=${made}`)]).toMatchObject([
      false,
      { known: true, reservations: [{ id, mac_address: '52:54:00:aa:bb:03' }] },
    ])
    await inv.api.history.undo({ id: await latest() })
    expect((await inv.api.reservations.get({ id })).mac_address).toBe('52:54:00:aa:bb:04')
    await inv.api.history.undo({ id: await latest() })
    expect('mac_address' in (await inv.api.reservations.get({ id }))).toBe(false)
    await inv.api.reservations.delete({ id })
    await inv.api.history.undo({ id: await latest() })
    expect('mac_address' in (await inv.api.reservations.get({ id }))).toBe(false)
  })

  test('a lookup in any notation finds devices and reservations', async () => {
    await inv.api.devices.create({ name: 'has it', addresses: [{ ip: '10.7.1.1', mac_address: OTHER }] })
    await post(OTHER)
    for (const notation of ['52-54-00-AA-BB-DD', '5254.00aa.bbdd', '525400aabbdd'])
      expect(await lookup(notation)).toMatchObject({
        known: true,
        query: OTHER,
        devices: [{ name: 'has it' }],
        reservations: [{ mac_address: OTHER }],
      })
    await post('52:54:00:aa:bb:05')
    expect(await lookup('52:54:00:aa:bb:05')).toMatchObject({ known: true, reservations: [{}] })
    const blind = await inv.app.as(['search:read', 'devices:list'])
    expect(await blind.api.lookup.show({ query: '52:54:00:aa:bb:05' })).toMatchObject({ known: false })
  })

  test('an applied document sets it, says no change without one, and an export has it', async () => {
    const row = (mac_address?: string | null) => ({
      reservations: [{ pool: 'macs', ip_address: '10.7.0.200', hostname: 'applied', mac_address }],
    })
    const applied = async (document: { reservations: object[] }) => {
      const { counts } = await inv.api.estate.apply(document)
      return Object.entries(counts.reservations ?? {}).flatMap(([verb, n]) => (n > 0 ? [verb] : []))
    }
    expect([
      await applied(row()),
      await applied(row('')),
      await applied(row(null)),
      await applied(row('5254.00aa.bb06')),
      await applied(row('52:54:00:aa:bb:06')),
    ]).toEqual([['created'], ['unchanged'], ['unchanged'], ['updated'], ['unchanged']])
    const { body } = await inv.ask('GET /api/estate/export?format=json')
    expect(JSON.stringify(body)).toContain('"52:54:00:aa:bb:06"')
    expect(await applied(row(null))).toEqual(['updated'])
  })
})
