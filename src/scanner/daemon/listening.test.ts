/** Sightings on their way home: grouped, repeated while the server is away, and bounded. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { until } from '../../../testing/until.ts'
import type { FoundHost } from '../protocol.ts'
import type { FromListener, ListenPlan, SightingsRequest } from '../wire.ts'
import type { Client, Reply } from './client.ts'
import { createListening, type Listening } from './listening.ts'

const NETWORK = { network_id: 'lan', subnet: '198.18.0.0/16', excludes: [] }
const buildHost = (ip: string, mac = ''): FoundHost => ({
  ...{ ip, mac, macSource: 'arp', vendor: '', rttMs: null, ttl: null, evidence: [], names: [], openPorts: [] },
  ...{ services: [], os: '', osConfidence: 0, osVotes: [], sshHostKey: '', tlsCertificate: '', snmp: null },
})

type Child = {
  readonly plans: ListenPlan[]
  readonly say: (message: FromListener) => Promise<void>
  readonly die: (message: string) => void
  isStopped: boolean
}

let children: Child[]
let sent: SightingsRequest[]
let answer: () => Promise<Reply>
let log: string[]
let stop: AbortController
let listening: Listening
beforeEach(() => {
  children = []
  sent = []
  log = []
  answer = async () => ({ kind: 'ok', body: {} })
  stop = new AbortController()
  const client: Client = {
    send: ({ body }) => {
      // Built as `SightingsRequest`.
      sent.push(JSON.parse(body) as SightingsRequest)
      return answer()
    },
  }
  listening = createListening({
    client,
    token: 'token',
    startListening: (plan, onMessage) => {
      const { promise, resolve } = Promise.withResolvers<{ message: string }>()
      const child: Child = {
        plans: [plan],
        say: onMessage,
        die: (message) => resolve({ message }),
        isStopped: false,
      }
      children.push(child)
      return {
        update: (next) => child.plans.push(next),
        stop: () => {
          child.isStopped = true
          resolve({ message: '' })
        },
        ended: promise,
      }
    },
    log: (message) => log.push(message),
    signal: stop.signal,
  })
})
afterEach(async () => {
  stop.abort()
  await listening.stop()
})

const say = (...hosts: FoundHost[]) =>
  children.at(-1)?.say({ type: 'sightings', sightings: [{ network_id: 'lan', hosts }] })
const listIps = () => sent.flatMap(({ sightings }) => sightings.flatMap(({ hosts }) => hosts.map(({ ip }) => ip)))

test('one process listens, and follows the list of networks', async () => {
  listening.setNetworks([])
  expect(children).toEqual([])
  listening.setNetworks([NETWORK])
  listening.setNetworks([NETWORK, { ...NETWORK, network_id: 'guests' }])
  expect(children.map(({ plans }) => plans.map(({ networks }) => networks.length))).toEqual([[1, 2]])
  listening.setNetworks([])
  expect(children.map(({ isStopped }) => isStopped)).toEqual([true])
  listening.setNetworks([NETWORK])
  expect(children.map(({ isStopped }) => isStopped)).toEqual([true, false])
})

test('a process that dies is started again', async () => {
  listening.setNetworks([NETWORK])
  children[0]?.die('out of memory')
  await until('second process', () => children[1])
  expect(log).toEqual(['listening ended, and begins again: out of memory'])
})

test('sightings are sent by network', async () => {
  listening.setNetworks([NETWORK])
  await say(buildHost('198.18.0.1'), buildHost('198.18.0.2'))
  await until('request', () => sent[0])
  expect(sent[0]?.sightings.map(({ network_id, hosts }) => [network_id, hosts.length])).toEqual([['lan', 2]])
})

test('sightings wait while the server is away, and the newest of an address wins', async () => {
  answer = async () => ({ kind: 'away', message: 'away', retryAfterMs: undefined })
  listening.setNetworks([NETWORK])
  await say(buildHost('198.18.0.1', '02:00:00:00:00:01'), buildHost('198.18.0.2'))
  await until('request', () => sent[0])
  await say(buildHost('198.18.0.1', '02:00:00:00:00:02'))
  answer = async () => ({ kind: 'ok', body: {} })
  const repeated = await until('repeated request', () => sent[1])
  const hosts = repeated.sightings.flatMap((one) => one.hosts.map(({ ip, mac }) => [ip, mac]))
  expect(hosts.sort()).toEqual([
    ['198.18.0.1', '02:00:00:00:00:02'],
    ['198.18.0.2', ''],
  ])
})

test('at most 2,000 hosts wait, the newest ones', async () => {
  const { promise, resolve } = Promise.withResolvers<Reply>()
  answer = () => promise
  listening.setNetworks([NETWORK])
  await say(buildHost('198.18.255.1'))
  await until('request', () => sent[0])
  const hosts = Array.from({ length: 2500 }, (_, i) => buildHost(`198.18.${i >> 8}.${i & 255}`))
  await say(...hosts)
  resolve({ kind: 'ok', body: {} })
  answer = async () => ({ kind: 'ok', body: {} })
  await until('all requests', () => listIps().length === 2001 || undefined)
  expect(listIps().slice(1)).toEqual(hosts.slice(500).map(({ ip }) => ip))
  expect(Math.max(...sent.map(({ sightings }) => sightings[0]?.hosts.length ?? 0))).toBe(500)
})

test('sightings that the server refuses are not repeated', async () => {
  answer = async () => ({ kind: 'invalid', fields: ['sightings'], message: 'no' })
  listening.setNetworks([NETWORK])
  await say(buildHost('198.18.0.1'))
  await until('message', () => log[0])
  answer = async () => ({ kind: 'ok', body: {} })
  await say(buildHost('198.18.0.2'))
  await until('second request', () => sent[1])
  expect(listIps()).toEqual(['198.18.0.1', '198.18.0.2'])
})
