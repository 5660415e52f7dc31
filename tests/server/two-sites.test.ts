/** Two sites with one subnet, a scanner behind NAT in each: their hosts stay apart, also over a cut of a link. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { resolve } from 'node:path'
import { z } from 'zod'
import { type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { testAll } from '../../testing/cases.ts'
import { checkLab } from '../../testing/scanner-lab/lab.ts'
import { createSites, SERVER_ADDRESS, SITE_SUBNET, type Sites } from '../../testing/scanner-lab/sites.ts'
import { type ScannerFolder, scannerFolder } from '../../testing/servers/scanner-child.ts'
import { until as untilWithin } from '../../testing/until.ts'

setDefaultTimeout(180_000)
const PATIENT_MS = 90_000
const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => untilWithin(what, look, PATIENT_MS)

const root = resolve(import.meta.dir, '../..')
const problem = process.env.PLAT_TEST_LAB === 'off' ? 'PLAT_TEST_LAB is off' : checkLab()

const Created = z.object({ id: z.string(), enrolment_token: z.string().optional() })
const Scanners = z.array(z.object({ name: z.string(), status: z.string(), ip_address: z.string() }))
const Scan = z.object({ status: z.string(), scanner_name: z.string(), error_message: z.string() })
const Hosts = z.array(z.object({ ip: z.string(), mac_address: z.string().nullable() }))

const NAMES = ['oslo', 'bergen'] as const

describe.skipIf(problem !== undefined)('two sites with one subnet', () => {
  let sites: Sites
  let server: ServerFolder
  let url = ''
  let scanners: ScannerFolder[] = []
  const networks: string[] = []

  /** Runs the command line where the server is. */
  const plat = async (...words: string[]): Promise<unknown> => {
    const command = ['ip', 'netns', 'exec', sites.hub, process.execPath, '--no-env-file', 'src/main.ts', ...words]
    const env = { PATH: process.env.PATH ?? '', PLAT_URL: url, PLAT_TOKEN: server.key, HOME: server.dir }
    const child = Bun.spawn([...command, '-o', 'json'], { cwd: root, env, stdout: 'pipe', stderr: 'pipe' })
    const [text, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    if ((await child.exited) !== 0) throw new Error(`${words.join(' ')}: ${error}`)
    return JSON.parse(text)
  }
  const waitForEnd = (id: string) =>
    until('end of the scan', async () => {
      const scan = Scan.parse(await plat('scan', 'get', id))
      return ['pending', 'running'].includes(scan.status) ? undefined : scan
    })

  beforeAll(async () => {
    sites = createSites([
      { from: 10, count: 12 },
      { from: 10, count: 7 },
    ])
    server = await serverFolder({ RATE_LIMIT_ENABLED: 'false', LISTEN_ADDR: `${SERVER_ADDRESS}:8090` })
    ;({ url } = await server.start({ under: ['ip', 'netns', 'exec', sites.hub] }))
    scanners = NAMES.map(() => scannerFolder())
    for (const [i, name] of NAMES.entries()) {
      const { enrolment_token = '' } = Created.parse(await plat('scanner', 'create', name))
      const under = ['ip', 'netns', 'exec', sites.all[i]?.scanner ?? '']
      scanners[i]?.start(['--url', url, '--allow-http', '--token', enrolment_token], {}, under)
      await plat('space', 'create', name)
      const words = ['network', 'create', name, SITE_SUBNET, '--space', name, '--scanner', name]
      networks.push(Created.parse(await plat(...words)).id)
    }
  }, 180_000)
  afterAll(async () => {
    for (const folder of scanners) await folder.remove()
    await server?.remove()
    sites?.remove()
  })

  test('both scanners are online, at the addresses of their routers', async () => {
    const all = await until('online scanners', async () => {
      const list = Scanners.parse(await plat('scanner', 'list'))
      return list.every(({ status }) => status === 'online') ? list : undefined
    })
    const addresses = Object.fromEntries(all.map(({ name, ip_address }) => [name, ip_address]))
    expect(addresses).toEqual({ oslo: sites.all[0]?.address ?? '', bergen: sites.all[1]?.address ?? '' })
  })

  test('each host is in the network of its site, with its own MAC address', async () => {
    const ids: string[] = []
    for (const id of networks) ids.push(Created.parse(await plat('discovery', 'scan', id)).id)
    for (const [i, id] of ids.entries())
      expect(await waitForEnd(id)).toEqual({ status: 'completed', scanner_name: NAMES[i] ?? '', error_message: '' })
    for (const [i, id] of networks.entries()) {
      const hosts = Hosts.parse(await plat('discovery', 'list', '--network-id', id))
      // The scanner has an address in the network too.
      const found = hosts.filter(({ ip }) => ip !== '198.18.7.1').map((host) => [host.ip, host.mac_address] as const)
      expect(new Map(found)).toEqual(new Map(sites.all[i]?.hosts))
    }
  })

  testAll('a scan goes on while the link to the server is cut, and loses nothing', async () => {
    const wide = Created.parse(
      await plat('network', 'create', 'wide', '198.18.0.0/20', '--space', 'oslo', '--scanner', 'oslo'),
    )
    const { id } = Created.parse(await plat('discovery', 'scan', wide.id))
    await until(
      'start of the scan',
      async () => Scan.parse(await plat('scan', 'get', id)).status === 'running' || undefined,
    )
    sites.all[0]?.setLink('down')
    await until('spooled reports', async () => scanners[0]?.readAll().includes('"batch"') || undefined)
    sites.all[0]?.setLink('up')
    expect(await waitForEnd(id)).toMatchObject({ status: 'completed', error_message: '' })
    const hosts = Hosts.parse(await plat('discovery', 'list', '--network-id', wide.id))
    const ips = new Set(hosts.map(({ ip }) => ip))
    expect([...(sites.all[0]?.hosts.keys() ?? [])].filter((ip) => !ips.has(ip))).toEqual([])
  })
})
