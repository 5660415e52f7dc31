/** The way of a scanner to its server: proxies, an authority of its own, plain HTTP, answers of others. */
import { afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ScannerFolder, scannerFolder } from '../../../testing/servers/scanner-child.ts'
import { type StandIn, startStandIn } from '../../../testing/servers/stand-in-server.ts'
import { until as untilWithin } from '../../../testing/until.ts'
import { buildPlan } from '../testing/plans.ts'

setDefaultTimeout(120_000)
const PATIENT_MS = 60_000
const TOKEN = `plat_en_${'a'.repeat(43)}`
const until = <T>(what: string, look: () => T | undefined): Promise<T> => untilWithin(what, look, PATIENT_MS)

type Tls = { readonly key: string; readonly cert: string }
let tls: Tls
beforeAll(() => {
  const dir = mkdtempSync(join(tmpdir(), 'plat-certificate-test-'))
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
  const made = Bun.spawnSync([
    ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=plat', '-addext', 'subjectAltName=IP:127.0.0.1'],
  ])
  if (!made.success) throw new Error(made.stderr.toString())
  tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  rmSync(dir, { recursive: true })
})

let folder: ScannerFolder
let server: StandIn
let caFile: string
beforeEach(() => {
  folder = scannerFolder()
  server = startStandIn({ tls })
  caFile = join(folder.home, 'ca.pem')
  writeFileSync(caFile, tls.cert)
})
afterEach(async () => {
  await folder.remove()
  await server.close()
})

const start = (args: readonly string[], env?: Record<string, string>) =>
  folder.start(['--url', server.url, '--token', TOKEN, ...args], env)

type Proxy = { readonly url: string; readonly targets: readonly string[]; readonly close: () => Promise<void> }

/** Tunnels by CONNECT (RFC 9110 section 9.3.6). */
const startProxy = async (): Promise<Proxy> => {
  const targets: string[] = []
  const sockets = new Set<Socket>()
  const proxy: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', (data) => {
      const [, host = '', port = ''] = /^CONNECT ([^:\s]+):(\d+) /.exec(data.toString()) ?? []
      targets.push(`${host}:${port}`)
      const upstream = connect(Number(port), host)
      sockets.add(upstream)
      upstream.on('error', () => socket.destroy())
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(upstream).pipe(socket)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    targets,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        proxy.close(() => resolve())
      }),
  }
}

const findFreePort = async (): Promise<number> => {
  const proxy = await startProxy()
  await proxy.close()
  return Number(new URL(proxy.url).port)
}

describe('a certificate of an authority of its own', () => {
  test('is trusted with --ca', async () => {
    start(['--ca', caFile])
    const scan = server.give(buildPlan({ subnet: '127.7.1.0/28' }))
    await until('end of the scan', () => scan.status === 'done' || undefined)
    expect(scan.hosts.size).toBe(14)
  })

  test('is trusted by the variable of the runtime, for units', async () => {
    const child = start(['--check'], { NODE_EXTRA_CA_CERTS: caFile })
    expect(await child.ended).toBe(0)
  })

  test('is refused without it, and the message names the flag', async () => {
    const child = start(['--check'])
    expect([await child.ended, child.log()]).toEqual([6, expect.stringContaining('--ca')])
    expect(server.requests).toEqual([])
  })

  test.each([
    ['a file that is not there', () => join(folder.home, 'none.pem')],
    ['a file without a certificate', () => join(folder.home, 'empty.pem')],
  ])('--ca with %s is refused', async (_, getPath) => {
    writeFileSync(join(folder.home, 'empty.pem'), '')
    const child = start(['--ca', getPath()])
    expect([await child.ended, child.log()]).toEqual([2, expect.stringContaining('--ca')])
  })
})

describe('a proxy', () => {
  let proxy: Proxy
  beforeEach(async () => {
    proxy = await startProxy()
  })
  afterEach(() => proxy.close())

  test('takes all requests, and the scan goes through it', async () => {
    start(['--ca', caFile], { HTTPS_PROXY: proxy.url })
    const scan = server.give(buildPlan({ subnet: '127.7.2.0/28' }))
    await until('end of the scan', () => scan.status === 'done' || undefined)
    expect(scan.hosts.size).toBe(14)
    expect([...new Set(proxy.targets)]).toEqual([`127.0.0.1:${server.port}`])
  })

  test('is passed by for a server in NO_PROXY', async () => {
    const child = start(['--ca', caFile, '--check'], { HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' })
    expect([await child.ended, proxy.targets]).toEqual([0, []])
  })

  test('that is gone does not end the scanner', async () => {
    await proxy.close()
    const child = start(['--ca', caFile], { HTTPS_PROXY: proxy.url })
    await until('a message', () => child.log().includes('tries again') || undefined)
    expect([await child.stop(), server.requests]).toEqual([0, []])
  })
})

describe.skipIf(Bun.which('tinyproxy') === null)('tinyproxy', () => {
  test('takes a scan to the server', async () => {
    const [log, config] = [join(folder.home, 'tinyproxy.log'), join(folder.home, 'tinyproxy.conf')]
    const port = await findFreePort()
    writeFileSync(config, `Port ${port}\nListen 127.0.0.1\nLogFile "${log}"\nLogLevel Connect\nAllow 127.0.0.1\n`)
    const proxy = Bun.spawn(['tinyproxy', '-d', '-c', config], { stdout: 'ignore', stderr: 'ignore' })
    try {
      start(['--ca', caFile], { HTTPS_PROXY: `http://127.0.0.1:${port}` })
      const scan = server.give(buildPlan({ subnet: '127.7.3.0/28' }))
      await until('end of the scan', () => scan.status === 'done' || undefined)
      expect([scan.hosts.size, readFileSync(log, 'utf8').includes(`CONNECT 127.0.0.1:${server.port}`)]).toEqual([
        14,
        true,
      ])
    } finally {
      proxy.kill()
      await proxy.exited
    }
  })
})

test('http to another machine is refused unless it is permitted', async () => {
  const url = 'http://192.0.2.1'
  const child = folder.start(['--url', url, '--token', TOKEN])
  expect([await child.ended, child.log()]).toEqual([2, expect.stringContaining('--allow-http')])
})

describe('an answer of somebody else', () => {
  const answerBy = async (answer: () => Response): Promise<{ code: number; text: string }> => {
    const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
    try {
      const child = folder.start(['--url', `http://127.0.0.1:${other.port}`, '--token', TOKEN, '--check'])
      return { code: await child.ended, text: child.log() }
    } finally {
      await other.stop(true)
    }
  }

  test.each([
    ['a page', () => new Response('<h1>Welcome</h1>'), 'something else than Plat'],
    ['a login of a proxy', () => new Response('no', { status: 401 }), 'answers 401, and not as Plat does'],
    ['a redirect', () => Response.redirect('https://elsewhere.example/'), 'sends on to https://elsewhere.example/'],
    ['JSON of another program', () => Response.json({ hello: 1 }), 'something else than Plat'],
  ])('%s is not taken for a refusal', async (_, answer, words) => {
    expect(await answerBy(answer)).toEqual({ code: 6, text: expect.stringContaining(words) })
  })
})
