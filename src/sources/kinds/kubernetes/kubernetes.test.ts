/** A Kubernetes cluster: its pages, and the rows of nodes, services and ingresses. */
import { describe, expect, test } from 'bun:test'
import type { OutboundRequest } from '../../../base/security/outbound.ts'
import { FetchError } from '../../fetch/fetch-error.ts'
import { FetchLog } from '../../fetch/fetch-log.ts'
import { fetchSnapshot } from '../../fetch/run-job.ts'
import type { Json, SecretValues } from '../source-kind.ts'
import { convertKubernetes } from './convert.ts'
import { kubernetes } from './kind.ts'

const TOKEN = 'a-token-of-an-account'

/** Answers lists page by page; the last page of each has no `continue`. */
const createFetch = (pages: Readonly<Record<string, readonly (readonly Json[] | number)[]>>) => {
  const seen: OutboundRequest[] = []
  const send = async (request: OutboundRequest) => {
    seen.push(request)
    const { pathname, searchParams } = new URL(request.url)
    const at = Number(searchParams.get('continue') ?? '0')
    const list = pages[pathname] ?? [[]]
    const page = list[at] ?? []
    const status = typeof page === 'number' ? page : 200
    const next = at + 1 < list.length ? { continue: String(at + 1) } : {}
    const body =
      pathname === '/version'
        ? { major: '1', minor: '30', gitVersion: 'v1.30.4' }
        : typeof page === 'number'
          ? { kind: 'Status', code: page, reason: 'Expired' }
          : { kind: 'List', metadata: { resourceVersion: '1', ...next }, items: page }
    return { status, body: Buffer.from(JSON.stringify(body)), isCut: false, headers: new Headers() }
  }
  const run = async (secrets: SecretValues = { token: `${TOKEN}\n` }) => {
    const log = new FetchLog(secrets)
    const job = { url: 'https://cluster.test:6443', options: {}, secrets, nowMs: 0 }
    const snapshot = await fetchSnapshot(kubernetes, job, { send, log, timeoutMs: 60_000 })
    return { snapshot, product: log.facts().product }
  }
  return { run, seen }
}
const node = (name: string, more: Record<string, Json> = {}): Json => ({
  metadata: { name, uid: 'x', labels: { 'node-role.kubernetes.io/worker': '', 'example.com/secret': 'x' } },
  status: {
    nodeInfo: { osImage: 'Debian GNU/Linux 12 (bookworm)', kubeletVersion: 'v1.30.4' },
    conditions: [{ type: 'Ready', status: 'True' }],
    capacity: { cpu: '4', memory: '8Gi', pods: '110' },
    ...more,
  },
})
const service = (name: string, { type = 'LoadBalancer', status = {}, spec = {} }: Record<string, Json> = {}): Json => ({
  metadata: { name, namespace: 'shop' },
  spec: { type, ...(spec as object) },
  status: { loadBalancer: status },
})
const ingress = (name: string, hosts: readonly string[], ip: string): Json => ({
  metadata: { name, namespace: 'shop' },
  spec: { rules: hosts.map((host) => ({ host })) },
  status: { loadBalancer: { ingress: [{ ip }] } },
})
const at = (ip: string): Json => ({ ingress: [{ ip }] })

const convert = async (lists: { nodes?: Json[]; services?: Json[]; ingresses?: Json[] }) => {
  const { nodes = [], services = [], ingresses = [] } = lists
  const { snapshot } = await createFetch({
    '/api/v1/nodes': [nodes],
    '/api/v1/services': [services],
    '/apis/networking.k8s.io/v1/ingresses': [ingresses],
  }).run()
  return convertKubernetes(snapshot, { options: {}, ref: 'kubernetes', now: new Date(0) })
}

describe('a fetch', () => {
  test('reads each list to its last page, with the token', async () => {
    const { run, seen } = createFetch({ '/api/v1/nodes': [[node('a')], [node('b')], [node('c')]] })
    const { snapshot, product } = await run()
    expect(product).toBe('Kubernetes v1.30.4')
    const { documents } = convertKubernetes(snapshot, { options: {}, ref: 'kubernetes', now: new Date(0) })
    expect(documents.devices?.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    expect(seen.filter(({ url }) => url.includes('nodes')).map(({ url }) => new URL(url).search)).toEqual([
      '?limit=500',
      '?limit=500&continue=1',
      '?limit=500&continue=2',
    ])
    expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${TOKEN}`]))
  })

  test('ends where a page has expired', async () => {
    await expect(createFetch({ '/api/v1/services': [[service('a')], 410] }).run()).rejects.toThrow(
      new FetchError(
        'bad_answer',
        'GET /api/v1/services: the list has changed while it was read: the next run reads it again',
      ),
    )
  })

  test('needs a token or a client certificate', async () => {
    const { run, seen } = createFetch({})
    await expect(run({})).rejects.toMatchObject({ code: 'unauthorized' })
    expect(seen).toEqual([])
    await run({ client_certificate: 'a certificate', client_key: 'its private key' })
    expect(seen.every(({ headers }) => headers.authorization === undefined)).toBe(true)
  })
})

describe('a node', () => {
  test('has its system, its internal and external addresses, and facts', async () => {
    const addresses = [
      { type: 'Hostname', address: 'worker-1.example.com' },
      { type: 'InternalIP', address: '10.0.0.5' },
      { type: 'ExternalIP', address: '203.0.113.5' },
      { type: 'InternalDNS', address: '10.0.0.5' },
    ]
    const { documents, about } = await convert({ nodes: [node('worker-1', { addresses })] })
    expect(documents.devices).toEqual([
      {
        name: 'worker-1',
        hostname: 'worker-1.example.com',
        status: 'active',
        os: 'Debian GNU/Linux 12 (bookworm)',
        tags: ['node'],
        refs: { kubernetes: 'node/worker-1' },
        addresses: [{ ip: '10.0.0.5' }, { ip: '203.0.113.5', label: 'external' }],
      },
    ])
    expect(about.get('devices node/worker-1')?.facts).toEqual({
      roles: 'worker',
      kubelet: 'v1.30.4',
      cpu: '4',
      memory: '8Gi',
    })
  })

  test.each(['False', 'Unknown'])('that is not ready (%s) is in maintenance', async (status) => {
    const { documents } = await convert({ nodes: [node('a', { conditions: [{ type: 'Ready', status }] })] })
    expect(documents.devices?.[0]?.status).toBe('maintenance')
  })
})

describe('a service', () => {
  test('of type LoadBalancer is an appliance, and others are counted as left', async () => {
    const { documents, about, report } = await convert({
      services: [service('web', { status: at('192.0.2.7') }), service('db', { type: 'ClusterIP' })],
    })
    expect(documents.devices).toMatchObject([
      {
        name: 'web.shop',
        status: 'active',
        refs: { kubernetes: 'service/shop/web' },
        addresses: [{ ip: '192.0.2.7' }],
      },
    ])
    expect(about.get('devices service/shop/web')).toMatchObject({ type: 'appliance', place: 'shop' })
    expect(report.left).toMatchObject([{ what: 'service', count: 1, why: 'is not of type LoadBalancer' }])
  })

  test('that waits for its address says nothing of addresses', async () => {
    const { documents } = await convert({ services: [service('web')] })
    const [row] = documents.devices ?? []
    expect([row?.status, row && 'addresses' in row]).toEqual(['maintenance', false])
  })

  test('has the hosts of the ingresses at its address, but for wildcards', async () => {
    const { documents, report } = await convert({
      services: [
        service('dns', { status: at('192.0.2.7'), spec: { ports: [{ port: 53 }] } }),
        service('web', { status: at('192.0.2.7'), spec: { ports: [{ port: 443 }] } }),
      ],
      ingresses: [
        ingress('a', ['b.example.com', '*.example.com', 'a.example.com'], '192.0.2.7'),
        ingress('b', ['c.example.com'], '192.0.2.99'),
      ],
    })
    expect(documents.devices?.map(({ name, domains }) => [name, domains])).toEqual([
      ['dns.shop', []],
      ['web.shop', ['b.example.com', 'a.example.com']],
    ])
    expect(report.left.map(({ what, why }) => [what, why])).toEqual([
      ['ingress.host', 'is a wildcard'],
      ['ingress', 'no service of type LoadBalancer has its address'],
    ])
  })
})
