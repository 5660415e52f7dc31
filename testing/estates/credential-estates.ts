/** An estate with credentials inside and outside of a scope, and scans by users with a role in the scope. */
import { expect } from 'bun:test'
import type { TestCaller } from '../app/app.ts'
import type { Discovery } from '../discovery.ts'
import type { ScriptedScan } from '../servers/scripted-scanner.ts'
import { createUser, keyFor } from './identities.ts'
import { ask } from './inventory.ts'

/** The environment of an app with credentials. */
export const WITH_CREDENTIALS = { ENCRYPTION_KEY: 'ab'.repeat(32), DISCOVERY_SNMPV2C_ENABLED: 'true' }

/** The names of all credentials of an estate, and of the credentials that a user with a role in its scope reaches. */
export const ALL = ['both', 'hidden', 'network', 'own']
export const REACHED = ['network', 'own']

export const credentialEstates = (d: Discovery) => {
  let count = 0
  const names = new Map<string, string>()

  const sending = (key: string): Pick<TestCaller, 'request'> => ({
    request: (method, path, body, headers = {}) =>
      d.app.fetch(
        new Request(`http://plat.test${path}`, {
          method,
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      ),
  })
  const made = async (http: string, body: object, key = d.admin.key): Promise<{ id: string; key: string }> => {
    const { status, body: answer } = await ask(sending(key), http, body)
    expect([http, status < 300, answer]).toEqual([http, true, expect.anything()])
    return answer as { id: string; key: string }
  }
  const credential = async (name: string, fields: object): Promise<void> => {
    const { id } = await made('POST /api/credentials', { name, ...fields })
    names.set(id, name)
  }
  /** Creates a network in a datacenter that has a scope, with a device of that datacenter and one of another. */
  const estate = async () => {
    const n = ++count
    const [own_id = '', other_id = ''] = await Promise.all(
      ['own', 'other'].map(async (word) => (await made('POST /api/datacenters', { name: `${word} ${n}` })).id),
    )
    const scope = await made('POST /api/scopes', { name: `scope ${n}`, datacenter_ids: [own_id] })
    const net = await d.network()
    await d.api.networks.update({ id: net.id, datacenter_id: own_id })
    const device = async (datacenter_id: string, last: number) =>
      (await d.api.devices.create({ name: `d ${n} ${last}`, datacenter_id, addresses: [{ ip: net.at(last) }] })).id
    const [own, hidden] = [await device(own_id, 5), await device(other_id, 9)]
    await credential('network', { type: 'ssh_password', username: 'root', password: 'p', network_id: net.id })
    await credential('own', { type: 'snmp_v2c', community: 'c', device_id: own })
    await credential('hidden', { type: 'snmp_v2c', community: 'c', device_id: hidden })
    await credential('both', {
      type: 'ssh_password',
      username: 'r',
      password: 'p',
      device_id: hidden,
      network_id: net.id,
    })
    return { ...net, own, hidden, scope: scope.id }
  }
  type Estate = Awaited<ReturnType<typeof estate>>
  /** Returns a user with a role in the scope. */
  const limited = async ({ scope }: Estate, role_id = 'role-operator') => {
    const username = `limited-${++count}`
    const { id } = await createUser(d.app.db, { username })
    const grant = await made('POST /api/grants', { role_id, user_id: id, scope_id: scope })
    return { id, username, key: await keyFor(d.app.db, id), grant: grant.id }
  }
  const start = async ({ id }: Estate, key: string): Promise<string> =>
    (await made(`POST /api/discovery/networks/${id}/scan`, { scan_type: 'deep' }, key)).id
  const used = ({ plan }: ScriptedScan): string[] =>
    [...plan.snmp, ...plan.ssh].map(({ credentialId }) => names.get(credentialId) ?? '').sort()
  /** Runs a scan to its end, and returns the names of its credentials. */
  const usedBy = async (net: Estate, key: string): Promise<string[]> => {
    const id = await start(net, key)
    const scan = await d.scanner.next(net.subnet)
    scan.end('done')
    await d.ended(id)
    return used(scan)
  }
  const revoke = (grant: string) => d.ask(`DELETE /api/grants/${grant}`)
  /** Returns a number that no other call returns. */
  const next = () => ++count
  return { sending, made, estate, limited, start, used, usedBy, revoke, next }
}

export type CredentialEstate = Awaited<ReturnType<ReturnType<typeof credentialEstates>['estate']>>
