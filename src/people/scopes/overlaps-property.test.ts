/** Random writes of scoped users beside a model that tells who may make them, on both databases. */
import { describe, expect, test } from 'bun:test'
import { countCases } from '../../../testing/cases.ts'
import { type Answer, type Person, people } from '../../../testing/estates/people.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { cidrContains, cidrHolds, formatCidr, parseCidrOrThrow } from '../../net/cidr.ts'
import { compareIp, parseIp } from '../../net/ip.ts'

const STEPS = { sqlite: 600, postgres: countCases(250) } as const
const LIMIT_MS = 300_000

const SUBNETS = [
  ...['10.0.0.0/8', '10.1.0.0/16', '10.1.0.0/22', '10.1.2.0/23', '10.1.2.0/24', '10.1.2.0/25', '10.1.2.64/26'],
  ...['10.1.2.128/25', '10.1.2.0/26', '10.1.3.0/24', '10.2.0.0/16', '10.2.2.0/24', '10.2.2.128/26', '192.0.2.0/24'],
  ...['2001:db8::/32', '2001:db8:1::/48', '2001:db8:1:4::/64', '2001:db8:1:4::/65'],
]
const IPS = [
  ...['10.1.0.9', '10.1.2.1', '10.1.2.70', '10.1.2.130', '10.1.3.4', '10.2.2.9', '10.2.2.140', '10.9.0.1'],
  ...['192.0.2.7', '2001:db8:1::5', '2001:db8:1:4::1', '2001:db8:2::1'],
]
const TAGS = ['a', 'b', 'c']
const MAX_NETWORKS = 9
/** Writes of which the model tells before whether they are allowed. */
const EXACT = ['create', 'subnet', 'space', 'pool', 'range']

type Network = {
  readonly id: string
  readonly subnet: string
  readonly datacenter_id: string | null
  readonly space_id?: string
}
type Pool = {
  readonly id: string
  readonly network_id: string
  readonly start_ip: string
  readonly end_ip: string
  readonly tags: readonly string[]
}
type Device = {
  readonly id: string
  readonly datacenter_id: string | null
  readonly tags: readonly string[]
  readonly addresses: readonly { readonly ip: string; readonly space_id?: string }[]
}
type Estate = {
  readonly networks: readonly Network[]
  readonly pools: readonly Pool[]
  readonly devices: readonly Device[]
}
type Scope = Readonly<Record<'datacenter_ids' | 'space_ids' | 'subnets' | 'tags', readonly string[]>>

const contains = (outer: string, inner: string): boolean =>
  cidrContains(parseCidrOrThrow(outer), parseCidrOrThrow(inner))
const holds = (subnet: string, ip: string): boolean => {
  const parsed = parseIp(ip)
  return parsed !== undefined && cidrHolds(parseCidrOrThrow(subnet), parsed)
}
const isBetween = (ip: string, { start_ip, end_ip }: Pick<Pool, 'start_ip' | 'end_ip'>): boolean => {
  const [one, first, last] = [parseIp(ip), parseIp(start_ip), parseIp(end_ip)]
  if (!one || !first || !last || one.family !== first.family) return false
  return compareIp(one, first) >= 0 && compareIp(one, last) <= 0
}

/** The rights of a user with a role in one scope, told only from the documents. */
const modelOf = (scope: Scope, { networks, devices }: Estate) => {
  const mayNetwork = ({ subnet, datacenter_id, space_id }: Network): boolean =>
    scope.datacenter_ids.includes(datacenter_id ?? '') ||
    (space_id === undefined ? scope.subnets.some((one) => contains(one, subnet)) : scope.space_ids.includes(space_id))
  const mayDevice = ({ datacenter_id, tags, addresses }: Device): boolean =>
    scope.datacenter_ids.includes(datacenter_id ?? '') ||
    tags.some((tag) => scope.tags.includes(tag)) ||
    addresses.some(({ ip, space_id }) =>
      space_id === undefined ? scope.subnets.some((one) => holds(one, ip)) : scope.space_ids.includes(space_id),
    )
  const mayBeInside = ({ id, subnet, space_id }: Pick<Network, 'id' | 'subnet' | 'space_id'>): boolean =>
    networks.every(
      (one) => one.id === id || one.space_id !== space_id || !contains(subnet, one.subnet) || mayNetwork(one),
    ) &&
    devices.every(
      (one) => !one.addresses.some((own) => own.space_id === space_id && holds(subnet, own.ip)) || mayDevice(one),
    )
  /** @param placed with the id of the network before a change */
  const canCreateAt = (placed: Pick<Network, 'id' | 'subnet' | 'space_id'>): boolean => {
    const before = networks.find(({ id }) => id === placed.id)
    const around = networks.filter((one) => one.space_id === placed.space_id && contains(one.subnet, placed.subnet))
    const others = around.filter((one) => one !== before)
    const longest = Math.max(...others.map(({ subnet }) => parseCidrOrThrow(subnet).prefix))
    const holdsItself = before && around.includes(before) && parseCidrOrThrow(before.subnet).prefix > longest
    const holders = holdsItself ? [] : others.filter(({ subnet }) => parseCidrOrThrow(subnet).prefix === longest)
    const left = before && before.space_id !== placed.space_id ? [before] : []
    return holders.every(mayNetwork) && [placed, ...left].every(mayBeInside)
  }
  const mayPool = (pool: Pick<Pool, 'network_id' | 'start_ip' | 'end_ip'>): boolean => {
    const network = networks.find(({ id }) => id === pool.network_id)
    if (!network) return true
    const isCut = ({ id, subnet, space_id }: Network): boolean => {
      if (id === network.id || space_id !== network.space_id || !contains(network.subnet, subnet)) return false
      const [first = '', last = ''] = [subnet, subnet].map((text, i) => {
        const cidr = parseCidrOrThrow(text)
        return formatCidr({ ...cidr, first: i === 0 ? cidr.first : cidr.last, last: cidr.last }).replace(/\/.*/, '')
      })
      const isWhole = isBetween(first, pool) && isBetween(last, pool)
      if (subnet === network.subnet) return isWhole
      return isBetween(first, pool) || isBetween(last, pool) || holds(subnet, pool.start_ip)
    }
    const covered = devices.filter(({ addresses }) =>
      addresses.some(({ ip, space_id }) => space_id === network.space_id && isBetween(ip, pool)),
    )
    return networks.filter(isCut).every(mayNetwork) && (mayNetwork(network) || covered.every(mayDevice))
  }
  /** Tells whether a device that moves along with a network is permitted only by its address in the old space. */
  const hasLeaving = (network: Network): boolean =>
    devices.some((device) => {
      const isInside = ({ ip, space_id }: Device['addresses'][number]): boolean =>
        space_id === network.space_id && holds(network.subnet, ip)
      const others = device.addresses.filter((address) => !isInside(address))
      return others.length < device.addresses.length && !mayDevice({ ...device, addresses: others })
    })
  return { canCreateAt: canCreateAt, mayPool, hasLeaving }
}

describe.each(engines())('random writes of scoped users on %s', (dialect) => {
  const all = people(dialect)
  const seed = Number(process.env.PLAT_TEST_SEED ?? 8)
  let state = seed
  const below = (n: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T

  const list = async <T>(path: string): Promise<T[]> => (await all.admin.ask(`GET /api/${path}`)).body as T[]
  const read = async (): Promise<Estate> => ({
    networks: await list('networks'),
    pools: await list('pools'),
    devices: await list('devices'),
  })
  const make = async (path: string, body: object): Promise<string> => {
    const { status, body: answer } = await all.admin.ask(`POST /api/${path}`, body)
    expect([path, status, answer]).toMatchObject([path, 201, expect.anything()])
    return (answer as { id: string }).id
  }
  const isOverlap = ({ status, body }: Answer): boolean =>
    status === 403 && /overlaps address space/.test((body as { error: string }).error)

  test(
    `succeed only where the model allows them, and are refused only where it does not (PLAT_TEST_SEED=${seed})`,
    async () => {
      const datacenters = [await make('datacenters', { name: 'a' }), await make('datacenters', { name: 'b' })]
      const space = await make('spaces', { name: 's' })
      const spaces = [null, null, space]
      const scopes: Scope[] = [
        { datacenter_ids: [datacenters[0] ?? ''], space_ids: [space], subnets: ['2001:db8:1::/48'], tags: ['a'] },
        { datacenter_ids: [datacenters[1] ?? ''], space_ids: [], subnets: ['10.1.2.0/24'], tags: ['b'] },
      ]
      const users: { readonly person: Person; readonly scope: Scope }[] = []
      for (const [i, scope] of scopes.entries()) {
        const person = await all.person()
        const scope_id = await make('scopes', { name: `scope ${i}`, ...scope })
        await make('grants', { role_id: 'admin', user_id: person.id, scope_id })
        await make('grants', { role_id: 'viewer', user_id: person.id })
        users.push({ person, scope })
      }
      const counts = new Map<string, { done: number; overlaps: number }>()

      /** A write, and the answer of the model; undefined if only the changed objects tell. */
      type Write = { readonly kind: string; readonly http: string; readonly body: object; readonly isAllowed?: boolean }
      const writeOf = (scope: Scope, estate: Estate): Write => {
        const { canCreateAt, mayPool, hasLeaving } = modelOf(scope, estate)
        const subnet = one(SUBNETS)
        const space_id = one(spaces)
        const inSpace = space_id === null ? {} : { space_id }
        const network = one(estate.networks)
        const pool = one(estate.pools)
        const datacenter_id = scope.datacenter_ids[0]
        const draft = { name: 'n', subnet, datacenter_id, ...inSpace }
        const applied = {
          ...draft,
          name: `n ${below(99_999)}`,
          datacenter_id: undefined,
          datacenter: { id: datacenter_id },
        }
        const placed = { id: '', subnet, ...inSpace }
        const ranged = pool ? estate.networks.find(({ id }) => id === pool.network_id) : undefined
        const rangeIn = (of: Network | undefined) => {
          const ips = IPS.filter((ip) => !of || holds(of.subnet, ip))
          const [start_ip = '10.1.2.1', end_ip = start_ip] = [one(ips), one(ips)].sort(
            (a, b) => IPS.indexOf(a) - IPS.indexOf(b),
          )
          return { start_ip, end_ip }
        }
        const kinds: (() => Write)[] = [
          () => ({ kind: 'create', http: 'POST networks', body: draft, isAllowed: canCreateAt(placed) }),
          () => ({
            kind: 'bulk',
            http: 'POST networks/bulk',
            body: { operations: [{ op: 'create', network: draft }], atomic: false },
          }),
          () => ({
            kind: 'apply',
            http: 'POST estate/apply',
            body: { networks: [applied] },
          }),
        ]
        if (network) {
          const half = estate.networks.filter(({ subnet: other }) => other.endsWith(network.subnet.slice(-3)))
          const twins = half.length > 1 ? half.filter(({ id }) => id !== network.id) : estate.networks
          const at = network.space_id === undefined ? {} : { space_id: network.space_id }
          kinds.push(
            () => ({
              ...{ kind: 'subnet', http: `PUT networks/${network.id}`, body: { subnet } },
              isAllowed: subnet === network.subnet || canCreateAt({ id: network.id, subnet, ...at }),
            }),
            () => {
              const isSame = space_id === (network.space_id ?? null)
              const isAllowed = isSame || canCreateAt({ id: network.id, subnet: network.subnet, ...inSpace })
              const move = { kind: 'space', http: `PUT networks/${network.id}`, body: { space_id } }
              // A device that leaves the scope by the move is outside of it afterwards: either answer is right.
              return isAllowed && !isSame && hasLeaving(network) ? move : { ...move, isAllowed }
            },
            () => ({
              kind: 'allocate',
              http: `POST networks/${network.id}/allocate`,
              body: { prefix_length: 26, datacenter_id },
            }),
            () => ({
              kind: 'split',
              http: `POST networks/${network.id}/split`,
              body: { prefix_length: one([17, 24, 25, 26]) },
            }),
            () => ({
              kind: 'merge',
              http: 'POST networks/merge',
              body: { network_ids: [network.id, one(twins).id] },
            }),
            () => {
              const range = rangeIn(network)
              const [http, body] = [
                `POST networks/${network.id}/pools`,
                { name: 'p', ...range, tags: [one(scope.tags)] },
              ]
              return { kind: 'pool', http, body, isAllowed: mayPool({ network_id: network.id, ...range }) }
            },
          )
        }
        if (pool)
          kinds.push(() => {
            const range = rangeIn(ranged)
            const isSame = range.start_ip === pool.start_ip && range.end_ip === pool.end_ip
            const isAllowed = isSame || mayPool({ ...pool, ...range })
            return { kind: 'range', http: `PUT pools/${pool.id}`, body: range, isAllowed }
          })
        return one(kinds)()
      }
      /** Returns the networks and pools of the second estate that are new or at other addresses. */
      const moved = (before: Estate, after: Estate) => ({
        networks: after.networks.filter(({ id, subnet, space_id }) => {
          const was = before.networks.find((known) => known.id === id)
          return was?.subnet !== subnet || was.space_id !== space_id
        }),
        pools: after.pools.filter(({ id, start_ip, end_ip }) => {
          const was = before.pools.find((known) => known.id === id)
          return was?.start_ip !== start_ip || was.end_ip !== end_ip
        }),
      })
      /** Makes the estate richer as the administrator does, without limits. */
      const prepare = async ({ networks, devices, pools }: Estate): Promise<void> => {
        const inSpace = () => {
          const space_id = one(spaces)
          return space_id === null ? {} : { space_id }
        }
        if (networks.length > MAX_NETWORKS) await all.admin.ask(`DELETE /api/networks/${one(networks).id}`)
        if (devices.length > MAX_NETWORKS) await all.admin.ask(`DELETE /api/devices/${one(devices).id}`)
        if (pools.length > MAX_NETWORKS) await all.admin.ask(`DELETE /api/pools/${one(pools).id}`)
        const datacenter_id = one([null, ...datacenters])
        if (below(2) === 0)
          await all.admin.ask('POST /api/networks', { name: 'x', subnet: one(SUBNETS), datacenter_id, ...inSpace() })
        else {
          const addresses = [{ ip: one(IPS), ...inSpace() }]
          await all.admin.ask('POST /api/devices', { name: 'd', datacenter_id, tags: [one(TAGS)], addresses })
        }
      }

      for (let step = 0; step < STEPS[dialect]; step++) {
        if (below(2) === 0) await prepare(await read())
        const before = await read()
        const { person, scope } = one(users)
        const { kind, http, body, isAllowed } = writeOf(scope, before)
        const path = http.replace(' ', ' /api/')
        const answer = await person.ask(path, body)
        const text = JSON.stringify(answer.body)
        const after = await read()
        const told = { seed, step, http, body, scope, answer: [answer.status, text], before }
        expect([told, answer.status < 500]).toEqual([told, true])

        // Each change that is made is allowed.
        const { canCreateAt, mayPool } = modelOf(scope, before)
        const done = moved(before, after)
        const wrong = [
          ...done.networks.filter((each) => !canCreateAt(each)),
          ...done.pools.filter((each) => !mayPool(each)),
        ]
        expect({ told, wrong }).toEqual({ told, wrong: [] })

        // No refused write is allowed.
        const isApply = kind === 'apply' && answer.status === 403
        const isRefused =
          isApply || isOverlap(answer) || /must overlap no address space|overlaps address space/.test(text)
        if (isRefused && isAllowed !== undefined) expect({ told, isAllowed }).toEqual({ told, isAllowed: false })
        if (isRefused && ['split', 'merge', 'allocate'].includes(kind)) {
          const rehearsed = await all.admin.ask(`${path}?dry_run=true`, body)
          const { network, networks = [] } = rehearsed.body as { network?: Network; networks?: Network[] }
          const planned = kind === 'merge' && network ? [network] : networks
          expect({ told, planned: planned.every(canCreateAt) }).toEqual({ told, planned: false })
        }
        if (isAllowed === false) expect([told, answer.status < 300]).toEqual([told, false])
        const ofKind = counts.get(kind) ?? { done: 0, overlaps: 0 }
        counts.set(kind, ofKind)
        if (done.networks.length + done.pools.length > 0) ofKind.done++
        if (isRefused) ofKind.overlaps++
      }
      const rare = EXACT.filter((kind) => !counts.get(kind)?.done || !counts.get(kind)?.overlaps)
      expect(dialect === 'sqlite' ? rare : []).toEqual([])
      const sums = [...counts.values()]
      expect(sums.reduce((sum, { done }) => sum + done, 0)).toBeGreaterThan(STEPS[dialect] / 10)
      expect(sums.reduce((sum, { overlaps }) => sum + overlaps, 0)).toBeGreaterThan(STEPS[dialect] / 10)
    },
    LIMIT_MS,
  )
})
