/** Starts the simulator of govmomi: a vCenter or an ESXi host of this machine. It ends as the servers of servers.ts do. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { getProgramsFolder } from '../../scripts/go-tools.mjs'
import type { AskOptions, FetchMeans } from '../../src/sources/kinds/source-kind.ts'
import {
  escapeXml,
  formatReference,
  getType,
  type Reference,
  SoapClient,
} from '../../src/sources/kinds/vcenter/soap.ts'
import { freePort, launch, missing, read } from '../servers/servers.ts'
import { until } from '../until.ts'

export const VCENTER_SECRETS = { username: 'plat@vsphere.local', password: 's3cret & <plat>' }

export const startVcenter = async (product: 'vpx' | 'esx', copies = 0) => {
  const program = join(getProgramsFolder('sources'), 'vcenter')
  if (!existsSync(program)) missing('the simulator of vCenter')
  const port = await freePort()
  const { stop } = await launch({
    isOwn: true,
    stopSignal: 'KILL',
    // It makes folders for its datastores.
    serve: (dir) => ['env', `TMPDIR=${dir}`, program, `${port}`, product, `${copies}`],
    isReady: (dir) => read(join(dir, 'log')).includes('listens at'),
  })
  return { url: `https://127.0.0.1:${port}`, stop }
}

/** The results of a call that are references. */
const callFor = async (client: SoapClient, method: string, target: Reference, given: string): Promise<Reference[]> => {
  const found: Reference[] = []
  for await (const node of client.call({ method, target, given, isResult: true }))
    found.push({ type: getType(node), id: node.text })
  return found
}

/** Signs in to a simulator as a person who manages its machines. */
export const manageVcenter = async ({ url }: { readonly url: string }) => {
  const ask = async (path: string, { method, headers, body }: AskOptions = {}) => {
    const given = { ...(method && { method }), ...(headers && { headers }), ...(body !== undefined && { body }) }
    const answer = await fetch(`${url}${path}`, { ...given, tls: { rejectUnauthorized: false } })
    return { status: answer.status, headers: answer.headers, body: await answer.bytes() }
  }
  // The client uses these two.
  const client = new SoapClient({ url, ask } as unknown as FetchMeans)
  const { username, password } = VCENTER_SECRETS
  const names = `<userName>${escapeXml(username)}</userName><password>${escapeXml(password)}</password>`
  await callFor(client, 'Login', { type: 'SessionManager', id: 'SessionManager' }, names)

  /** @param path such as `/DC0/vm/web` */
  const find = (path: string): Promise<Reference> =>
    until(`${path} in the simulator`, async () => {
      const given = `<inventoryPath>${escapeXml(path)}</inventoryPath>`
      const [found] = await callFor(client, 'FindByInventoryPath', { type: 'SearchIndex', id: 'SearchIndex' }, given)
      return found
    })

  return {
    /** Takes a machine that is off out of the inventory. Its files stay. */
    unregister: async (name: string): Promise<void> => {
      await callFor(client, 'UnregisterVM', await find(`/DC0/vm/${name}`), '')
    },
    /** Takes a machine into the inventory, by its files: it has the same id, and no adapters. */
    register: async (name: string): Promise<void> => {
      const path = `<path>[LocalDS_0] ${escapeXml(`${name}/${name}.vmx`)}</path><asTemplate>false</asTemplate>`
      const pool = formatReference('pool', await find('/DC0/host/DC0_C0/Resources'))
      await callFor(client, 'RegisterVM_Task', await find('/DC0/vm'), `${path}${pool}`)
      // The task goes on after its answer.
      await find(`/DC0/vm/${name}`)
    },
  }
}
