/**
 * Listening, on a link of its own: `bun bench/listen.ts [--by scanner] [--joins 30] [--seconds 60] [--rate 5000]`. Hosts join, each until
 * `GET /api/discovery/devices` shows it. Then a storm of ARP: the processor time and memory of the listening process, and the times of
 * requests. Needs root, `ip` and busybox; not kept.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createJoinLab, findLine, getIp, getLink, SUBNET } from '../testing/scanner-lab/join-lab.ts'
import { megabytes, milliseconds, quantile } from './numbers.ts'

const { values } = parseArgs({
  options: {
    by: { type: 'string', default: 'server' },
    joins: { type: 'string', default: '30' },
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '5000' },
  },
})
const joins = Number(values.joins)
const seconds = Number(values.seconds)
/** The host that begins the listening, and its interface sends the storm. */
const FIRST = 9
const FIRST_JOIN = 100
const IDLE_MS = 5000

/** Returns user and system time in seconds. */
const readCpu = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}
const readPeakBytes = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) * 1024
const findChild = (parent: number): number => {
  const found = readdirSync(`/proc/${parent}/task`)
    .flatMap((task) => readFileSync(`/proc/${parent}/task/${task}/children`, 'latin1').split(' '))
    .find((pid) => pid.trim() !== '')
  if (found === undefined) throw new Error('the server has no listening process')
  return Number(found)
}
const print = (what: string, found: string, goal: string, isMet: boolean): void => {
  console.log(`${what.padEnd(60)} ${found.padEnd(28)} ${goal.padEnd(14)} ${isMet ? 'ok' : 'MISSED'}`)
}

const lab = createJoinLab('bench')
try {
  const server = lab.start('testing/scanner-lab/listening-server.ts', JSON.stringify({ subnet: SUBNET, by: values.by }))
  const pid = await findLine('server', server, (line) =>
    line.startsWith('ready ') ? Number(line.slice('ready '.length)) : undefined,
  )
  const findShown = (ip: string): Promise<number> =>
    findLine(`device ${ip}`, server, (line) => (line.startsWith(`${ip} `) ? Number(line.split(' ')[1]) : undefined))
  const listTimes = (from: number): number[] =>
    server.lines
      .slice(from)
      .flatMap((line) => (line.startsWith('times ') ? line.slice('times '.length).split(' ').map(Number) : []))
  lab.join(FIRST, getIp(FIRST))
  const timer = setInterval(() => lab.announce(FIRST), 200)
  await findShown(getIp(FIRST))
  clearInterval(timer)

  const took: number[] = []
  for (let host = FIRST_JOIN; host < FIRST_JOIN + joins; host++) {
    const beganMs = performance.timeOrigin + performance.now()
    lab.join(host, getIp(host))
    lab.announce(host)
    took.push((await findShown(getIp(host))) - beganMs)
  }
  const [p50, p95] = [quantile(took, 0.5), quantile(took, 0.95)]
  print(
    `joining host to GET /api/discovery/devices by a ${values.by}, p50 of ${joins}`,
    milliseconds(p50),
    '< 500 ms',
    p50 < 500,
  )
  print('the same, p95', milliseconds(p95), '< 2 s', p95 < 2000)

  const idleFrom = server.lines.length
  await Bun.sleep(IDLE_MS)
  const idle = quantile(listTimes(idleFrom), 0.99)
  const child = findChild(pid)
  const [cpu, from, beganMs] = [readCpu(child), server.lines.length, performance.now()]
  const sender = [process.execPath, 'bench/listen-storm.ts', getLink(FIRST), values.rate, values.seconds]
  const sending = Bun.spawn(['ip', 'netns', 'exec', lab.hosts, ...sender], { stdout: 'pipe', stderr: 'inherit' })
  const sent = await new Response(sending.stdout).text()
  const share = (readCpu(child) - cpu) / ((performance.now() - beganMs) / 1000)
  const [bytes, busy] = [readPeakBytes(child), quantile(listTimes(from), 0.99)]
  const storm = `${values.rate} ARP frames a second for ${seconds} s (${sent.trim()})`
  print(`${storm}: share of a core`, `${(share * 100).toFixed(1)} %`, '< 10 %', share < 0.1)
  print('the same, memory of the listening process', megabytes(bytes), '< 60 MB', bytes < 60_000_000)
  print(
    'the same, p99 of requests',
    `${milliseconds(busy)}, idle ${milliseconds(idle)}`,
    '< idle + 25 ms',
    busy < idle + 25,
  )
} finally {
  lab.remove()
}
process.exit(0)
