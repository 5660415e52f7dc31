// The MAC address and the DNS name of an address: their forms, how they are found, and as of earlier times.
import { beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { upgraded } from '../../testing/earlier-version.ts'
import { inventory, refusal } from '../../testing/inventory.ts'
import { dialects } from '../../testing/servers.ts'

describe.each([...dialects()])('on %s', (dialect) => {
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

    test.each(['52:54:00:aa:bb:dd', '52-54-00-AA-BB-DD', '5254.00aa.bbdd', 'db.corp', 'DB.corp.example'])(
      'is found by %p',
      async (q) => {
        expect(await seek(q)).toEqual(['other'])
      },
    )

    test('is found by its present values alone', async () => {
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
