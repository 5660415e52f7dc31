/** Hosts that join a link are heard there: by real announcements, DHCP clients and multicast DNS. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FoundHost } from '../../src/scanner/protocol.ts'
import type { FromListener } from '../../src/scanner/wire.ts'
import { testAll } from '../cases.ts'
import { createJoinLab, findLine, getIp, getLink, getMac, type JoinLab, SUBNET } from './join-lab.ts'
import { checkLab } from './lab.ts'

const TIMEOUT_MS = 90_000
const needed = ['busybox', 'setpriv'].find((program) => Bun.which(program) === null)
const problem =
  process.env.PLAT_TEST_LAB === 'off'
    ? 'PLAT_TEST_LAB is off'
    : (checkLab() ?? (needed === undefined ? undefined : `there is no ${needed}`))
if (problem !== undefined) console.log(`The tests of the listener on a link are left out: ${problem}`)

const LISTENER = 'src/scanner/testing/listening-parent.ts'
const PLAN = JSON.stringify({
  networks: [
    { network_id: 'four', subnet: SUBNET, excludes: [getIp(66)] },
    { network_id: 'six', subnet: '2001:db8:7::/112', excludes: [] },
    { network_id: 'elsewhere', subnet: '10.9.0.0/24', excludes: [] },
  ],
})

type Line = { readonly pid: number; readonly message: FromListener }
// The script prints only such lines.
const parse = (line: string): Line => JSON.parse(line) as Line

describe.skipIf(problem !== undefined)('on a link', () => {
  let lab: JoinLab
  let folder: string
  let listener: ReturnType<JoinLab['start']>

  const listHosts = (from: typeof listener): FoundHost[] =>
    from.lines.flatMap((line) => {
      const { message } = parse(line)
      return message.type === 'sightings' ? message.sightings.flatMap(({ hosts }) => hosts) : []
    })
  const findHost = (ip: string, isWanted: (host: FoundHost) => boolean = () => true): Promise<FoundHost> =>
    findLine(`sighting of ${ip}`, listener, (line) => {
      const { message } = parse(line)
      if (message.type !== 'sightings') return undefined
      return message.sightings.flatMap(({ hosts }) => hosts).find((host) => host.ip === ip && isWanted(host))
    })
  const isReady = (from: typeof listener): Promise<boolean> =>
    findLine('listener', from, (line) => {
      const { message } = parse(line)
      return message.type === 'ready' ? message.isRaw : undefined
    })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plat-listen-'))
    lab = createJoinLab()
    listener = lab.start(LISTENER, PLAN)
    expect(await isReady(listener)).toBe(true)
    // It has opened its sockets once it hears the first host.
    lab.join(9, getIp(9))
    const timer = setInterval(() => lab.announce(9), 200)
    try {
      await findHost(getIp(9))
    } finally {
      clearInterval(timer)
    }
  }, TIMEOUT_MS)
  afterAll(() => {
    lab?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  test(
    'a host that announces its address is heard with its MAC',
    async () => {
      lab.join(10, getIp(10))
      lab.announce(10)
      const { mac, macSource, evidence } = await findHost(getIp(10))
      expect([mac, macSource, evidence.map(({ source }) => source)]).toEqual([getMac(10), 'arp', ['arp']])
    },
    TIMEOUT_MS,
  )

  test(
    'excluded addresses and addresses outside the networks are not heard',
    async () => {
      lab.join(66, getIp(66))
      lab.join(67, '10.9.0.67')
      lab.announce(66)
      lab.announce(67, '10.9.0.67')
      // The frames come in their order.
      lab.join(68, getIp(68))
      lab.announce(68)
      await findHost(getIp(68))
      const ips = listHosts(listener).map(({ ip }) => ip)
      expect(ips.filter((ip) => ip === getIp(66) || ip.startsWith('10.9.') || ip === getIp(1))).toEqual([])
    },
    TIMEOUT_MS,
  )

  test(
    'a host with a new IPv6 address is heard by neighbor discovery',
    async () => {
      lab.join(11, '2001:db8:7::11')
      expect((await findHost('2001:db8:7::11')).mac).toBe(getMac(11))
    },
    TIMEOUT_MS,
  )

  test.skipIf(Bun.which('dnsmasq') === null)(
    'a DHCP client is heard with its address and its name',
    async () => {
      const range = `--dhcp-range=${getIp(100)},${getIp(110)},1h`
      const files = [
        `--dhcp-leasefile=${join(folder, 'leases')}`,
        '--pid-file=',
        '--user=root',
        '--conf-file=/dev/null',
      ]
      lab.run(lab.listener, ['dnsmasq', '-d', '--port=0', '--interface=va', range, ...files])
      lab.join(12)
      const client = ['busybox', 'udhcpc', '-f', '-n', '-q', '-t', '20', '-T', '1', '-s', '/bin/true']
      lab.exec(lab.hosts, [...client, '-i', getLink(12), '-x', 'hostname:kitchen-tv'])
      const heard = await findLine('client', listener, (line) => {
        const { message } = parse(line)
        if (message.type !== 'sightings') return undefined
        return message.sightings.flatMap(({ hosts }) => hosts).find(({ mac }) => mac === getMac(12))
      })
      expect(Number(heard.ip.split('.').at(-1))).toBeWithin(100, 111)
      expect(heard.names).toEqual([{ name: 'kitchen-tv', source: 'dhcp' }])
    },
    TIMEOUT_MS,
  )

  const avahi = (host: number): void => {
    const file = join(folder, `avahi-${host}.conf`)
    const server = `[server]\nhost-name=printer-${host}\nenable-dbus=no\nallow-interfaces=${getLink(host)}\nuse-ipv6=no\n`
    writeFileSync(file, `${server}[publish]\npublish-workstation=yes\n`)
    const daemon = `avahi-daemon --no-drop-root --no-chroot --no-rlimits -f ${file}`
    // It refuses to start beside another one, which it finds by its files in /run.
    lab.run(lab.hosts, ['unshare', '-m', 'sh', '-c', `mount -t tmpfs t /run && exec ${daemon}`])
  }
  test.skipIf(Bun.which('avahi-daemon') === null)(
    'a host that announces its name by multicast DNS has it',
    async () => {
      lab.join(13, getIp(13))
      avahi(13)
      const { names } = await findHost(getIp(13), (host) => host.names.length > 0)
      expect(names).toEqual([{ name: 'printer-13', source: 'mdns' }])
    },
    TIMEOUT_MS,
  )

  test(
    'a listener that waits for a frame ends with the process that started it',
    async () => {
      const other = lab.start(LISTENER, PLAN)
      const pid = await findLine('pid', other, (line) => parse(line).pid)
      // Its sockets open after the first line.
      const timer = setInterval(() => lab.announce(9), 200)
      try {
        await findLine('sighting', other, (line) => (parse(line).message.type === 'sightings' ? true : undefined))
      } finally {
        clearInterval(timer)
      }
      other.kill()
      await findLine('end', { lines: [''], kill: () => {} }, () => {
        try {
          process.kill(pid, 0)
          return undefined
        } catch {
          return true
        }
      })
    },
    TIMEOUT_MS,
  )

  // The neighbor table is read every ten seconds.
  testAll(
    'a listener without CAP_NET_RAW hears the neighbors of this machine',
    async () => {
      const plain = lab.start(LISTENER, PLAN, 'nobody')
      expect(await isReady(plain)).toBe(false)
      const timer = setInterval(
        () => lab.exec(lab.hosts, ['busybox', 'ping', '-c', '1', '-W', '1', '-I', getLink(9), getIp(1)]),
        1000,
      )
      try {
        const found = await findLine('neighbor', plain, (line) => {
          const { message } = parse(line)
          if (message.type !== 'sightings') return undefined
          return message.sightings.flatMap(({ hosts }) => hosts).find(({ ip, mac }) => ip === getIp(9) && mac !== '')
        })
        expect([found.mac, found.macSource]).toEqual([getMac(9), 'neighbour'])
      } finally {
        clearInterval(timer)
        plain.kill()
      }
    },
    TIMEOUT_MS,
  )

  test.each(['server', 'scanner'])(
    'a device that joins a link that a %s listens on is in the list',
    async (by) => {
      const server = lab.start('testing/scanner-lab/listening-server.ts', JSON.stringify({ subnet: SUBNET, by }))
      await findLine('server', server, (line) => (line.startsWith('ready') ? true : undefined))
      const timer = setInterval(() => lab.announce(10), 500)
      try {
        await findLine('device', server, (line) => (line.startsWith(`${getIp(10)} `) ? true : undefined))
      } finally {
        clearInterval(timer)
        server.kill()
      }
    },
    TIMEOUT_MS,
  )
})
