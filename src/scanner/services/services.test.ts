/** Recognizes real servers on loopback in deep scans. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { FoundHost, FoundService } from '../protocol.ts'
import { answers, closeListeners, createSelfSigned, greets, listenTcp, listenTls } from '../testing/listeners.ts'
import { buildPlan, PATIENT_MS, runPlan } from '../testing/plans.ts'

const HTTP_PAGE =
  'HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nContent-Type: text/html\r\n\r\n<html><head><title>Device &amp; 7 admin</title></head></html>'

let ports: number[]
let host: FoundHost
const services = new Map<string, FoundService>()

/** Finds a service by the name of its server in this test. */
const find = (name: string): FoundService => {
  const found = services.get(name)
  if (found === undefined) throw new Error(`no service of ${name}`)
  return found
}

beforeAll(async () => {
  const tls = createSelfSigned('web7.lab.example', ['alias.lab.example'])
  const ip = '127.20.0.1'
  const listeners = {
    ssh: await listenTcp(ip, 0, greets('SSH-2.0-dropbear_2022.83\r\n')),
    http: await listenTcp(ip, 0, answers(HTTP_PAGE)),
    https: await listenTls(ip, 0, { ...tls, talk: answers(HTTP_PAGE) }),
    realm: await listenTcp(
      ip,
      0,
      answers('HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="level_15_access"\r\n\r\n'),
    ),
    smtp: await listenTcp(ip, 0, greets('220 mail.lab.example ESMTP Postfix (Debian/GNU)\r\n')),
    silent: await listenTcp(ip, 0, () => {}),
    slow: await listenTcp(ip, 0, (socket) => void setTimeout(() => greets('220 slow ESMTP Postfix\r\n')(socket), 3000)),
  }
  ports = Object.values(listeners).map(({ port }) => port)
  const { hosts } = await runPlan(
    buildPlan({ subnet: '127.20.0.0/30', excludes: ['127.20.0.2'], type: 'deep', probeTimeoutMs: PATIENT_MS, ports }),
  )
  const found = hosts.get(ip)
  if (found === undefined) throw new Error('the host was not found')
  host = found
  for (const [name, { port }] of Object.entries(listeners)) {
    const service = host.services.find((one) => one.port === port)
    if (service) services.set(name, service)
  }
})
afterAll(closeListeners)

test('the open ports are the listening ones', () => {
  expect(host.openPorts).toEqual(ports.toSorted((a, b) => a - b))
})

test('a banner names the service', () => {
  const { service, product, version, banner } = find('ssh')
  expect([service, product, version, banner]).toEqual(['ssh', 'Dropbear', '2022.83', 'SSH-2.0-dropbear_2022.83'])
})

test('a slow banner is awaited where probes are sent', () => {
  expect(find('slow').product).toBe('Postfix')
})

test('a web server is asked for its page', () => {
  const { service, product, details } = find('http')
  expect([service, product, details.title]).toEqual(['http', 'nginx', 'Device & 7 admin'])
})

test('TLS is spoken to a server that wants it, and its certificate kept', () => {
  const { service, product, details } = find('https')
  expect([service, product, details.certificate, details.names]).toEqual([
    'https',
    'nginx',
    'web7.lab.example',
    'web7.lab.example, alias.lab.example',
  ])
})

test('the certificate identifies the host', () => {
  expect(host.tlsCertificate).toMatch(/^[0-9a-f]{64}$/)
})

test('the names in a certificate are names of the host', () => {
  expect(host.names).toContainEqual({ name: 'web7.lab.example', source: 'tls' })
})

test('the realm of a login identifies the device', () => {
  const { product, details } = find('realm')
  expect([product, details.realm]).toEqual(['Cisco IOS http', 'level_15_access'])
})

test('a mail server names its system', () => {
  expect(find('smtp').product).toBe('Postfix')
})

test('a silent service is reported without a name', () => {
  const { service, banner } = find('silent')
  expect([service, banner]).toEqual(['', ''])
})

test('the votes for its system are kept with their reasons', () => {
  expect(host.osVotes.map(({ os, because }) => `${os}: ${because.replace(/\d+$/, 'N')}`)).toContain(
    'Linux (Debian): smtp on tcp/N',
  )
})
