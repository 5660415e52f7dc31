/** Hosts that mean harm: every one is found, bounded, and the scan goes on. Real servers on loopback. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { FoundHost, FoundService } from './protocol.ts'
import { answers, closeListeners, createSelfSigned, greets, listenTcp, listenTls } from './testing/listeners.ts'
import { buildPlan, PATIENT_MS, runPlan, type ScanRecord } from './testing/plans.ts'

const IP = '127.21.0.1'
const MEGABYTE = 1 << 20

let record: ScanRecord
let host: FoundHost
const services = new Map<string, FoundService>()
const find = (name: string): FoundService => {
  const found = services.get(name)
  if (found === undefined) throw new Error(`no service of ${name}`)
  return found
}
/** Returns every text in the report of a host, at any depth. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : []

beforeAll(async () => {
  const wide = createSelfSigned(
    'wide.lab.example',
    Array.from({ length: 3000 }, (_, i) => `name-${i}.a-rather-long-domain.lab.example`),
  )
  const evil = createSelfSigned('evil.lab.example')
  const listeners = {
    endless: await listenTcp(IP, 0, (socket) => {
      const block = Buffer.alloc(64 * 1024, 'A')
      const pour = (): void => {
        while (!socket.destroyed && socket.write(block));
      }
      socket.on('drain', pour)
      pour()
    }),
    drip: await listenTcp(IP, 0, (socket) => {
      const timer = setInterval(() => socket.write('x'), 50)
      socket.on('close', () => clearInterval(timer))
    }),
    controls: await listenTcp(IP, 0, greets('220 \x1b[2J\x1b]0;owned\x07 \u202eabc\u0000 ESMTP Postfix\r\n')),
    html: await listenTcp(
      IP,
      0,
      answers(
        'HTTP/1.1 200 OK\r\nServer: <script>alert(1)</script>\r\n\r\n<title>&lt;img src=x onerror=alert(1)&gt;\x07\x9b31m</title>',
      ),
    ),
    binary: await listenTcp(
      IP,
      0,
      answers(
        Buffer.concat([
          Buffer.from('HTTP/1.1 200 OK\r\n\r\n<title>'),
          Buffer.from([0xff, 0xfe, 0, 1, 2, 0x80]),
          Buffer.from('</title>'),
        ]),
      ),
    ),
    headers: await listenTcp(IP, 0, answers(`HTTP/1.1 200 OK\r\nServer: ${'S'.repeat(MEGABYTE)}\r\n\r\n`)),
    certificate: await listenTls(IP, 0, { ...wide, talk: answers('HTTP/1.1 200 OK\r\n\r\n') }),
    sayings: await listenTls(IP, 0, { ...evil, talk: answers('HTTP/1.1 200 OK\r\n\r\n<title>ok</title>') }),
    ssh: await listenTcp(IP, 0, (socket) => {
      // A packet that is longer than any packet may be (RFC 4253 section 6.1), of garbage.
      socket.write('SSH-2.0-OpenSSH_9.9\r\n')
      socket.write(Buffer.concat([Buffer.from([0x7f, 0xff, 0xff, 0xff, 4]), Buffer.alloc(5000, 0xaa)]))
    }),
    hangup: await listenTcp(IP, 0, (socket) => socket.destroy()),
    honest: await listenTcp(IP, 0, greets('SSH-2.0-dropbear_2022.83\r\n')),
  }
  const ports = Object.values(listeners).map(({ port }) => port)
  record = await runPlan(
    buildPlan({ subnet: '127.21.0.0/30', excludes: ['127.21.0.2'], type: 'deep', probeTimeoutMs: PATIENT_MS, ports }),
  )
  const found = record.hosts.get(IP)
  if (found === undefined) throw new Error('the host was not found')
  host = found
  for (const [name, { port }] of Object.entries(listeners)) {
    const service = host.services.find((one) => one.port === port)
    if (service) services.set(name, service)
  }
}, 60_000)
afterAll(closeListeners)

test('the scan comes to its end', () => expect([record.result, record.message]).toEqual(['done', '']))

test('every service is reported', () => expect(services.size).toBe(11))

test('an endless banner is cut', () => {
  expect(Buffer.byteLength(find('endless').banner)).toBe(2048)
})

test('a service that drips bytes is read for a bounded time', () => {
  // A letter every 50 ms.
  expect(find('drip').banner.length).toBeLessThan((2 * 1.5 * PATIENT_MS) / 50)
})

test('no text has a character that a terminal would take for a command', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(textsIn(host).filter((text) => /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.test(text))).toEqual([])
})

test('the text after a control sequence is still recognized', () => {
  expect(find('controls').product).toBe('Postfix')
})

test('a page of markup gives its title as text', () => {
  expect(find('html').details.title).toBe('<img src=x onerror=alert(1)>\ufffd\ufffd31m')
})

test('a title that is no text is text nevertheless', () => {
  expect(find('binary').details.title).toMatch(/^ÿþ\ufffd/)
})

test('a header of a megabyte is cut', () => {
  expect(Buffer.byteLength(find('headers').details.server ?? '')).toBeLessThanOrEqual(255)
})

test('a certificate with thousands of names is kept to a few', () => {
  expect(Buffer.byteLength(find('certificate').details.names ?? '')).toBeLessThanOrEqual(1024)
  expect(host.names.length).toBeLessThanOrEqual(12)
})

test('a key exchange of garbage gives no key and no end of the scan', () => {
  expect([find('ssh').product, host.sshHostKey]).toEqual(['OpenSSH', ''])
})

test('a service that closes the connection is reported', () => expect(find('hangup').service).toBe(''))

test('the regular service among them is recognized', () => expect(find('honest').product).toBe('Dropbear'))

test('the report of the host is small', () => {
  expect(JSON.stringify(host).length).toBeLessThan(40_000)
})
