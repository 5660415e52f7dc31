/** `plat scanner run` as a process, against a stand-in for the server. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive, listDescendants, type ScannerFolder, scannerFolder } from '../../../testing/servers/scanner-child.ts'
import {
  SERVER_VERSION,
  type StandIn,
  type StandInScan,
  startStandIn,
} from '../../../testing/servers/stand-in-server.ts'
import { until as untilWithin } from '../../../testing/until.ts'
import { generateKeyPair } from '../seal.ts'
import { buildPlan } from '../testing/plans.ts'

setDefaultTimeout(120_000)
const PATIENT_MS = 60_000
const TOKEN = `plat_en_${'a'.repeat(43)}`
/** So slow that it is killed in the middle, and long enough to be resumed. */
const slowPlan = () => buildPlan({ subnet: '127.5.0.0/22', probesPerSecond: 300 })
const quickPlan = () => buildPlan({ subnet: '127.6.7.0/26' })

const until = <T>(what: string, look: () => T | undefined): Promise<T> => untilWithin(what, look, PATIENT_MS)

let server: StandIn
let folder: ScannerFolder
beforeEach(() => {
  server = startStandIn()
  folder = scannerFolder()
})
afterEach(async () => {
  await folder.remove()
  await server.close()
})

const waitForEnd = (scan: StandInScan) => until('end of the scan', () => (scan.status === 'done' ? scan : undefined))
const waitForHosts = (scan: StandInScan) => until('hosts', () => scan.hosts.size > 0 || undefined)
const waitForSpool = () => until('a spool', () => folder.readAll().includes('"batch"') || undefined)
/** Waits until a report with hosts is answered by 503, and so stays in the spool. */
const waitForRefusedHosts = () => {
  const from = server.requests.length
  const isOfHosts = ({ path, body }: StandIn['requests'][number]): boolean =>
    path.endsWith('/reports') && body.includes('"batch"')
  return until('reports that are refused', () => server.requests.slice(from).some(isOfHosts) || undefined)
}
const start = (...more: string[]) => folder.start(['--url', server.url, '--token', TOKEN, ...more])
/** Without a token: a later start. */
const startAgain = (...more: string[]) => folder.start(['--url', server.url, ...more])

describe('enrolment', () => {
  test('writes a state that only its owner can read', async () => {
    start()
    await until('a poll', () => server.polls[0])
    const file = statSync(join(folder.dir, 'scanner.json'))
    expect([file.mode & 0o777, statSync(folder.dir).mode & 0o777]).toEqual([0o600, 0o700])
  })

  test('a later start needs no token and no URL', async () => {
    const first = start()
    await until('a poll', () => server.polls[0])
    await first.stop()
    const before = server.polls.length
    folder.start([])
    await until('a poll of the second start', () => server.polls[before])
    expect(server.requests.filter(({ path }) => path.endsWith('/enrol'))).toHaveLength(1)
  })

  test('a token beside a state that works is ignored', async () => {
    const first = start()
    await until('a poll', () => server.polls[0])
    await first.stop()
    server.state.enrolmentToken = TOKEN
    const before = server.polls.length
    start()
    await until('a poll of the second start', () => server.polls[before])
    expect(server.state.enrolmentToken).toBe(TOKEN)
  })

  test('a token beside a state that the server refuses is redeemed', async () => {
    const first = start()
    await until('a poll', () => server.polls[0])
    await first.stop()
    server.state.isRevoked = true
    server.state.enrolmentToken = TOKEN
    const before = server.polls.length
    start()
    await until('a poll with the new credential', () => server.polls[before])
    expect(server.requests.filter(({ path }) => path.endsWith('/enrol'))).toHaveLength(2)
  })

  test.each([
    ['INVALID_CREDENTIALS', 'is used, void or unknown'],
    ['EXPIRED_KEY', 'has expired'],
  ] as const)('a token that the server answers by %s ends it by exit code 3', async (code, words) => {
    server.state.enrolmentToken = ''
    server.state.enrolmentCode = code
    const child = start()
    expect(await child.ended).toBe(3)
    expect(child.log().trim().split('\n')).toEqual([expect.stringContaining(words)])
  })

  test('a scanner that is revoked ends by exit code 3, and its scans end', async () => {
    const child = start()
    const scan = server.give(slowPlan())
    await waitForHosts(scan)
    const children = listDescendants(child.pid)
    server.state.isRevoked = true
    server.wake()
    expect(await child.ended).toBe(3)
    expect(child.log()).toContain('the server no longer accepts this scanner')
    expect([children.length > 0, children.filter(isAlive)]).toEqual([true, []])
  })

  test('a second process on one state folder is refused', async () => {
    start()
    await until('a poll', () => server.polls[0])
    const second = startAgain()
    expect([await second.ended, second.log()]).toEqual([2, expect.stringContaining('another scanner uses')])
  })
})

describe('a scan', () => {
  test('is run, and all hosts arrive', async () => {
    start()
    const scan = await waitForEnd(server.give(quickPlan()))
    expect(scan.hosts.size).toBe(62)
    expect(scan.arrived.map(({ seq }) => seq)).toEqual(scan.arrived.map((_, index) => index + 1))
  })

  test('leaves nothing in the spool', async () => {
    start()
    await waitForEnd(server.give(quickPlan()))
    await until('a poll with the scan', () => server.polls.find(({ holding }) => holding.length > 0))
    await until('a poll without it', () => server.polls.at(-1)?.holding.length === 0 || undefined)
    expect(server.polls.at(-1)?.spooled_reports).toBe(0)
    expect(folder.readAll()).not.toContain('"batch"')
  })

  test('ends when it is cancelled, and another one may come', async () => {
    const child = start('--slots', '1')
    const scan = server.give(slowPlan())
    await waitForHosts(scan)
    const children = listDescendants(child.pid)
    server.cancel(scan)
    await waitForEnd(server.give(quickPlan()))
    expect([scan.status, children.length, children.filter(isAlive)]).toEqual(['cancelled', 1, []])
  })

  test('that cannot be carried out fails with its reason', async () => {
    start()
    const scan = server.give(buildPlan({ subnet: '127.0.0.0/12' }))
    await until('failure', () => (scan.status === 'failed' ? true : undefined))
    expect(scan.reports.at(-1)).toEqual({ type: 'failed', message: 'subnet: 127.0.0.0/12 is wider than /16' })
  })

  test('whose reports the server refuses fails with the reason', async () => {
    server.state.refusesField = 'reports'
    start()
    const scan = server.give(quickPlan())
    await until('failure', () => (scan.status === 'failed' ? true : undefined))
    expect(scan.reports.at(-1)).toMatchObject({
      type: 'failed',
      message: expect.stringContaining('refused a report'),
    })
  })
})

describe('an interruption', () => {
  test('kill -9 in mid-scan loses no host, and numbers go on', async () => {
    const scan = server.give(slowPlan())
    let child = start()
    for (let round = 0; round < 3; round++) {
      const known = scan.hosts.size
      await until('more hosts', () => scan.hosts.size > known || scan.status === 'done' || undefined)
      const children = listDescendants(child.pid)
      await child.kill()
      await until('end of its child', () => (children.some(isAlive) ? undefined : true))
      child = startAgain()
    }
    await waitForEnd(scan)
    expect(scan.hosts.size).toBe(1022)
    for (const lease of new Set(scan.arrived.map((one) => one.lease))) {
      const numbers = [...new Set(scan.arrived.filter((one) => one.lease === lease).map(({ seq }) => seq))]
      expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    }
  })

  test('what was spooled while the server was away is sent after a restart, under the old lease', async () => {
    const scan = server.give(slowPlan())
    const child = start()
    await waitForHosts(scan)
    const { lease } = scan
    server.state.isBusy = true
    // Reports that arrived before are no longer in the spool.
    await waitForRefusedHosts()
    await child.kill()
    server.state.isBusy = false
    const before = scan.arrived.length
    const size = scan.hosts.size
    startAgain()
    await until('spooled hosts', () => (scan.hosts.size > size ? true : undefined))
    expect(scan.arrived[before]?.lease).toBe(lease)
    await waitForEnd(scan)
    expect([scan.hosts.size, scan.lease === lease]).toEqual([1022, false])
  })

  test('a server that is away for a while gets everything afterwards', async () => {
    start()
    const scan = server.give(slowPlan())
    await waitForHosts(scan)
    const { lease } = scan
    await server.goAway()
    await waitForSpool()
    server.comeBack()
    await waitForEnd(scan)
    expect([scan.hosts.size, scan.lease]).toEqual([1022, lease])
  })

  test('SIGTERM ends it within three seconds, keeps the spool, and says goodbye', async () => {
    const child = start()
    const scan = server.give(slowPlan())
    await waitForHosts(scan)
    const children = listDescendants(child.pid)
    server.state.isBusy = true
    await waitForRefusedHosts()
    expect(await child.stop()).toBe(0)
    expect([children.length > 0, children.filter(isAlive), server.state.saidBye]).toEqual([true, [], 1])
    expect(folder.readAll()).toContain('"batch"')
    server.state.isBusy = false
    startAgain()
    await waitForEnd(scan)
    expect(scan.hosts.size).toBe(1022)
  })
})

describe('--check', () => {
  test('shows name, version and capabilities, and ends', async () => {
    const child = start('--check')
    expect(await child.ended).toBe(0)
    const text = child.log()
    expect(text).toContain('oslo')
    expect(text).toContain(SERVER_VERSION)
    for (const name of ['icmp', 'arp', 'neighbours', 'listen'])
      expect(text).toMatch(new RegExp(`^${name} +(yes|no) `, 'm'))
  })

  test('ends by exit code 6 when nothing answers', async () => {
    await server.goAway()
    const child = start('--check')
    expect([await child.ended, child.log()]).toEqual([6, expect.stringContaining('cannot be reached')])
  })

  test('ends by exit code 3 for a scanner that is revoked', async () => {
    await start('--check').ended
    server.state.isRevoked = true
    expect(await startAgain('--check').ended).toBe(3)
  })

  test('takes nothing from a daemon beside it', async () => {
    start()
    const scan = server.give(slowPlan())
    await waitForHosts(scan)
    const { lease } = scan
    expect(await startAgain('--check').ended).toBe(0)
    await waitForEnd(scan)
    expect([scan.lease, server.state.saidBye]).toEqual([lease, 0])
  })
})

describe('secrets', () => {
  test('are in no spool, no state and no log, nor in the environment of a child', async () => {
    const secret = 'S3cret-C0mmunity'
    const logins = {
      snmp: [{ version: 'v2c', ip: '', credentialId: 'c1', community: secret }],
      ssh: [{ ip: '', credentialId: 'c2', username: 'root', password: secret, privateKey: secret, passphrase: secret }],
      hostKeys: {},
    } as const
    server.state.isBusy = true
    const child = start()
    server.give({ ...slowPlan(), type: 'deep' }, logins)
    await waitForSpool()
    const [pid] = listDescendants(child.pid)
    const environment = await Bun.file(`/proc/${pid}/environ`).text()
    const bodies = server.requests.map(({ body }) => body).join('\n')
    await child.stop()
    const texts = { folder: folder.readAll(), log: child.log(), environment, bodies }
    for (const text of Object.values(texts)) expect(text.includes(secret) || text.includes(TOKEN)).toBe(false)
    const { token, private_key } = JSON.parse(await Bun.file(join(folder.dir, 'scanner.json')).text())
    for (const text of [texts.log, environment, bodies])
      expect(text.includes(token) || text.includes(private_key)).toBe(false)
  })
})

describe.skipIf(process.getuid?.() !== 0)('sealed logins', () => {
  /** Resolves with the first datagram that an SNMP agent at this address receives. */
  const receiveDatagram = async (hostname: string) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const data = (_: unknown, datagram: Buffer): void => resolve(datagram.toString('latin1'))
    const socket = await Bun.udpSocket({ hostname, port: 161, socket: { data } })
    return { promise, close: () => socket.close() }
  }
  const community = 'S3cret-C0mmunity'
  const logins = {
    ...{ snmp: [{ version: 'v2c', ip: '', credentialId: 'c1', community } as const], ssh: [], hostKeys: {} },
  }

  test('reach the hosts of the scan', async () => {
    const agent = await receiveDatagram('127.7.20.1')
    try {
      start()
      server.give(buildPlan({ subnet: '127.7.20.0/30', type: 'deep' }), logins)
      expect(await agent.promise).toContain(community)
    } finally {
      agent.close()
    }
  })

  test('for another key are not opened, and the scan goes on and says so', async () => {
    start()
    await until('a poll', () => server.polls[0])
    server.state.publicKey = generateKeyPair().publicKey
    const scan = await waitForEnd(server.give(buildPlan({ subnet: '127.7.21.0/30', type: 'deep' }), logins))
    expect(scan.reports.flatMap((report) => (report.type === 'note' ? report.text : []))).toContain(
      'The logins were not sealed for this scanner: it goes on without them',
    )
  })
})

describe('options', () => {
  test('a token may stand in a file', async () => {
    const file = join(folder.home, 'token')
    writeFileSync(file, `${TOKEN}\n`)
    folder.start([], { PLAT_SCANNER_URL: server.url, PLAT_SCANNER_TOKEN_FILE: file })
    expect(await until('a poll', () => server.polls[0])).toMatchObject({ slots: 2 })
  })

  test('a first start without a token names it', async () => {
    const child = startAgain()
    expect([await child.ended, child.log()]).toEqual([2, expect.stringContaining('PLAT_SCANNER_TOKEN')])
  })
})
