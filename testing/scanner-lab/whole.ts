/**
 * Runs the whole lab: the scanner's findings, time and resources, compared with fping, nmap and arp-scan on the same
 * network, and its goals. Prints a table; exits with 1 if a goal is missed. `npm run test:lab` runs it; further
 * arguments select rows.
 */
import { readFileSync } from 'node:fs'
import { formatIpv4, parseIpv4 } from '../../src/net/ipv4-text.ts'
import { buildPlan } from '../../src/scanner/testing/plans.ts'
import { COMMUNITY, SNMP_HOSTS, SNMP_USERS, SSH_HOSTS, SYS_DESCR, startDaemons } from './daemons.ts'
import { checkLab, createLab, type Lab, type LabScan } from './lab.ts'
import { addLossyNetwork } from './tap-network.ts'
import { countAlive } from './tap-simulator.ts'

type Check = readonly [what: string, isMet: boolean]
type Row = {
  readonly name: string
  readonly run: () => Promise<{ readonly scan: LabScan; readonly checks: readonly Check[]; readonly others?: string }>
}

const DEFAULT_RATE = 2000

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** Runs a tool for comparison, as root; "48 in 1.5 s". */
const compare = (lab: Lab, name: string, command: readonly string[], pattern: RegExp): string => {
  lab.flush()
  const beganAtMs = performance.now()
  const quoted = command.map((word) => `'${word}'`).join(' ')
  // These tools say by their exit code that not everybody answered.
  const text = lab.exec(lab.scanner, ['sh', '-c', `timeout 120 ${quoted} 2>/dev/null; true`])
  return `${name} ${count(text, pattern)} in ${((performance.now() - beganAtMs) / 1000).toFixed(1)} s`
}

const countNamedServices = (scan: LabScan): number =>
  scan.hosts.flatMap(({ services }) => services).filter(({ service }) => service !== '').length
const countServices = (scan: LabScan): number => scan.hosts.flatMap(({ services }) => services).length
const countOpenPorts = (scan: LabScan): number => scan.hosts.flatMap(({ openPorts }) => openPorts).length
const countMacs = (scan: LabScan): number => scan.hosts.filter(({ mac }) => mac !== '').length

/** The scanner's own address is left out; it is in 198.18.0.0/16. */
const countOthers = (scan: LabScan): number => scan.hosts.filter(({ ip }) => ip !== '198.18.255.1').length

const countListening = (lab: Lab, most: number): number => {
  const lines = lab.exec(lab.hosts, ['ss', '-Hltn']).split('\n')
  const ends = lines.flatMap((line) => /(198\.18\.0\.\d+):(\d+)\s/.exec(line)?.slice(1, 3).join(':') ?? [])
  return new Set(ends.filter((end) => Number(end.split(':')[1]) <= most && !/\.5[89]:/.test(end))).size
}

const readCounter = (lab: Lab, name: string): number =>
  Number(/packets (\d+)/.exec(lab.exec(lab.hosts, ['nft', 'list', 'counter', 'inet', 'lab', name]))?.[1] ?? Number.NaN)

const sweepRows = (lab: Lab, sshKey: string): Row[] => [
  {
    name: 'on-link /24, quick, no privilege',
    run: async () => {
      const scan = await lab.scan(buildPlan({ subnet: '198.18.0.0/24', probesPerSecond: DEFAULT_RATE }))
      return {
        scan,
        checks: [
          ['50 hosts', scan.hosts.length === 50],
          ['50 MACs', countMacs(scan) === 50],
          ['under 2 s', scan.ms < 2000],
        ],
        others: [
          compare(lab, 'fping', ['fping', '-aqg', '-i1', '-r1', '-t500', '198.18.0.0/24'], /^198/gm),
          compare(lab, 'arp-scan', ['arp-scan', '-I', 'sc0', '-q', '198.18.0.0/24'], /^198/gm),
          compare(lab, 'nmap -sn', ['nmap', '-sn', '-n', '198.18.0.0/24'], /Host is up/g),
        ].join(', '),
      }
    },
  },
  {
    name: 'on-link /24, deep, no privilege',
    run: async () => {
      const plan = buildPlan({
        subnet: '198.18.0.0/24',
        type: 'deep',
        probesPerSecond: DEFAULT_RATE,
        snmp: [{ version: 'v2c', credentialId: 'lab', community: COMMUNITY, ip: '' }],
      })
      const scan = await lab.scan(plan)
      return {
        scan,
        checks: [
          ['50 hosts', scan.hosts.length === 50],
          [
            `${countNamedServices(scan)} of ${countServices(scan)} services named, 40 wanted`,
            countNamedServices(scan) >= 40,
          ],
          ['LLDP neighbor read', scan.hosts.some(({ snmp }) => (snmp?.lldp.length ?? 0) > 0)],
          ['under 5 s', scan.ms < 5000],
        ],
      }
    },
  },
  {
    name: 'on-link /24, deep, with logins',
    run: async () => {
      // The first scan tells the keys, and the second logs in where they are still the same.
      const plan = buildPlan({ subnet: '198.18.0.0/26', type: 'deep', probesPerSecond: 5000 })
      const first = await lab.scan(plan)
      const hostKeys = Object.fromEntries(
        first.hosts.flatMap(({ ip, sshHostKey }) => (sshHostKey ? [[ip, sshHostKey]] : [])),
      )
      const privateKey = readFileSync(sshKey, 'utf8')
      const scan = await lab.scan({
        ...plan,
        hostKeys,
        ssh: [{ credentialId: 'ssh', username: 'root', password: '', privateKey, passphrase: '', ip: '' }],
        snmp: SNMP_USERS.map((user) => ({
          version: 'v3',
          ip: '',
          authPassword: 'authpass123',
          privPassword: 'privpass123',
          ...user,
        })),
      })
      const loggedIn = scan.hosts.filter(({ evidence }) =>
        evidence.some(({ detail }) => detail === 'logged in by SSH'),
      ).length
      const told = scan.hosts.filter(({ snmp }) => snmp?.description === SYS_DESCR).length
      return {
        scan,
        checks: [
          [`${loggedIn} of ${SSH_HOSTS.length} logins by SSH`, loggedIn === SSH_HOSTS.length],
          [`${told} of ${SNMP_HOSTS.length} agents by SNMPv3`, told === SNMP_HOSTS.length],
        ],
      }
    },
  },
  {
    name: 'routed /16, quick, default pace',
    run: async () => {
      const scan = await lab.scan(buildPlan({ subnet: '198.19.0.0/16', probesPerSecond: DEFAULT_RATE }))
      return {
        scan,
        checks: [
          ['255 hosts', scan.hosts.length === 255],
          ['under 80 s', scan.ms < 80_000],
        ],
      }
    },
  },
  {
    name: 'routed /16, quick, 20,000 a second',
    run: async () => {
      const scan = await lab.scan(buildPlan({ subnet: '198.19.0.0/16', probesPerSecond: 20_000 }))
      return {
        scan,
        checks: [
          ['255 hosts', scan.hosts.length === 255],
          ['under 6 s', scan.ms < 6000],
        ],
        others: compare(lab, 'fping', ['fping', '-aqg', '-i0.05', '-r0', '198.19.0.0/16'], /^198/gm),
      }
    },
  },
  {
    name: '50 hosts, 1,000 ports',
    run: async () => {
      const ports = Array.from({ length: 1000 }, (_, i) => i + 1)
      const scan = await lab.scan(buildPlan({ subnet: '198.18.0.0/26', type: 'full', ports, probesPerSecond: 50_000 }))
      const truth = countListening(lab, 1000)
      const portsMs = scan.ms - (scan.stageMs.liveness ?? 0)
      return {
        scan,
        checks: [
          [`${countOpenPorts(scan)} of ${truth} open ports`, countOpenPorts(scan) === truth],
          [`ports in ${(portsMs / 1000).toFixed(1)} s, 3.5 wanted`, portsMs < 3500],
        ],
        others: compare(lab, 'nmap -sT', ['nmap', '-sT', '-n', '-Pn', '-p1-1000', '198.18.0.10-59'], /\/tcp +open/g),
      }
    },
  },
]

const largeRows = (lab: Lab): Row[] => [
  {
    name: 'on-link /16, quick, CAP_NET_RAW',
    run: async () => {
      const scan = await lab.scan(buildPlan({ subnet: '198.18.0.0/16', probesPerSecond: 7500 }), { as: 'raw' })
      return {
        scan,
        checks: [
          ['250 hosts', countOthers(scan) === 250],
          ['under 20 s', scan.ms < 20_000],
        ],
        others: compare(
          lab,
          'arp-scan',
          ['arp-scan', '-I', 'sc0', '-q', '-B', '3500000', '-r', '1', '198.18.0.0/16'],
          /^198/gm,
        ),
      }
    },
  },
  {
    name: 'on-link /16, quick, no privilege',
    run: async () => {
      const scan = await lab.scan(buildPlan({ subnet: '198.18.0.0/16', probesPerSecond: DEFAULT_RATE }))
      return {
        scan,
        checks: [
          ['250 hosts', countOthers(scan) === 250],
          [`${scan.mostUnresolved} neighbors asked for at once, 800 allowed`, scan.mostUnresolved < 800],
        ],
      }
    },
  },
]

const conductRows = (lab: Lab): Row[] => [
  {
    name: 'loopback /16, all 65,534 alive',
    run: async () => {
      const scan = await lab.scan(buildPlan({ subnet: '127.0.0.0/16', probesPerSecond: 20_000 }))
      return {
        scan,
        checks: [
          ['65,534 hosts', scan.hosts.length === 65_534],
          [`${scan.rssMb} MB, 80 allowed`, scan.rssMb < 80],
        ],
      }
    },
  },
  {
    name: 'killed 20 times, resumed',
    run: async () => {
      const scan = await lab.scan(buildPlan({ subnet: '127.0.0.0/16', probesPerSecond: 10_000 }), { deed: 'kill' })
      return {
        scan,
        checks: [
          ['20 kills', scan.kills === 20],
          ['65,534 hosts', scan.hosts.length === 65_534],
        ],
      }
    },
  },
  {
    name: 'cancelled',
    run: async () => {
      const scan = await lab.scan(buildPlan({ subnet: '198.19.0.0/16', probesPerSecond: 20_000 }), { deed: 'cancel' })
      const sent = (): number => readCounter(lab, 'arrived')
      const before = sent()
      await Bun.sleep(1000)
      return {
        scan,
        checks: [
          [`acknowledged in ${scan.cancelMs?.toFixed(1)} ms, 100 allowed`, (scan.cancelMs ?? Number.NaN) < 100],
          ['nothing sent after it', sent() === before],
        ],
      }
    },
  },
  {
    name: 'excluded addresses, deep',
    run: async () => {
      lab.flush()
      const plan = buildPlan({
        subnet: '198.18.0.0/24',
        type: 'deep',
        excludes: ['198.18.0.20-198.18.0.34', '198.18.0.200/29'],
        probesPerSecond: 5000,
      })
      lab.exec(lab.hosts, ['nft', 'add element inet lab banned { 198.18.0.20-198.18.0.34, 198.18.0.200/29 }'])
      lab.exec(lab.hosts, ['nft', 'add element arp lab banned { 198.18.0.20-198.18.0.34, 198.18.0.200/29 }'])
      const scan = await lab.scan(plan)
      const asked = Number(
        /packets (\d+)/.exec(lab.exec(lab.hosts, ['nft', 'list', 'counter', 'arp', 'lab', 'asked']))?.[1],
      )
      return {
        scan,
        checks: [
          ['35 hosts', scan.hosts.length === 35],
          [`${readCounter(lab, 'refused')} packets to excluded addresses`, readCounter(lab, 'refused') === 0],
          [`${asked} ARP requests for them`, asked === 0],
        ],
      }
    },
  },
]

const lossyRow = (lab: Lab): Row => ({
  name: 'RTT 5 to 800 ms, 10 % loss, deep',
  run: async () => {
    addLossyNetwork(lab, { aliveOf: 9, leastMs: 5, mostMs: 800, lossPercent: 10, repliesPerSecond: 0 })
    const first = (parseIpv4('198.19.16.0') ?? 0) + 1
    const alive = countAlive(first, first + 4093, 9)
    const scan = await lab.scan(
      buildPlan({ subnet: `${formatIpv4(first - 1)}/20`, type: 'deep', ports: [22], probesPerSecond: DEFAULT_RATE }),
    )
    return { scan, checks: [[`${scan.hosts.length} of ${alive} hosts`, scan.hosts.length === alive]] }
  },
})

/** Lines as they become known: a whole run takes a quarter of an hour. */
const show = async (row: Row): Promise<boolean> => {
  const { scan, checks, others: compared = '' } = await row.run()
  const isMet = scan.result !== 'failed' && scan.result !== 'died' && checks.every(([, ok]) => ok)
  const figures = `${scan.hosts.length} hosts, ${(scan.ms / 1000).toFixed(1)} s, CPU ${scan.cpuSeconds.toFixed(1)} s, ${scan.rssMb} MB`
  console.log(`${isMet ? 'ok    ' : 'MISSED'}  ${row.name.padEnd(38)}${figures}`)
  for (const [what, ok] of checks) console.log(`          ${ok ? '+' : '-'} ${what}`)
  if (scan.message !== '') console.log(`          ${scan.result}: ${scan.message}`)
  for (const note of scan.notes.slice(0, 5)) console.log(`          note: ${note}`)
  if (compared !== '') console.log(`          for comparison: ${compared}`)
  return isMet
}

const BACKLOG = '/proc/sys/net/core/netdev_max_backlog'

const problem = checkLab()
if (problem !== undefined) {
  console.error(`no lab on this machine: ${problem}`)
  process.exit(1)
}
const chosen = process.argv.slice(2)
const backlog = readFileSync(BACKLOG, 'latin1')
let [shown, missed] = [0, 0]
const runAll = async (rows: readonly Row[]): Promise<void> => {
  for (const row of rows) {
    if (chosen.length > 0 && !chosen.some((word) => row.name.includes(word))) continue
    shown++
    if (!(await show(row))) missed++
  }
}

// Each host copies each broadcast of the large sweeps on the same few cores, which no real network does: hence a larger backlog
// here, and fewer hosts there, with more addresses.
await Bun.write(BACKLOG, '100000')
try {
  const lab = createLab()
  const daemons = startDaemons(lab)
  try {
    await daemons.ready()
    await runAll([...sweepRows(lab, daemons.sshKey), ...conductRows(lab), lossyRow(lab)])
  } finally {
    lab.remove()
    daemons.remove()
  }
  const large = createLab({ hostCount: 5, scattered: 245 })
  try {
    await runAll(largeRows(large))
  } finally {
    large.remove()
  }
} finally {
  await Bun.write(BACKLOG, backlog)
}
if (shown === 0) {
  console.error(`no row of the lab has ${chosen.join(' or ')} in its name`)
  process.exit(1)
}
console.log(missed === 0 ? 'All goals met.' : `${missed} rows missed a goal.`)
process.exit(missed === 0 ? 0 : 1)
