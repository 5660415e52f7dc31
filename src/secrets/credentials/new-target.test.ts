// The secrets of a credential are for its device and network. Another one requires them again, so that an editor cannot
// send them to an attacker's host.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { restart } from '../../../testing/app/restart.ts'
import { ask, fieldsOf } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { Credential } from './api.ts'

const TIMEOUT_MS = 60_000
const KEY = 'd7'.repeat(32)

const SSH = { type: 'ssh_password', username: 'root', password: 'p' } as const
const SSH_KEY = { type: 'ssh_key', username: 'root', private_key: 'k', passphrase: 'pp' } as const
const V2C = { type: 'snmp_v2c', community: 'c' } as const
const V3 = {
  type: 'snmp_v3',
  username: 'u',
  auth_protocol: 'SHA',
  auth_password: 'a',
  priv_protocol: 'AES',
  priv_password: 'b',
} as const

describe.each(onSqlite())('a new target of a credential on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let device_id: string
  let otherDevice: string
  let network_id: string
  let otherNetwork: string
  beforeAll(async () => {
    app = await testApp({ dialect, env: { ENCRYPTION_KEY: KEY } })
    admin = await app.as('admin')
    const { api } = admin
    device_id = (await api.devices.create({ name: 'one' })).id
    otherDevice = (await api.devices.create({ name: 'other' })).id
    network_id = (await api.networks.create({ name: 'one', subnet: '10.1.0.0/24' })).id
    otherNetwork = (await api.networks.create({ name: 'other', subnet: '10.2.0.0/24' })).id
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  type Draft = Omit<Parameters<TestCaller['api']['credentials']['create']>[0], 'name'>
  const credential = (draft: Draft): Promise<Credential> => admin.api.credentials.create({ name: 'c', ...draft })
  const put = async ({ id }: Credential, patch: object) => {
    const answer = await ask(admin, `PUT /api/credentials/${id}`, patch)
    return answer.status === 200 ? 200 : [answer.status, ...fieldsOf(answer)]
  }

  test.each([[SSH], [SSH_KEY], [V2C], [V3]])(
    'of %j: after the deletion of its device it is tried on no other hosts',
    async (draft) => {
      const device = await admin.api.devices.create({ name: 'gone soon' })
      const made = await credential({ ...draft, device_id: device.id, network_id })
      await admin.api.devices.delete({ id: device.id })
      const expected = { has_secret: true, device_id: null, network_id: null }
      expect(await admin.api.credentials.get({ id: made.id })).toMatchObject(expected)
    },
  )

  test.each([
    [SSH, ['password']],
    [SSH_KEY, ['private_key', 'passphrase']],
    [V2C, ['community']],
    [V3, ['auth_password', 'priv_password']],
    [{ ...V3, priv_protocol: 'none', priv_password: '' } as const, ['auth_password']],
  ])('needs all secrets of %j again, and changes nothing without them', async (draft, fields) => {
    const made = await credential({ ...draft, device_id, network_id })
    expect(await put(made, { device_id: otherDevice })).toEqual([400, ...fields])
    expect(await put(made, { network_id: otherNetwork })).toEqual([400, ...fields])
    expect(await put(made, { device_id: otherDevice, network_id: otherNetwork })).toEqual([400, ...fields])
    expect(await admin.api.credentials.get({ id: made.id })).toEqual(made)
  })

  test.each([[SSH], [V2C], [V3], [SSH_KEY]])('is taken with the secrets of %j', async (draft) => {
    const made = await credential({ ...draft, device_id })
    expect(await put(made, { ...draft, device_id: otherDevice, network_id })).toBe(200)
  })

  test('is new where there was none', async () => {
    const made = await credential(V2C)
    expect(await put(made, { network_id })).toEqual([400, 'community'])
    expect(await put(made, { device_id })).toEqual([400, 'community'])
    expect(await put(made, { device_id, community: 'again' })).toBe(200)
  })

  test('is not none: to take the target away needs no secret', async () => {
    const made = await credential({ ...SSH, device_id })
    expect(await put(made, { device_id: null })).toBe(200)
    expect(await put(await credential({ ...V2C, device_id, network_id }), { device_id: '', network_id: '' })).toBe(200)
  })

  test('is not reached in two steps, by way of none', async () => {
    const made = await credential({ ...SSH, device_id })
    expect(await put(made, { device_id: '' })).toBe(200)
    expect(await put(made, { device_id: otherDevice })).toEqual([400, 'password'])
    expect(await put(made, { device_id })).toEqual([400, 'password'])
  })

  test.each([
    [SSH, ['password']],
    [V2C, ['community']],
    [V3, ['auth_password', 'priv_password']],
  ])('is the network, where %j loses the device that it was for', async (draft, fields) => {
    const made = await credential({ ...draft, device_id, network_id })
    expect(await put(made, { device_id: null })).toEqual([400, ...fields])
    expect(await put(made, { device_id: null, network_id: null })).toBe(200)
  })

  test('is not the present target', async () => {
    const made = await credential({ ...V2C, device_id, network_id })
    expect(await put(made, { ...made, description: 'changed' })).toBe(200)
  })

  test('takes "***" for no secret', async () => {
    expect(await put(await credential({ ...V2C, device_id }), { device_id: otherDevice, community: '***' })).toEqual([
      400,
      'community',
    ])
  })

  test('needs no passphrase of a key without one, and takes "" for its removal', async () => {
    const without = await credential({ ...SSH_KEY, passphrase: '', device_id })
    expect(await put(without, { device_id: otherDevice, private_key: 'again' })).toBe(200)
    const made = await credential({ ...SSH_KEY, device_id })
    expect(await put(made, { device_id: otherDevice, private_key: 'again' })).toEqual([400, 'passphrase'])
    expect(await put(made, { device_id: otherDevice, private_key: 'again', passphrase: '' })).toBe(200)
  })

  test('is not reached by way of another type, which drops the secrets', async () => {
    const made = await credential({ ...SSH, device_id })
    expect(await put(made, { type: 'snmp_v2c', username: '', device_id: otherDevice })).toEqual([400, 'community'])
    const patch = { type: 'snmp_v3', username: 'u', device_id: otherDevice }
    expect(await put(made, patch)).toBe(200)
    expect(await put(made, { type: 'ssh_password' })).toEqual([400, 'password'])
  })

  test('needs nothing where nothing is stored', async () => {
    const made = await credential({ type: 'snmp_v3', username: 'u', device_id })
    expect(await put(made, { device_id: otherDevice })).toBe(200)
  })

  test('names an unknown device beside the secrets', async () => {
    const made = await credential({ ...V2C, device_id })
    expect(await put(made, { device_id: 'nope' })).toEqual([400, 'community', 'device_id'])
  })

  test('is refused without the key as well', async () => {
    const made = await credential({ ...V2C, device_id })
    const keyless = await restart(app, { encryptionKey: undefined })
    const path = `/api/credentials/${made.id}`
    const statuses = [
      (await keyless.request(admin, 'PUT', path, { device_id: otherDevice })).status,
      (await keyless.request(admin, 'PUT', path, { device_id: null })).status,
    ]
    await keyless.close()
    expect(statuses).toEqual([400, 200])
  })
})
