// The fields of each type of credential, the effect of updates on its secrets, and of deletions of the objects that it
// refers to.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask, changedSince, missing, refusal } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { createSecrets } from '../../base/security/crypto.ts'
import { openCredential } from './credentials.ts'

const KEY = 'c0'.repeat(32)
const secrets = createSecrets({ key: KEY, previous: [] })
/** The first suite on PostgreSQL waits for the server to start. */
const START_TIMEOUT_MS = 60_000

const SSH_PASSWORD = { name: 'a', type: 'ssh_password', username: 'root', password: 'pw-1' } as const
const SSH_KEY = { name: 'b', type: 'ssh_key', username: 'root', private_key: 'KEY\n', passphrase: 'pp-1' } as const
const SNMP_V2C = { name: 'c', type: 'snmp_v2c', community: 'cc-1' } as const
const SNMP_V3 = {
  ...{ name: 'd', type: 'snmp_v3', username: 'monitor' },
  ...{ auth_protocol: 'SHA256', auth_password: 'ap-1', priv_protocol: 'AES', priv_password: 'vp-1' },
} as const

describe.each(onSqlite())('credentials on %s', (dialect) => {
  const clock = { ms: Date.parse('2026-06-01T00:00:00.000Z') }
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect, now: () => new Date(clock.ms), env: { ENCRYPTION_KEY: KEY } })
    admin = await app.as('admin')
  }, START_TIMEOUT_MS)
  afterAll(() => app.close(), START_TIMEOUT_MS)

  const send = (http: string, body?: unknown, headers?: Record<string, string>) => ask(admin, http, body, headers)
  const create = (draft: object) => send('POST /api/credentials', draft)
  const made = async (draft: object): Promise<string> => {
    const { status, body } = await create(draft)
    // The answer of a 201 is a credential.
    if (status === 201) return (body as { id: string }).id
    throw new Error(JSON.stringify(body))
  }
  const update = (id: string, patch: object) => send(`PUT /api/credentials/${id}`, patch)
  const secretOf = async (id: string) => (await openCredential({ db: app.db.read }, secrets, id)).secret

  describe('are made', () => {
    const whole = { device_id: null, network_id: null, description: '', has_secret: true }
    const none = { auth_protocol: 'none', priv_protocol: 'none' }
    test.each([
      [SSH_PASSWORD, { ...none, username: 'root' }, { password: 'pw-1' }],
      [SSH_KEY, { ...none, username: 'root' }, { private_key: 'KEY\n', passphrase: 'pp-1' }],
      [SNMP_V2C, { ...none, username: '' }, { community: 'cc-1' }],
      [
        SNMP_V3,
        { auth_protocol: 'SHA256', priv_protocol: 'AES', username: 'monitor' },
        { auth_password: 'ap-1', priv_password: 'vp-1' },
      ],
    ] as const)('%j', async (draft, shown, opened) => {
      const id = await made(draft)
      const time = new Date(clock.ms).toISOString()
      const { body } = await send(`GET /api/credentials/${id}`)
      const { name, type } = draft
      expect(body).toEqual({ id, name, type, ...shown, ...whole, created_at: time, updated_at: time })
      expect(await secretOf(id)).toEqual(opened)
    })

    test('without any secret, where SNMPv3 needs none', async () => {
      const { body } = await create({ name: 'open', type: 'snmp_v3', username: 'u' })
      expect(body).toMatchObject({ auth_protocol: 'none', priv_protocol: 'none', has_secret: false })
    })

    test('with empty fields of other types, as a form sends them', async () => {
      const empty = { community: '', private_key: null, passphrase: '', auth_protocol: '', priv_protocol: 'none' }
      expect(await create({ ...SSH_PASSWORD, ...empty })).toMatchObject({ status: 201 })
    })
  })

  describe('are refused', () => {
    test.each([
      ['without what the type needs', { name: 'x', type: 'ssh_password' }, ['username', 'password']],
      ['without a key', { ...SSH_KEY, private_key: '' }, ['private_key']],
      ['without a community', { name: 'x', type: 'snmp_v2c' }, ['community']],
      [
        'without passwords of their protocols',
        { ...SNMP_V3, auth_password: null, priv_password: '' },
        ['auth_password', 'priv_password'],
      ],
      [
        'with secrets of other types',
        { ...SSH_PASSWORD, community: 'x', passphrase: 'y' },
        ['passphrase', 'community'],
      ],
      ['with a user name where there is none', { ...SNMP_V2C, username: 'u' }, ['username']],
      [
        'with protocols of another type',
        { ...SNMP_V2C, auth_protocol: 'MD5', priv_protocol: 'DES' },
        ['auth_protocol', 'priv_protocol'],
      ],
      [
        'with a password for no protocol',
        { name: 'x', type: 'snmp_v3', username: 'u', auth_password: 'p' },
        ['auth_password'],
      ],
      [
        'with privacy and no authentication',
        { ...SNMP_V3, auth_protocol: 'none', auth_password: '' },
        ['priv_protocol'],
      ],
      ['with an unknown protocol', { ...SNMP_V3, auth_protocol: 'SHA3' }, ['auth_protocol']],
      ['with an unknown type', { ...SSH_KEY, type: 'telnet' }, ['type']],
      ['without a name', { ...SNMP_V2C, name: ' ' }, ['name']],
      ['with unknown references', { ...SNMP_V2C, device_id: 'nope', network_id: 'nope' }, ['device_id', 'network_id']],
    ])('%s', async (_, draft, fields) => {
      expect(await create(draft)).toMatchObject(refusal(...fields))
    })
  })

  describe('an update', () => {
    test('keeps the secrets it does not name', async () => {
      const id = await made(SSH_KEY)
      expect((await update(id, { name: 'renamed', username: 'admin' })).body).toMatchObject({ name: 'renamed' })
      expect(await secretOf(id)).toEqual({ private_key: 'KEY\n', passphrase: 'pp-1' })
      await update(id, { passphrase: 'pp-2' })
      expect(await secretOf(id)).toEqual({ private_key: 'KEY\n', passphrase: 'pp-2' })
    })

    test('clears optional fields only', async () => {
      const id = await made(SSH_KEY)
      await update(id, { passphrase: '' })
      expect(await secretOf(id)).toEqual({ private_key: 'KEY\n' })
      expect(await update(id, { private_key: '' })).toMatchObject(refusal('private_key'))
      expect(await update(id, { username: null })).toMatchObject(refusal('username'))
    })

    test('an update of the type drops the secrets and demands the secrets of the new type', async () => {
      const id = await made(SSH_PASSWORD)
      expect(await update(id, { type: 'ssh_key' })).toMatchObject(refusal('private_key'))
      expect(await update(id, { type: 'snmp_v2c', community: 'cc', username: 'u' })).toMatchObject(refusal('username'))
      const { body } = await update(id, { type: 'snmp_v2c', community: 'cc' })
      expect(body).toMatchObject({ type: 'snmp_v2c', username: '', has_secret: true })
      expect(await secretOf(id)).toEqual({ community: 'cc' })
      expect(await update(id, { password: 'x' })).toMatchObject(refusal('password'))
    })

    test('of the type to one that has none leaves none', async () => {
      const id = await made(SSH_PASSWORD)
      expect((await update(id, { type: 'snmp_v3' })).body).toMatchObject({ username: 'root', has_secret: false })
      expect(await secretOf(id)).toEqual({})
    })

    test('of a protocol keeps the password, and to none drops it', async () => {
      const id = await made(SNMP_V3)
      await update(id, { auth_protocol: 'SHA512' })
      expect(await secretOf(id)).toEqual({ auth_password: 'ap-1', priv_password: 'vp-1' })
      expect(await update(id, { auth_protocol: 'none' })).toMatchObject(refusal('priv_protocol'))
      await update(id, { priv_protocol: null })
      expect(await secretOf(id)).toEqual({ auth_password: 'ap-1' })
      expect(await update(id, { priv_protocol: 'AES' })).toMatchObject(refusal('priv_password'))
      expect((await update(id, { auth_protocol: '' })).body).toMatchObject({ has_secret: false })
    })

    test('with the read object, or the same secret, changes nothing', async () => {
      const { body: before } = await send(`GET /api/credentials/${await made(SNMP_V3)}`)
      const { id } = before as { id: string } // A 200 is a credential.
      clock.ms += 1000
      expect((await update(id, before as object)).body).toEqual(before)
      expect((await update(id, { auth_password: 'ap-1' })).body).toEqual(before)
      const updated_at = new Date(clock.ms).toISOString()
      expect((await update(id, { auth_password: 'ap-2' })).body).toEqual({ ...(before as object), updated_at })
    })

    test('happens only to the credential that was read', async () => {
      const id = await made(SSH_PASSWORD)
      const { etag } = await send(`GET /api/credentials/${id}`)
      clock.ms += 1000
      const match = { 'If-Match': etag ?? '' }
      expect(await send(`PUT /api/credentials/${id}`, { password: 'pw-2' }, match)).toMatchObject({ status: 200 })
      expect(await send(`PUT /api/credentials/${id}`, { password: 'pw-3' }, match)).toMatchObject(changedSince)
      expect(await send(`DELETE /api/credentials/${id}`, undefined, match)).toMatchObject(changedSince)
      expect(await secretOf(id)).toEqual({ password: 'pw-2' })
    })
  })

  test('are listed by name, and by what they are and belong to', async () => {
    const { api } = admin
    const device = await api.devices.create({ name: 'listed' })
    const network = await api.networks.create({ name: 'listed', subnet: '10.7.0.0/24' })
    const first = await made({ ...SNMP_V2C, name: 'l-1', device_id: device.id })
    const second = await made({ ...SSH_KEY, name: 'L-2', network_id: network.id })
    const ids = async (query: object) => (await api.credentials.list(query)).map(({ id }) => id)
    expect(await ids({ name: 'l-' })).toEqual([first, second])
    expect(await ids({ name: 'l-', limit: 1, offset: 1 })).toEqual([second])
    expect(await ids({ name: 'l-', type: 'ssh_key' })).toEqual([second])
    expect(await ids({ device_id: device.id })).toEqual([first])
    expect(await ids({ network_id: network.id })).toEqual([second])
  })

  test('outlive the device and the network they belong to', async () => {
    const { api } = admin
    const device_id = (await api.devices.create({ name: 'gone' })).id
    const network_id = (await api.networks.create({ name: 'gone', subnet: '10.8.0.0/24' })).id
    const id = await made({ ...SNMP_V2C, device_id, network_id })
    await api.networks.delete({ id: network_id })
    expect(await api.credentials.get({ id })).toMatchObject({ device_id, network_id: null })
    await api.devices.delete({ id: device_id })
    expect(await api.credentials.get({ id })).toMatchObject({ device_id: null, network_id: null })
    expect(await api.credentials.get({ id })).toMatchObject({ has_secret: true })
  })

  test('are gone once they are deleted', async () => {
    const id = await made(SNMP_V2C)
    expect(await send(`DELETE /api/credentials/${id}`)).toMatchObject({ status: 204 })
    for (const http of ['GET', 'PUT', 'DELETE'])
      expect(await send(`${http} /api/credentials/${id}`, http === 'PUT' ? {} : undefined)).toMatchObject(missing)
    await expect(secretOf(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
