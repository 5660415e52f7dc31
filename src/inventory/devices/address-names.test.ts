// The MAC address, the DNS name and the interface of an address: their forms, how they are found, and as of earlier times.
import { beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { inventory, refusal } from '../../../testing/estates/inventory.ts'
import { upgraded } from '../../../testing/servers/earlier-version.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

describe.each(onSqlite())('on %s', (dialect) => {
  const inv = inventory(dialect)
  const post = (address: object) =>
    inv.ask('POST /api/devices', { name: 'd', addresses: [{ ip: '10.0.0.1', ...address }] })
  const seek = async (q: string) => (await inv.api.devices.search({ q })).map(({ name }) => name)

  test.each([
    ['mac_address', '52-54-00-00-00-AB', '52:54:00:00:00:ab'],
    ['mac_address', '5254.0000.00ab', '52:54:00:00:00:ab'],
    ['mac_address', '5254000000AB', '52:54:00:00:00:ab'],
    ['mac_address', '', ''],
    ['mac_address', null, ''],
    ['dns_name', 'Web-1.Example.NET.', 'web-1.example.net'],
    ['dns_name', '_sip._tcp.example.net', '_sip._tcp.example.net'],
    ['dns_name', 'bare', 'bare'],
    ['dns_name', null, ''],
  ])('the %s %p is stored as %p', async (field, sent, stored) => {
    const { status, body } = await post({ [field]: sent })
    expect([status, body]).toMatchObject([201, { addresses: [{ [field]: stored }] }])
  })

  test.each([
    ['mac_address', 'x'],
    ['mac_address', '52:54:00:00:00'],
    ['mac_address', '52:54:00:00-00-01'],
    ['dns_name', '*.example.net'],
    ['dns_name', 'a b'],
    ['dns_name', '.'],
    ['dns_name', 'a..b'],
    ['dns_name', `${'a'.repeat(63)}.`.repeat(4)],
  ])('the %s %p is refused', async (field, sent) => {
    expect(await post({ [field]: sent })).toMatchObject(refusal(`addresses[0].${field}`))
  })

  describe('a device with both', () => {
    let id = ''
    let before = ''
    beforeAll(async () => {
      const address = { ip: '10.9.0.1', mac_address: '52:54:00:aa:bb:cc', dns_name: 'mail.corp.example' }
      const made = await inv.api.devices.create({
        name: 'named',
        addresses: [{ ip: '10.9.0.2' }, address],
        tags: ['t'],
      })
      id = made.id
      before = (await inv.api.history.list({ limit: 1 }))[0]?.id ?? ''
      await inv.api.devices.update({ id, addresses: [{ ip: '10.9.0.2', dns_name: 'relay.corp.example' }] })
      const other = { ip: '10.9.1.1', mac_address: '52:54:00:aa:bb:dd', dns_name: 'db.corp.example' }
      await inv.api.devices.create({ name: 'other', addresses: [other] })
    })

    test.each([
      '52:54:00:aa:bb:dd',
      '52-54-00-AA-BB-DD',
      '5254.00aa.bbdd',
      '525400AABBDD',
      'db.corp',
      'DB.corp.example',
    ])('is found by %p', async (q) => {
      expect(await seek(q)).toEqual(['other'])
    })

    test('is counted once under its MAC in any notation, before one with that name, and shown with it', async () => {
      await inv.api.devices.create({ name: '525400aabbdd' })
      const { body, total } = await inv.ask('GET /api/devices/search?q=525400AABBDD&limit=9')
      expect([body, total]).toMatchObject([[{ name: '525400aabbdd' }, { name: 'other' }], '2'])
      const { results } = await inv.api.search.all({ q: '52-54-00-aa-bb-dd' })
      expect(results).toMatchObject([{ type: 'device', name: 'other', match: '52:54:00:aa:bb:dd' }])
    })

    test('a device with both is found only by its present values', async () => {
      expect(await seek('relay.corp.example')).toEqual(['named'])
      expect(await seek('mail.corp.example')).toEqual([])
    })

    test('is found by its values as of an earlier change', async () => {
      const then = await inv.ask(`GET /api/devices/search?q=52-54-00-aa-bb-cc&as_of=${before}`)
      expect(then.body).toMatchObject([{ name: 'named' }])
    })

    test.each([
      ['mac', '52-54-00-aa-bb-dd'],
      ['hostname', 'DB.corp.example'],
      ['hostname', 'db'],
    ])('is looked up as a %s by %p', async (kind, query) => {
      const answer = await inv.api.lookup.show({ query })
      expect([answer.kind, answer.known, answer.devices?.map(({ name }) => name)]).toEqual([
        kind as never,
        true,
        ['other'],
      ])
    })

    test('is looked up as of an earlier change', async () => {
      const { body } = await inv.ask(`GET /api/lookup/52:54:00:aa:bb:cc?as_of=${before}`)
      expect(body).toMatchObject({ devices: [{ id }] })
      const { body: now } = await inv.ask('GET /api/lookup/52:54:00:aa:bb:cc')
      expect(now).toMatchObject({ known: false })
    })
  })

  describe('the interface of an address', () => {
    const addressOf = (body: unknown) => (body as { addresses: Record<string, unknown>[] }).addresses[0] ?? {}

    test.each([undefined, null, ''])('is absent with %p', async (sent) => {
      const { status, body } = await post({ interface: sent })
      expect([status, 'interface' in addressOf(body)]).toEqual([201, false])
    })

    test('is kept, replaced with its list, undone, and told by the history', async () => {
      const { body } = await post({ interface: 'eth0' })
      const { id } = body as { id: string }
      const put = async (more: object) => addressOf((await inv.ask(`PUT /api/devices/${id}`, more)).body).interface
      const address = { ip: '10.0.0.1' }
      expect([
        addressOf(body).interface,
        await put({ os: 'Debian' }),
        await put({ addresses: [{ ...address, interface: 'eth1' }] }),
        await put({ addresses: [address] }),
      ]).toEqual(['eth0', 'eth0', 'eth1', undefined])
      const [latest] = await inv.api.history.list({ limit: 1 })
      await inv.api.history.undo({ id: latest?.id ?? '' })
      const { body: then } = await inv.ask(`GET /api/devices/${id}?as_of=${latest?.id}`)
      expect([addressOf(await inv.api.devices.get({ id })).interface, 'interface' in addressOf(then)]).toEqual([
        'eth1',
        false,
      ])
    })

    test('is set by a bulk call, an import and an applied document, and refused by the name of the field', async () => {
      const device = (name: string, own: unknown) => ({ name, addresses: [{ ip: '10.8.0.1', interface: own }] })
      const named = async (name: string) =>
        (await inv.api.devices.search({ q: name })).flatMap(({ addresses }) => addresses.map((one) => one.interface))
      const bulk = (own: unknown) =>
        inv.ask('POST /api/devices/bulk', { operations: [{ op: 'create', device: device('by-bulk', own) }] })
      expect(await bulk('ge-0/0/1')).toMatchObject({ status: 200 })
      expect(await inv.api.estate.apply({ devices: [device('by-apply', 'ge-0/0/2')] })).toMatchObject({ changed: true })
      expect(await inv.api.estate.apply({ devices: [device('by-apply', 'ge-0/0/2')] })).toMatchObject({
        changed: false,
      })
      const imported = await inv.admin.request('POST', '/api/estate/import?resource=devices', [
        device('by-import', 'ge-0/0/3'),
      ])
      await imported.text()
      expect([await named('by-bulk'), await named('by-apply'), await named('by-import')]).toEqual([
        ['ge-0/0/1'],
        ['ge-0/0/2'],
        ['ge-0/0/3'],
      ])
      const long = 'x'.repeat(65)
      expect(await bulk(long)).toMatchObject(refusal('operations[0].device.addresses[0].interface'))
      expect(await inv.ask('POST /api/estate/apply', { devices: [device('by-apply', long)] })).toMatchObject(
        refusal('devices[0].addresses[0].interface'),
      )
    })
  })

  test('stored documents of earlier versions get both, empty', async () => {
    // A text that resembles the place of the new fields.
    const text = 'a,"pool_id":null'
    const address = {
      ip: '10.0.0.1',
      port: null,
      type: 'ipv4',
      label: text,
      network_id: null,
      switch_port: '',
      pool_id: null,
    }
    const device = {
      id: 'd',
      name: 'web',
      description: text,
      addresses: [address, address],
      created_at: '',
      updated_at: '',
    }
    const reservation = { id: 'r', pool_id: 'p', notes: text }
    const { db, close } = await upgraded(dialect, '0042', async (tx) => {
      await sql`INSERT INTO devices (id, name, name_key, hostname_key, description, make_model, os, status, username,
          location, created_at, updated_at, search_text, doc)
        VALUES ('d', 'web', 'web', '', '', '', '', 'active', '', '', '', '', '', ${JSON.stringify(device)})`.execute(tx)
      await sql`INSERT INTO addresses (device_id, position, ip, ip_key) VALUES ('d', 0, '10.0.0.1', '40a000001')`.execute(
        tx,
      )
      for (const [kind, document] of Object.entries({ device, reservation }))
        await sql`INSERT INTO history (kind, id, seq, before) VALUES (${kind}, 'x', 1, ${JSON.stringify(document)})`.execute(
          tx,
        )
    })
    const addresses = [address, address].map((one) => ({ ...one, mac_address: '', dns_name: '' }))
    const [row] = await db.read.selectFrom('devices').select('doc').execute()
    expect(JSON.parse(row?.doc ?? '')).toEqual({ ...device, addresses })
    const history = await db.read.selectFrom('history').select(['kind', 'before']).orderBy('kind').execute()
    expect(history.map(({ before: document }) => JSON.parse(document ?? ''))).toEqual([
      { ...device, addresses },
      reservation,
    ])
    expect(await db.read.selectFrom('addresses').select(['mac_address', 'dns_name']).execute()).toEqual([
      { mac_address: '', dns_name: '' },
    ])
    await close()
  })
})
