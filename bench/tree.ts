/**
 * The tree of networks: `bun bench/tree.ts [--rounds 9]`. 20,000 networks, of which a /8 has 200 children; the list with the place of
 * each, the tree and the next subnet of the /8, and 1,000 parallel allocations.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { contracts } from '../src/app/contracts.ts'
import { createClient } from '../src/surfaces/cli/connection/client.ts'
import { authorized, plain, type Result } from './bench.ts'
import { alternate, inTurn } from './load.ts'
import { median, milliseconds, times } from './numbers.ts'
import { publish } from './report.ts'
import { startPlat } from './servers.ts'
import { createKey } from './setup.ts'

const CHILDREN = 200
const GRANDCHILDREN = 99
const AT_ONCE = 1000
const ALLOCATIONS = 1000
const GOAL_RATIO = 2
const GOAL_MS = 25
const WARM = 3

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } })
const rounds = Number(values.rounds)

const network = (name: string, subnet: string) => ({ op: 'create' as const, network: { name, subnet } })

const dataDir = mkdtempSync(join(tmpdir(), 'plat-bench-tree-'))
try {
  const key = await createKey(dataDir)
  const server = await startPlat(dataDir, { RATE_LIMIT_ENABLED: 'false' })
  const api = createClient(
    {
      fetch: (url, init) => fetch(`http://127.0.0.1:${server.port}${url}`, init),
      headers: { Authorization: `Bearer ${key}` },
    },
    contracts,
  )
  const { id } = await api.networks.create({ name: 'corp', subnet: '10.0.0.0/8' })
  const second = await api.networks.create({ name: 'second', subnet: '11.0.0.0/8' })
  const all = Array.from({ length: CHILDREN }, (_, i) => [
    network(`site ${i}`, `10.${i}.0.0/16`),
    ...Array.from({ length: GRANDCHILDREN }, (__, j) => network(`lan ${i}.${j}`, `10.${i}.${j * 2}.0/24`)),
  ]).flat()
  for (let from = 0; from < all.length; from += AT_ONCE)
    await api.networks.bulk({ operations: all.slice(from, from + AT_ONCE) })

  const request = authorized(key)
  const took = async (path: string): Promise<number> => {
    const [reply] = await inTurn(server.port, [request({ path })])
    return reply?.ms ?? 0
  }
  const listed = () => took('/api/networks')
  const withTree = () => took('/api/networks?include=tree')
  for (let warm = 0; warm < WARM; warm++) {
    await listed()
    await withTree()
  }
  const pair = await alternate(rounds, withTree, listed)
  const results: Result[] = [
    {
      work: `${(all.length + 2).toLocaleString('en')} networks with their place in the tree`,
      ours: milliseconds(pair.ours),
      baseline: `the plain list ${milliseconds(pair.baseline)}`,
      ratio: times(pair.ratio),
      goal: `< ${GOAL_RATIO}x`,
      isMet: pair.ratio < GOAL_RATIO,
      numbers: { median_ms: pair.ours, plain_ms: pair.baseline, ratio: pair.ratio },
    },
  ]
  for (const [work, path] of [
    ['tree of a /8 with 200 children', `/api/networks/${id}/tree`],
    ['next free /24 of the /8', `/api/networks/${id}/next-subnet?prefix_length=24`],
  ] as const) {
    const ms: number[] = []
    for (let round = 0; round < rounds + WARM; round++) ms.push(await took(path))
    const middle = median(ms.slice(WARM))
    results.push(
      plain({
        work,
        ours: milliseconds(middle),
        goal: `< ${GOAL_MS} ms`,
        isMet: middle < GOAL_MS,
        numbers: { median_ms: middle },
      }),
    )
  }
  const start = performance.now()
  const allocated = await Promise.all(
    Array.from({ length: ALLOCATIONS }, () => api.networks.allocate({ id: second.id, prefix_length: 24 })),
  )
  const allMs = performance.now() - start
  const distinct = new Set(allocated.flatMap(({ networks }) => networks.map(({ subnet }) => subnet))).size
  results.push(
    plain({
      work: `${ALLOCATIONS.toLocaleString('en')} parallel allocations of a /24 from one /8`,
      ours: `${distinct} distinct, ${milliseconds(allMs / ALLOCATIONS)} each`,
      goal: 'all distinct',
      isMet: distinct === ALLOCATIONS,
      numbers: { distinct, each_ms: allMs / ALLOCATIONS },
    }),
  )
  await server.stop()
  publish(results)
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
