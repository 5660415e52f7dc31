/**
 * A scanner behind NAT, against real servers in network namespaces: `bun bench/scanners.ts [--only same,kills,idle] [--kills 10]
 * [--cut 60]`. Needs root. It starts itself again inside a namespace for each part, so that it reaches the server there.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Subprocess } from 'bun'
import { SERVER_JIT_FLAGS } from '../src/base/runtime/jit-flags.ts'
import { LAB_VARIABLE } from '../src/scanner/lab-guard.ts'
import { type Branch, type BranchOptions, createBranch, openBranch } from '../testing/scanner-lab/branch.ts'
import { checkLab } from '../testing/scanner-lab/lab.ts'
import { apiOf } from './api.ts'
import { plain, type Result } from './bench.ts'
import { milliseconds } from './numbers.ts'
import { publish } from './report.ts'
import { firstAnswer, ROOT } from './servers.ts'
import { createKey } from './setup.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'same,kills,idle' },
    kills: { type: 'string', default: '10' },
    cut: { type: 'string', default: '60' },
    /** The part that this process runs, in its namespace. */
    part: { type: 'string', default: '' },
    id: { type: 'string', default: '' },
  },
})

const PORT = 8080
const LOOK_MS = 20
const GIVE_UP_MS = 600_000
const IDLE_SCANNERS = 200
/** A private address of the hub. */
const RECEIVER = '10.99.0.1'

const say = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

// The types of answers are those of the contract.
type Scan = { id: string; status: string; found_hosts: number; scanned_hosts: number; started_at: string | null }
type Found = { ip: string; mac_address: string; network_id: string; status: string }

const waitFor = async <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => {
  const end = performance.now() + GIVE_UP_MS
  while (performance.now() < end) {
    const found = await look()
    if (found !== undefined) return found
    await Bun.sleep(LOOK_MS)
  }
  throw new Error(`${what}: not within ${GIVE_UP_MS / 1000} s`)
}

/** A line without a baseline. */
const row = (work: string, ours: string): Result => plain({ work, ours, goal: '', isMet: undefined, numbers: {} })

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-scanners-'))

/** Runs a command in this namespace. */
const run = (command: string[]): void => {
  const { exitCode, stderr } = Bun.spawnSync(command)
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString()}`)
}

/** Processes that are killed at the end of a part, however it ends. */
const started = new Set<Subprocess>()

/** A server of this namespace, which can be killed and started again. */
const createServer = async (name: string, env: Readonly<Record<string, string>> = {}) => {
  const dataDir = join(workDir, name)
  mkdirSync(dataDir)
  const key = await createKey(dataDir)
  let child: Subprocess | undefined
  const start = async (): Promise<void> => {
    child = Bun.spawn([process.execPath, 'src/main.ts', 'serve'], {
      cwd: ROOT,
      env: {
        ...{ PATH: process.env.PATH ?? '', HOME: workDir, LISTEN_ADDR: `0.0.0.0:${PORT}`, DATA_DIR: dataDir },
        ...{ RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'error', LOG_FORMAT: 'json', [LAB_VARIABLE]: '1' },
        ...SERVER_JIT_FLAGS,
        ...env,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    started.add(child)
    await firstAnswer(PORT, child)
  }
  const api = apiOf({ port: PORT }, key)
  const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> => {
    child?.kill(signal)
    await child?.exited
  }
  await start()
  return { api, start, stop, pid: () => child?.pid ?? 0 }
}

type PlatServer = Awaited<ReturnType<typeof createServer>>

/** Counts `discovery.device_found` by the webhook of a receiver in this process. */
const countFound = async ({ api }: PlatServer) => {
  const counts = new Map<string, number>()
  const receiver = Bun.serve({
    port: 0,
    hostname: RECEIVER,
    fetch: async (request) => {
      // The body of a webhook. A delivery may be sent twice.
      const { delivery_id, data } = (await request.json()) as { delivery_id: string; data: { ip: string } }
      if (!deliveries.has(delivery_id)) counts.set(data.ip, (counts.get(data.ip) ?? 0) + 1)
      deliveries.add(delivery_id)
      return new Response('ok')
    },
  })
  const deliveries = new Set<string>()
  await api('POST', '/api/webhooks', {
    ...{ name: 'found', url: `http://${RECEIVER}:${receiver.port}/`, events: ['discovery.device_found'] },
  })
  return { counts, stop: () => receiver.stop(true) }
}

/** A daemon in the namespace of a branch. */
const createDaemon = (branch: Branch, url: string, token: string) => {
  const state = mkdtempSync(join(workDir, 'scanner-'))
  let child: Subprocess | undefined
  const start = (): void => {
    child = Bun.spawn(
      [
        ...['ip', 'netns', 'exec', branch.scanner, process.execPath, '--no-env-file', join(ROOT, 'src/main.ts')],
        ...['scanner', 'run', '--url', url, '--token', token, '--state', state, '--allow-http'],
      ],
      {
        env: { PATH: process.env.PATH ?? '', HOME: workDir, [LAB_VARIABLE]: '1' },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
    started.add(child)
  }
  const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> => {
    child?.kill(signal)
    await child?.exited
  }
  return { start, stop, state, exitCode: () => child?.exitCode }
}

const addScanner = async ({ api }: PlatServer, name: string): Promise<{ id: string; token: string }> => {
  const { id, enrolment_token } = await api<{ id: string; enrolment_token: string }>('POST', '/api/scanners', { name })
  return { id, token: enrolment_token }
}

const waitOnline = ({ api }: PlatServer, id: string) =>
  waitFor('online', async () => {
    const { status } = await api<{ status: string }>('GET', `/api/scanners/${id}`)
    return status === 'online' ? true : undefined
  })

const startScan = ({ api }: PlatServer, networkId: string): Promise<Scan> =>
  api('POST', `/api/discovery/networks/${networkId}/scan`, { scan_type: 'quick' })

const waitEnd = ({ api }: PlatServer, id: string): Promise<Scan> =>
  waitFor('the end of a scan', async () => {
    // A server that is being killed does not answer.
    const scan = await api<Scan>('GET', `/api/discovery/scans/${id}`).catch(() => undefined)
    return scan && !['pending', 'running'].includes(scan.status) ? scan : undefined
  })

const listFound = async ({ api }: PlatServer, networkId: string): Promise<Found[]> => {
  const found: Found[] = []
  for (let offset = 0; ; offset += 1000) {
    const page = await api<Found[]>('GET', `/api/discovery/devices?network_id=${networkId}&limit=1000&offset=${offset}`)
    found.push(...page)
    if (page.length < 1000) return found
  }
}

const makeNetwork = async ({ api }: PlatServer, body: object): Promise<string> =>
  (await api<{ id: string }>('POST', '/api/networks', body)).id

/** Counts the processes of scans that are left. */
const countChildren = (): number =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const env = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return env.includes('scanner-child') && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(workDir)
      } catch {
        return false
      }
    }).length

const processorMs = (pid: number): number => {
  // Ticks of 10 ms: the fields after the name, which may contain blanks.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const residentBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024

/** The server and a scanner in one namespace scan the same /24. */
const measureSame = async (branch: Branch): Promise<Result[]> => {
  const server = await createServer('same')
  const { id, token } = await addScanner(server, 'oslo')
  const url = `http://127.0.0.1:${PORT}`
  const daemon = createDaemon(branch, url, token)
  const own = await makeNetwork(server, { name: 'own', subnet: '198.18.0.0/24' })
  const runs = async (): Promise<{ ms: number; ips: string[] }> => {
    const began = performance.now()
    const scan = await waitEnd(server, (await startScan(server, own)).id)
    if (scan.status !== 'completed') throw new Error(JSON.stringify(scan))
    const ms = performance.now() - began
    return { ms, ips: (await listFound(server, own)).filter(({ status }) => status === 'up').map(({ ip }) => ip) }
  }
  await runs()
  const first = await runs()
  const startedAt = performance.now()
  daemon.start()
  await waitOnline(server, id)
  const onlineMs = performance.now() - startedAt
  await server.api('PUT', `/api/networks/${own}`, { scanner: 'oslo' })
  const second = await runs()
  const isSame = first.ips.sort().join() === second.ips.sort().join()

  const before = branch.countArrived()
  const beganAt = performance.now()
  const scan = await startScan(server, own)
  await waitFor('the first packet', async () => (branch.countArrived() > before ? true : undefined))
  const firstMs = performance.now() - beganAt
  await waitEnd(server, scan.id)

  const wide = await makeNetwork(server, { name: 'wide', subnet: '198.18.0.0/16', scanner: 'oslo' })
  const long = await startScan(server, wide)
  await waitFor('the scan runs', async () => {
    const { scanned_hosts } = await server.api<Scan>('GET', `/api/discovery/scans/${long.id}`)
    return scanned_hosts > 1000 ? true : undefined
  })
  let sent = branch.countArrived()
  await waitFor('packets of the scan', async () => {
    const before = sent
    sent = branch.countArrived()
    return sent > before ? true : undefined
  })
  const cancelledAt = performance.now()
  await server.api('POST', `/api/discovery/scans/${long.id}/cancel`)
  let [last, changedAt] = [sent, cancelledAt]
  while (performance.now() - changedAt < 2000) {
    const now = branch.countArrived()
    if (now !== last) [last, changedAt] = [now, performance.now()]
    await Bun.sleep(LOOK_MS)
  }
  const cancelMs = changedAt - cancelledAt
  await daemon.stop()
  await server.stop()
  const most = 1.2 * first.ms + 3000
  return [
    {
      ...row('/24 of 50 hosts: a scanner, against the server in the same namespace', milliseconds(second.ms)),
      ...{
        baseline: milliseconds(first.ms),
        ratio: (second.ms / first.ms).toFixed(2),
        goal: '<= 1.2 x + 3 s, same hosts',
      },
      isMet: isSame && second.ms <= most && first.ips.length >= 50,
    },
    {
      ...row('start of the daemon until it is online', milliseconds(onlineMs)),
      goal: '< 2 s',
      isMet: onlineMs < 2000,
    },
    { ...row('start of a scan until its first packet', milliseconds(firstMs)), goal: '< 1 s', isMet: firstMs < 1000 },
    { ...row('cancel until the last packet', milliseconds(cancelMs)), goal: '< 1 s', isMet: cancelMs < 1000 },
  ]
}

/** The server and the scanner are killed, and the link is cut, in the middle of a scan of a /20. */
const measureKills = async (branch: Branch): Promise<Result[]> => {
  const server = await createServer('kills', { DISCOVERY_RATE: '100', SSRF_ALLOW_PRIVATE_TARGETS: 'true' })
  const { id, token } = await addScanner(server, 'oslo')
  const network = await makeNetwork(server, { name: 'wide', subnet: '198.18.0.0/20', scanner: 'oslo' })
  run(['ip', 'addr', 'add', `${RECEIVER}/32`, 'dev', 'lo'])
  const found = await countFound(server)
  const daemon = createDaemon(branch, `http://${branch.hubAddress}:${PORT}`, token)
  daemon.start()
  await waitOnline(server, id)
  const scan = await startScan(server, network)
  const kills = Number(values.kills)
  const pause = () => Bun.sleep(500 + Math.random() * 1500)
  for (let n = 0; n < kills; n++) {
    await pause()
    await server.stop('SIGKILL')
    await pause()
    await server.start()
    await pause()
    await daemon.stop('SIGKILL')
    daemon.start()
  }
  branch.setLink('down')
  await Bun.sleep(Number(values.cut) * 1000)
  branch.setLink('up')
  const ended = await waitEnd(server, scan.id)
  const devices = await listFound(server, network)
  const missed = branch.addresses.filter((ip) => !devices.some((one) => one.ip === ip))
  await waitFor('the events', async () =>
    branch.addresses.every((ip) => found.counts.has(ip)) ? true : undefined,
  ).catch(() => {})
  const twice = branch.addresses.filter((ip) => found.counts.get(ip) !== 1)
  await daemon.stop()
  await server.stop()
  found.stop()
  await Bun.sleep(1000)
  const orphans = countChildren()
  say(
    `ended ${ended.status}, ${devices.length} devices, missed ${missed.length}, not one event ${twice.length}, orphans ${orphans}`,
  )
  const isMet = ended.status === 'completed' && missed.length === 0 && twice.length === 0 && orphans === 0
  const text = `${branch.addresses.length - missed.length} of ${branch.addresses.length} hosts, ${twice.length} with not one event, ${orphans} orphans`
  return [
    {
      ...row(`a /20; server and scanner killed ${kills} times each, link cut for ${values.cut} s`, text),
      goal: 'none lost, one event each',
      isMet,
    },
  ]
}

/** Scanners that only poll, as daemons do. */
const measureIdle = async (): Promise<Result[]> => {
  const server = await createServer('idle', { LOGIN_RATE_LIMIT_REQUESTS: '100000' })
  const measure = async (seconds: number) => {
    const [began, used] = [performance.now(), processorMs(server.pid())]
    await Bun.sleep(seconds * 1000)
    return ((processorMs(server.pid()) - used) / (performance.now() - began)) * 100
  }
  const base = `http://127.0.0.1:${PORT}/api/scanner`
  const facts = {
    ...{ protocol: 1, version: '0.1.0', hostname: 'idle', links: [], slots: 1 },
    capabilities: { icmp: true, arp: true, neighbours: true, listen: true },
  }
  const stop = new AbortController()
  const starts: (() => Promise<void>)[] = []
  for (let n = 0; n < IDLE_SCANNERS; n++) {
    const { token } = await addScanner(server, `idle-${n}`)
    const post = (path: string, bearer: string, body: object) =>
      fetch(`${base}/${path}`, {
        ...{ method: 'POST', body: JSON.stringify(body), signal: stop.signal },
        headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      })
    const enrolled = await post('enrol', token, { ...facts, public_key: Buffer.alloc(32, n + 1).toString('base64url') })
    if (enrolled.status !== 201) throw new Error(`enrol: ${enrolled.status} ${await enrolled.text()}`)
    const own = ((await enrolled.json()) as { token: string }).token
    const poll = async (): Promise<void> => {
      let listen_tag = ''
      while (!stop.signal.aborted) {
        const answer = await post('poll', own, {
          ...facts,
          holding: [],
          listen_tag,
          spooled_reports: 0,
          wait_seconds: 25,
        })
        if (answer.status !== 200) throw new Error(`poll: ${answer.status} ${await answer.text()}`)
        listen_tag = ((await answer.json()) as { listen_tag: string }).listen_tag
      }
    }
    starts.push(() => poll().catch((error: unknown) => (stop.signal.aborted ? undefined : Promise.reject(error))))
  }
  // The code of the requests is compiled by now: what follows is the cost of the polls.
  await Bun.sleep(10_000)
  const before = await measure(30)
  const bytes = residentBytes(server.pid())
  const polls = starts.map((start) => start())
  await Bun.sleep(10_000)
  const after = await measure(60)
  const more = residentBytes(server.pid()) - bytes
  stop.abort()
  await Promise.all(polls)
  await server.stop()
  return [
    {
      ...row(`${IDLE_SCANNERS} idle scanners: processor`, `${(after - before).toFixed(2)} % of a core`),
      baseline: `${before.toFixed(2)} %`,
      goal: '< 2 %',
      isMet: after - before < 2,
    },
    {
      ...row(`${IDLE_SCANNERS} idle scanners: memory`, `${(more / 1e6).toFixed(1)} MB`),
      goal: '< 20 MB',
      isMet: more < 20e6,
    },
  ]
}

const SIZES: Readonly<Record<string, BranchOptions>> = {
  same: { prefix: 16, spread: 24, hostsEach: 50 },
  kills: { prefix: 20, hostsEach: 250 },
  idle: {},
}

const runPart = async (): Promise<void> => {
  const branch = openBranch(values.id, SIZES[values.part])
  try {
    if (values.part === 'same') publish(await measureSame(branch))
    else if (values.part === 'kills') publish(await measureKills(branch))
    else publish(await measureIdle())
  } finally {
    for (const child of started) child.kill('SIGKILL')
    rmSync(workDir, { recursive: true, force: true })
  }
}

const runAll = async (): Promise<void> => {
  rmSync(workDir, { recursive: true, force: true })
  const reason = checkLab()
  if (reason !== undefined) throw new Error(reason)
  for (const part of values.only.split(',')) {
    say(part)
    const id = `${process.pid}`
    const branch = createBranch(id, SIZES[part])
    try {
      const inside = part === 'same' ? branch.scanner : branch.hub
      const child = Bun.spawn(
        [
          'ip',
          'netns',
          'exec',
          inside,
          process.execPath,
          import.meta.path,
          ...process.argv.slice(2),
          '--part',
          part,
          '--id',
          id,
        ],
        { stdio: ['ignore', 'inherit', 'inherit'] },
      )
      if ((await child.exited) !== 0) process.exitCode = 1
    } finally {
      branch.remove()
    }
  }
}

await (values.part === '' ? runAll() : runPart())
