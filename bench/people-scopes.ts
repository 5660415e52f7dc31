/** Scopes of known sizes on a server, and users who hold a role in one of them. */
import { contracts } from '../src/app/contracts.ts'
import { createClient } from '../src/surfaces/cli/connection/client.ts'
import type { Server } from './servers.ts'

/** The most entries that a list of a scope has. */
const MOST = 200
/** Networks of the scopes that only add to the number of sets. */
const NETWORKS_OF_EACH = 10

export type Client = ReturnType<typeof clientOf>
export const clientOf = ({ port }: Pick<Server, 'port'>, key: string) =>
  createClient(
    {
      fetch: (url, init) => fetch(`http://127.0.0.1:${port}${url}`, init),
      headers: { Authorization: `Bearer ${key}` },
    },
    contracts,
  )

type Lists = { readonly datacenter_ids?: string[]; readonly subnets?: string[]; readonly tags?: string[] }

/** The devices of an estate by their datacenter, and by the network of their first address. */
export type Layout = {
  readonly count: number
  readonly byDatacenter: ReadonlyMap<string, number>
  readonly bySubnet: ReadonlyMap<string, number>
}

export const layoutOf = async (api: Client): Promise<Layout> => {
  const subnets = new Map((await api.networks.list({})).map(({ id, subnet }) => [id, subnet]))
  const byDatacenter = new Map<string, number>()
  const bySubnet = new Map<string, number>()
  const add = (counts: Map<string, number>, key: string | null | undefined) => {
    if (key) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const devices = await api.devices.list({})
  for (const { datacenter_id, addresses } of devices) {
    add(byDatacenter, datacenter_id)
    add(bySubnet, subnets.get(addresses[0]?.network_id ?? ''))
  }
  return { count: devices.length, byDatacenter, bySubnet }
}

/** Returns lists that hold about this share of the devices: whole datacenters first, then networks. */
export const listsOf = ({ count, byDatacenter, bySubnet }: Layout, share: number): Lists => {
  let left = count * share
  const take = (counts: ReadonlyMap<string, number>): string[] => {
    const taken: string[] = []
    for (const [key, n] of counts) {
      if (n > left || taken.length === MOST) continue
      left -= n
      taken.push(key)
    }
    return taken
  }
  // The networks of a datacenter that is taken count twice if they come first.
  const datacenter_ids = take(byDatacenter)
  return { datacenter_ids, subnets: take(new Map([...bySubnet].reverse())) }
}

/**
 * Creates scopes of networks, as of teams that each have their own. With `overlaps`, a tenth of them are of tags and datacenters, which many
 * devices of all networks have: these make thousands of sets of scopes.
 */
export const addOthers = async (
  api: Client,
  { bySubnet, byDatacenter }: Layout,
  { count, overlaps }: { readonly count: number; readonly overlaps: boolean },
): Promise<void> => {
  const subnets = [...bySubnet.keys()]
  const datacenters = [...byDatacenter.keys()]
  const tags = ['production', 'staging', 'payments', 'mobile', 'db', 'web', 'k8s', 'sw']
  const placed = (i: number): Lists =>
    i % 20 === 0
      ? { datacenter_ids: [datacenters[(i / 20) % datacenters.length] ?? ''] }
      : { tags: [tags[((i - 1) / 20) % tags.length] ?? ''] }
  for (let i = 0; i < count; i++) {
    const from = (i * NETWORKS_OF_EACH) % subnets.length
    const lists = overlaps && i % 20 < 2 ? placed(i) : { subnets: subnets.slice(from, from + NETWORKS_OF_EACH) }
    await api.scopes.create({ name: `other ${i}`, ...lists })
  }
}

/** Returns the API key of a new user who is a viewer only in the scope. */
export const viewerIn = async ({ port }: Pick<Server, 'port'>, api: Client, scope_id: string): Promise<string> => {
  const username = `viewer of ${scope_id}`
  const password = Bun.randomUUIDv7()
  const user = await api.users.create({ username, password })
  await api.grants.create({ role_id: 'viewer', user_id: user.id, scope_id })
  const cookie = await signIn(port, { username, password })
  const response = await fetch(`http://127.0.0.1:${port}/api/keys`, {
    method: 'POST',
    headers: { Cookie: cookie, 'X-Requested-With': 'XMLHttpRequest', 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'bench' }),
  })
  // The contract of a key.
  return ((await response.json()) as { key: string }).key
}

const signIn = async (port: number, login: object): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${port}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(login),
  })
  if (response.status !== 200) throw new Error(await response.text())
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}
